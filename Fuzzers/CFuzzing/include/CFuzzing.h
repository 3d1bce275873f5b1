#ifndef CFUZZING_H
#define CFUZZING_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own main, for a program that has a main of its own.
int LLVMFuzzerRunDriver(
    int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull test)(const uint8_t *_Nullable bytes, size_t count));

/// What libxml2 makes of a document.
enum fuzzing_verdict {
  fuzzing_accepted,
  fuzzing_refused,
  /// It has a document type, which we refuse on purpose.
  fuzzing_has_document_type,
};

/// Reads `count` bytes as XML with libxml2, and gives what they hold as ``events``, to be freed: for
/// each start tag `S`, name, NUL, and for each attribute `A`, name, NUL, value, NUL; for each end tag
/// `E`, the text between the tags without that in other elements, NUL.
int fuzzing_read_xml(
    const uint8_t *_Nullable bytes, size_t count, uint8_t *_Nullable *_Nonnull events,
    size_t *_Nonnull event_count);

#endif
