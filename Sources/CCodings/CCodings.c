#include "CCodings.h"
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: Libraries

/// z_stream
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} zlib_stream;

enum {
    Z_NO_FLUSH = 0,
    Z_SYNC_FLUSH = 2,
    Z_FINISH = 4,
    Z_DEFLATED = 8,
    Z_DEFAULT_COMPRESSION = -1,
    Z_DEFAULT_STRATEGY = 0,
    Z_OK = 0,
    Z_STREAM_END = 1,
    Z_BUF_ERROR = -5,
    zlib_window_bits = 15,
    zlib_gzip_format = 16,
    /// The default of zlib.
    zlib_memory_level = 8,
};

static struct {
    /// With the version and the size, zlib checks that its structure is the same as the caller's. It compares only the
    /// first digit of the version.
    int (*init)(zlib_stream *, int window_bits, const char *version, int stream_size);
    int (*inflate)(zlib_stream *, int flush);
    int (*reset)(zlib_stream *);
    int (*end)(zlib_stream *);
} zlib;

static struct {
    int (*init)(
        zlib_stream *, int level, int method, int window_bits, int memory_level, int strategy, const char *version,
        int stream_size
    );
    int (*deflate)(zlib_stream *, int flush);
    int (*end)(zlib_stream *);
} zlib_encoder;

/// The functions that only streams of messages need.
static struct {
    /// Like inflateReset, but later content may still refer to content that was decoded before.
    int (*reset_decoder_keep)(zlib_stream *);
    int (*reset_encoder)(zlib_stream *);
} zlib_messages;

enum { BROTLI_DECODER_RESULT_ERROR = 0, BROTLI_DECODER_RESULT_SUCCESS = 1 };

static struct {
    void *(*create)(void *(*)(void *, size_t), void (*)(void *, void *), void *opaque);
    int (*decompress)(void *, size_t *left, const uint8_t **input, size_t *capacity, uint8_t **output, size_t *total);
    void (*destroy)(void *);
} brotli;

/// ZSTD_inBuffer
typedef struct {
    const void *bytes;
    size_t size;
    size_t position;
} zstd_input;

/// ZSTD_outBuffer
typedef struct {
    void *bytes;
    size_t size;
    size_t position;
} zstd_output;

enum {
    ZSTD_d_windowLogMax = 100,
    ZSTD_error_frameParameter_windowTooLarge = 16,
    /// The binary logarithm of the largest window that the content coding permits: 8 MB (RFC 9659, section 3). The
    /// default of libzstd is 128 MB.
    zstd_window_bits = 23,
    zstd_magic_size = 4,
};

static struct {
    void *(*create)(void);
    size_t (*set)(void *, int parameter, int value);
    size_t (*decompress)(void *, zstd_output *, zstd_input *);
    unsigned (*is_error)(size_t);
    int (*error_code)(size_t);
    size_t (*free)(void *);
    unsigned long long (*content_size)(const void *, size_t);
} zstd;

/// The encoder of zstd, which older or smaller builds of the library may lack.
static struct {
    size_t (*compress)(void *output, size_t capacity, const void *input, size_t input_size, int level);
    unsigned (*is_error)(size_t);
} zstd_encoder;

/// ZSTD_CLEVEL_DEFAULT. With this level, the window has at most 2 MB.
static const int zstd_level = 3;

/// ZSTD_CONTENTSIZE_UNKNOWN
static const uint64_t zstd_unknown_size = UINT64_MAX;

