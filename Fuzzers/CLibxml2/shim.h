#ifndef CLIBXML2_H
#define CLIBXML2_H

#include <libxml/parser.h>

#endif
