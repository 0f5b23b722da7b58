#!/usr/bin/env python3
"""A server for many connections and many requests, in a process of its own, with the standard library alone.

    server.py FILE     listens on a free port of 127.0.0.1, whose number it writes to FILE

    GET  /small              20 bytes
    GET  /bytes/LENGTH       so many bytes, each the low eight bits of its number
    any  /length             the length and the CRC-32 of the content
    GET  /hold/NUMBER        the response comes when so many requests wait for one
    GET  /held               the number of requests that wait
    GET  /lines/NUMBER       so many lines, in chunks
    GET  /events/NUMBER      so many events
    GET  /socket             a WebSocket that sends each message back
    GET  /silent             no response
    GET  /cut, /reset, /garbage, /status/CODE
"""
import asyncio
import base64
import hashlib
import os
import resource
import socket
import struct
import sys
import zlib

held = []
PATTERN = bytes(range(256)) * 4096


class Connection(asyncio.Protocol):
    def __init__(self):
        self.buffer = bytearray()
        self.socket_frames = False

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, error):
        if self in held:
            held.remove(self)

    def data_received(self, data):
        self.buffer += data
        while self.take_frame() if self.socket_frames else self.take_request():
            pass

    def take_request(self):
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        length, content = int(fields.get("content-length", 0)), b""
        if length:
            if len(self.buffer) < end + 4 + length:
                return False
            content = bytes(self.buffer[end + 4 : end + 4 + length])
        del self.buffer[: end + 4 + length]
        method, target, _ = lines[0].split(" ", 2)
        self.answer(method, target.split("?")[0].split("/")[1:], fields, content)
        return True

    def respond(self, content, status="200 OK", *fields):
        head = "".join(f"{field}\r\n" for field in fields)
        self.transport.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n{head}\r\n".encode() + content)

    def answer(self, method, path, fields, content):
        name = path[0]
        if name == "small":
            self.respond(b"twenty bytes of text")
        elif name == "bytes":
            length = int(path[1])
            self.respond(PATTERN[: length % len(PATTERN)] if length < len(PATTERN)
                         else (PATTERN * (length // len(PATTERN) + 1))[:length], "200 OK", 'ETag: "1"')
        elif name == "length":
            self.respond(f"{method} {len(content)} {zlib.crc32(content)}".encode())
        elif name == "hold":
            held.append(self)
            if len(held) >= int(path[1]):
                for connection in held.copy():
                    connection.respond(b"held")
                held.clear()
        elif name == "held":
            self.respond(str(len(held)).encode())
        elif name == "lines":
            lines = [f"line {number}\n" for number in range(int(path[1]))]
            chunks = "".join(f"{len(line):x}\r\n{line}\r\n" for line in lines)
            self.transport.write(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n".encode())
        elif name == "events":
            text = "".join(f"id: {number}\ndata: event {number}\n\n" for number in range(int(path[1])))
            self.respond(text.encode(), "200 OK", "Content-Type: text/event-stream")
        elif name == "socket":
            key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            self.transport.write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
            )
            self.socket_frames = True
        elif name == "silent":
            pass
        elif name == "cut":
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.transport.close()
        elif name == "reset":
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            self.transport.abort()
        elif name == "garbage":
            self.transport.write(b"\x00\x01\x02 this is no response\r\n\r\n")
            self.transport.close()
        elif name == "status":
            self.respond(b"", f"{path[1]} Status")
        else:
            self.respond(b"", "404 Not Found")

    def take_frame(self):
        buffer = self.buffer
        if len(buffer) < 2:
            return False
        length, place = buffer[1] & 0x7F, 2
        if length == 126:
            if len(buffer) < 4:
                return False
            length, place = struct.unpack(">H", buffer[2:4])[0], 4
        if len(buffer) < place + 4 + length:
            return False
        mask = buffer[place : place + 4]
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(buffer[place + 4 : place + 4 + length]))
        opcode = buffer[0] & 15
        del buffer[: place + 4 + length]
        size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
        self.transport.write(bytes([0x80 | (10 if opcode == 9 else opcode)]) + size + payload)
        if opcode == 8:
            self.transport.close()
            return False
        return True


async def main(file):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=16384)
    port = server.sockets[0].getsockname()[1]
    with open(file + ".new", "w") as output:
        output.write(str(port))
    os.rename(file + ".new", file)
    await server.serve_forever()


asyncio.run(main(sys.argv[1]))