static bool has_zlib, has_zlib_encoder, has_zlib_messages, has_brotli, has_zstd, has_zstd_encoder;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const zlib_names[] = {"libz.so.1", NULL};
    const dynamic_function zlib_functions[] = {
        {"inflateInit2_", &zlib.init},
        {"inflate", &zlib.inflate},
        {"inflateReset", &zlib.reset},
        {"inflateEnd", &zlib.end},
        {NULL, NULL},
    };
    const dynamic_function zlib_encoder_functions[] = {
        {"deflateInit2_", &zlib_encoder.init},
        {"deflate", &zlib_encoder.deflate},
        {"deflateEnd", &zlib_encoder.end},
        {NULL, NULL},
    };
    const dynamic_function zlib_message_functions[] = {
        {"inflateResetKeep", &zlib_messages.reset_decoder_keep},
        {"deflateReset", &zlib_messages.reset_encoder},
        {NULL, NULL},
    };
    static const char *const brotli_names[] = {"libbrotlidec.so.1", NULL};
    const dynamic_function brotli_functions[] = {
        {"BrotliDecoderCreateInstance", &brotli.create},
        {"BrotliDecoderDecompressStream", &brotli.decompress},
        {"BrotliDecoderDestroyInstance", &brotli.destroy},
        {NULL, NULL},
    };
    static const char *const zstd_names[] = {"libzstd.so.1", NULL};
    const dynamic_function zstd_functions[] = {
        {"ZSTD_createDStream", &zstd.create},
        {"ZSTD_DCtx_setParameter", &zstd.set},
        {"ZSTD_decompressStream", &zstd.decompress},
        {"ZSTD_isError", &zstd.is_error},
        {"ZSTD_getErrorCode", &zstd.error_code},
        {"ZSTD_freeDStream", &zstd.free},
        {"ZSTD_getFrameContentSize", &zstd.content_size},
        {NULL, NULL},
    };
    const dynamic_function zstd_encoder_functions[] = {
        {"ZSTD_compress", &zstd_encoder.compress},
        {"ZSTD_isError", &zstd_encoder.is_error},
        {NULL, NULL},
    };
    has_zlib = dynamic_library_load(zlib_names, zlib_functions);
    has_zlib_encoder = dynamic_library_load(zlib_names, zlib_encoder_functions);
    has_zlib_messages = dynamic_library_load(zlib_names, zlib_message_functions);
    has_brotli = dynamic_library_load(brotli_names, brotli_functions);
    has_zstd = dynamic_library_load(zstd_names, zstd_functions);
    has_zstd_encoder = dynamic_library_load(zstd_names, zstd_encoder_functions);
}

bool coding_is_available(coding_kind kind) {
    pthread_once(&once, load);
    switch (kind) {
    case coding_gzip:
    case coding_deflate: return has_zlib;
    case coding_brotli: return has_brotli;
    case coding_zstd: return has_zstd;
    }
    return false;
}

// MARK: Decoders

typedef enum {
    /// Two bytes are needed to recognize the format of the next bytes: for deflate at the start, for gzip after each
    /// member.
    phase_deciding,
    phase_inside,
    /// After the last gzip member that was recognized, or at the end of another format. Further bytes are ignored.
    phase_ended,
} decoder_phase;

struct coding_decoder {
    coding_kind kind;
    decoder_phase phase;
    bool has_stream;
    /// The bytes by which the format was recognized. They are then decoded.
    uint8_t head[2];
    size_t head_count;
    size_t head_used;
    zlib_stream zlib;
    /// The state of brotli or zstd.
    void *state;
    /// The beginning of a frame of zstd, as long as the longest header of a frame (RFC 8878, section 3.1.1.1).
    uint8_t frame[18];
    size_t frame_count;
    /// The number of decoded bytes of this frame.
    uint64_t frame_written;
};

static bool begin_zlib(coding_decoder *decoder, int window_bits) {
    decoder->has_stream = zlib.init(&decoder->zlib, window_bits, "1.2.11", sizeof(zlib_stream)) == Z_OK;
    return decoder->has_stream;
}

static bool begin_zstd(coding_decoder *decoder) {
    decoder->state = zstd.create();
    if (!decoder->state) return false;
    if (!zstd.is_error(zstd.set(decoder->state, ZSTD_d_windowLogMax, zstd_window_bits))) return true;
    zstd.free(decoder->state);
    return false;
}

static bool begin(coding_decoder *decoder) {
    switch (decoder->kind) {
    case coding_gzip:
        decoder->phase = phase_inside;
        return begin_zlib(decoder, zlib_window_bits + zlib_gzip_format);
    case coding_deflate: return true;
    case coding_brotli: return (decoder->state = brotli.create(NULL, NULL, NULL));
    case coding_zstd: return begin_zstd(decoder);
    }
    return false;
}

coding_decoder *coding_open(coding_kind kind) {
    if (!coding_is_available(kind)) return NULL;
    coding_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->kind = kind;
    decoder->phase = phase_deciding;
    if (begin(decoder)) return decoder;
    free(decoder);
    return NULL;
}

void coding_close(coding_decoder *decoder) {
    if (decoder->has_stream) zlib.end(&decoder->zlib);
    if (decoder->state && decoder->kind == coding_brotli) brotli.destroy(decoder->state);
    if (decoder->state && decoder->kind == coding_zstd) zstd.free(decoder->state);
    free(decoder);
}

