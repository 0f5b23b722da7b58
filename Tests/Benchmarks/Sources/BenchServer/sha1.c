#include "sha1.h"

#include <string.h>

enum { block_length = 64, round_count = 80 };

static uint32_t rotate(uint32_t word, int count) { return word << count | word >> (32 - count); }

static void add_block(uint32_t state[5], const uint8_t *block) {
    uint32_t words[round_count];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    }
    for (int i = 16; i < round_count; i++) {
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < round_count; i++) {
        uint32_t mixed, constant;
        if (i < 20) mixed = (b & c) | (~b & d), constant = 0x5a827999;
        else if (i < 40) mixed = b ^ c ^ d, constant = 0x6ed9eba1;
        else if (i < 60) mixed = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdc;
        else mixed = b ^ c ^ d, constant = 0xca62c1d6;
        uint32_t next = rotate(a, 5) + mixed + e + constant + words[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

void sha1(const void *message, size_t length, uint8_t digest[sha1_length]) {
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t blocks[2 * block_length] = {0};
    size_t total = length + 9 <= block_length ? block_length : 2 * block_length;
    memcpy(blocks, message, length);
    blocks[length] = 0x80;
    for (int i = 0; i < 8; i++) blocks[total - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < total; i += block_length) add_block(state, blocks + i);
    for (int i = 0; i < sha1_length; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
