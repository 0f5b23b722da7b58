#!/usr/bin/env python3
"""A tus server, and a proxy that cuts each connection once the client has sent so many bytes on it.

    tus_server.py PORT PROXY_PORT FOLDER
"""
import asyncio
import collections
import socket
import struct
import sys

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

LIMIT = 3 << 20


class OneAtATime:
    """Lets a request for an upload wait until the request before has ended. Without this, tuspyserver waits for its lock on the loop that the holder of the lock
    needs, for 30 seconds, and has stored other content than it was sent."""

    def __init__(self, app):
        self.app = app
        self.locks = collections.defaultdict(asyncio.Lock)

    async def __call__(self, scope, receive, send):
        async with self.locks[scope.get("path")]:
            await self.app(scope, receive, send)


def reset(writer):
    """Ends a connection with a reset, so that nothing that is on its way arrives."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


async def forward(reader, writer, limit=None):
    """Forwards bytes to the end of the stream, or until there were so many. Returns whether that was so."""
    count = 0
    while chunk := await reader.read(1 << 16):
        if limit is not None:
            chunk = chunk[: limit - count]
        count += len(chunk)
        writer.write(chunk)
        await writer.drain()
        if count == limit:
            return True
    return False


async def connect(reader, writer, port):
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
    back = asyncio.create_task(forward(server_reader, writer))
    there = asyncio.create_task(forward(reader, server_writer, LIMIT))
    try:
        await asyncio.wait([back, there], return_when=asyncio.FIRST_COMPLETED)
        if there.done() and not there.exception() and there.result():
            reset(writer)
    finally:
        for task in (back, there):
            task.cancel()
        await asyncio.gather(back, there, return_exceptions=True)
        server_writer.close()
        writer.close()


async def main(port, proxy_port, folder):
    app = FastAPI()
    app.include_router(create_tus_router(prefix="files", files_dir=folder))
    server = uvicorn.Server(uvicorn.Config(OneAtATime(app), host="127.0.0.1", port=port))
    proxy = await asyncio.start_server(lambda r, w: connect(r, w, port), "127.0.0.1", proxy_port)
    async with proxy:
        await server.serve()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