static coding_status ignore(const uint8_t **input, size_t *input_left) {
    if (*input_left) *input += *input_left;
    *input_left = 0;
    return coding_finished;
}

// MARK: gzip and deflate

/// Whether these are the first bytes of the format of RFC 1950. Content in the format of RFC 1951 alone never begins
/// with them: the lower four bits would mean a stored block with a bit set in its padding.
static bool is_zlib_header(const uint8_t head[2]) {
    return (head[0] & 0x0F) == 8 && head[0] >> 4 <= 7 && (head[0] << 8 | head[1]) % 31 == 0;
}

/// Decides by the first two bytes how the next bytes are decoded, or that they are ignored. Returns false if there is
/// no memory.
static bool decide(coding_decoder *decoder) {
    decoder->head_used = 0;
    decoder->phase = phase_inside;
    if (decoder->kind == coding_deflate) {
        return begin_zlib(decoder, is_zlib_header(decoder->head) ? zlib_window_bits : -zlib_window_bits);
    }
    if (decoder->head[0] == 0x1F && decoder->head[1] == 0x8B) return zlib.reset(&decoder->zlib) == Z_OK;
    decoder->phase = phase_ended;
    return true;
}

static coding_status zlib_status(const coding_decoder *decoder) {
    bool is_between_members = decoder->kind == coding_gzip && decoder->phase == phase_deciding && decoder->head_count == 0;
    return decoder->phase == phase_ended || is_between_members ? coding_finished : coding_more;
}

static unsigned int zlib_count(size_t count) { return count < 1u << 30 ? (unsigned int)count : 1u << 30; }

static coding_status zlib_step(
    coding_decoder *decoder, const uint8_t **input, size_t *input_left, uint8_t *output, size_t capacity, size_t *written
) {
    zlib_stream *stream = &decoder->zlib;
    while (*written < capacity) {
        if (decoder->phase == phase_ended) return ignore(input, input_left);
        if (decoder->phase == phase_deciding) {
            if (*input_left == 0) return zlib_status(decoder);
            decoder->head[decoder->head_count++] = *(*input)++;
            --*input_left;
            if (decoder->kind == coding_gzip && decoder->head[0] != 0x1F) {
                decoder->phase = phase_ended;
            } else if (decoder->head_count == 2 && !decide(decoder)) {
                return coding_malformed;
            }
            continue;
        }
        bool is_in_head = decoder->head_used < decoder->head_count;
        size_t left = is_in_head ? decoder->head_count - decoder->head_used : *input_left;
        stream->next_in = is_in_head ? decoder->head + decoder->head_used : *input;
        stream->avail_in = zlib_count(left);
        stream->next_out = output + *written;
        stream->avail_out = zlib_count(capacity - *written);
        const uint8_t *first_in = stream->next_in, *first_out = stream->next_out;
        int result = zlib.inflate(stream, Z_NO_FLUSH);
        size_t used = (size_t)(stream->next_in - first_in);
        *written += (size_t)(stream->next_out - first_out);
        if (is_in_head) {
            decoder->head_used += used;
        } else if (used) {
            *input += used;
            *input_left -= used;
        }
        if (result == Z_STREAM_END) {
            // The two bytes are used up, because each gzip member and each other format that ends here is longer.
            decoder->head_count = decoder->head_used = 0;
            decoder->phase = decoder->kind == coding_gzip ? phase_deciding : phase_ended;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return coding_malformed;
        } else if (result == Z_BUF_ERROR || (!is_in_head && *input_left == 0)) {
            break;
        }
    }
    return zlib_status(decoder);
}

// MARK: brotli and zstd

static coding_status brotli_step(
    coding_decoder *decoder, const uint8_t **input, size_t *input_left, uint8_t *output, size_t capacity, size_t *written
) {
    if (decoder->phase == phase_ended) return ignore(input, input_left);
    size_t room = capacity;
    int result = brotli.decompress(decoder->state, input_left, input, &room, &output, NULL);
    *written = capacity - room;
    if (result == BROTLI_DECODER_RESULT_ERROR) return coding_malformed;
    if (result != BROTLI_DECODER_RESULT_SUCCESS) return coding_more;
    decoder->phase = phase_ended;
    return ignore(input, input_left);
}

