"""Exchanges over HTTP/1.1 for streams_server.py, and what the server has seen of all exchanges."""

import asyncio
import http
import json
import socket
import struct
import urllib.parse

SIZE = 1 << 16
records = {}


class Broken(Exception):
    """The request, or the connection, has ended before its end: `broken` without the end of the content, or `reset`."""

    def __init__(self, how, code=None):
        self.how, self.code = how, code


class Closed(Exception):
    """A handler has ended the connection."""


class Record:
    """What the server has seen of the requests with the same id; all but the number is of the last one."""

    def __init__(self):
        self.requests, self.waiters = 0, []
        self.clear()

    def clear(self):
        self.protocol, self.method, self.fields, self.trailers = None, None, [], []
        # `end` is `complete`, `broken` or `reset`; `code` is the one of RST_STREAM.
        self.bytes, self.sent, self.answered, self.end, self.code = 0, 0, False, None, None

    def begin(self, exchange):
        self.requests += 1
        self.clear()
        self.protocol, self.method, self.fields = exchange.protocol, exchange.method, exchange.fields
        self.changed()

    def changed(self):
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, condition):
        """`end`, `answer`, `requests:2` or `bytes:1000`."""
        name, _, count = condition.partition(":")
        while not {
            "end": lambda: self.end,
            "answer": lambda: self.answered,
            "requests": lambda: self.requests >= int(count),
            "bytes": lambda: self.bytes >= int(count),
        }[name]():
            waiter = asyncio.get_running_loop().create_future()
            self.waiters.append(waiter)
            await waiter

    def json(self):
        return {name: value for name, value in vars(self).items() if name != "waiters"}


class Exchange:
    """A request and its response. Subclasses send and receive."""

    def __init__(self, method, target, fields):
        self.method, self.fields = method, fields
        parts = urllib.parse.urlsplit(target)
        self.path = parts.path
        self.items = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        self.query = dict(self.items)
        is_recorded = "id" in self.query and self.path != "/state"
        self.record = records.setdefault(self.query["id"], Record()) if is_recorded else Record()
        self.record.begin(self)
        self.expects = self.field("expect") == "100-continue"
        self.has_read_all = False

    def field(self, name):
        return next((value for key, value in self.fields if key.lower() == name), None)

    @property
    def has_no_content(self):
        return self.method == "HEAD" or self.status in (204, 304)

    async def read(self):
        """The bytes that have come, as soon as there are any; empty at the end of the content."""
        if self.has_read_all:
            return b""
        if self.expects:
            self.expects = False
            await self.interim(100, [])
        try:
            data = await self.receive()
        except (asyncio.IncompleteReadError, OSError) as error:
            # A read fails with the error of a write that failed before, such as BrokenPipeError.
            self.note_break(Broken("broken" if isinstance(error, asyncio.IncompleteReadError) else "reset"))
        except Broken as error:
            self.note_break(error)
        self.record.bytes += len(data)
        if not data:
            self.has_read_all, self.record.end = True, "complete"
        self.record.changed()
        return data

    def note_break(self, error):
        self.record.end, self.record.code = error.how, error.code
        self.record.changed()
        raise error

    async def read_all(self):
        while await self.read():
            pass

    async def collect(self):
        content = bytearray()
        while data := await self.read():
            content += data
        return bytes(content)

    async def write(self, data):
        if data and not self.has_no_content:
            try:
                await self.send(data)
            except OSError:
                # The handler ends here. Its task that reads may be collected before it notices the end.
                if self.record.end is None:
                    self.record.end = "reset"
                    self.record.changed()
                raise
            self.record.sent += len(data)

    async def end(self, trailers=()):
        await self.finish(list(trailers))
        self.record.answered = True
        self.record.changed()

    async def answer(self, content=b"", status=200, fields=(), trailers=None):
        """A whole response, with a length unless there are trailers."""
        # There is no 100 after another status.
        self.expects = False
        fields = list(fields)
        if trailers is None and status not in (204, 304):
            fields.append(("Content-Length", str(len(content))))
        await self.head(status, fields)
        await self.write(content)
        await self.end(trailers or [])

    async def answer_json(self, value):
        await self.answer(json.dumps(value).encode(), fields=[("Content-Type", "application/json")])


class Exchange1(Exchange):
    """HTTP/1.1. Its content ends with a last chunk, a length, or the connection."""

    protocol = "HTTP/1.1"

    def __init__(self, reader, writer, method, target, fields):
        super().__init__(method, target, fields)
        self.reader, self.writer = reader, writer
        self.is_chunked = (self.field("transfer-encoding") or "").lower() == "chunked"
        self.left = 0 if self.is_chunked else int(self.field("content-length") or 0)
        self.is_in_chunk = self.closes = self.has_ended = False
        if not self.is_chunked and not self.left:
            self.has_read_all, self.record.end = True, "complete"

    async def receive(self):
        if self.is_chunked and not self.left:
            if self.is_in_chunk:
                await self.reader.readexactly(2)
            self.left = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
            self.is_in_chunk = True
            if not self.left:
                while (line := await self.reader.readuntil(b"\r\n")) != b"\r\n":
                    name, _, value = line.decode().partition(":")
                    self.record.trailers.append((name, value.strip()))
        if not self.left:
            return b""
        data = await self.reader.read(min(self.left, SIZE))
        if not data:
            raise Broken("broken")
        self.left -= len(data)
        return data

    async def put(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def interim(self, status, fields):
        await self.put(head_of(status, fields))

    async def head(self, status, fields):
        self.status = status
        names = {name.lower() for name, _ in fields}
        self.sends_chunks = not self.has_no_content and not names & {"content-length", "transfer-encoding"}
        if self.sends_chunks:
            fields = fields + [("Transfer-Encoding", "chunked")]
        self.closes = ("Connection", "close") in fields
        await self.put(head_of(status, fields))

    async def send(self, data):
        await self.put(b"%x\r\n%b\r\n" % (len(data), data) if self.sends_chunks else data)

    async def finish(self, trailers):
        if self.sends_chunks:
            lines = "".join(f"{name}: {value}\r\n" for name, value in trailers)
            await self.put(b"0\r\n" + lines.encode() + b"\r\n")
        self.has_ended = True

    async def raw(self, data):
        """Bytes that may not be HTTP, and the end of the connection."""
        await self.put(data)
        raise Closed

    async def reset(self, code):
        abort(self.writer)
        raise Closed

    async def refuse_rest(self):
        """HTTP/1.1 cannot say that the rest of the content is not wanted, but by the end of the connection."""
        raise Closed


class Connection1:
    def __init__(self, reader, writer, handle):
        self.reader, self.writer, self.handle = reader, writer, handle

    async def run(self):
        while True:
            lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:] if line)]
            exchange = Exchange1(self.reader, self.writer, method, target, fields)
            await self.handle(exchange)
            if exchange.closes or not (exchange.has_ended and exchange.has_read_all):
                return


def head_of(status, fields):
    phrase = http.HTTPStatus(status).phrase if status in http.HTTPStatus._value2member_map_ else "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}"] + [f"{name}: {value}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def lowercase(fields):
    return [(name.lower(), value) for name, value in fields]


def abort(writer):
    """Ends a connection with a TCP RST."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
