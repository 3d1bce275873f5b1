#include "CPublicSuffix.h"

#include <dlfcn.h>
#include <stddef.h>

// What is used of libpsl; its list is left untyped.
static struct {
  void *(*latest)(const char *file);
  const char *(*registrable)(const void *list, const char *host);
} psl;

static void *list;

int public_suffix_load(void) {
  if (list != NULL) return 1;
  void *library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  *(void **)&psl.latest = dlsym(library, "psl_latest");
  *(void **)&psl.registrable = dlsym(library, "psl_registrable_domain");
  // With NULL it takes the list of the package publicsuffix, or its own where that is newer.
  if (psl.latest != NULL && psl.registrable != NULL) list = psl.latest(NULL);
  return list != NULL;
}

const char *public_suffix_registrable(const char *host) {
  return list == NULL ? NULL : psl.registrable(list, host);
}
