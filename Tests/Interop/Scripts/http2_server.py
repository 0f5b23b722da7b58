"""An HTTP/2 server that misbehaves as it is told, over TLS: port, certificate, key.

The query of /play names what a stream is answered with, in the order in which it is sent: `play=head:200,data:10,rst:2`. A step is a method of `Play` in http2_play.py, its arguments follow after colons. /echo answers as
it should, /count?key=… says how many requests with that key have come, over any connection. HTTP/1.1 gets an answer that says so. Frames are written by hand with hyperframe, as a library that keeps
to the protocol (h2) refuses most of what is wanted here.
"""

import asyncio
import json
import ssl
import sys
import urllib.parse
import zlib

import hpack
from http2_play import Answered, Closed, Play, counts, flooded
from hyperframe import frame as frames

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
connections = 0


class Stream:
    def __init__(self):
        self.length = 0
        self.content = bytearray()
        self.ended = False


class Connection:
    """Reads frames, keeps the windows open, and starts a play for each request."""

    def __init__(self, reader, writer):
        global connections
        connections += 1
        self.number = connections
        self.reader, self.writer = reader, writer
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.streams, self.block, self.news = {}, b"", asyncio.Condition()
        self.plays, self.is_deaf = set(), False

    async def run(self):
        if await self.reader.readexactly(len(PREFACE)) != PREFACE:
            return
        settings = {frames.SettingsFrame.MAX_CONCURRENT_STREAMS: 100, frames.SettingsFrame.INITIAL_WINDOW_SIZE: 1 << 20}
        self.write(frames.SettingsFrame(0, settings=settings))
        self.write(frames.WindowUpdateFrame(0, window_increment=1 << 24))
        try:
            while True:
                frame, length = frames.Frame.parse_frame_header(memoryview(await self.reader.readexactly(9)))
                frame.parse_body(memoryview(await self.reader.readexactly(length)))
                if not self.is_deaf:
                    await self.receive(frame)
        finally:
            for play in self.plays:
                play.cancel()

    async def receive(self, frame):
        if isinstance(frame, frames.SettingsFrame) and "ACK" not in frame.flags:
            self.write(frames.SettingsFrame(0, flags=["ACK"]))
        elif isinstance(frame, frames.PingFrame) and "ACK" not in frame.flags:
            self.write(frames.PingFrame(0, frame.opaque_data, flags=["ACK"]))
        elif isinstance(frame, (frames.HeadersFrame, frames.ContinuationFrame)):
            self.block += frame.data
            if "END_HEADERS" in frame.flags:
                self.begin(frame.stream_id)
        elif isinstance(frame, frames.GoAwayFrame):
            self.writer.close()
        elif isinstance(frame, frames.DataFrame) and frame.flow_controlled_length:
            self.stream(frame).length += len(frame.data)
            self.stream(frame).content += frame.data
            for stream in (0, frame.stream_id):
                self.write(frames.WindowUpdateFrame(stream, window_increment=frame.flow_controlled_length))
        if "END_STREAM" in frame.flags:
            self.stream(frame).ended = True
        async with self.news:
            self.news.notify_all()

    def stream(self, frame):
        return self.streams.setdefault(frame.stream_id, Stream())

    def begin(self, number):
        fields, self.block = dict(self.decoder.decode(self.block)), b""
        self.streams.setdefault(number, Stream())
        play = asyncio.ensure_future(self.answer(number, fields))
        self.plays.add(play)
        play.add_done_callback(self.plays.discard)

    async def answer(self, number, fields):
        path, query = parse(fields[":path"])
        play = Play(self, number, fields, query.get("key"))
        try:
            if path == "/play":
                await play.run(query["play"])
            else:
                while path == "/echo" and not self.streams[number].ended:
                    await play.news()
                play.answer(play.echo() if path == "/echo" else count(query))
            await play.send()
        except Answered:
            await play.send()
        except (Closed, ConnectionError):
            self.writer.close()

    def write(self, frame):
        if not self.writer.is_closing():
            self.writer.write(frame if isinstance(frame, bytes) else frame.serialize())


def count(query):
    return {"count": counts[query["key"]], "flooded": flooded[query["key"]]}


def parse(target):
    parts = urllib.parse.urlsplit(target)
    query = dict(urllib.parse.parse_qsl(parts.query))
    if "key" in query and parts.path != "/count":
        counts[query["key"]] += 1
    return parts.path, query


async def read_http1(reader, fields):
    if fields.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(fields.get("content-length", 0)))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


async def answer_http1(reader, writer):
    """Says that it was HTTP/1.1, after reading the head and the content."""
    while True:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, target, _ = lines[0].split(" ")
        path, query = parse(target)
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        body = await read_http1(reader, fields)
        value = {"connection": 0, "method": method, "length": len(body), "checksum": zlib.crc32(body)}
        if path == "/count":
            value = count(query)
        content = json.dumps(value).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content)


async def handle(reader, writer):
    try:
        if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
            await Connection(reader, writer).run()
        else:
            await answer_http1(reader, writer)
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.set_alpn_protocols(["h2", "http/1.1"])
    server = await asyncio.start_server(handle, "127.0.0.1", int(sys.argv[1]), ssl=context)
    await server.serve_forever()


asyncio.run(main())
