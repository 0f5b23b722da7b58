#!/usr/bin/env python3
"""Makes contents with codings, and prints as JSON what they are without.

    differential_codings.py seed count

"field" is the value of Content-Encoding, "coded" the content, and "content" what zlib, brotli and zstandard make of it; null if they find a fault, or its end is missing.
"hasRest" says that there are bytes behind its end.
"""
import base64
import zlib

import brotlicffi
import zstandard
from differential import arguments, show

rng, count = arguments()


def content():
    kind = rng.randrange(4)
    size = rng.choice([0, 1, 10, 300, 5000, 70_000])
    if kind == 0:
        return rng.randbytes(min(size, 5000))
    if kind == 1:
        return bytes([rng.randrange(256)]) * size
    return bytes(rng.choice(b"abc \n") for _ in range(min(size, 3000))) * max(1, size // 3000)


def chunks(data):
    while data:
        size = rng.choice([1, 100, 5000, len(data)])
        yield data[:size]
        data = data[size:]


def deflated(data, bits):
    coder = zlib.compressobj(rng.randrange(10), zlib.DEFLATED, bits, rng.randint(1, 9), rng.randrange(5))
    result = b""
    for chunk in chunks(data):
        result += coder.compress(chunk)
        if rng.randrange(4) == 0:
            result += coder.flush(rng.choice([zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH]))
    return result + coder.flush()


def coded(data, coding):
    if coding == "gzip":
        # Content may have several members (RFC 1952, section 2.2).
        half = len(data) // 2
        return deflated(data[:half], 31) + deflated(data[half:], 31) if rng.randrange(4) == 0 else deflated(data, rng.randint(25, 31))
    if coding == "deflate":
        # Some servers send deflate without the wrapping of zlib.
        return deflated(data, rng.randint(9, 15) if rng.randrange(4) else -rng.randint(9, 15))
    if coding == "br":
        return brotlicffi.compress(data, quality=rng.randrange(8), lgwin=rng.randint(10, 22))
    frames = [data[: len(data) // 2], data[len(data) // 2 :]] if rng.randrange(4) == 0 else [data]
    parameters = zstandard.ZstdCompressionParameters.from_level(rng.randint(-5, 12), write_checksum=rng.randrange(2), write_content_size=rng.randrange(2), window_log=rng.randint(10, 21))
    return b"".join(zstandard.ZstdCompressor(compression_params=parameters).compress(frame) for frame in frames)


def is_zlib(data):
    """Whether content begins like the format of zlib (RFC 1950, section 2.2)."""
    return len(data) < 2 or data[0] & 15 == 8 and data[0] >> 4 <= 7 and (data[0] << 8 | data[1]) % 31 == 0


def decoded(data, coding):
    """The content, or None, and whether there are bytes behind its end."""
    if coding in ("gzip", "deflate"):
        bits = 31 if coding == "gzip" else 15 if is_zlib(data) else -15
        result, rest = b"", data
        while True:
            coder = zlib.decompressobj(bits)
            try:
                result += coder.decompress(rest) + coder.flush()
            except zlib.error:
                return None, False
            if not coder.eof:
                return None, False
            rest = coder.unused_data
            # What does not begin like another member is none.
            if not rest or coding == "deflate" or not rest.startswith(b"\x1f\x8b"):
                return result, bool(rest)
    if coding == "br":
        # It says nothing of bytes behind the end, but fails: single bytes show where the end is.
        coder, result = brotlicffi.Decompressor(), b""
        for index in range(len(data)):
            try:
                result += coder.decompress(data[index : index + 1])
            except brotlicffi.error:
                return None, False
            if coder.is_finished():
                return result, index + 1 < len(data)
        return None, False
    result, rest = b"", data
    while rest:
        coder = zstandard.ZstdDecompressor(max_window_size=1 << 23).decompressobj()
        try:
            result += coder.decompress(rest)
        except zstandard.ZstdError:
            return None, False
        if not coder.eof:
            return None, False
        rest = coder.unused_data
        # What does not begin like another frame is none.
        if rest and not rest.startswith(b"\x28\xb5\x2f\xfd"):
            return result, True
    return result, False


def broken(data):
    index = rng.randrange(len(data) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return data[:index]
    if kind == 1:
        return data[:index] + bytes([rng.randrange(256)]) + data[index + 1 :]
    if kind == 2:
        return data[:index] + data[index + 1 :]
    return data + rng.choice([b"\0", b"x", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\0\0\0\0"])


def case():
    codings = [rng.choice(["gzip", "deflate", "br", "zstd"]) for _ in range(rng.choice([1, 1, 1, 2]))]
    data = content()
    for coding in codings:
        data = coded(data, coding)
    is_broken = rng.randrange(3) == 0
    if is_broken:
        data = broken(data)
    # Content without a byte is none, whatever its codings.
    result, has_rest = data, False
    for coding in reversed(codings):
        if result is not None and data:
            result, rest = decoded(result, coding)
            has_rest = has_rest or rest
    return {
        "field": ", ".join(codings),
        "coded": base64.b64encode(data).decode(),
        "content": None if result is None else base64.b64encode(result).decode(),
        "isBroken": is_broken,
        "hasRest": has_rest,
        "chunk": rng.choice([1, 7, 100, 4096, 1 << 20]),
    }


show([case() for _ in range(count)])