/// Records what a step has read and written of a frame.
static void note_frame(coding_decoder *decoder, const zstd_input *in, size_t start, size_t written) {
    size_t room = sizeof decoder->frame - decoder->frame_count;
    size_t count = in->position - start;
    size_t copied = count < room ? count : room;
    if (copied) memcpy(decoder->frame + decoder->frame_count, (const uint8_t *)in->bytes + start, copied);
    decoder->frame_count += copied;
    decoder->frame_written += written;
}

/// Whether a frame that has ended has the size that its header states, if it states one. libzstd does not compare them
/// if the last block has no bytes and the frame arrives in several chunks.
static bool ends_as_stated(coding_decoder *decoder) {
    uint64_t size = zstd.content_size(decoder->frame, decoder->frame_count);
    bool is_right = size == zstd_unknown_size || size == decoder->frame_written;
    decoder->frame_count = 0;
    decoder->frame_written = 0;
    return is_right;
}

/// Whether the next bytes of the input continue the magic number of a frame (RFC 8878, sections 3.1.1 and 3.1.2), as
/// far as they belong to it. Depending on how it was built, libzstd also decodes frames of versions before the
/// standard, and does not limit their windows.
static bool is_frame(const coding_decoder *decoder, const zstd_input *in) {
    static const uint8_t frame[zstd_magic_size] = {0x28, 0xB5, 0x2F, 0xFD};
    static const uint8_t skippable[zstd_magic_size] = {0x50, 0x2A, 0x4D, 0x18};
    const uint8_t *bytes = (const uint8_t *)in->bytes + in->position;
    size_t left = in->size - in->position;
    bool is_skippable = false;
    for (size_t index = 0; index < zstd_magic_size; index++) {
        if (index >= decoder->frame_count + left) return true;
        uint8_t byte = index < decoder->frame_count ? decoder->frame[index] : bytes[index - decoder->frame_count];
        if (index == 0) is_skippable = (byte & 0xF0) == skippable[0];
        bool is_equal = is_skippable ? index == 0 || byte == skippable[index] : byte == frame[index];
        if (!is_equal) return false;
    }
    return true;
}

static coding_status zstd_step(
    coding_decoder *decoder, const uint8_t **input, size_t *input_left, uint8_t *output, size_t capacity, size_t *written
) {
    zstd_input in = {*input, *input_left, 0};
    zstd_output out = {output, capacity, 0};
    coding_status failure = coding_finished;
    // Between two frames there is no output without new input.
    while (out.position < capacity && !(decoder->phase != phase_inside && in.position == in.size)) {
        if (!is_frame(decoder, &in)) {
            failure = coding_malformed;
            break;
        }
        size_t start = in.position, decoded = out.position;
        size_t result = zstd.decompress(decoder->state, &out, &in);
        note_frame(decoder, &in, start, out.position - decoded);
        if (zstd.is_error(result)) {
            bool is_large = zstd.error_code(result) == ZSTD_error_frameParameter_windowTooLarge;
            failure = is_large ? coding_large_window : coding_malformed;
            break;
        }
        if (result == 0 && !ends_as_stated(decoder)) {
            failure = coding_malformed;
            break;
        }
        decoder->phase = result == 0 ? phase_ended : phase_inside;
        if (in.position == in.size) break;
    }
    *written = out.position;
    if (in.position) *input += in.position;
    *input_left -= in.position;
    if (failure != coding_finished) return failure;
    return decoder->phase == phase_ended ? coding_finished : coding_more;
}

coding_status coding_step(
    coding_decoder *decoder, const uint8_t **input, size_t *input_left, uint8_t *output, size_t capacity, size_t *written
) {
    *written = 0;
    switch (decoder->kind) {
    case coding_gzip:
    case coding_deflate: return zlib_step(decoder, input, input_left, output, capacity, written);
    case coding_brotli: return brotli_step(decoder, input, input_left, output, capacity, written);
    case coding_zstd: return zstd_step(decoder, input, input_left, output, capacity, written);
    }
    return coding_malformed;
}

// MARK: Encoding

