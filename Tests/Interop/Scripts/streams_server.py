"""A server that reads requests and sends responses at the same time: three ports, certificate, key.

The first port speaks HTTP/1.1 in the clear, the second HTTP/1.1 over TLS, and the third HTTP/2 (by the library h2) or HTTP/1.1 over TLS. What is received is passed on at once, and what is written is sent
at once. Content is read only when a handler asks for it: a handler that does not read makes the client wait. The handlers are the functions of streams_handlers.py, by their paths. `id=…` in a query names a request, and
/state?id=… says as JSON what the server has seen of it.
"""

import asyncio
import socket
import ssl
import sys

from streams_handlers import play
from streams_http2 import Connection2
from streams_protocols import Closed, Connection1


async def handle(reader, writer):
    secure = writer.get_extra_info("ssl_object")
    is_http2 = secure is not None and secure.selected_alpn_protocol() == "h2"
    try:
        await (Connection2 if is_http2 else Connection1)(reader, writer, play).run()
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
