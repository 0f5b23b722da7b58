"""The steps with which http2_server.py answers a stream."""

import asyncio
import collections
import ctypes
import json
import socket
import struct
import zlib

from hyperframe import frame as frames

SO_ATTACH_FILTER = 26
counts = collections.Counter()
marks = collections.Counter()
flooded = collections.Counter()
events = collections.defaultdict(asyncio.Event)
arrivals = collections.defaultdict(set)


class Closed(Exception):
    pass


class Answered(Exception):
    pass


class Play:
    """The steps with which a stream is answered; what they write goes out at once when they have ended or wait."""

    def __init__(self, connection, number, fields, key):
        self.connection, self.number, self.fields, self.key = connection, number, fields, key
        self.method, self.target = fields[":method"], fields[":path"]
        self.output, self.limit, self.skipped, self.is_exact = [], None, 0, None

    async def run(self, steps):
        for step in steps.split(","):
            if self.skipped:
                self.skipped -= 1
                continue
            name, *arguments = step.split(":")
            result = getattr(self, name)(*arguments)
            if asyncio.iscoroutine(result):
                await result

    def flush(self):
        output, self.output = b"".join(self.output), []
        if self.limit is not None:
            output, self.limit = output[: self.limit], self.limit - len(output)
        if output:
            self.connection.write(output)
        if self.limit is not None and self.limit <= 0:
            raise Closed

    def write(self, frame):
        self.output.append(frame if isinstance(frame, bytes) else frame.serialize())

    def answer(self, value):
        self.headers([(":status", "200"), ("content-type", "application/json")])
        self.last(text=json.dumps(value))

    def echo(self):
        stream = self.connection.streams[self.number]
        return {
            "connection": self.connection.number,
            "method": self.method,
            "length": stream.length,
            "checksum": zlib.crc32(stream.content),
        }

    def headers(self, fields, flags=("END_HEADERS",)):
        block = self.connection.encoder.encode(fields)
        self.write(frames.HeadersFrame(self.number, block, flags=flags))

    # Steps.

    def head(self, status, *fields):
        self.headers([(":status", status), ("x-connection", str(self.connection.number))] + pairs(fields))

    def headend(self, status, *fields):
        """A header section without content."""
        self.headers([(":status", status)] + pairs(fields), ["END_HEADERS", "END_STREAM"])

    def split(self, status, size, *fields):
        """A header section in frames of so many bytes."""
        size = int(size)
        block = self.connection.encoder.encode([(":status", status)] + pairs(fields))
        parts = [block[i : i + size] for i in range(0, len(block), size)]
        for index, part in enumerate(parts):
            kind = frames.ContinuationFrame if index else frames.HeadersFrame
            self.write(kind(self.number, part, flags=["END_HEADERS"] if index == len(parts) - 1 else []))

    def trailers(self, *fields):
        self.headers(pairs(fields), ["END_HEADERS", "END_STREAM"])

    def data(self, length=0, padding=0, text=None, flags=()):
        flags = list(flags) + (["PADDED"] if int(padding) else [])
        content = text.encode() if text is not None else b"x" * int(length)
        self.write(frames.DataFrame(self.number, content, pad_length=int(padding), flags=flags))

    def last(self, length=0, padding=0, text=None):
        """DATA with END_STREAM."""
        self.data(length, padding, text, ["END_STREAM"])

    def rst(self, code, number=None):
        self.write(frames.RstStreamFrame(self.stream(number), error_code=int(code)))

    def goaway(self, last, code):
        """`below` for a stream lower than this one."""
        last = self.number - 2 if last == "below" else self.stream(last)
        self.write(frames.GoAwayFrame(0, last_stream_id=max(0, last), error_code=int(code)))

    def frame(self, kind, flags, number, payload=""):
        """Any frame at all: its payload is in hexadecimal."""
        payload = bytes.fromhex(payload)
        head = len(payload).to_bytes(3, "big") + bytes([int(kind), int(flags)]) + self.stream(number).to_bytes(4, "big")
        self.write(head + payload)

    def raw(self, payload):
        self.write(bytes.fromhex(payload))

    def stream(self, number):
        """`this` for the play's own."""
        return self.number if number in (None, "this") else int(number)

    def cut(self, length):
        """No more than so many bytes go out, then the connection is closed."""
        self.limit = int(length)

    async def first(self, key, count=1):
        """Only the first requests with the key get what follows, the others an answer once they have ended."""
        if counts[key] > int(count):
            await self.body()
            self.answer(self.echo())
            raise Answered

    def once(self, key, count):
        """Only the first stream that gets here with the key takes the next steps, so many of them."""
        marks[key] += 1
        if marks[key] > 1:
            self.skipped = int(count)

    def anonymous(self, count):
        """Only a request without credentials takes the next steps, so many of them."""
        if "authorization" in self.fields:
            self.skipped = int(count)

    def final(self, status, *fields):
        """A whole response without content, and no further step."""
        self.headend(status, *fields)
        raise Answered

    def redirect(self):
        self.headers([(":status", "307"), ("location", self.target)], ["END_HEADERS", "END_STREAM"])
        raise Answered

    def leave(self):
        """The connection reads, and does nothing more."""
        self.connection.is_deaf = True
        raise Answered

    def refuse(self):
        self.rst(7)
        raise Answered

    async def exact(self, marker, size, kind, may_end_early):
        """Waits for the content of a crossing, and compares it with the one that has the marker and the size."""
        await self.body()
        content = bytes(self.connection.streams[self.number].content)
        if self.fields.get("content-encoding") == "gzip":
            content = zlib.decompress(content, wbits=31)
        self.is_exact = is_content(content, marker, int(size), kind, may_end_early == "1")

    def reply(self, marker):
        """The response of a crossing."""
        fields = [] if self.is_exact is None else [("x-exact", str(int(self.is_exact)))]
        self.headers([(":status", "200")] + fields)
        self.last(text=f"The response to {marker}")

    async def arrive(self, name, count, limit=None):
        """Waits until requests with so many keys have arrived here, over any connection; for so many seconds at most."""
        arrivals[name].add(self.key)
        if len(arrivals[name]) == int(count):
            events[name].set()
        try:
            await asyncio.wait_for(self.wait(name), limit and float(limit))
        except asyncio.TimeoutError:
            pass

    def respond(self):
        self.answer(self.echo())

    def deaf(self):
        """From now on the connection does nothing."""
        self.connection.is_deaf = True

    def vanish(self):
        """From now on the server's system drops each packet of the connection, as if the link were cut."""
        everything = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
        program = struct.pack("HP", 1, ctypes.addressof(everything))
        self.connection.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)

    def close(self):
        self.flush()
        raise Closed

    def abort(self):
        self.flush()
        self.connection.writer.transport.abort()

    async def send(self):
        """What the steps before have written goes out, and those that follow write anew."""
        self.flush()
        await self.connection.writer.drain()

    async def news(self):
        await self.send()
        async with self.connection.news:
            await self.connection.news.wait()

    async def body(self, length=None):
        """Waits for so many bytes of the request, or its end."""
        stream = self.connection.streams[self.number]
        while not stream.ended if length is None else stream.length < int(length):
            await self.news()

    async def streams(self, count):
        """Waits until so many requests have come on the connection."""
        while len(self.connection.streams) < int(count):
            await self.news()

    async def signal(self, name):
        await self.send()
        events[name].set()

    async def wait(self, name):
        await self.send()
        await events[name].wait()

    async def forever(self):
        await self.send()
        await asyncio.Event().wait()

    async def flood(self, kind, limit, key):
        """Sends the same frames until the connection ends, or so many bytes have gone out."""
        frame = {
            "empty": frames.DataFrame(self.number),
            "priority": frames.PriorityFrame(self.number, stream_weight=7),
            "window": frames.WindowUpdateFrame(0, window_increment=1),
            "altsvc": frames.AltSvcFrame(self.number, field=b'h2=":1"'),
            "settings": frames.SettingsFrame(0),
            "ping": frames.PingFrame(0, bytes(8)),
            "data": frames.DataFrame(self.number, b"x" * 1000),
        }[kind].serialize()
        chunk = frame * ((1 << 18) // len(frame))
        for _ in range(int(limit) // len(chunk)):
            if self.connection.writer.is_closing():
                raise Closed
            self.write(chunk)
            await self.send()
            flooded[key] += len(chunk)
            # A client that reads fast must not keep the others waiting.
            await asyncio.sleep(0)


LINES = b"".join(b"%07d\n" % number for number in range(1 << 18))


def is_content(content, marker, size, kind, may_end_early):
    """Whether content is that of a crossing: of one chunk, of blocks of a size in any order, or of a form with a boundary. See CrossingContent.swift."""
    if not kind.isdigit():
        head = f'--{kind}\r\nContent-Disposition: form-data; name="a"\r\n\r\n'.encode()
        return content == head + text_of(marker, size) + f"\r\n--{kind}--\r\n".encode()
    if kind == "0":
        expected = text_of(marker, size)
        return content == expected or (may_end_early and expected.startswith(content))
    block = int(kind)
    left = [text_of(f"{marker}/{index}", block) for index in range(size // block)]
    for start in range(0, len(content), block):
        if content[start : start + block] not in left:
            return False
        left.remove(content[start : start + block])
    return not left or may_end_early


def text_of(marker, size):
    return (f"{marker};".encode() + LINES)[:size]


def pairs(fields):
    return [tuple(field.split("=", 1)) for field in fields]
