#!/usr/bin/env python3
"""Makes broken HTTP/1.1 responses, and says of each whether h11, a strict reader, takes it for whole.

hostile_responses.py <seed> <count>: prints a JSON list of objects with `method`, `bytes` and `content` in base64 (null where h11 refuses), and `isOdd`: whether
there is something in the bytes that h11 refuses and that says nothing of where content ends.
"""
import base64
import json
import random
import re
import sys

import h11

LENGTHS = [b"5", b"0", b"6", b"4", b"5, 5", b"5,6", b"0x5", b"+5", b"-5", b"5.0", b"5 0", b"5;", b"", b"05", b"18446744073709551615", b"1e1", b"5\t", b" 5 ",
           b"9223372036854775808", b"five"]
CODINGS = [b"chunked", b"Chunked", b"chunked, chunked", b"gzip, chunked", b"chunked, gzip", b"identity", b"gzip", b"xchunked", b"chunked;a", b",chunked", b"", b"\"chunked\"",
           b"chunked "]
BYTES = [b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b";", b",", b"0", b"1", b"5", b"a", b"x", b"\0", b"\x0b", b"\x0c", b"\x80", b"-", b"+", b"\r\n ", b"HTTP/1.1 200 OK\r\n",
         b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"\r\n\r\n"]
COLONS = [b": ", b":", b" : ", b"\t:", b":\r\n ", b": \r\n\t", b"\x0b: ", b";", b" "]


def chunks(source, content):
    parts = []
    while content:
        size = source.randint(1, len(content))
        number = b"%x" % size
        if source.random() < 0.2:
            number = source.choice([b"0", b"0x", b"+", b" ", b"00"]) + number
        extension = source.choice([b""] * 8 + [b";a=b", b" ;a", b" ", b" 1", b",", b"\t", b";a=\"b\r\""])
        end = source.choice([b"\r\n"] * 12 + [b"\n", b"\r", b"", b"\r\r\n", b"\n\r"])
        parts.append(number + extension + source.choice([b"\r\n"] * 12 + [b"\n", b"\r", b"\r\r\n"]) + content[:size] + end)
        content = content[size:]
    last = source.choice([b"0\r\n\r\n"] * 8 + [b"0\r\nX: y\r\n\r\n", b"0\r\n", b"0", b"", b"0x5\r\n\r\n", b"00\r\n\r\n", b"0;a\r\n\r\n", b"0\r\ngarbage\r\n\r\n", b"0\n\n", b"0 5\r\n\r\n",
                                              b"-0\r\n\r\n", b"0\r\n\r\nrest"])
    return b"".join(parts) + last


def response(source):
    version = source.choice([b"HTTP/1.1"] * 8 + [b"HTTP/1.0"])
    status = source.choice([b"200 OK"] * 10 + [b"204 No", b"304 No", b"404 Not", b"200", b"205 Reset", b"600 Odd", b"99 No", b"101 Switch", b"302 Found"])
    content = source.choice([b"hello", b"hello", b"0123456789abcdef0", b"", b"\r\n\r\n", b"0\r\n\r\n"])
    lines = []
    framing = source.choice(["length", "chunked", "both", "close", "odd"])
    if framing in ("length", "both"):
        value = b"%d" % len(content) if source.random() < 0.7 else source.choice(LENGTHS)
        lines.append(b"Content-Length" + (b": " if source.random() < 0.8 else source.choice(COLONS)) + value)
    if framing in ("chunked", "both"):
        value = b"chunked" if source.random() < 0.7 else source.choice(CODINGS)
        lines.append(b"Transfer-Encoding" + (b": " if source.random() < 0.8 else source.choice(COLONS)) + value)
    if framing == "odd":
        for _ in range(source.randint(1, 3)):
            name, values = source.choice([(b"Content-Length", LENGTHS), (b"Transfer-Encoding", CODINGS), (b"content-length", LENGTHS)])
            lines.append(name + source.choice(COLONS) + source.choice(values))
    for _ in range(source.randint(0, 2)):
        lines.append(source.choice([b"X-A: b", b"X-A : b", b"Connection: close", b"Connection: keep-alive", b"X: \r\n folded", b"no colon", b": no name", b"X-B: a\rb", b"X:\x80"]))
    source.shuffle(lines)
    end = source.choice([b"\r\n"] * 10 + [b"\n", b"\r"])
    head = version + b" " + status + end + b"".join(line + end for line in lines) + end
    if source.random() < 0.1:
        head = b"HTTP/1.1 " + source.choice([b"100 Go", b"103 Hints"]) + b"\r\n" + source.choice([b"", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n"]) + b"\r\n" + head
    body = chunks(source, content) if framing in ("chunked", "both") or framing == "odd" and source.random() < 0.5 else content
    whole = head + body
    for _ in range(source.choice([0, 0, 1, 1, 2])):
        place = source.randint(0, len(whole))
        kind = source.randint(0, 3)
        if kind == 0:
            whole = whole[:place] + source.choice(BYTES) + whole[place:]
        elif kind == 1:
            whole = whole[:place] + whole[place + source.randint(1, 3):]
        elif kind == 2:
            whole = whole[:place] + source.choice(BYTES) + whole[place + 1:]
        else:
            whole = whole[:place]
    return whole


def verdict(method, data):
    """The content that h11 finds, or None where it finds no whole response."""
    connection = h11.Connection(our_role=h11.CLIENT)
    connection.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    content = b""
    try:
        connection.receive_data(data)
        hasEnded = False
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                if hasEnded:
                    return None
                hasEnded = True
                connection.receive_data(b"")
            elif event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                return None
            elif isinstance(event, h11.InformationalResponse) and event.status_code == 101:
                return None
            elif isinstance(event, h11.Data):
                content += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return content
    except h11.RemoteProtocolError:
        return None


FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*")
ABOUT_LENGTH = re.compile(rb"content.length|transfer.encoding", re.IGNORECASE)


def is_odd(method, data):
    """Whether there are bare line feeds, lines of the head that are no fields, or characters that no value or reason phrase has, but for the fields that say where content
    ends; these matter only where there is content, and never in an interim response. Blanks before the extension of a chunk are allowed (RFC 9112, section 7.1.1)."""
    if re.search(rb"(?<!\r)\n", data):
        return True
    head, _, rest = data.partition(b"\r\n\r\n")
    if re.search(rb"[0-9A-Fa-f][\t ]+;", rest):
        return True
    while re.match(rb"HTTP/1\.. 1", head):
        if ABOUT_LENGTH.search(head):
            return True
        head, _, rest = rest.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    hasContent = method != "HEAD" and not re.match(rb"HTTP/1\.. +(204|304)", status)
    for line in lines:
        if line.startswith((b" ", b"\t")) and b"\r" in line:
            return True
        matters = hasContent and ABOUT_LENGTH.search(line)
        if not matters and not FIELD.fullmatch(line) and not line.startswith((b" ", b"\t")):
            return True
    return not hasContent and any(ABOUT_LENGTH.search(line) for line in lines)


def encoded(data):
    return None if data is None else base64.b64encode(data).decode()


def main():
    source = random.Random(int(sys.argv[1]))
    cases = []
    for _ in range(int(sys.argv[2])):
        method = source.choice(["GET"] * 6 + ["HEAD", "POST"])
        data = response(source)
        cases.append({"method": method, "bytes": encoded(data), "content": encoded(verdict(method, data)), "isOdd": is_odd(method, data)})
    json.dump(cases, sys.stdout)


main()
