#include "CFuzzing.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

/// Bytes that grow.
struct buffer {
  uint8_t *bytes;
  size_t count, capacity;
};

static void append(struct buffer *buffer, const void *bytes, size_t count) {
  if (buffer->count + count > buffer->capacity) {
    buffer->capacity = (buffer->count + count) * 2;
    buffer->bytes = realloc(buffer->bytes, buffer->capacity);
    if (!buffer->bytes) abort();
  }
  if (count) memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

static void append_text(struct buffer *buffer, const xmlChar *text) {
  append(buffer, text, strlen((const char *)text) + 1);
}

/// What the callbacks gather: the texts of the open elements, and the events so far.
struct reading {
  struct buffer events;
  struct buffer *texts;
  size_t depth, room;
  int has_document_type;
};

static void start_element(void *context, const xmlChar *name, const xmlChar **attributes) {
  struct reading *reading = context;
  if (reading->depth == reading->room) {
    reading->room = reading->room * 2 + 16;
    reading->texts = realloc(reading->texts, reading->room * sizeof *reading->texts);
    if (!reading->texts) abort();
  }
  reading->texts[reading->depth++] = (struct buffer){0};
  append(&reading->events, "S", 1);
  append_text(&reading->events, name);
  for (; attributes && *attributes; attributes += 2) {
    append(&reading->events, "A", 1);
    append_text(&reading->events, attributes[0]);
    append_text(&reading->events, attributes[1] ? attributes[1] : (const xmlChar *)"");
  }
}

static void end_element(void *context, const xmlChar *name) {
  struct reading *reading = context;
  if (reading->depth == 0) return;
  struct buffer *text = &reading->texts[--reading->depth];
  append(&reading->events, "E", 1);
  append(&reading->events, text->bytes, text->count);
  append(&reading->events, "", 1);
  free(text->bytes);
  (void)name;
}

static void characters(void *context, const xmlChar *text, int count) {
  struct reading *reading = context;
  if (reading->depth > 0) append(&reading->texts[reading->depth - 1], text, (size_t)count);
}

static void internal_subset(
    void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
  ((struct reading *)context)->has_document_type = 1;
  (void)name, (void)external, (void)system;
}

int fuzzing_read_xml(
    const uint8_t *bytes, size_t count, uint8_t **events, size_t *event_count) {
  struct reading reading = {0};
  // Of the first interface: names as they stand, and namespaces are attributes like any other.
  xmlSAXHandler handler = {0};
  handler.startElement = start_element;
  handler.endElement = end_element;
  handler.characters = characters;
  handler.ignorableWhitespace = characters;
  handler.cdataBlock = characters;
  handler.internalSubset = internal_subset;
  handler.initialized = 1;

  int verdict = fuzzing_refused;
  xmlParserCtxtPtr parser = count > 0 ? xmlCreateMemoryParserCtxt((const char *)bytes, (int)count) : NULL;
  if (parser) {
    xmlCtxtUseOptions(
        parser, XML_PARSE_NONET | XML_PARSE_HUGE | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_SAX1 |
            // Else an ampersand in an attribute would come as a reference.
            XML_PARSE_NOENT);
    *parser->sax = handler;
    parser->sax2 = 0;
    parser->userData = &reading;
    xmlParseDocument(parser);
    if (reading.has_document_type) {
      verdict = fuzzing_has_document_type;
    } else if (parser->wellFormed) {
      verdict = fuzzing_accepted;
    }
    if (parser->myDoc) xmlFreeDoc(parser->myDoc);
    xmlFreeParserCtxt(parser);
  }
  while (reading.depth > 0) free(reading.texts[--reading.depth].bytes);
  free(reading.texts);
  *events = reading.events.bytes;
  *event_count = reading.events.count;
  return verdict;
}
