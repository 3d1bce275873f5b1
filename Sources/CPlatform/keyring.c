#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The process' own keyring: no other process finds it, and it goes with the process.
enum { OWN_KEYRING = -2 };

int platform_keep_key(const char *name, const void *bytes, size_t count, unsigned seconds) {
  long key = syscall(SYS_add_key, "user", name, bytes, count, OWN_KEYRING);
  if (key < 0) return -1;
  if (syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds) == 0) return 0;
  int error = errno;
  (void)platform_forget_key(name);
  errno = error;
  return -1;
}

static long find_key(const char *name) {
  return syscall(SYS_keyctl, KEYCTL_SEARCH, OWN_KEYRING, "user", name, 0);
}

ptrdiff_t platform_read_key(const char *name, void *bytes, size_t count) {
  long key = find_key(name);
  if (key < 0) return -1;
  return syscall(SYS_keyctl, KEYCTL_READ, key, bytes, count);
}

int platform_forget_key(const char *name) {
  long key = find_key(name);
  if (key < 0) return -1;
  // Revoked, so that the kernel wipes it, whoever else would still have it.
  if (syscall(SYS_keyctl, KEYCTL_REVOKE, key) < 0) return -1;
  return (int)syscall(SYS_keyctl, KEYCTL_UNLINK, key, OWN_KEYRING);
}
