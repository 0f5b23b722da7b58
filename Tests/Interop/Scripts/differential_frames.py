#!/usr/bin/env python3
"""Writes and reads WebSocket frames with Python's websockets, for both directions.

    differential_frames.py write seed count     prints connections of a server as JSON: the bytes, the agreed compression, and the events in them
    differential_frames.py read file            reads connections of a client, and prints the events in them

In the file, each line is a connection as JSON: "bytes" in base64, and "noTakeover" and "bits" if there is compression. An event is its kind and its bytes in base64.
"""
import base64
import json
import random
import sys

from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Close, Frame, Opcode
from websockets.protocol import CLIENT, OPEN, SERVER, Protocol


def event(kind, data):
    return f"{kind}:{base64.b64encode(data).decode()}"


def text(rng):
    return "".join(rng.choice(["a", "é", "€", "\U0001f600", "\0", " "]) for _ in range(rng.choice([0, 1, 3, 100, 1000])))


def extension(compression, is_server):
    takeover, bits = compression["noTakeover"], compression["bits"]
    # The order is: the remote's, the local one's; here both sides keep to the same.
    return PerMessageDeflate(takeover, takeover, bits, bits)


def connection(rng):
    compression = {"noTakeover": bool(rng.randrange(2)), "bits": rng.randint(9, 15)} if rng.randrange(2) else None
    protocol = Protocol(SERVER, state=OPEN, max_size=None)
    if compression:
        protocol.extensions = [extension(compression, True)]
    events = []
    for _ in range(rng.randint(1, 6)):
        is_text = rng.randrange(2)
        data = text(rng).encode() if is_text else rng.randbytes(rng.choice([65_535, 65_536, 70_000] if rng.randrange(40) == 0 else [0, 1, 125, 126, 127, 1000]))
        send, kind = (protocol.send_text, "text") if is_text else (protocol.send_binary, "data")
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice([0, 0, 1, 3])))
        chunks = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)])]
        for index, chunk in enumerate(chunks):
            is_last = index == len(chunks) - 1
            (send if index == 0 else protocol.send_continuation)(chunk, fin=is_last)
            if rng.randrange(4) == 0:
                content = rng.randbytes(rng.choice([0, 1, 125]))
                is_ping = rng.randrange(2)
                (protocol.send_ping if is_ping else protocol.send_pong)(content)
                control = event("ping" if is_ping else "pong", content)
                # A message is delivered with its last frame.
                if is_last:
                    events += [event(kind, data), control]
                else:
                    events.append(control)
            elif is_last:
                events.append(event(kind, data))
    code = rng.choice([None, 1000, 1001, 1011, 3000, 4999])
    reason = "" if code is None else rng.choice(["", "end", "é" * 60])
    protocol.send_close(code, reason)
    events.append(f"close:{code or 0}:{reason}")
    data = b"".join(protocol.data_to_send())
    return {"bytes": base64.b64encode(data).decode(), "compression": compression, "events": events, "chunk": rng.choice([1, 2, 7, 100, 1 << 20])}


def read(connection):
    protocol = Protocol(SERVER, state=OPEN, max_size=None)
    if connection.get("bits"):
        protocol.extensions = [extension(connection, True)]
    protocol.receive_data(base64.b64decode(connection["bytes"]))
    events, kind, data = [], None, b""
    for frame in protocol.events_received():
        if frame.opcode in (Opcode.PING, Opcode.PONG):
            events.append(event(frame.opcode.name.lower(), frame.data))
        elif frame.opcode is Opcode.CLOSE:
            close = Close.parse(frame.data)
            events.append(f"close:{0 if close.code == 1005 else close.code}:{close.reason}")
        else:
            if frame.opcode is not Opcode.CONT:
                kind, data = "text" if frame.opcode is Opcode.TEXT else "data", b""
            data += bytes(frame.data)
            if frame.fin:
                events.append(event(kind, data))
    if protocol.parser_exc:
        events.append(f"fault:{protocol.parser_exc!r}")
    return events


if sys.argv[1] == "write":
    rng = random.Random(int(sys.argv[2]))
    json.dump([connection(rng) for _ in range(int(sys.argv[3]))], sys.stdout)
else:
    with open(sys.argv[2]) as file:
        json.dump([read(json.loads(line)) for line in file], sys.stdout)
