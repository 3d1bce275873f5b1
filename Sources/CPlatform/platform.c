#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

void platform_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

__attribute__((noinline)) void platform_wipe_stack(void) {
  char left[1024];
  explicit_bzero(left, sizeof left);
}

int platform_forbid_tracing(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void platform_unhandle(int number) {
  struct sigaction old;
  if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) signal(number, SIG_DFL);
}

void *platform_map(size_t count, int huge) {
  void *bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return NULL;
  // Advice: where the kernel can't follow it, the memory is as good without.
  (void)madvise(bytes, count, MADV_DONTDUMP);
  if (huge) (void)madvise(bytes, count, MADV_HUGEPAGE);
  return bytes;
}

int platform_random(void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    // More than 256 bytes may come in pieces, when a signal does.
    ssize_t got = getrandom(next, count, 0);
    if (got < 0 && errno != EINTR) return -1;
    if (got > 0) next += got, count -= (size_t)got;
  }
  return 0;
}

int platform_lock_when_touched(void *bytes, size_t count) {
  return mlock2(bytes, count, MLOCK_ONFAULT);
}

void *platform_remap(void *bytes, size_t count, size_t newCount) {
  void *moved = mremap(bytes, count, newCount, MREMAP_MAYMOVE);
  return moved == MAP_FAILED ? NULL : moved;
}

void platform_unmap(void *bytes, size_t count) { (void)munmap(bytes, count); }

int platform_join(pthread_t thread, int milliseconds) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += milliseconds * 1000000L;
  time.tv_sec += time.tv_nsec / 1000000000L;
  time.tv_nsec %= 1000000000L;
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &time) == ETIMEDOUT ? -1 : 0;
}

int platform_fork(void) { return fork(); }

char **platform_environment(void) { return environ; }

int platform_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int platform_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int platform_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int platform_timer_set(int timer, int64_t seconds, int64_t nanoseconds) {
  struct itimerspec time = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int platform_signals(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int platform_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
  if (count >= 0) errno = EIO;
  return -1;
}

int platform_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int platform_peer(int socket, int32_t *process, uint32_t *user, uint32_t *group) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *process = peer.pid;
  *user = peer.uid;
  *group = peer.gid;
  return 0;
}

int platform_exchange(int folder, const char *name, const char *other) {
  return renameat2(folder, name, folder, other, RENAME_EXCHANGE);
}

int platform_folder_watcher(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int platform_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

ptrdiff_t platform_list_attributes(int file, char *names, size_t count) {
  return flistxattr(file, names, count);
}

ptrdiff_t platform_get_attribute(int file, const char *name, void *value, size_t count) {
  return fgetxattr(file, name, value, count);
}

int platform_set_attribute(int file, const char *name, const void *value, size_t count) {
  return fsetxattr(file, name, value, count, 0);
}

int platform_remove_attribute(int file, const char *name) { return fremovexattr(file, name); }
