"""Servers of HTTP/3, and of HTTP/1.1 over TLS at the same port: certificate, key, certificate of another, and three ports.

At the first port QUIC works, at the second there is none, and at the third it has the certificate of another. Each announces HTTP/3 at its own port in an Alt-Svc field; the query can say what
is announced instead (`announce=clear`). /echo says which version the request came in, with its method and the length of its content. /play has 10 bytes of content without a length, and ends
over HTTP/3 as the query says: `end=fin`, or `reset:CODE` for the stream, `close:CODE` for the connection. /count?key=… says how many requests with that key have come over HTTP/3.
"""

import asyncio
import collections
import ssl
import sys
import urllib.parse

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated

counts = collections.Counter()


def answer(version, method, target, length, port):
    """The fields and the content of a response."""
    url = urllib.parse.urlsplit(target)
    query = dict(urllib.parse.parse_qsl(url.query))
    fields = {"alt-svc": query.get("announce", f'h3=":{port}"; ma=3600')}
    if url.path == "/large":
        return fields, bytes(1 << 20)
    if url.path == "/count":
        return fields, str(counts[query.get("key")]).encode()
    return fields, f"{version} {method} {length}".encode()


class HTTP3(QuicConnectionProtocol):
    def __init__(self, *arguments, port, **options):
        super().__init__(*arguments, **options)
        self.port, self.http, self.requests = port, None, {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if self.http is None:
            return
        for event in self.http.handle_event(event):
            if isinstance(event, HeadersReceived):
                self.requests[event.stream_id] = (dict(event.headers), 0)
            elif isinstance(event, DataReceived):
                fields, length = self.requests[event.stream_id]
                self.requests[event.stream_id] = (fields, length + len(event.data))
            else:
                continue
            if event.stream_ended:
                self.respond(event.stream_id, *self.requests.pop(event.stream_id))
        self.transmit()

    def respond(self, stream, request, length):
        method, target = request[b":method"].decode(), request[b":path"].decode()
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))
        if not target.startswith("/count?"):
            counts[query.get("key")] += 1
        fields, content = answer("HTTP/3", method, target, length, self.port)
        head = [(b":status", b"200")] + [(name.encode(), value.encode()) for name, value in fields.items()]
        end, _, code = query.get("end", "").partition(":")
        if not end:
            head.append((b"content-length", str(len(content)).encode()))
        self.http.send_headers(stream, head)
        if not end:
            return self.http.send_data(stream, content, end_stream=True)
        self.http.send_data(stream, bytes(10), end_stream=end == "fin")
        self.transmit()
        if end == "reset":
            self._quic.reset_stream(stream, int(code))
        elif end == "close":
            self._quic.close(error_code=int(code))


async def respond_over_tcp(reader, writer, port):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target = head.split(" ")[:2]
            length = next((int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
            await reader.readexactly(length)
            fields, content = answer("HTTP/1.1", method, target, length, port)
            lines = [f"{name}: {value}\r\n" for name, value in {**fields, "content-length": len(content)}.items()]
            writer.write(f"HTTP/1.1 200 OK\r\n{''.join(lines)}\r\n".encode() + content)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main(certificate, key, certificate_of_another, working, absent, impostor):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    for port, quic_certificate in (working, certificate), (absent, None), (impostor, certificate_of_another):
        if quic_certificate:
            configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
            configuration.load_cert_chain(quic_certificate, key)
            await serve(
                "127.0.0.1",
                int(port),
                configuration=configuration,
                create_protocol=lambda *arguments, port=port, **options: HTTP3(*arguments, port=port, **options),
            )
        await asyncio.start_server(
            lambda reader, writer, port=port: respond_over_tcp(reader, writer, port), "127.0.0.1", int(port), ssl=context
        )
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
