// Makes one system call on the files of a folder fail: preloaded into the program under test.
//
// KDBXFS_FAULTS names a file that test and program map: see `struct control`. Each call that concerns
// a file in the folder is counted while `armed` is set; the one whose number is `target` fails with
// `error`, or, where `error` is 0, does only half of what it was asked to. The names of the calls are
// kept, so that a test can tell what happened. Built by `support/faults/__init__.py`.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define MOST 512

struct control {
  _Atomic int armed, count, target, error;
  char folder[PATH_MAX];
  char calls[MOST][16];
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("KDBXFS_FAULTS");
  if (!path) return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *place = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place != MAP_FAILED) control = place;
  close(file);
}

static int concerns_path(const char *path) {
  size_t count = strlen(control->folder);
  return strncmp(path, control->folder, count) == 0 && (path[count] == '/' || !path[count]);
}

static int concerns(int file) {
  char link[64], path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, PATH_MAX);
  if (count < 0) return 0;
  path[count] = 0;
  return concerns_path(path);
}

static int concerns_at(int folder, const char *path) {
  return path[0] == '/' ? concerns_path(path) : folder == AT_FDCWD ? 0 : concerns(folder);
}

// Whether this call is the one: then errno is set, and `half` says to do only half of it.
static int fails(const char *name, int *half) {
  int number = atomic_fetch_add(&control->count, 1) + 1;
  if (number <= MOST) snprintf(control->calls[number - 1], 16, "%s", name);
  if (number != control->target) return 0;
  if (control->error) {
    errno = control->error;
    return 1;
  }
  if (half) *half = 1;
  return 0;
}

#define WATCHED(concern) (control && atomic_load(&control->armed) && (concern))
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int openat(int folder, const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (WATCHED(concerns_at(folder, path)) && fails("openat", NULL)) return -1;
  return NEXT(openat)(folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (WATCHED(concerns_path(path)) && fails("open", NULL)) return -1;
  return NEXT(open)(path, flags, mode);
}

#define TRANSFER(name, type)                                       \
  ssize_t name(int file, type bytes, size_t count) {               \
    int half = 0;                                                  \
    if (WATCHED(concerns(file)) && fails(#name, &half)) return -1; \
    return NEXT(name)(file, bytes, half ? count / 2 : count);      \
  }
TRANSFER(read, void *)
TRANSFER(write, const void *)

#define TRANSFER_AT(name, type)                                    \
  ssize_t name(int file, type bytes, size_t count, off_t offset) { \
    int half = 0;                                                  \
    if (WATCHED(concerns(file)) && fails(#name, &half)) return -1; \
    return NEXT(name)(file, bytes, half ? count / 2 : count, offset); \
  }
TRANSFER_AT(pread, void *)
TRANSFER_AT(pwrite, const void *)

#define OF_FILE(name)                                             \
  int name(int file) {                                            \
    if (WATCHED(concerns(file)) && fails(#name, NULL)) return -1; \
    return NEXT(name)(file);                                      \
  }
OF_FILE(fsync)
OF_FILE(fdatasync)

int fstat(int file, struct stat *status) {
  if (WATCHED(concerns(file)) && fails("fstat", NULL)) return -1;
  return NEXT(fstat)(file, status);
}

int fchmod(int file, mode_t mode) {
  if (WATCHED(concerns(file)) && fails("fchmod", NULL)) return -1;
  return NEXT(fchmod)(file, mode);
}

int fchown(int file, uid_t owner, gid_t group) {
  if (WATCHED(concerns(file)) && fails("fchown", NULL)) return -1;
  return NEXT(fchown)(file, owner, group);
}

int ftruncate(int file, off_t count) {
  if (WATCHED(concerns(file)) && fails("ftruncate", NULL)) return -1;
  return NEXT(ftruncate)(file, count);
}

int renameat(int from, const char *old, int to, const char *new) {
  if (WATCHED(concerns_at(from, old)) && fails("renameat", NULL)) return -1;
  return NEXT(renameat)(from, old, to, new);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  if (WATCHED(concerns_at(from, old)) && fails("renameat2", NULL)) return -1;
  return NEXT(renameat2)(from, old, to, new, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  if (WATCHED(concerns_at(to, new)) && fails("linkat", NULL)) return -1;
  return NEXT(linkat)(from, old, to, new, flags);
}

int unlinkat(int folder, const char *path, int flags) {
  if (WATCHED(concerns_at(folder, path)) && fails("unlinkat", NULL)) return -1;
  return NEXT(unlinkat)(folder, path, flags);
}
