#define _GNU_SOURCE
#include "CWipingHeap.h"

#include <malloc.h>
#include <stddef.h>
#include <string.h>

void wiping_heap_link(void) {}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_IS_SANITIZED 1
#endif
#endif

#ifndef HEAP_IS_SANITIZED

// glibc's own functions under the names that it exports for replacements of malloc.
extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

// The program's `free` and `realloc` take the place of glibc's for every library in the process.
// `malloc`, `calloc` and the aligned ones stay glibc's: what they return goes back through here.

void free(void *block) {
  if (block == NULL) return;
  explicit_bzero(block, malloc_usable_size(block));
  // Leaves errno as it is (glibc 2.33 and later).
  __libc_free(block);
}

void *realloc(void *block, size_t count) {
  if (block == NULL) return __libc_malloc(count);
  if (count == 0) {
    free(block);
    return NULL;
  }
  size_t usable = malloc_usable_size(block);
  // Stays where it is when it fits and wastes no more than half; what was cut off lies inside the
  // block and is overwritten with it.
  if (count <= usable && count >= usable / 2) {
    return block;
  }
  void *moved = __libc_malloc(count);
  if (moved == NULL) return NULL;
  memcpy(moved, block, count < usable ? count : usable);
  free(block);
  return moved;
}

#endif
