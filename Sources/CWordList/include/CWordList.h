#ifndef CWORDLIST_H
#define CWORDLIST_H

#include <stddef.h>

/// EFF's long word list as it was published, `*size` bytes that are always there: lines of five digits
/// of dice, a tab and a word.
const unsigned char *_Nonnull word_list(size_t *_Nonnull size);

#endif
