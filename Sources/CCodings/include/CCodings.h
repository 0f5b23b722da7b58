/// Decoders for the content codings of HTTP, by the libraries that libcurl itself uses: zlib, brotli and zstd, found at
/// run time.
///
/// A library that is in the process already is taken, else one is loaded by name. Neither headers nor link flags are
/// needed.

#ifndef CCODINGS_H
#define CCODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    /// RFC 1952: one member or several; what follows the last is ignored, as browsers do.
    coding_gzip,
    /// RFC 1950, or RFC 1951 without its wrapping, which some servers send under the same name; what follows it is
    /// ignored.
    coding_deflate,
    /// RFC 7932; what follows it is ignored.
    coding_brotli,
    /// RFC 8878: one frame or several.
    coding_zstd,
} coding_kind;

typedef enum {
    /// What has come so far is not complete, or has not been written out completely.
    coding_more,
    /// What has come so far is complete; more may follow.
    coding_finished,
    /// What has come is not in the coding, or there is no memory. The decoder is only good for coding_close.
    coding_malformed,
} coding_status;

typedef struct coding_decoder coding_decoder;

/// Whether there is a library for the coding.
bool coding_is_available(coding_kind kind);

/// A decoder, which its caller closes; NULL where there is no library or no memory.
coding_decoder *_Nullable coding_open(coding_kind kind);

/// Decodes until the output is full or the input is used up.
///
/// After the output was full, there may be more of it even without further input.
///
/// @param input The bytes to be decoded; moved on to those that were not used.
/// @param input_left How many there are; reduced to how many were not used.
/// @param output Where to write.
/// @param capacity How many bytes may be written; at least 1.
/// @param written How many were.
coding_status coding_step(
    coding_decoder *decoder,
    const uint8_t *_Nullable *_Nonnull input,
    size_t *input_left,
    uint8_t *output,
    size_t capacity,
    size_t *written
);

void coding_close(coding_decoder *decoder);

/// Compresses bytes in the format of RFC 1952.
///
/// @param output Where to write.
/// @param capacity How many bytes may be written.
/// @return How many were; 0 where there is no library, no memory, or not enough room.
size_t coding_compress(const uint8_t *input, size_t input_size, uint8_t *output, size_t capacity);

#pragma clang assume_nonnull end

#endif
