#ifndef CFUSE3_SHIM_H
#define CFUSE3_SHIM_H

// The version of libfuse's interface that we are written against (3.14, Debian 12).
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>
#include <string.h>

#endif
