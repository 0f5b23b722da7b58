/// SHA-1 (RFC 3174), which the opening handshake of a WebSocket needs.

#ifndef SHA1_H
#define SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { sha1_length = 20 };

/// The message has at most 119 bytes, which is two blocks.
void sha1(const void *message, size_t length, uint8_t digest[sha1_length]);

#endif
