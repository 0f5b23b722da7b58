/// Decoders of PNG and JPEG. They use the simple interfaces of libpng and libjpeg-turbo, which are found at run time.
///
/// If a library is already loaded in the process, it is used. Otherwise it is loaded by name. Neither headers nor link
/// flags are needed.

#ifndef CIMAGES_H
#define CIMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef enum {
    /// libpng 1.6, libpng16.so.16.
    image_png,
    /// libjpeg-turbo's own interface, libturbojpeg.so.0.
    image_jpeg,
} image_kind;

typedef enum {
    image_decoded,
    /// There is no library, or the library cannot convert the colours of the image to RGB.
    image_unsupported,
    /// The library refuses the image. The message has the reason.
    image_malformed,
    image_no_memory,
} image_status;

enum { image_message_size = 256 };

/// Whether the library for the kind was found.
bool images_are_available(image_kind kind);

/// Decodes an image. Each pixel has 8 bits each of red, green, blue and alpha. The colours are not multiplied by alpha.
/// The rows come from top to bottom, without gaps.
///
/// @param width The expected width in pixels. If the image has another width, it counts as malformed.
/// @param height The expected height in pixels. If the image has another height, it counts as malformed.
/// @param pixels Set to a buffer with width times height times 4 bytes, if the image is decoded. The caller has to free
/// it.
/// @param message Set to the library's message; empty if there is none. It must have room for image_message_size bytes.
image_status image_decode(
    image_kind kind,
    const uint8_t *data,
    size_t count,
    uint32_t width,
    uint32_t height,
    uint8_t *_Nullable *_Nonnull pixels,
    char *message
);

#pragma clang assume_nonnull end

#endif