static size_t gzip_compress(const uint8_t *input, size_t input_size, uint8_t *output, size_t capacity) {
    if (!has_zlib_encoder) return 0;
    zlib_stream stream = {0};
    if (zlib_encoder.init(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, zlib_window_bits + zlib_gzip_format, zlib_memory_level,
            Z_DEFAULT_STRATEGY, "1.2.11", sizeof stream
        ) != Z_OK) {
        return 0;
    }
    size_t used = 0, written = 0;
    int result = Z_OK;
    while (result == Z_OK && written < capacity) {
        stream.next_in = input + used;
        stream.avail_in = zlib_count(input_size - used);
        stream.next_out = output + written;
        stream.avail_out = zlib_count(capacity - written);
        bool is_last = stream.avail_in == input_size - used;
        result = zlib_encoder.deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
        used = (size_t)(stream.next_in - input);
        written = (size_t)(stream.next_out - output);
    }
    zlib_encoder.end(&stream);
    return result == Z_STREAM_END ? written : 0;
}

static size_t zstd_compress(const uint8_t *input, size_t input_size, uint8_t *output, size_t capacity) {
    if (!has_zstd_encoder) return 0;
    size_t result = zstd_encoder.compress(output, capacity, input, input_size, zstd_level);
    return zstd_encoder.is_error(result) ? 0 : result;
}

size_t coding_compress(
    coding_kind kind, const uint8_t *input, size_t input_size, uint8_t *output, size_t capacity
) {
    pthread_once(&once, load);
    switch (kind) {
    case coding_gzip: return gzip_compress(input, input_size, output, capacity);
    case coding_zstd: return zstd_compress(input, input_size, output, capacity);
    case coding_deflate:
    case coding_brotli: return 0;
    }
    return 0;
}

// MARK: Messages

struct message_stream {
    message_direction direction;
    zlib_stream zlib;
};

bool message_streams_are_available(void) {
    pthread_once(&once, load);
    return has_zlib && has_zlib_encoder && has_zlib_messages;
}

message_stream *message_stream_open(message_direction direction, int window_bits) {
    if (!message_streams_are_available() || window_bits < 9 || window_bits > zlib_window_bits) return NULL;
    message_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->direction = direction;
    // A negative number selects the format of RFC 1951, without a wrapper.
    int result = direction == message_inflating
        ? zlib.init(&stream->zlib, -window_bits, "1.2.11", sizeof(zlib_stream))
        : zlib_encoder.init(
              &stream->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -window_bits, zlib_memory_level, Z_DEFAULT_STRATEGY,
              "1.2.11", sizeof(zlib_stream)
          );
    if (result == Z_OK) return stream;
    free(stream);
    return NULL;
}

void message_stream_close(message_stream *stream) {
    (stream->direction == message_inflating ? zlib.end : zlib_encoder.end)(&stream->zlib);
    free(stream);
}

bool message_stream_reset(message_stream *stream) {
    return (stream->direction == message_inflating ? zlib.reset : zlib_messages.reset_encoder)(&stream->zlib) == Z_OK;
}

bool message_stream_step(
    message_stream *stream, const uint8_t **input, size_t *input_left, uint8_t *output, size_t capacity, size_t *written
) {
    zlib_stream *zlib_state = &stream->zlib;
    *written = 0;
    while (*written < capacity) {
        zlib_state->next_in = *input;
        zlib_state->avail_in = zlib_count(*input_left);
        zlib_state->next_out = output + *written;
        zlib_state->avail_out = zlib_count(capacity - *written);
        const uint8_t *first_in = zlib_state->next_in, *first_out = zlib_state->next_out;
        bool is_last = zlib_state->avail_in == *input_left;
        int flush = is_last ? Z_SYNC_FLUSH : Z_NO_FLUSH;
        int result = stream->direction == message_inflating ? zlib.inflate(zlib_state, flush)
                                                            : zlib_encoder.deflate(zlib_state, flush);
        size_t used = (size_t)(zlib_state->next_in - first_in);
        *written += (size_t)(zlib_state->next_out - first_out);
        if (used) *input += used;
        *input_left -= used;
        if (result == Z_STREAM_END) {
            // A sender may mark a block as the last one. The next message then begins a new stream.
            if (zlib_messages.reset_decoder_keep(zlib_state) != Z_OK) return false;
            if (*input_left == 0) break;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            return false;
        } else if (result == Z_BUF_ERROR || (*input_left == 0 && zlib_state->avail_out > 0)) {
            break;
        }
    }
    return true;
}

bool message_stream_is_between_blocks(const message_stream *stream) {
    enum { after_block = 128, unused_bits = 63 };
    return (stream->zlib.data_type & after_block) && !(stream->zlib.data_type & unused_bits);
}

#endif
