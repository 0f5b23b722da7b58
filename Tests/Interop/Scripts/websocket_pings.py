"""Measures the memory of a client beside a WebSocket server that sends pings and never reads.

    websocket_pings.py <seconds> <command> [argument ...]

The command gets the URL of the server as its last argument, and has to stay connected until it is killed. Printed are the number of pings, and the memory of the
process (VmRSS) before the first ping and its greatest afterwards (VmHWM), in MiB. With the command `websockets` it is a client of that library, in a process of its
own:

    websocket_pings.py 8 websockets
    websocket_pings.py 8 .build/release/larkspur ws
"""

import asyncio
import base64
import hashlib
import select
import socket
import subprocess
import sys
import time

PING = b"\x89\x7d" + bytes(125)
BURST = PING * 512


def memory(process, name):
    with open(f"/proc/{process.pid}/status") as status:
        line = next(line for line in status if line.startswith(name + ":"))
    return int(line.split()[1]) / 1024


def open_connection(listener):
    connection, _ = listener.accept()
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(65_536)
    key = next(line.split(b":")[1].strip() for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    return connection


def flood(connection, seconds):
    """Sends pings; returns the number of them. A client that stops reading stops the server."""
    sent = 0
    end = time.monotonic() + seconds
    connection.setblocking(False)
    while (rest := end - time.monotonic()) > 0:
        if select.select([], [connection], [], rest)[1]:
            sent += connection.send(BURST[sent % len(PING) :])
    return sent // len(PING)


async def run_websockets(url):
    from websockets.asyncio.client import connect

    async with connect(url, max_size=None) as connection:
        async for _ in connection:
            pass


def main():
    if sys.argv[1] == "client":
        return asyncio.run(run_websockets(sys.argv[2]))
    seconds = float(sys.argv[1])
    command = [sys.executable, __file__, "client"] if sys.argv[2] == "websockets" else sys.argv[2:]
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
    # Its input stays open, so that a program that sends it as messages does not end.
    process = subprocess.Popen(command + [url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    listener.settimeout(30)
    try:
        connection = open_connection(listener)
        time.sleep(0.5)
        before = memory(process, "VmRSS")
        pings = flood(connection, seconds)
        print(f"{pings:,} pings: {before:.1f} MiB before, {memory(process, 'VmHWM'):.1f} MiB at most")
    finally:
        process.kill()
        process.wait()


main()
