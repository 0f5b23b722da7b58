/// Decoders of PNG and JPEG: the simple interfaces of libpng and libjpeg-turbo, found at run time.
///
/// A library that is in the process already is taken, else one is loaded by name. Neither headers nor link flags are
/// needed.

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
    /// There is no library, or the image has colours that it does not convert to RGB.
    image_unsupported,
    /// The library refuses the image; the message says why.
    image_malformed,
    image_no_memory,
} image_status;

enum { image_message_size = 256 };

/// Whether there is a library for the kind.
bool images_are_available(image_kind kind);

/// Decodes an image to 8 bits each of red, green, blue and alpha, which is not multiplied into the others; rows from
/// top to bottom, without gaps.
///
/// @param width How wide the image has to be; one that says otherwise by itself is malformed.
/// @param height How high it has to be.
/// @param pixels Is given width times height times 4 bytes, which its caller frees; only if the image is decoded.
/// @param message Is given what the library says; empty if it says nothing. It has room for image_message_size bytes.
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
