#include "CWordList.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char words[] = {
#embed "eff_large_wordlist.gz"
};

const unsigned char *word_list(size_t *size) {
  *size = sizeof words;
  return words;
}
