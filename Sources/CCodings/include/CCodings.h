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

// MARK: Messages

typedef enum { message_deflating, message_inflating } message_direction;

/// The compression of messages that follow each other, in the format of RFC 1951 without wrapping. Later messages may
/// refer to the content of earlier ones, unless the stream is reset in between.
typedef struct message_stream message_stream;

/// Whether there is a library.
bool message_streams_are_available(void);

/// A stream, which its caller closes; NULL where there is no library or no memory.
///
/// @param window_bits The binary logarithm of how far back a reference goes, 9 to 15; NULL is returned for others, also
/// for 8, with which zlib does not compress.
message_stream *_Nullable message_stream_open(message_direction direction, int window_bits);

/// Compresses or decompresses until the output is full or the input is used up.
///
/// After the output was full, there may be more of it even without further input. All that is in the input is in the
/// output then; that of a compression ends with 00 00 FF FF, at a byte.
///
/// @param input The bytes; moved on to those that were not used.
/// @param input_left How many there are; reduced to how many were not used.
/// @param output Where to write.
/// @param capacity How many bytes may be written; at least 1.
/// @param written How many were.
/// @return Whether all went well. Otherwise the stream is only good for message_stream_close.
bool message_stream_step(
    message_stream *stream,
    const uint8_t *_Nullable *_Nonnull input,
    size_t *input_left,
    uint8_t *output,
    size_t capacity,
    size_t *written
);

/// Whether what was decompressed so far ends where a block ends, and with a byte of its input.
bool message_stream_is_between_blocks(const message_stream *stream);

/// Forgets what the messages so far contained.
///
/// @return Whether that went well. Otherwise the stream is only good for message_stream_close.
bool message_stream_reset(message_stream *stream);

void message_stream_close(message_stream *stream);

#pragma clang assume_nonnull end

#endif
