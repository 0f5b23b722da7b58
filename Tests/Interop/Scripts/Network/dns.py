"""A name server whose answers depend on the name that is asked for, over UDP and TCP.

The first label of the name says what comes: see `answer`. All good addresses are the one that `start` is given.
"""
import asyncio
import ipaddress
import struct

A, CNAME, AAAA = 1, 5, 28
NXDOMAIN, SERVFAIL, REFUSED = 3, 2, 5
DEAD_4, DEAD_6 = "192.0.2.77", "2001:db8::77"
queries = {}


def encode_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label) + b"\0"


def read_question(message):
    labels, place = [], 12
    while length := message[place]:
        labels.append(message[place + 1 : place + 1 + length].decode("latin-1").lower())
        place += length + 1
    (kind,) = struct.unpack(">H", message[place + 1 : place + 3])
    return ".".join(labels), kind, message[12 : place + 5]


def record(name, kind, data):
    return encode_name(name) + struct.pack(">HHIH", kind, 1, 0, len(data)) + data


def message_for(query, question, records=(), code=0, truncated=False, identifier=None):
    number = struct.unpack(">H", query[:2])[0] if identifier is None else identifier
    flags = 0x8180 | code | (0x0200 if truncated else 0)
    return struct.pack(">HHHHHH", number, flags, 1, len(records), 0, 0) + question + b"".join(records)


def answer(query, address, is_tcp):
    """The messages to send, each with the seconds to wait before."""
    name, kind, question = read_question(query)
    label = name.split(".")[0]
    queries[name] = queries.get(name, 0) + 1
    good = [record(name, A, ipaddress.ip_address(address).packed)] if kind == A else []
    dead = [record(name, AAAA, ipaddress.ip_address(DEAD_6).packed)] if kind == AAAA else []
    dead_4 = [record(name, A, ipaddress.ip_address(DEAD_4).packed)] if kind == A else []
    reply = message_for(query, question, good)
    if label == "silent":
        return []
    if label == "slow":
        return [(0.7, reply)]
    if label == "absent":
        return [(0, message_for(query, question, code=NXDOMAIN))]
    if label == "failing":
        return [(0, message_for(query, question, code=SERVFAIL))]
    if label == "refusing":
        return [(0, message_for(query, question, code=REFUSED))]
    if label == "empty":
        return [(0, message_for(query, question))]
    if label == "truncated":
        return [(0, reply if is_tcp else message_for(query, question, truncated=True))]
    if label == "otherid":
        number = (struct.unpack(">H", query[:2])[0] + 1) & 0xFFFF
        return [(0, message_for(query, question, dead_4, identifier=number))]
    if label == "forged":
        # The false answer comes first.
        number = (struct.unpack(">H", query[:2])[0] + 1) & 0xFFFF
        return [(0, message_for(query, question, dead_4, identifier=number)), (0.02, reply)]
    if label == "loop":
        other = "loop2." + name.split(".", 1)[1]
        return [(0, message_for(query, question, [record(name, CNAME, encode_name(other)),
                                                  record(other, CNAME, encode_name(name))]))]
    if label == "malformed":
        return [(0, query[:2] + b"\x81\x80" + b"\xff" * 40)]
    if label == "dead6":
        return [(0, message_for(query, question, dead))]
    if label == "both":
        return [(0, message_for(query, question, good + dead))]
    return [(0, reply)]


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, address):
        self.address = address

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        for delay, message in answer(data, self.address, False):
            asyncio.get_running_loop().call_later(delay, self.transport.sendto, message, sender)


async def start(name_server, address):
    async def serve(reader, writer):
        try:
            while True:
                (length,) = struct.unpack(">H", await reader.readexactly(2))
                for delay, message in answer(await reader.readexactly(length), address, True):
                    await asyncio.sleep(delay)
                    writer.write(struct.pack(">H", len(message)) + message)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()

    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: Datagrams(address), local_addr=(name_server, 53))
    await asyncio.start_server(serve, name_server, 53)
