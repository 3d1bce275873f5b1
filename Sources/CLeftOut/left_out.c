#include "CLeftOut.h"

#include <stdlib.h>

int _swift_installCrashHandler(void) { return 0; }

int __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
  (void)scalar;
  (void)buffer;
  (void)capacity;
  abort();
}
