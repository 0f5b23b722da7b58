"""A server that reads requests and sends responses at the same time: three ports, certificate, key.

The first port speaks HTTP/1.1 in the clear, the second HTTP/1.1 over TLS, and the third HTTP/2 (by the library h2) or HTTP/1.1 over TLS. What is received is passed on at once, and what is written is sent
at once. Content is read only when a handler asks for it: a handler that does not read makes the client wait. The handlers are the functions below, by their paths. `id=…` in a query names a request, and
/state?id=… says as JSON what the server has seen of it.
"""

import asyncio
import base64
import collections
import gzip
import hashlib
import http
import json
import socket
import ssl
import struct
import sys
import urllib.parse
import uuid
import zlib

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

SIZE = 1 << 16
records = {}
gates = collections.defaultdict(asyncio.Event)
tags = collections.Counter()
# A task that waits for what nothing else refers to is collected.
never = asyncio.Event()


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
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def run(self):
        while True:
            lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:] if line)]
            exchange = Exchange1(self.reader, self.writer, method, target, fields)
            await play(exchange)
            if exchange.closes or not (exchange.has_ended and exchange.has_read_all):
                return


class Exchange2(Exchange):
    """A stream of HTTP/2. Its window opens only when a handler reads."""

    protocol = "HTTP/2"

    def __init__(self, connection, number, method, target, fields):
        super().__init__(method, target, fields)
        self.connection, self.number = connection, number
        self.waiting, self.error, self.has_end, self.length = collections.deque(), None, False, 0
        self.readable, self.writable = asyncio.Event(), asyncio.Event()

    async def receive(self):
        while True:
            while not self.waiting:
                if self.has_end:
                    return b""
                if self.error:
                    raise self.error
                self.readable.clear()
                await self.readable.wait()
            data, length = self.waiting.popleft()
            if length and not self.has_end and not self.error:
                self.connection.do(self.connection.h2.increment_flow_control_window, length, self.number)
            # An empty frame is not the end.
            if data:
                return data

    def fail(self, error):
        """The client has ended the stream, or the connection."""
        self.error = self.error or error
        self.readable.set()
        self.writable.set()
        if not self.has_end and self.record.end is None:
            self.record.end, self.record.code = error.how, error.code
            self.record.changed()

    async def interim(self, status, fields):
        await self.connection.headers(self.number, [(":status", str(status))] + lowercase(fields))

    async def head(self, status, fields):
        self.status = status
        fields = [field for field in fields if field != ("Connection", "close")]
        await self.connection.headers(self.number, [(":status", str(status))] + lowercase(fields))

    async def send(self, data):
        view = memoryview(data)
        while view:
            if self.error:
                raise self.error
            size = min(self.connection.window(self.number), len(view))
            if size <= 0:
                self.writable.clear()
                await self.writable.wait()
                continue
            await self.connection.data(self.number, view[:size].tobytes())
            view = view[size:]

    async def finish(self, trailers):
        if self.error:
            raise self.error
        if trailers:
            await self.connection.headers(self.number, lowercase(trailers), end=True)
        else:
            await self.connection.data(self.number, b"", end=True)

    async def raw(self, data):
        self.connection.writer.write(data)
        raise Closed

    async def reset(self, code):
        self.connection.reset(self.number, code)

    async def refuse_rest(self):
        self.connection.reset(self.number, h2.errors.ErrorCodes.NO_ERROR)


