#!/usr/bin/env python3
"""The server at the other end of a network that fails: files, uploads, WebSockets and event streams, with the standard library alone.

    server.py ADDRESS PORT [DNS_ADDRESS [SECURE_PORT FOLDER]]

With a folder that has certificate.pem and key.pem, the second port is for https.

    GET  /file/LENGTH/SEED[?rate=BYTES]   random content with an entity tag; in whole so many bytes a second, from an offset at once
    GET  /digest/LENGTH/SEED              the SHA-256 of this content
    any  /hash                            the method, and the length and the SHA-256 of the content
    any  /stalled/MILLISECONDS            the same, but the content is not read before so much time has passed
    GET  /waiting/MILLISECONDS            "done", after so much time
    GET  /silence                         no response, while the connection stays open
    GET  /events                          an event every 20 ms, numbered from Last-Event-ID
    GET  /socket                          a WebSocket: the number of the connection, then each message comes back
    POST, HEAD, PATCH /tus                tus 1.0.0
    GET  /uploads/NAME                    the length and the SHA-256 of an upload
    GET  /requests                        the requests so far, one a line
    POST /forget                          forgets requests and uploads

If the server is killed, the kernel resets its connections and forgets them.
"""
import asyncio
import base64
import hashlib
import itertools
import random
import socket
import ssl
import struct
import sys
import urllib.parse

import dns

requests = []
uploads = {}
# The number of the last request for an upload. An earlier one, whose content may still arrive, adds nothing more.
turns = {}
socket_numbers = itertools.count(1)
contents = {}


def file_content(length, seed):
    key = (length, seed)
    if key not in contents:
        contents.clear()
        contents[key] = random.Random(seed).randbytes(length)
    return contents[key]


async def read_head(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ", 2)
    fields = {}
    for line in lines[1:]:
        if line:
            name, _, value = line.partition(":")
            fields[name.strip().lower()] = value.strip()
    return method, target, fields


async def read_content(reader, fields):
    """The content as it comes, in chunks."""
    if "chunked" in fields.get("transfer-encoding", ""):
        while size := int((await reader.readline()).split(b";")[0], 16):
            yield await reader.readexactly(size)
            await reader.readline()
        while (await reader.readline()).strip():
            pass
    else:
        rest = int(fields.get("content-length", 0))
        while rest > 0:
            chunk = await reader.read(min(rest, 1 << 16))
            if not chunk:
                raise ConnectionError
            rest -= len(chunk)
            yield chunk


def respond(writer, status, content=b"", *fields, length=None):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(content) if length is None else length}", *fields]
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + content)


