#!/usr/bin/env python3
"""A server of DNS over HTTPS (RFC 8484), with the addresses of a few names.

    doh_server.py <certificate> <key>

Prints its port, and then a line for each query: its method, its type, and the name. It ends when its input ends.
"""

import http.server
import ssl
import struct
import sys
import threading

A, CNAME, AAAA = 1, 5, 28
NAMES = {
    "known.test": {A: [bytes([127, 0, 0, 1])]},
    "two.test": {A: [bytes([127, 0, 0, 3]), bytes([127, 0, 0, 2])]},
    "refused.test": {A: [bytes([127, 0, 0, 1])]},
    "empty.test": {},
    "alias.test": {},
}
# The names that are other names, of which the answer has no addresses.
ALIASES = {"alias.test": b"\x07nowhere\x04test\x00"}

lines = threading.Lock()


def parse(query):
    """The name and the type of a query's question."""
    labels, place = [], 12
    while query[place]:
        labels.append(query[place + 1 : place + 1 + query[place]].decode())
        place += 1 + query[place]
    return ".".join(labels), struct.unpack("!H", query[place + 1 : place + 3])[0], place + 5


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        query = self.rfile.read(int(self.headers["Content-Length"]))
        name, kind, end = parse(query)
        with lines:  # print() writes a line in chunks, and the two queries of a name come at the same time
            print(self.command, {A: "A", AAAA: "AAAA"}.get(kind, kind), name, flush=True)
        records = NAMES.get(name, {}).get(kind, [])
        if name in ALIASES:
            kind, records = CNAME, [ALIASES[name]]
        code = 0 if name in NAMES else 3
        answer = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0) + query[12:end]
        for record in records:
            answer += struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(record)) + record
        self.send_response(200)
        self.send_header("Content-Type", "application/dns-message")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
