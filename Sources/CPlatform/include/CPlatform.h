#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>

/// Overwrites `count` bytes at `bytes` with zeros, in a way the optimiser can't remove.
void platform_wipe(void *_Nonnull bytes, size_t count);

/// Keeps other processes of the same user from reading this one's memory, and the kernel from
/// dumping it. Returns 0, or -1 and errno. (prctl is variadic, so Swift can't call it.)
int platform_forbid_tracing(void);

/// Maps `count` bytes of zeroed, private memory that never goes into a core file. With `huge` the
/// kernel is asked for huge pages, which is no promise. Returns NULL and errno on failure.
void *_Nullable platform_map(size_t count, int huge);

/// Keeps each page of the mapped `count` bytes out of the swap from its first touch on. Returns 0, or -1
/// and errno. (Swift's Glibc lacks mlock2.)
int platform_lock_when_touched(void *_Nonnull bytes, size_t count);

/// Makes `count` mapped bytes at `bytes` `newCount` bytes long, where they are or elsewhere; nothing
/// is copied, and nothing stays behind. Returns NULL and errno on failure, and then the old ones are
/// as they were. (mremap is variadic.)
void *_Nullable platform_remap(void *_Nonnull bytes, size_t count, size_t newCount);

/// Gives mapped bytes back; the kernel overwrites them before anyone else gets them.
void platform_unmap(void *_Nonnull bytes, size_t count);

/// Makes an epoll descriptor with which one of several threads waits for `device`: what comes there
/// wakes one of those that wait, `bell` wakes them all. Returns it, or -1 and errno. (Swift's Glibc
/// lacks epoll.)
int platform_make_waiter(int device, int bell);

/// Waits with it. Returns 1 if `bell` is readable, else 0, also after an interruption.
int platform_wait(int waiter);

/// Forks. Swift hides `fork`, because after it only async-signal-safe calls are safe in a process
/// that has threads: call this before any thread is started. Returns as fork(2) does.
int platform_fork(void);

#endif