async def send_file(writer, target, fields):
    path, _, query = target.partition("?")
    _, _, length, seed = path.split("/")
    content = file_content(int(length), int(seed))
    tag = f'"{length}-{seed}"'
    start, status, extra = 0, "200 OK", []
    if fields.get("if-range", tag) == tag and (value := fields.get("range", "")).startswith("bytes="):
        start = int(value[6:].split("-")[0])
        status = "206 Partial Content"
        extra = [f"Content-Range: bytes {start}-{len(content) - 1}/{len(content)}"]
    respond(writer, status, b"", f"ETag: {tag}", *extra, length=len(content) - start)
    rate = 0 if start else int(urllib.parse.parse_qs(query).get("rate", ["0"])[0])
    step = max(rate // 50, 1) if rate else 1 << 16
    for offset in range(start, len(content), step):
        writer.write(content[offset : offset + step])
        await writer.drain()
        if rate:
            await asyncio.sleep(0.02)


async def send_events(writer, fields):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nretry: 200\n\n")
    for number in itertools.count(int(fields.get("last-event-id") or 0) + 1):
        writer.write(f"id: {number}\ndata: event {number}\n\n".encode())
        await writer.drain()
        await asyncio.sleep(0.02)


def frame(opcode, payload):
    size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
    return bytes([0x80 | opcode]) + size + payload


async def serve_socket(reader, writer, fields):
    digest = hashlib.sha1((fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    accept = base64.b64encode(digest).decode()
    writer.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    writer.write(frame(1, f"connection {next(socket_numbers)}".encode()))
    while True:
        first, second = await reader.readexactly(2)
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", await reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", await reader.readexactly(8))
        mask = await reader.readexactly(4)
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(await reader.readexactly(length)))
        opcode = first & 15
        if opcode == 8:
            writer.write(frame(8, payload))
            await writer.drain()
            return
        writer.write(frame(10 if opcode == 9 else opcode, payload))
        await writer.drain()


async def serve_tus(reader, writer, method, target, fields):
    if method == "POST":
        name = f"/tus/{len(uploads)}"
        uploads[name] = (int(fields["upload-length"]), bytearray())
        respond(writer, "201 Created", b"", f"Location: {name}", "Tus-Resumable: 1.0.0")
        return
    length, content = uploads[target]
    turn = turns[target] = turns.get(target, 0) + 1
    if method == "PATCH":
        if int(fields["upload-offset"]) != len(content):
            async for _ in read_content(reader, fields):
                pass
            respond(writer, "409 Conflict", b"", "Tus-Resumable: 1.0.0")
            return
        async for chunk in read_content(reader, fields):
            if turns[target] != turn:
                raise ConnectionError
            content.extend(chunk)
    status = "204 No Content" if method == "PATCH" else "200 OK"
    offset = (f"Upload-Offset: {len(content)}", f"Upload-Length: {length}", "Tus-Resumable: 1.0.0")
    if method == "PATCH":
        writer.write("\r\n".join([f"HTTP/1.1 {status}", *offset]).encode() + b"\r\n\r\n")
    else:
        respond(writer, status, b"", *offset, "Cache-Control: no-store")


async def serve_one(reader, writer):
    global socket_numbers
    method, target, fields = await read_head(reader)
    requests.append(f"{method} {target} {fields.get('range', '')}".strip())
    if fields.get("expect"):
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    if target.startswith("/file/"):
        await send_file(writer, target, fields)
    elif target.startswith("/digest/"):
        _, _, length, seed = target.split("/")
        respond(writer, "200 OK", hashlib.sha256(file_content(int(length), int(seed))).hexdigest().encode())
    elif target == "/silence":
        await asyncio.Event().wait()
    elif target.startswith("/waiting/"):
        await asyncio.sleep(int(target[9:]) / 1000)
        respond(writer, "200 OK", b"done")
    elif target.startswith(("/hash", "/stalled/")):
        if target.startswith("/stalled/"):
            await asyncio.sleep(int(target[9:]) / 1000)
        digest, length = hashlib.sha256(), 0
        async for chunk in read_content(reader, fields):
            digest.update(chunk)
            length += len(chunk)
        respond(writer, "200 OK", f"{method} {length} {digest.hexdigest()}".encode())
    elif target == "/events":
        await send_events(writer, fields)
        return False
    elif target == "/socket":
        await serve_socket(reader, writer, fields)
        return False
    elif target.startswith("/tus"):
        await serve_tus(reader, writer, method, target, fields)
    elif target.startswith("/uploads/"):
        length, content = uploads["/tus/" + target.rpartition("/")[2]]
        respond(writer, "200 OK", f"{length} {len(content)} {hashlib.sha256(content).hexdigest()}".encode())
    elif target == "/forget":
        requests.clear()
        uploads.clear()
        socket_numbers = itertools.count(1)
        respond(writer, "200 OK")
    elif target == "/requests":
        respond(writer, "200 OK", "\n".join(requests).encode())
    else:
        respond(writer, "404 Not Found")
    await writer.drain()
    return True


async def serve(reader, writer):
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    try:
        while await serve_one(reader, writer):
            pass
    except (OSError, EOFError, asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        # An end that the server chooses is an orderly one.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
        writer.close()


async def main(address, port, name_server=None, secure_port=None, folder=None):
    server = await asyncio.start_server(serve, address, int(port), limit=1 << 20, backlog=1024)
    if secure_port:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        secure = await asyncio.start_server(serve, address, int(secure_port), limit=1 << 20, backlog=1024, ssl=context)
        await secure.start_serving()
    if name_server:
        await dns.start(name_server, address)
    async with server:
        await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
