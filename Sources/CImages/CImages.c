#include "CImages.h"
#include "CDynamicLibrary.h"

#if defined(__linux__) || defined(__ANDROID__)
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// MARK: Libraries

/// png_image, version 1
typedef struct {
    void *opaque;
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t format;
    uint32_t flags;
    uint32_t colormap_entries;
    /// The lower two bits are 0 if there was no problem, 1 for a warning, 2 or 3 for an error.
    uint32_t warning_or_error;
    char message[64];
} png_image;

enum { PNG_IMAGE_VERSION = 1, PNG_FORMAT_RGBA = 3 };

static struct {
    int (*begin)(png_image *, const void *, size_t);
    int (*finish)(png_image *, const void *background, void *buffer, int32_t row_stride, void *colormap);
    void (*free)(png_image *);
} png;

enum {
    TJPF_RGBA = 7,
    TJCS_CMYK = 3,
    TJCS_YCCK = 4,
    /// Refuses progressive images with more than 500 scans. Versions before 2.1 ignore this flag.
    TJFLAG_LIMITSCANS = 32768,
    TJERR_WARNING = 0,
};

static struct {
    void *(*create)(void);
    int (*header)(void *, const uint8_t *, unsigned long, int *width, int *height, int *subsampling, int *colorspace);
    int (*decompress)(
        void *, const uint8_t *, unsigned long, uint8_t *, int width, int pitch, int height, int format, int flags
    );
    char *(*message)(void *);
    int (*code)(void *);
    int (*destroy)(void *);
} jpeg;

static bool has_png, has_jpeg;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const png_names[] = {"libpng16.so.16", NULL};
    const dynamic_function png_functions[] = {
        {"png_image_begin_read_from_memory", &png.begin},
        {"png_image_finish_read", &png.finish},
        {"png_image_free", &png.free},
        {NULL, NULL},
    };
    static const char *const jpeg_names[] = {"libturbojpeg.so.0", NULL};
    const dynamic_function jpeg_functions[] = {
        {"tjInitDecompress", &jpeg.create},
        {"tjDecompressHeader3", &jpeg.header},
        {"tjDecompress2", &jpeg.decompress},
        {"tjGetErrorStr2", &jpeg.message},
        {"tjGetErrorCode", &jpeg.code},
        {"tjDestroy", &jpeg.destroy},
        {NULL, NULL},
    };
    has_png = dynamic_library_load(png_names, png_functions);
    has_jpeg = dynamic_library_load(jpeg_names, jpeg_functions);
}

bool images_are_available(image_kind kind) {
    pthread_once(&once, load);
    switch (kind) {
    case image_png: return has_png;
    case image_jpeg: return has_jpeg;
    }
    return false;
}

// MARK: Decoders

static void note(char *message, const char *text) {
    size_t length = strnlen(text, image_message_size - 1);
    memcpy(message, text, length);
    message[length] = 0;
}

/// Returns NULL if there is no memory, or if the number of bytes does not fit into size_t.
static uint8_t *allocate_pixels(uint32_t width, uint32_t height) {
    uint64_t count = (uint64_t)width * height;
    return count > SIZE_MAX / 4 ? NULL : malloc((size_t)count * 4);
}

static image_status decode_png(
    const uint8_t *data, size_t count, uint32_t width, uint32_t height, uint8_t **pixels, char *message
) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png.begin(&image, data, count)) {
        note(message, image.message);
        png.free(&image);
        return image_malformed;
    }
    uint8_t *buffer = NULL;
    image_status status = image_malformed;
    if (image.width == width && image.height == height) {
        image.format = PNG_FORMAT_RGBA;
        buffer = allocate_pixels(width, height);
        status = buffer ? image_decoded : image_no_memory;
    } else {
        note(message, "The image has another size than its header says");
    }
    if (buffer && !png.finish(&image, NULL, buffer, 0, NULL)) {
        note(message, image.message);
        status = image_malformed;
    }
    png.free(&image);
    if (status == image_decoded) {
        *pixels = buffer;
    } else {
        free(buffer);
    }
    return status;
}

/// Whether there was an error. A warning is not an error, because the image can still be shown.
static bool has_failed(void *decoder, int result) { return result != 0 && jpeg.code(decoder) != TJERR_WARNING; }

static image_status decode_jpeg_with(
    void *decoder,
    const uint8_t *data,
    size_t count,
    uint32_t width,
    uint32_t height,
    uint8_t **pixels,
    char *message
) {
    int own_width = 0, own_height = 0, subsampling = 0, colorspace = 0;
    int result = jpeg.header(decoder, data, count, &own_width, &own_height, &subsampling, &colorspace);
    // libjpeg-turbo before 3.0 reports an error if the resolution of the colours is unusual. But it has read the header
    // by then, and can decode the image.
    bool is_unusual = subsampling < 0 && colorspace >= 0;
    if (has_failed(decoder, result) && !is_unusual) {
        note(message, jpeg.message(decoder));
        return image_malformed;
    }
    if (own_width < 1 || own_height < 1 || (uint32_t)own_width != width || (uint32_t)own_height != height) {
        note(message, "The image has another size than its header says");
        return image_malformed;
    }
    if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK) return image_unsupported;
    uint8_t *buffer = allocate_pixels(width, height);
    if (!buffer) return image_no_memory;
    result = jpeg.decompress(
        decoder, data, count, buffer, own_width, own_width * 4, own_height, TJPF_RGBA, TJFLAG_LIMITSCANS
    );
    if (has_failed(decoder, result)) {
        note(message, jpeg.message(decoder));
        free(buffer);
        return image_malformed;
    }
    *pixels = buffer;
    return image_decoded;
}

static image_status decode_jpeg(
    const uint8_t *data, size_t count, uint32_t width, uint32_t height, uint8_t **pixels, char *message
) {
    if (count > ULONG_MAX) return image_unsupported;
    void *decoder = jpeg.create();
    if (!decoder) return image_no_memory;
    image_status status = decode_jpeg_with(decoder, data, count, width, height, pixels, message);
    jpeg.destroy(decoder);
    return status;
}

image_status image_decode(
    image_kind kind, const uint8_t *data, size_t count, uint32_t width, uint32_t height, uint8_t **pixels, char *message
) {
    *pixels = NULL;
    *message = 0;
    if (!images_are_available(kind)) return image_unsupported;
    switch (kind) {
    case image_png: return decode_png(data, count, width, height, pixels, message);
    case image_jpeg: return decode_jpeg(data, count, width, height, pixels, message);
    }
    return image_unsupported;
}

#endif
