#ifndef CNETTLE_SHIM_H
#define CNETTLE_SHIM_H

// What OpenSSL has not: Salsa20 and Twofish. And without layers of calls, AES for AES-KDF, and ChaCha20
// for the few bytes of a value.
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/chacha.h>
#include <nettle/salsa20.h>
#include <nettle/twofish.h>

#endif
