#!/usr/bin/env python3
"""Makes responses as bytes, and prints as JSON what others make of them.

    differential_responses.py seed count

"bytes" is a whole response, behind which the connection ends. "content" is its content if it is valid by RFC 9112. "h11" and "client" are the contents that h11 and Python's
http.client find, in base64; null if they find a fault. "repaired" is what h11, or else http.client, finds if NUL and CR in the trailer section are blanks, as RFC 9110 permits (section 5.5), and
without lines between the status line and the first field that begin with a blank (RFC 9112, section 2.2); null if there is neither.
"""
import base64
import http.client
import io
import re

import h11
from differential import arguments, show

rng, count = arguments()
CONTENT = bytes(range(256)) * 12


def content():
    start = rng.randrange(256)
    return CONTENT[start : start + rng.choice([0, 1, 5, 10, 16, 17, 255, 256, 1000, 2500])]


def chunks(data):
    """Chunks by the grammar, in all its freedom, and the trailer section."""
    result = b""
    while data:
        size = min(len(data), rng.choice([1, 2, 9, 10, 15, 16, 100, 1000]))
        digits = rng.choice(["{:x}", "{:X}", "{:04x}", "{:x}"]).format(size)
        extension = rng.choice(["", "", "", ";a", ";a=b", ';a="b;c"', ";a=b;c", " ;a"])
        result += (digits + extension).encode() + b"\r\n" + data[:size] + b"\r\n"
        data = data[size:]
    trailers = rng.choice([b"", b"", b"X-Trailer: a\r\n", b"A: b\r\nC: d\r\n"])
    return result + rng.choice([b"0", b"000", b"0;a=b"]) + b"\r\n", trailers + b"\r\n"


def broken(data):
    """Bytes with a fault where framing is, more often than elsewhere, and the fault's index."""
    places = [index for index, byte in enumerate(data) if byte in b"\r\n;" or data[max(0, index - 2) : index] == b"\r\n"]
    index = rng.choice(places) if places and rng.randrange(4) else rng.randrange(len(data) + 1)
    kind = rng.randrange(5)
    insert = rng.choice([b" ", b"x", b"0x", b"-", b"+", b"_", b"\n", b"\r", b"\t", b"g", b"\0", b"1", b"0", b"\r\n", b";", b"\xe9"])
    if kind == 0:
        return data[:index], index
    if kind == 1:
        return data[:index] + data[index + 1 :], index
    if kind == 2:
        return data[:index] + insert + data[index + 1 :], index
    return data[:index] + insert + data[index:], index


def response():
    """A response, its content if it is valid, and where its trailer section begins if the fault is there."""
    data, trailers = content(), b""
    lines = [rng.choice(["HTTP/1.1 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 404 Not Found", "HTTP/1.0 200 OK"])]
    lines += rng.sample(["Content-Type: a/b", "X-Empty:", "x-long: " + "y" * 300, "Set-Cookie: a=b", "Server:  z  "], rng.randrange(4))
    kind = rng.randrange(8)
    if kind < 5 and not lines[0].startswith("HTTP/1.0"):
        lines.insert(rng.randint(1, len(lines)), rng.choice(["Transfer-Encoding: chunked", "transfer-encoding:chunked", "Transfer-Encoding: Chunked "]))
        body, trailers = chunks(data)
    elif kind < 7:
        lines.insert(rng.randint(1, len(lines)), rng.choice(["Content-Length: {}", "content-length:{} ", "Content-Length:  {}"]).format(len(data)))
        body = data
    else:
        body = data
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    kind = rng.randrange(8)
    if kind < 4:
        return head + body + trailers, data, None
    if kind < 7:
        faulty, index = broken(body + trailers)
        return head + faulty, None, len(head + body) if trailers and index >= len(body) else None
    return broken(head)[0] + body + trailers, None, None


def by_h11(data):
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.send(h11.EndOfMessage())
    result = b""
    try:
        connection.receive_data(data)
        ended = False
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                if ended:
                    return None
                ended = True
                connection.receive_data(b"")
            elif isinstance(event, h11.Data):
                result += event.data
            elif isinstance(event, h11.EndOfMessage):
                return result
            elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
                return None
    except h11.RemoteProtocolError:
        return None


class Socket:
    def __init__(self, data):
        self.data = data

    def makefile(self, mode):
        return io.BytesIO(self.data)


def by_client(data):
    reply = http.client.HTTPResponse(Socket(data), method="GET")
    try:
        reply.begin()
        return reply.read()
    except (http.client.HTTPException, ValueError, OSError, AttributeError):
        return None


def encoded(data):
    return None if data is None else base64.b64encode(data).decode()


def case():
    data, valid, start = response()
    fixed = data if start is None else data[:start] + re.sub(rb"\0|\r(?!\n)", b" ", data[start:])
    fixed = re.sub(rb"\A([^\n]*\n)(?:[ \t][^\n]*\n)+", rb"\1", fixed)
    repaired = None if start is None and fixed == data else by_h11(fixed)
    # h11 refuses blanks behind the size of a chunk, and http.client does not remove those behind a value.
    if repaired is None and fixed != data:
        head, _, rest = fixed.partition(b"\r\n\r\n")
        repaired = by_client(re.sub(rb"[ \t]+\r\n", b"\r\n", head + b"\r\n") + b"\r\n" + rest)
    return {"bytes": encoded(data), "content": encoded(valid), "h11": encoded(by_h11(data)), "client": encoded(by_client(data)), "repaired": encoded(repaired)}


show([case() for _ in range(count)])