class Connection2:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        # What is malformed is sent too.
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(
                client_side=False,
                header_encoding="utf-8",
                validate_outbound_headers=False,
                normalize_outbound_headers=False,
            )
        )
        self.streams, self.plays = {}, set()

    async def run(self):
        self.h2.initiate_connection()
        self.h2.update_settings(
            {
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1000,
                h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1 << 18,
            }
        )
        self.h2.increment_flow_control_window(1 << 24)
        try:
            while True:
                self.flush()
                data = await self.reader.read(SIZE)
                if not data:
                    return
                for event in self.h2.receive_data(data):
                    self.receive(event)
        except h2.exceptions.ProtocolError:
            self.flush()
        finally:
            for stream in self.streams.values():
                stream.fail(Broken("broken"))

    def receive(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.begin(event)
        elif isinstance(event, (h2.events.WindowUpdated, h2.events.RemoteSettingsChanged)):
            number = getattr(event, "stream_id", 0)
            for stream in [self.streams[number]] if number in self.streams else self.streams.values():
                stream.writable.set()
        stream = self.streams.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.DataReceived):
            if event.flow_controlled_length:
                self.h2.increment_flow_control_window(event.flow_controlled_length)
            if stream:
                stream.waiting.append((event.data, event.flow_controlled_length))
                stream.readable.set()
        elif stream and isinstance(event, h2.events.TrailersReceived):
            stream.record.trailers.extend(event.headers)
        elif stream and isinstance(event, h2.events.StreamEnded):
            stream.has_end = True
            stream.readable.set()
        elif stream and isinstance(event, h2.events.StreamReset):
            stream.fail(Broken("reset", int(event.error_code)))
            self.forget(event.stream_id)

    def begin(self, event):
        pseudo = {name: value for name, value in event.headers if name.startswith(":")}
        fields = [(name, value) for name, value in event.headers if not name.startswith(":")]
        stream = Exchange2(self, event.stream_id, pseudo[":method"], pseudo[":path"], fields)
        self.streams[event.stream_id] = stream
        task = asyncio.ensure_future(self.play(stream))
        self.plays.add(task)
        task.add_done_callback(self.plays.discard)

    async def play(self, stream):
        try:
            await play(stream)
        except (OSError, Closed):
            self.writer.close()
        finally:
            self.forget(stream.number)

    def forget(self, number):
        self.streams.pop(number, None)

    def window(self, number):
        try:
            return min(self.h2.local_flow_control_window(number), self.h2.max_outbound_frame_size)
        except h2.exceptions.ProtocolError:
            raise Broken("reset")

    async def headers(self, number, fields, end=False):
        self.do(self.h2.send_headers, number, fields, end_stream=end)
        await self.writer.drain()

    async def data(self, number, data, end=False):
        self.do(self.h2.send_data, number, data, end_stream=end)
        await self.writer.drain()

    def reset(self, number, code):
        self.do(self.h2.reset_stream, number, code)

    def do(self, step, *arguments, **named):
        try:
            step(*arguments, **named)
        except h2.exceptions.ProtocolError:
            # The stream has ended meanwhile.
            raise Broken("reset")
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.writer.is_closing():
            self.writer.write(data)


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


async def play(exchange):
    """Has the handler of a path answer, and reads what it has left of the content."""
    name, _, argument = exchange.path[1:].partition("/")
    handler = handlers.get(name, not_found)
    try:
        await (handler(exchange, argument) if argument else handler(exchange))
        await exchange.read_all()
    except Broken:
        if isinstance(exchange, Exchange1):
            raise Closed


# Handlers.

handlers = {}


def handles(handler):
    handlers[handler.__name__.rstrip("_").replace("_", "-")] = handler
    return handler


async def not_found(exchange, _=None):
    await exchange.read_all()
    await exchange.answer(status=404)


@handles
async def state(exchange):
    record = records.setdefault(exchange.query["id"], Record())
    if "wait" in exchange.query:
        await record.wait(exchange.query["wait"])
    await exchange.answer_json(record.json())


@handles
async def open_(exchange):
    """Opens a gate, for which a handler waits."""
    gates[exchange.query["gate"]].set()
    await exchange.answer()


async def pass_gate(exchange):
    if "gate" in exchange.query:
        await gates[exchange.query["gate"]].wait()


@handles
async def request(exchange):
    """The request as JSON."""
    content = await exchange.collect()
    await exchange.answer_json(
        {
            "protocol": exchange.protocol,
            "method": exchange.method,
            "parameters": group(exchange.items),
            "fields": group(lowercase(exchange.fields)),
            "content": content.decode(),
            "trailers": group(lowercase(exchange.record.trailers)),
        }
    )


def group(pairs):
    result = collections.defaultdict(list)
    for name, value in pairs:
        result[name].append(value)
    return result


@handles
async def echo(exchange):
    """The head at once, then each byte as it comes, then the trailers."""
    await exchange.head(200, [("Content-Type", "application/octet-stream")])
    while data := await exchange.read():
        await exchange.write(data)
    trailers = [(name, value) for name, value in exchange.record.trailers]
    if trailers:
        trailers.append(("X-Received-Trailers", ", ".join(name for name, _ in trailers)))
    await exchange.end(trailers)


@handles
async def speak(exchange):
    """Numbered lines, without reading."""
    await exchange.head(200, [("Content-Type", "text/plain")])
    for number in range(int(exchange.query.get("lines", 1000))):
        await exchange.write(b"%d\n" % number)
    await exchange.end()


@handles
async def converse(exchange):
    """A byte, and the next one when that has come back."""
    await exchange.head(200, [("Content-Type", "text/plain")])
    for _ in range(int(exchange.query.get("bytes", 1000))):
        await exchange.write(b"A")
        if await exchange.read() != b"A":
            return await exchange.reset(h2.errors.ErrorCodes.INTERNAL_ERROR)
    await exchange.end()


