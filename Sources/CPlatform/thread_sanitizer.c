// What the thread sanitizer must be told, in a build of `scripts/sanitize thread` only.
//
// Swift's `Mutex` takes a free lock, and gives back one that nobody waits for, by code that is inlined,
// which the sanitizer sees. The rest is in libswiftSynchronization, which nobody built for the sanitizer:
// all that such a lock guards would be reported. So the library's two functions are called through those
// below, which have their names.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

SWIFT void synchronization_lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK_SLOW);
SWIFT void synchronization_unlock_slow(SELF mutex) __asm__(UNLOCK_SLOW);

SWIFT void synchronization_lock_slow(uint32_t thread, SELF mutex) {
  SWIFT void (*library)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK_SLOW);
  library(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void synchronization_unlock_slow(SELF mutex) {
  SWIFT void (*library)(SELF) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
  __tsan_release(mutex);
  library(mutex);
}

#endif
#endif
