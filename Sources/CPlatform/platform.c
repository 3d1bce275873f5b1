#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

void platform_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int platform_forbid_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void *platform_map(size_t count, int huge) {
  void *bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return NULL;
  // Advice: where the kernel can't follow it, the memory is as good without.
  (void)madvise(bytes, count, MADV_DONTDUMP);
  if (huge) (void)madvise(bytes, count, MADV_HUGEPAGE);
  return bytes;
}

int platform_lock_when_touched(void *bytes, size_t count) {
  return mlock2(bytes, count, MLOCK_ONFAULT);
}

void *platform_remap(void *bytes, size_t count, size_t newCount) {
  void *moved = mremap(bytes, count, newCount, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

void platform_unmap(void *bytes, size_t count) { (void)munmap(bytes, count); }

// What a waiter's events are marked with.
enum { DEVICE, BELL };

int platform_make_waiter(int device, int bell) {
  int waiter = epoll_create1(EPOLL_CLOEXEC);
  if (waiter == -1) return -1;
  struct epoll_event one = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.u32 = DEVICE};
  struct epoll_event all = {.events = EPOLLIN, .data.u32 = BELL};
  if (epoll_ctl(waiter, EPOLL_CTL_ADD, device, &one) == 0 &&
      epoll_ctl(waiter, EPOLL_CTL_ADD, bell, &all) == 0)
    return waiter;
  int error = errno;
  close(waiter);
  errno = error;
  return -1;
}

int platform_wait(int waiter) {
  struct epoll_event events[2];
  int count = epoll_wait(waiter, events, 2, -1);
  for (int i = 0; i < count; i++)
    if (events[i].data.u32 == BELL) return 1;
  return 0;
}

int platform_fork(void) { return fork(); }
