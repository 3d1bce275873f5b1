#ifndef CPUBLICSUFFIX_H
#define CPUBLICSUFFIX_H

/// Loads libpsl and the newest list of public suffixes that it knows, once. Returns 1, or 0 where there is
/// none. Not for several threads at once.
int public_suffix_load(void);

/// The registrable part of `host` (UTF-8 or ASCII, in small letters): `example.co.uk` of
/// `www.example.co.uk`. Points into `host`; NULL where it has none, or nothing is loaded.
const char *_Nullable public_suffix_registrable(const char *_Nonnull host);

#endif
