"""The servers of a network in which every address leads to them, and the judge of what was sent to which address.

    servers.py FOLDER PUBLIC...

FOLDER has certificate.pem and key.pem. PUBLIC are the addresses that a client may use, at the ports 80, 443 and
8081: packets to all others are forbidden, apart from queries to the name server. The script prints a line when it is ready, reads a command in each line
of its input, and answers it with a line of JSON. It ends when its input ends.

    {"names": {NAME: [[ADDRESS, ...], ...]}}    forgets what was seen, and answers DNS queries for names: the first
                                                query with the first list, later ones with the next, all others with the
                                                last. An entry that is no address is an alias (CNAME). The name
                                                "https NAME" has the lists for queries over HTTPS.
    {"report": true}                            what was seen since then
"""
import asyncio
import base64
import collections
import ipaddress
import json
import os
import socket
import ssl
import struct
import sys
import zlib

NAME_SERVER = "203.0.113.53"
# The addresses from which connections come, by the routes of attacks.sh.
SOURCES = {"93.184.215.1", "2606:2800:220:1::9"}
PLAIN_PORTS = [22, 25, 80, 8080]
SECURE_PORTS = [443, 8443]
# A port on which only one address listens, so that all others refuse connections.
PRIVATE_PORT = ("10.0.0.5", 8081)
A, CNAME, AAAA = 1, 5, 28
folder, public = sys.argv[1], set(sys.argv[2:])


def is_allowed(address, port):
    return address in public and port in (80, 443, PRIVATE_PORT[1])


class Seen:
    """What was seen since the last names."""

    def __init__(self):
        self.packets = collections.Counter()
        self.accepted = collections.Counter()
        self.requests = []
        self.queries = collections.Counter()
        self.counts = collections.Counter()


seen = Seen()
names = {}


# The judge: a socket that gets each packet that the kernel sends.


class Sniffer:
    # Constants of Linux that the module socket does not have.
    SOL_PACKET, PACKET_STATISTICS, OUTGOING, ALL_PROTOCOLS, RCVBUFFORCE = 263, 6, 4, 3, 33

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(self.ALL_PROTOCOLS))
        self.socket.setsockopt(socket.SOL_SOCKET, self.RCVBUFFORCE, 64 << 20)
        self.socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self.socket, self.read)

    def read(self):
        try:
            while True:
                packet, address = self.socket.recvfrom(64)
                if address[2] == self.OUTGOING:
                    self.note(packet)
        except BlockingIOError:
            pass

    def note(self, packet):
        if packet[0] >> 4 == 4:
            protocol, target, rest = packet[9], packet[16:20], packet[(packet[0] & 15) * 4 :]
        else:
            protocol, target, rest = packet[6], packet[24:40], packet[40:]
        target = str(ipaddress.ip_address(target))
        if target in SOURCES:
            return
        name = {socket.IPPROTO_TCP: "tcp", socket.IPPROTO_UDP: "udp"}.get(protocol)
        port = struct.unpack(">H", rest[2:4])[0] if name else 0
        if (target, port) != (NAME_SERVER, 53) and not is_allowed(target, port):
            seen.packets[f"{name or protocol} {target} {port}"] += 1

    def lost(self):
        """The number of packets that the socket has not received since the last call."""
        return struct.unpack("II", self.socket.getsockopt(self.SOL_PACKET, self.PACKET_STATISTICS, 8))[1]


# The name server, over UDP, TCP and HTTPS.


def encode_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def records(name, kind, is_secure, hops=0):
    rounds = names.get(f"https {name}" if is_secure and f"https {name}" in names else name)
    if rounds is None:
        return None
    query = (name, kind)
    addresses = rounds[min(seen.queries[query], len(rounds) - 1)]
    seen.queries[query] += 1
    found = []
    for text in addresses:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            data, of_alias = encode_name(text), records(text, kind, is_secure, hops + 1) if hops < 8 else []
            found.append(encode_name(name) + struct.pack(">HHIH", CNAME, 1, 0, len(data)) + data)
            found += of_alias or []
            continue
        if (kind == A and address.version == 4) or (kind == AAAA and address.version == 6):
            found.append(encode_name(name) + struct.pack(">HHIH", kind, 1, 0, len(address.packed)) + address.packed)
    return found


