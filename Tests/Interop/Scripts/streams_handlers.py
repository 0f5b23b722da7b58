"""The handlers of streams_server.py, by the paths of requests."""

import asyncio
import base64
import collections
import gzip
import hashlib
import uuid
import zlib

import h2.errors
from streams_protocols import Broken, Closed, Exchange1, lowercase, Record, records, SIZE

gates = collections.defaultdict(asyncio.Event)
tags = collections.Counter()
# A task that waits for what nothing else refers to is collected.
never = asyncio.Event()
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
