#include "CWordList.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char words[] = {
#embed "eff_large_wordlist.txt"
};

const unsigned char *word_list(size_t *size) {
  *size = sizeof words;
  return words;
}
