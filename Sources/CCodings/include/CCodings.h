/// Decoders for the content codings of HTTP, and compressors for two of them. They use the libraries that libcurl
/// itself uses: zlib, brotli and zstd. The libraries are found at run time.
///
/// If a library is already loaded in the process, it is used. Otherwise it is loaded by name. Neither headers nor link
/// flags are needed.

#ifndef CCODINGS_H
#define CCODINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    /// RFC 1952: one member or several. Bytes after the last member are ignored, as in browsers.
    coding_gzip,
    /// RFC 1950, or RFC 1951 without the wrapper of RFC 1950, which some servers send under the same name. Bytes after
    /// the end are ignored.
    coding_deflate,
    /// RFC 7932. Bytes after the end are ignored.
    coding_brotli,
    /// RFC 8878: one frame or several.
    coding_zstd,
} coding_kind;

typedef enum {
    /// The input so far is not complete, or not all of its output was written.
    coding_more,
    /// The input so far is complete. More may follow.
    coding_finished,
    /// The input is not valid in the coding, or there is no memory. Only coding_close may be called afterwards.
    coding_malformed,
    /// The input needs a larger window than the coding permits. Only coding_close may be called afterwards.
    coding_large_window,
} coding_status;

typedef struct coding_decoder coding_decoder;

/// Whether the library for the coding was found.
bool coding_is_available(coding_kind kind);

/// Creates a decoder. The caller has to close it. NULL if there is no library or no memory.
coding_decoder *_Nullable coding_open(coding_kind kind);

/// Decodes until the output is full or all input was used.
///
/// If the output was filled, another call may produce more output even without further input.
///
/// @param input The bytes to decode. The pointer is moved to the first byte that was not used.
/// @param input_left The number of input bytes. It is set to the number of bytes that were not used.
/// @param output The buffer to which the bytes are written.
/// @param capacity The size of the output buffer in bytes; at least 1.
/// @param written Set to the number of bytes that were written.
coding_status coding_step(
    coding_decoder *decoder,
    const uint8_t *_Nullable *_Nonnull input,
    size_t *input_left,
    uint8_t *output,
    size_t capacity,
    size_t *written
);

void coding_close(coding_decoder *decoder);

/// Compresses bytes, as one gzip member or one zstd frame.
///
/// @param kind The coding. There are no compressors for deflate and brotli.
/// @param output The buffer for the compressed bytes.
/// @param capacity The size of that buffer in bytes.
/// @return The number of bytes that were written; 0 if there is no library, no memory, or not enough room.
size_t coding_compress(
    coding_kind kind,
    const uint8_t *input,
    size_t input_size,
    uint8_t *output,
    size_t capacity
);

// MARK: Messages

typedef enum { message_deflating, message_inflating } message_direction;

/// The compression of consecutive messages, in the format of RFC 1951 without a wrapper. A message may refer to the
/// content of earlier messages, unless the stream was reset between them.
typedef struct message_stream message_stream;

/// Whether the library was found, with all functions that streams of messages need.
bool message_streams_are_available(void);

/// Opens a stream. The caller has to close it. NULL if there is no library or no memory.
///
/// @param window_bits The binary logarithm of the maximum distance of a reference, from 9 to 15. For other values, the
/// result is NULL. This includes 8, because zlib cannot compress with it.
message_stream *_Nullable message_stream_open(message_direction direction, int window_bits);

/// Compresses or decompresses until the output is full or all input was used.
///
/// If the output was filled, another call may produce more output even without further input. If the output was not
/// filled, it contains all of the input. Compressed output then ends with the bytes 00 00 FF FF, and its last byte is
/// complete.
///
/// @param input The bytes to compress or decompress. The pointer is moved to the first byte that was not used.
/// @param input_left The number of input bytes. It is set to the number of bytes that were not used.
/// @param output The buffer to which the bytes are written.
/// @param capacity The size of the output buffer in bytes; at least 1.
/// @param written Set to the number of bytes that were written.
/// @return Whether there was no error. After an error, only message_stream_close may be called.
bool message_stream_step(
    message_stream *stream,
    const uint8_t *_Nullable *_Nonnull input,
    size_t *input_left,
    uint8_t *output,
    size_t capacity,
    size_t *written
);

/// Whether the input that was decompressed so far ends at the end of a block, with a complete byte.
bool message_stream_is_between_blocks(const message_stream *stream);

/// Discards the content of all messages so far.
///
/// @return Whether that succeeded. If not, only message_stream_close may be called.
bool message_stream_reset(message_stream *stream);

void message_stream_close(message_stream *stream);

#pragma clang assume_nonnull end

#endif