@handles
async def sink(exchange):
    """Reads all, and says how much that was."""
    await pass_gate(exchange)
    digest = hashlib.sha256()
    while data := await exchange.read():
        digest.update(data)
    await exchange.answer_json({"bytes": exchange.record.bytes, "sha256": digest.hexdigest()})


@handles
async def slow_sink(exchange):
    """Reads so many bytes in a second."""
    rate = int(exchange.query["rate"])
    while data := await exchange.read():
        await asyncio.sleep(len(data) / rate)
    await exchange.answer_json({"bytes": exchange.record.bytes})


@handles
async def source(exchange):
    """So many bytes in chunks."""
    await pass_gate(exchange)
    await exchange.head(200, [("Content-Type", "application/octet-stream")])
    await pour(exchange)
    await exchange.end()


async def pour(exchange):
    left, chunk = int(exchange.query["bytes"]), bytes(range(256)) * (SIZE // 256)
    while left:
        size = min(left, SIZE)
        await exchange.write(chunk[:size])
        left -= size


@handles
async def duplex(exchange):
    """Sends so many bytes while it reads, each at its own pace, and ends when both are done. Reads once the gate is open."""
    await exchange.head(200, [("Content-Type", "application/octet-stream")])

    async def read():
        await pass_gate(exchange)
        await exchange.read_all()

    await asyncio.gather(pour(exchange), read())
    await exchange.end()


@handles
async def early(exchange, status):
    """A whole response after so many bytes of the request (`after`), then one of `read`, `stay`, `refuse` and `close`."""
    after = int(exchange.query.get("after", 0))
    while exchange.record.bytes < after and await exchange.read():
        pass
    then = exchange.query.get("then", "read")
    fields = [("Content-Type", "text/plain")]
    if then == "close":
        fields.append(("Connection", "close"))
    await exchange.answer(b"early", int(status), fields)
    if then == "stay":
        await never.wait()
    elif then == "refuse":
        await exchange.refuse_rest()
    elif then == "close":
        raise Closed


@handles
async def reset(exchange):
    """Resets the stream or the connection after so many bytes of the request; with `head`, after the head, for which a
    client may wait before it opens the gate: a reset overtakes what was sent before it."""
    after = int(exchange.query.get("after", 0))
    if "head" in exchange.query:
        await exchange.head(200, [("Content-Type", "text/plain")])
        await exchange.write(b"begun")
    await pass_gate(exchange)
    while exchange.record.bytes < after and await exchange.read():
        pass
    await exchange.reset(int(exchange.query.get("code", h2.errors.ErrorCodes.INTERNAL_ERROR)))


@handles
async def silence(exchange):
    """Reads nothing, and says nothing."""
    await never.wait()


@handles
async def stall(exchange):
    """Reads all, and says nothing; with `head`, nothing after the head and a thousand bytes."""
    await exchange.read_all()
    if "head" in exchange.query:
        await exchange.head(200, [("Content-Type", "text/plain")])
        await exchange.write(b"A" * 1000)
    await never.wait()


@handles
async def trailers(exchange):
    await exchange.read_all()
    await exchange.head(200, [("Content-Type", "text/plain"), ("Trailer", "X-Trailer-One, X-Trailer-Two, X-Checksum")])
    await exchange.write(b"Response body")
    names = [("X-Trailer-One", "first-value"), ("X-Trailer-Two", "second-value"), ("X-Checksum", "abc123")]
    await exchange.end(names + [tuple(item.split("=", 1)) for item in exchange.query.get("more", "").split(",") if item])


@handles
async def digest(exchange):
    """Content whose digest is in the field of that name, or with `trailer` in a trailer; with `wrong`, not its own."""
    await exchange.read_all()
    content = b"Content with a digest"
    hashed = content + b"!" if "wrong" in exchange.query else content
    value = f"sha-256=:{base64.b64encode(hashlib.sha256(hashed).digest()).decode()}:"
    field = [(exchange.query.get("field", "Content-Digest"), value)]
    in_trailer = "trailer" in exchange.query
    await exchange.answer(content, 200, [] if in_trailer else field, field if in_trailer else None)


@handles
async def hints(exchange):
    """Some 103, each with a link, before the response."""
    for number in range(int(exchange.query.get("count", 3))):
        await exchange.interim(103, [("Link", f"</style-{number}.css>; rel=preload; as=style")])
    await exchange.read_all()
    await exchange.answer(b"hinted")


@handles
async def coded(exchange, coding):
    """A text in the coding, if the client accepts that."""
    await exchange.read_all()
    text = b"TEST\n"
    names = [name.split(";")[0].strip() for name in (exchange.field("accept-encoding") or "").split(",")]
    if coding in names and coding != "identity":
        encode = {"gzip": gzip.compress, "deflate": zlib.compress, "br": store_brotli}[coding]
        return await exchange.answer(encode(text), fields=[("Content-Encoding", coding)])
    await exchange.answer(text)


def store_brotli(data):
    """A brotli stream (RFC 7932) with one block that is not compressed, and an empty last one."""
    return ((len(data) - 1) << 4 | 1 << 20).to_bytes(3, "little") + data + b"\x03"


@handles
async def status(exchange, code):
    await exchange.read_all()
    await exchange.answer(status=int(code))


@handles
async def redirect(exchange):
    await exchange.read_all()
    query = exchange.query
    await exchange.answer(status=int(query.get("status", 301)), fields=[("Location", query["to"])])


@handles
async def redirect_loop(exchange, side):
    await exchange.read_all()
    other = {"ping": "pong", "pong": "ping"}[side]
    await exchange.answer(status=301, fields=[("Location", f"/redirect-loop/{other}")])


@handles
async def values(exchange):
    await exchange.read_all()
    await exchange.answer(fields=[("X-Test", "one"), ("X-Test", "two")])


@handles
async def cookie(exchange):
    await exchange.read_all()
    await exchange.answer(fields=[("Set-Cookie", f"foo={uuid.uuid4()}")])


@handles
async def etag(exchange):
    """A number, by a key, that grows with each request which names it: so every second response is a 304."""
    await exchange.read_all()
    key = exchange.query["key"]
    tag = str(tags[key])
    if exchange.field("if-none-match") == tag:
        tags[key] += 1
        return await exchange.answer(status=304, fields=[("ETag", tag), ("Cached", "true")])
    await exchange.answer(tag.encode(), fields=[("ETag", tag), ("Cached", "false")])


@handles
async def head_length(exchange):
    await exchange.head(200, [("Content-Length", "1000")])
    await exchange.end()


# Responses that are malformed, or nearly. Over HTTP/2 some are other than over HTTP/1.1, and some are not malformed.


@handles
async def not_http(exchange):
    await exchange.raw(b"FOOBAR")


@handles
async def bad_case(exchange):
    """The name of the protocol, or the name of a field, in another case."""
    if isinstance(exchange, Exchange1):
        await exchange.raw(b"Http/1.1 200 OK\r\nConnection: close\r\n\r\n")
    await exchange.connection.headers(exchange.number, [(":status", "200"), ("X-Upper", "1")])
    await exchange.connection.data(exchange.number, b"", end=True)


@handles
async def no_reason(exchange):
    if isinstance(exchange, Exchange1):
        await exchange.raw(b"HTTP/1.1 200\r\nConnection: close\r\n\r\n")
    await exchange.answer()


@handles
async def length(exchange, status):
    """A response without content that has a length."""
    await exchange.head(int(status), [("Content-Length", "1000"), ("Connection", "close")])
    await exchange.end()


@handles
async def incomplete(exchange):
    await exchange.head(200, [("Content-Length", "1000"), ("Connection", "close")])
    await exchange.write(b"1234")
    await exchange.end()


@handles
async def no_length(exchange):
    if isinstance(exchange, Exchange1):
        await exchange.raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n1234")
    await exchange.head(200, [])
    await exchange.write(b"1234")
    await exchange.end()


@handles
async def conflicting_lengths(exchange):
    """As long as one of its two lengths."""
    await exchange.head(200, [("Content-Length", "10, 4"), ("Connection", "close")])
    await exchange.write(b"1234567890"[: int(exchange.query["bytes"])])
    await exchange.end()


async def handle(reader, writer):
    secure = writer.get_extra_info("ssl_object")
    is_http2 = secure is not None and secure.selected_alpn_protocol() == "h2"
    try:
        await (Connection2 if is_http2 else Connection1)(reader, writer).run()
    except (OSError, asyncio.IncompleteReadError, Closed):
        pass
    finally:
        writer.close()


async def main():
    ports, certificate, key = [int(port) for port in sys.argv[1:4]], sys.argv[4], sys.argv[5]
    servers = []
    for port, protocols in zip(ports, (None, ["http/1.1"], ["h2", "http/1.1"])):
        context = None
        if protocols:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(protocols)
        listening = socket.create_server(("127.0.0.1", port), backlog=512)
        # Little waits unread in the kernel, so that a handler that does not read is soon noticed.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
        # asyncio does not do this for connections of a socket that was made without a protocol's number.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        servers.append(await asyncio.start_server(handle, sock=listening, ssl=context))
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
