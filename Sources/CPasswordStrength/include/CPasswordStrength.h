#ifndef CPASSWORDSTRENGTH_H
#define CPASSWORDSTRENGTH_H

/// The bits that libzxcvbn gives a password, which ends in a NUL: how many guesses someone needs who
/// knows words, names, dates and keyboards. -1 where the library isn't there.
///
/// The library is loaded at the first call, so nobody pays for it who doesn't ask.
double password_strength_bits(const char *_Nonnull password);

#endif
