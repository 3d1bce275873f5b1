#include "CPasswordStrength.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef double (*match)(const char *password, const char *words[], void **parts);

static match zxcvbn;

static void load(void) {
  void *library = dlopen("libzxcvbn.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) *(void **)&zxcvbn = dlsym(library, "ZxcvbnMatch");
}

double password_strength_bits(const char *password) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return zxcvbn == NULL ? -1 : zxcvbn(password, NULL, NULL);
}
