#!/usr/bin/env python3
"""Receives one POST from a command, and prints as JSON what came and how much memory the command took.

    receive_upload.py command [argument ...]

In the arguments {url} stands for where the command has to post to. Of the content the length is counted, and how much of it is not zero.
"""
import http.server
import json
import resource
import subprocess
import sys
import threading

received = {}


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        announced = int(self.headers["Content-Length"])
        buffer = bytearray(1 << 20)
        length = other = 0
        while length < announced:
            count = self.rfile.readinto(memoryview(buffer)[: min(len(buffer), announced - length)])
            if not count:
                break
            other += count - buffer.count(0, 0, count)
            length += count
        received.update(announced=announced, length=length, other=other, type=self.headers["Content-Type"])
        answer = json.dumps(received).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"
command = [argument.replace("{url}", url) for argument in sys.argv[1:]]
status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
json.dump({"status": status, "peakKiB": peak, "received": received}, sys.stdout)
