#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

int platform_find_user(
    const char *name, int has_number, uint32_t number, uint32_t *user, uint32_t *group,
    char *texts, size_t size) {
  char buffer[1 << 14];
  struct passwd entry, *found = NULL;
  int error = has_number ? getpwuid_r(number, &entry, buffer, sizeof buffer, &found)
                         : getpwnam_r(name, &entry, buffer, sizeof buffer, &found);
  if (found == NULL) {
    // Some say that there is none with an error.
    if (error == 0 || error == ENOENT || error == ESRCH) return 0;
    errno = error;
    return -1;
  }
  size_t names = strlen(entry.pw_name) + 1, homes = strlen(entry.pw_dir) + 1;
  if (names + homes > size) {
    errno = ERANGE;
    return -1;
  }
  memcpy(texts, entry.pw_name, names);
  memcpy(texts + names, entry.pw_dir, homes);
  *user = entry.pw_uid;
  *group = entry.pw_gid;
  return 1;
}

int platform_become(const char *name, uint32_t user, uint32_t group) {
  if (initgroups(name, group) != 0 || setresgid(group, group, group) != 0 ||
      setresuid(user, user, user) != 0)
    return -1;
  // Nothing may lead back.
  if (user != 0 && setuid(0) == 0) {
    errno = EPERM;
    return -1;
  }
  return 0;
}
