"""A proxy that is spoken to over TLS and makes tunnels: port, certificate, key, and the file to which it writes a line for each tunnel that it is asked for."""

import asyncio
import ssl
import sys


async def relay(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def handle(reader, writer):
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
        with open(sys.argv[4], "a") as log:
            log.write(f"{method} {target}\n")
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", int(target.rsplit(":", 1)[1]))
    except (OSError, ValueError, asyncio.IncompleteReadError):
        return writer.close()
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await asyncio.gather(relay(reader, server_writer), relay(server_reader, writer))


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server = await asyncio.start_server(handle, "127.0.0.1", int(sys.argv[1]), ssl=context)
    await server.serve_forever()


asyncio.run(main())
