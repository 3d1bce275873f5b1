#ifndef CWORDLIST_H
#define CWORDLIST_H

#include <stddef.h>

/// The words of EFF's long list, one a line, as gzip (RFC 1952): `*size` bytes that are always there.
const unsigned char *_Nonnull word_list(size_t *_Nonnull size);

#endif
