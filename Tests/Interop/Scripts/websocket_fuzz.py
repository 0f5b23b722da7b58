"""A server of random sequences of WebSocket frames, and the judgement of websockets, another client, of each: websocket_fuzz.py <port>

A WebSocket at /<seed>/<index> gets the sequence of that seed and index, in segments, and then the end of the stream. Every other request for
/<seed>/<index>/outcome waits for the end of that connection. Its answer is a JSON object with `sent`, the code of the client's close frame (1005 for one without
code, null for no frame), `pongs`, the contents of its pongs, `fault`, that of its frames or null, `expected`, a list of outcomes of which the client's is one, and
`bytes`, the sequence.

The judgement is that of websockets' protocol without I/O, which gets the same bytes frame by frame. What that leaves to the program is done here: fragments are
put together, and text is decoded as it arrives. Where the two clients may differ, there is a RULE.
"""

import asyncio
import base64
import codecs
import json
import random
import struct
import sys
import zlib

from websockets.client import ClientProtocol
from websockets.exceptions import ProtocolError
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Opcode
from websockets.protocol import OPEN, SERVER, Protocol
from websockets.uri import parse_uri
from websockets.utils import accept_key

LIMIT = 70_000
SIZES = [0, 0, 1, 2, 5, 50, 124, 125, 126, 127, 128, 255, 256, 1_000, 3_000]
LARGE_SIZES = [65_534, 65_535, 65_536, 65_537, 69_999, LIMIT]
INVALID_TEXT = [b"\xff", b"\xfe", b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc3\x28", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xe2\x82\x28",
                b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xf0\x9f\x98\x28"]
INCOMPLETE_TEXT = [b"\xc3", b"\xe2", b"\xe2\x82", b"\xf0", b"\xf0\x9f", b"\xf0\x9f\x98"]
CLOSE_CODES = [1000, 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
INVALID_CLOSE_CODES = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
PARAMETERS = [None, None, "permessage-deflate", "permessage-deflate; server_no_context_takeover"]


class Frame:
    """A frame, which may be invalid. `form` is the number of bytes of its length: 1, 3 or 9."""

    def __init__(self, opcode, content=b"", fin=True, reserved=0, mask=None, form=None, length=None, is_compressed=False):
        self.opcode, self.content, self.fin, self.reserved = opcode, content, fin, reserved
        length = len(content) if length is None else length
        shortest = 1 if length < 126 else 3 if length < 65_536 else 9
        form = form or shortest
        self.is_overlong = form > shortest or length >> 63 != 0
        self.is_close = opcode == Opcode.CLOSE
        # Whether it goes on with a compressed message and has reserved bits.
        self.has_late_bits = is_compressed and opcode == Opcode.CONT and reserved != 0
        head = bytes([fin << 7 | reserved << 4 | opcode])
        bit = 0x80 if mask else 0
        if form == 1:
            head += bytes([bit | length])
        else:
            head += bytes([bit | (126 if form == 3 else 127)]) + struct.pack("!H" if form == 3 else "!Q", length)
        if mask:
            head += mask
            content = bytes(byte ^ mask[index % 4] for index, byte in enumerate(content))
        self.bytes = head + content


class Sequence:
    """The frames of a seed and an index, the place where they are cut off, and the segments in which they are sent."""

    def __init__(self, seed, index):
        self.source = source = random.Random(f"{seed}/{index}")
        self.parameters = source.choice(PARAMETERS)
        self.compressor = None
        self.frames = []
        while len(self.frames) < source.choice([1, 2, 4, 8, 12, 20]):
            self.add_message()
            if source.random() < 0.3:
                self.add_fault()
        ending = source.random()
        if ending < 0.6:
            self.frames.append(self.close())
            while source.random() < 0.3:
                self.frames.append(self.control())
        self.bytes = b"".join(frame.bytes for frame in self.frames)
        self.end = source.randint(0, len(self.bytes)) if ending > 0.85 else len(self.bytes)
        self.segments = self.cut(self.bytes[: self.end])
        self.follows_response = source.random() < 0.3

    def cut(self, data):
        style = self.source.choice(["whole", "bytes", "random", "random"])
        if style == "whole" or not data:
            return [data]
        if style == "bytes" and len(data) <= 200:
            return [data[place : place + 1] for place in range(len(data))]
        places = sorted(self.source.randint(0, len(data)) for _ in range(self.source.randint(1, 8)))
        return [data[start:end] for start, end in zip([0] + places, places + [len(data)])]

    # Contents

    def size(self):
        if self.source.random() < 0.04:
            return self.source.choice(LARGE_SIZES)
        return self.source.choice(SIZES) if self.source.random() < 0.7 else self.source.randint(0, 3_000)

    def text(self, size):
        ranges = [(0x20, 0x7E), (0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF)]
        low, high = self.source.choice(ranges)
        unit = "".join(chr(self.source.randint(*self.source.choice([(low, high), (0x20, 0x7E)]))) for _ in range(min(size, 40)))
        content = (unit.encode() * (size // max(1, len(unit)) + 1))[:size]
        # Not in the middle of a character.
        return content.decode(errors="ignore").encode()

    def content(self, is_text):
        size = self.size()
        return self.text(size) if is_text else (self.source.randbytes(min(size, 256)) * (size // 256 + 1))[:size]

    def compress(self, content):
        if self.compressor is None or "no_context" in self.parameters:
            self.compressor = zlib.compressobj(wbits=-15)
        return (self.compressor.compress(content) + self.compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]

    # Valid frames

    def control(self):
        opcode = self.source.choice([Opcode.PING, Opcode.PING, Opcode.PONG])
        return Frame(opcode, self.source.randbytes(self.source.choice([0, 1, 4, 124, 125, self.source.randint(0, 125)])))

    def close(self):
        if self.source.random() < 0.15:
            return Frame(Opcode.CLOSE)
        reason = self.text(self.source.choice([0, 1, 10, 60, 123]))
        return Frame(Opcode.CLOSE, struct.pack("!H", self.source.choice(CLOSE_CODES)) + reason)

    def add_message(self, content=None, is_text=None, is_malformed=False):
        is_text = self.source.random() < 0.6 if is_text is None else is_text
        content = self.content(is_text) if content is None else content
        is_compressed = self.parameters is not None and (is_malformed or self.source.random() < 0.7)
        if LIMIT - 1_000 < len(content) <= LIMIT:
            # RULE: a compressed message may be as large as the limit; websockets refuses some of that size.
            is_compressed = False
        if is_malformed:
            # The first block has a type that does not exist.
            content = b"\x07" + content
        elif is_compressed:
            content = self.compress(content)
        places = sorted(self.source.randint(0, len(content)) for _ in range(self.source.choice([0, 0, 0, 1, 2, 5])))
        for number, (start, end) in enumerate(zip([0] + places, places + [len(content)])):
            opcode = Opcode.CONT if number else Opcode.TEXT if is_text else Opcode.BINARY
            reserved = 4 if is_compressed and number == 0 else 0
            is_last = number == len(places)
            self.frames.append(Frame(opcode, content[start:end], is_last, reserved))
            while not is_last and self.source.random() < 0.3:
                self.frames.append(self.control())
            if not is_last and self.source.random() < 0.02:
                return self.add_fault_between_fragments(is_compressed, len(content[:end]))

    # Invalid frames

    def add_fault_between_fragments(self, is_compressed, size):
        source = self.source
        frames = [
            Frame(source.choice([Opcode.TEXT, Opcode.BINARY]), self.text(10), source.random() < 0.5),
            Frame(Opcode.CONT, b"", source.random() < 0.5, source.choice([1, 2, 3, 4, 7]), is_compressed=is_compressed),
            self.close(),
        ]
        if not is_compressed and size < LIMIT - 200:
            frames.append(Frame(Opcode.CONT, bytes(LIMIT - size + source.randint(1, 100))))
        self.frames.append(source.choice(frames))

    def add_fault(self):
        source = self.source
        data = source.choice([Opcode.TEXT, Opcode.BINARY])
        control = source.choice([Opcode.PING, Opcode.PONG])
        kind = source.randint(0, 15)
        if kind == 0:
            self.frames.append(Frame(source.choice([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), self.text(source.choice([0, 5, 200])), source.random() < 0.8))
        elif kind == 1:
            # With compression, the highest bit alone is none.
            self.frames.append(Frame(data, self.text(5), source.random() < 0.8, source.choice([1, 2, 3] + [4, 5, 6, 7] * (self.parameters is None))))
        elif kind == 2:
            self.frames.append(Frame(control, self.text(5), True, source.randint(1, 7)))
        elif kind == 3:
            self.frames.append(Frame(source.choice([data, control, Opcode.CLOSE]), b"\x03\xe8" + self.text(5), mask=source.randbytes(4)))
        elif kind == 4:
            self.frames.append(Frame(control, self.source.randbytes(source.choice([126, 127, 200, 300]))))
        elif kind == 5:
            self.frames.append(Frame(control, self.text(5), False))
        elif kind == 6:
            self.frames.append(Frame(data, self.text(source.choice([0, 1, 125])), form=source.choice([3, 9])))
        elif kind == 7:
            self.frames.append(Frame(data, self.text(source.choice([126, 200, 3_000])), form=9))
        elif kind == 8:
            self.frames.append(Frame(data, length=1 << 63 | source.randint(0, 100)))
        elif kind == 9:
            self.frames.append(Frame(data, self.text(5), form=9, length=source.choice([LIMIT + 1, 1 << 31, 1 << 32, 1 << 62, (1 << 63) - 1])))
        elif kind == 10:
            self.frames.append(Frame(Opcode.CONT, self.text(5), source.random() < 0.5))
        elif kind == 11:
            self.frames.append(Frame(Opcode.CLOSE, source.choice([b"\x03", struct.pack("!H", source.choice(INVALID_CLOSE_CODES)) + self.text(5)])))
        elif kind == 12:
            self.frames.append(Frame(Opcode.CLOSE, b"\x03\xe8" + self.text(20) + source.choice(INVALID_TEXT + INCOMPLETE_TEXT)))
        elif kind == 13:
            text = self.text(source.choice([0, 1, 10, 100, 1_000]))
            if source.random() < 0.3:
                self.add_message(text + source.choice(INCOMPLETE_TEXT), True)
            else:
                # Between two characters.
                start = text[: source.randint(0, len(text))].decode(errors="ignore").encode()
                self.add_message(start + source.choice(INVALID_TEXT) + text[len(start) :], True)
        elif kind == 14 and self.parameters:
            self.add_message(is_malformed=True)
        elif kind == 15 and self.parameters:
            self.add_message(bytes(LIMIT + 40_000), source.random() < 0.5)


class Judge:
    """What websockets makes of frames."""

    def __init__(self, sequence, frames):
        extensions = []
        if sequence.parameters:
            extensions.append(PerMessageDeflate("no_context" in sequence.parameters, False, 15, 15))
        self.protocol = ClientProtocol(parse_uri("ws://localhost/"), state=OPEN, max_size=LIMIT)
        self.protocol.extensions = extensions
        self.messages, self.pongs = [], []
        self.kind, self.parts, self.decoder = None, [], None
        self.code = None
        for frame, data in frames:
            # RULE: lengths have the shortest form, and 63 bits (RFC 6455, section 5.2); websockets does not look.
            # RULE: only the first frame of a message has a reserved bit (RFC 7692, section 6.1); websockets overlooks one, and others until it has decompressed.
            if len(data) == len(frame.bytes) and (frame.is_overlong or frame.has_late_bits):
                self.fail(1002)
                break
            # RULE: a close frame may come between the fragments of a message (RFC 6455, section 5.4); for websockets it is an error.
            if frame.is_close and self.protocol.state is OPEN and frame.fin and not frame.reserved and len(data) == len(frame.bytes):
                self.protocol.cur_size = None
            # RULE: a control frame is no part of the message between whose fragments it comes; websockets wants it to fit into what remains of the message's limit.
            self.protocol.max_size = LIMIT if frame.opcode < Opcode.CLOSE else None
            self.protocol.receive_data(data)
            for event in self.protocol.events_received():
                self.take(event)
            # RULE: a message is too large with its first byte too many; websockets does not see it at the end of a fragment, where zlib holds it back.
            if self.protocol.cur_size == LIMIT and extensions and extensions[0].decode_cont_data and extensions[0].decoder.decompress(b"", 1):
                self.fail(1009)
            if self.protocol.state is not OPEN:
                break
        # A client judges until its protocol is over.
        if self.protocol.state is OPEN:
            self.protocol.receive_eof()
        error = self.protocol.parser_exc
        if self.code is None and self.protocol.close_sent and not self.protocol.close_rcvd:
            self.code = self.protocol.close_sent.code
            # RULE: malformed compressed content has the code 1007, as other content that is not consistent with its type.
            if isinstance(error, ProtocolError) and isinstance(error.__cause__, zlib.error):
                self.code = 1007

    def fail(self, code):
        self.code = code
        if self.protocol.state is OPEN:
            self.protocol.fail(code)

    def take(self, frame):
        if frame.opcode is Opcode.PING:
            self.pongs.append(base64.b64encode(frame.data).decode())
        if frame.opcode in (Opcode.PING, Opcode.PONG, Opcode.CLOSE) or self.code is not None:
            return
        if frame.opcode is not Opcode.CONT:
            self.kind, self.parts = frame.opcode, []
            self.decoder = codecs.getincrementaldecoder("utf-8")()
        data = bytes(frame.data)
        if self.kind is Opcode.TEXT:
            try:
                self.parts.append(self.decoder.decode(data, frame.fin).encode())
            except UnicodeDecodeError:
                return self.fail(1007)
            # RULE: the second byte of a surrogate is invalid; the decoder waits for the third.
            if self.decoder.getstate()[0][:1] == b"\xed" and self.decoder.getstate()[0][1:2] >= b"\xa0":
                return self.fail(1007)
        else:
            self.parts.append(data)
        if frame.fin:
            self.messages.append(("text:" if self.kind is Opcode.TEXT else "data:") + base64.b64encode(b"".join(self.parts)).decode())

    @property
    def outcome(self):
        closure = self.protocol.close_rcvd if self.code is None else None
        ending, sent = "lost", None
        if self.code is not None:
            ending, sent = "violation", self.code
        elif closure:
            ending, sent = "closed", closure.code
        code = None if closure is None or closure.code == 1005 else closure.code
        return {"messages": self.messages, "pongs": self.pongs, "ending": ending, "sent": sent, "code": code, "reason": closure.reason if closure else ""}


def judgements(sequence):
    """The outcomes of which the client's is one."""
    frames, place = [], 0
    for frame in sequence.frames:
        if place < sequence.end or not frame.bytes:
            frames.append((frame, frame.bytes[: sequence.end - place]))
        place += len(frame.bytes)
    expected = [Judge(sequence, frames).outcome]
    if frames and len(frames[-1][1]) < len(frames[-1][0].bytes):
        # RULE: a fault is found with its first byte; websockets looks at frames that are complete. So one that is cut off may be a fault already.
        frame = frames[-1][0]
        whole = Judge(sequence, frames[:-1] + [(frame, frame.bytes)]).outcome
        if whole["ending"] == "violation":
            expected.append(whole)
    return expected


def report(sequence, received):
    """What the client has sent, as websockets reads it, and what it should have."""
    protocol = Protocol(SERVER, state=OPEN, max_size=None)
    protocol.receive_data(received)
    frames = protocol.events_received()
    closure = protocol.close_rcvd
    return {
        "sent": closure.code if closure else None,
        "pongs": [base64.b64encode(frame.data).decode() for frame in frames if frame.opcode is Opcode.PONG],
        "fault": repr(protocol.parser_exc) if protocol.parser_exc else None,
        "expected": judgements(sequence),
        "bytes": " ".join(segment.hex() for segment in sequence.segments)[:4_000],
    }


class Server:
    def __init__(self):
        self.reports = {}

    def report(self, path):
        return self.reports.setdefault(path, asyncio.get_running_loop().create_future())

    async def serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            fields = dict(line.lower().split(": ", 1)[:1] + line.split(": ", 1)[1:] for line in head.split("\r\n")[1:] if ": " in line)
            if "upgrade" in fields:
                await self.play(path, fields, reader, writer)
            else:
                path = path.removesuffix("/outcome")
                body = json.dumps(await self.report(path)).encode()
                del self.reports[path]
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            # The client has gone, or somebody has looked whether the port is open.
            pass
        finally:
            writer.close()

    async def play(self, path, fields, reader, writer):
        sequence = Sequence(*path.strip("/").split("/"))
        response = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        response += f"Sec-WebSocket-Accept: {accept_key(fields['sec-websocket-key'])}\r\n"
        if sequence.parameters:
            response += f"Sec-WebSocket-Extensions: {sequence.parameters}\r\n"
        segments = [(response + "\r\n").encode()] + sequence.segments
        if sequence.follows_response:
            segments[:2] = [segments[0] + segments[1]]
        received = b""
        receiving = asyncio.create_task(self.receive(reader))
        try:
            for segment in segments:
                writer.write(segment)
                await writer.drain()
                # So that the client receives it by itself, more often than not.
                await asyncio.sleep(0.0005)
            writer.write_eof()
        except ConnectionError:
            pass
        received = await receiving
        try:
            self.report(path).set_result(report(sequence, received))
        except Exception as error:
            self.report(path).set_exception(error)
            raise

    async def receive(self, reader):
        received = b""
        try:
            while data := await reader.read(65_536):
                received += data
        except ConnectionError:
            pass
        return received


async def main():
    server = await asyncio.start_server(Server().serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
