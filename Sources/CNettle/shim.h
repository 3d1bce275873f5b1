#ifndef CNETTLE_SHIM_H
#define CNETTLE_SHIM_H

// What OpenSSL has not: Salsa20 and Twofish. And AES without a layer of calls, for AES-KDF.
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/salsa20.h>
#include <nettle/twofish.h>

#endif
