#ifndef CLEFTOUT_H
#define CLEFTOUT_H

#include <stddef.h>
#include <stdint.h>

/// In the place of what Swift's library calls before `main` so that a crash is printed: does nothing,
/// and answers that it succeeded (0).
///
/// The printer writes the memory that registers point to, where secrets are, and to set it up took a
/// tenth of a start. Programs with Swift's library linked into them take this one, as releases are;
/// `ProcessHardening` gives crashes back to the kernel in the others.
int _swift_installCrashHandler(void);

/// In the place of the function behind `Unicode.Scalar.Properties.name`, with half a megabyte of names
/// that nothing here asks for: ends the program.
int __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

#endif
