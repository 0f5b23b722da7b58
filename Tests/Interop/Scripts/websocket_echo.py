"""A WebSocket server that returns every message: websocket_echo.py <port>

It accepts clients that offer the subprotocol echo, and no others. After the message "leave" it closes the connection.
"""

import asyncio
import sys

from websockets.asyncio.server import serve


async def echo(connection):
    async for message in connection:
        if message == "leave":
            return await connection.close(1001, "as you wish")
        await connection.send(message)


async def main():
    port = int(sys.argv[1])
    async with serve(echo, "127.0.0.1", port, max_size=None, subprotocols=["echo"]) as server:
        await server.serve_forever()


asyncio.run(main())