def answer(query, is_secure=False):
    labels, place = [], 12
    while length := query[place]:
        labels.append(query[place + 1 : place + 1 + length].decode("latin-1").lower())
        place += length + 1
    (kind,) = struct.unpack(">H", query[place + 1 : place + 3])
    found = records(".".join(labels), kind, is_secure)
    flags = 0x8180 | (3 if found is None else 0)
    found = found or []
    return query[:2] + struct.pack(">HHHHH", flags, 1, len(found), 0, 0) + query[12 : place + 5] + b"".join(found)


class Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        self.transport.sendto(answer(data), sender)


async def serve_names(reader, writer):
    try:
        while True:
            (length,) = struct.unpack(">H", await reader.readexactly(2))
            message = answer(await reader.readexactly(length))
            writer.write(struct.pack(">H", len(message)) + message)
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


# The HTTP server. The path says what comes: see `respond`.


def head(status, *fields):
    lines = [f"HTTP/1.1 {status} Status", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def response(status, content, *fields):
    return head(status, *fields, f"Content-Length: {len(content)}") + content


def bomb(size=64 << 20):
    """Content of so many zeros, in gzip."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(coder.compress(bytes(1 << 20)) for _ in range(size >> 20)) + coder.flush()


class End(Exception):
    """The connection ends after the response."""


class HeadWriter:
    """Sends the head of a response to HEAD."""

    def __init__(self, writer):
        self.writer = writer

    def write(self, data):
        self.writer.write(data[: data.index(b"\r\n\r\n") + 4])
        raise End

    async def drain(self):
        pass


async def respond(request, writer):
    """Sends the response. The second part of the path is, where it leads elsewhere, that URL in Base64."""
    parts = request["target"].split("?")[0].split("/")
    behaviour = parts[1]
    url = base64.urlsafe_b64decode(parts[-1]).decode() if behaviour in REDIRECTIONS else ""
    seen.counts[request["target"]] += 1
    visit = seen.counts[request["target"]]
    event_stream = "Content-Type: text/event-stream"
    if behaviour == "to":
        writer.write(response(int(parts[2]), b"", f"Location: {url}"))
        # The next connection looks the name up again.
        if parts[3] == "close":
            raise End
    elif behaviour == "loop":
        writer.write(response(302, b"", f"Location: /loop/{int(parts[2]) + 1}"))
    elif behaviour == "slow":
        writer.write(head(200, "Content-Length: 1000"))
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.1)
    elif behaviour == "silent":
        await asyncio.sleep(600)
    elif behaviour == "bomb":
        content = bomb()
        writer.write(response(200, content, "Content-Encoding: gzip"))
    elif behaviour == "announced":
        writer.write(head(200, "Content-Length: 1000000000000"))
        await asyncio.sleep(600)
    elif behaviour == "endless":
        writer.write(head(200, "Transfer-Encoding: chunked"))
        while True:
            writer.write(b"4000\r\n" + bytes(0x4000) + b"\r\n")
            await writer.drain()
    elif behaviour == "header":
        writer.write(b"HTTP/1.1 200 OK\r\n")
        number = 0
        while True:
            number += 1
            writer.write(f"X-Field-{number}: {'x' * 1000}\r\n".encode())
            await writer.drain()
    elif behaviour == "meta":
        content = f'<html><head><meta http-equiv="refresh" content="0; url={url}"></head></html>'.encode()
        writer.write(response(200, content, "Content-Type: text/html", f"Refresh: 0; url={url}"))
    elif behaviour == "events" and visit == 1:
        writer.write(head(200, event_stream, "Connection: close") + b"retry: 1\nid: 1\ndata: first\n\n")
        raise End
    elif behaviour == "events":
        writer.write(response(307, b"", f"Location: {url}"))
    elif behaviour == "page":
        content = b'{"items": [1]}'
        writer.write(response(200, content, "Content-Type: application/json", f'Link: <{url}>; rel="next"'))
    elif behaviour == "tus":
        writer.write(response(201, b"", "Tus-Resumable: 1.0.0", f"Location: {url}"))
    elif behaviour == "service":
        writer.write(response(200, b"public", f'Alt-Svc: h3="{url}"; ma=3600, h2="{url}"; ma=3600'))
    elif behaviour == "download" and "range" not in request["headers"]:
        writer.write(head(200, 'ETag: "1"', "Accept-Ranges: bytes", "Content-Length: 100000") + bytes(50_000))
        await writer.drain()
        raise End
    elif behaviour == "download":
        writer.write(response(302, b"", f"Location: {url}"))
    elif behaviour == "dns-query":
        content = answer(request["content"], is_secure=True)
        writer.write(response(200, content, "Content-Type: application/dns-message"))
    else:
        content = b"public" if request["address"] in public else b"secret"
        writer.write(response(200, content, "Set-Cookie: mark=1; Path=/", "Content-Type: text/plain"))


REDIRECTIONS = {"to", "meta", "events", "page", "tus", "service", "download"}


async def serve(reader, writer):
    own = writer.get_extra_info("sockname")
    address = str(ipaddress.ip_address(own[0].split("%")[0]))
    try:
        while True:
            start = await reader.readexactly(1)
            if start == b"\x16":  # TLS, at a port without
                raise End
            text = (start + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = text.strip().split("\r\n")
            method, target, _ = first.split(" ", 2)
            fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines}
            request = {"address": address, "port": own[1], "method": method, "target": target, "headers": fields}
            content = b""
            if "content-length" in fields:
                content = await reader.readexactly(int(fields["content-length"]))
            seen.requests.append(dict(request, content=content.decode("latin-1")))
            await respond(dict(request, content=content), HeadWriter(writer) if method == "HEAD" else writer)
            await writer.drain()
    except (OSError, EOFError, ValueError, End, asyncio.LimitOverrunError):
        pass
    finally:
        writer.close()


def note_accept(connection):
    address = str(ipaddress.ip_address(connection.getsockname()[0].split("%")[0]))
    if not is_allowed(address, connection.getsockname()[1]):
        seen.accepted[f"{address} {connection.getsockname()[1]}"] += 1


async def accept(listener, context):
    loop = asyncio.get_running_loop()

    async def start(connection):
        try:
            reader = asyncio.StreamReader(limit=1 << 20)
            protocol = asyncio.StreamReaderProtocol(reader, serve)
            await loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)
        except (OSError, ssl.SSLError):
            connection.close()

    tasks = set()
    while True:
        connection, _ = await loop.sock_accept(listener)
        note_accept(connection)
        task = asyncio.create_task(start(connection))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


def listen(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind((address, port))
    listener.listen(512)
    listener.setblocking(False)
    return listener


def report(sniffer):
    sniffer.read()
    result = {
        "forbidden": [f"{key}: {count}" for key, count in sorted(seen.packets.items())],
        "accepted": sorted(seen.accepted),
        "requests": seen.requests,
        "lost": sniffer.lost(),
    }
    seen.packets, seen.accepted, seen.requests = collections.Counter(), collections.Counter(), []
    return result


async def main():
    global seen, names
    loop = asyncio.get_running_loop()
    sniffer = Sniffer()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/certificate.pem", folder + "/key.pem")
    await loop.create_datagram_endpoint(Datagrams, local_addr=(NAME_SERVER, 53))
    await asyncio.start_server(serve_names, NAME_SERVER, 53)
    listeners = [(listen(host, port), None) for host in ["0.0.0.0", "::"] for port in PLAIN_PORTS]
    listeners += [(listen(host, port), context) for host in ["0.0.0.0", "::"] for port in SECURE_PORTS]
    listeners.append((listen(*PRIVATE_PORT), None))
    tasks = [asyncio.create_task(accept(*listener)) for listener in listeners]  # Nothing else holds them.
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print(json.dumps({"ready": True}), flush=True)
    while line := await reader.readline():
        command = json.loads(line)
        if "names" in command:
            # These packets belong to what was before.
            forbidden = report(sniffer)["forbidden"]
            seen, names = Seen(), command["names"]
            print(json.dumps({"late": forbidden}), flush=True)
        else:
            print(json.dumps(report(sniffer)), flush=True)
    # Some responses have no end.
    os._exit(0)


asyncio.run(main())
