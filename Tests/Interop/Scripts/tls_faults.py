"""A server for HTTP/1.1 over TLS that does what servers should not, told by the path of a request.

    tls_faults.py <port> <certificate> <key>

Each response says in X-Connection on which connection it was sent. /seen tells which requests have come, a line for each.
"""

import ctypes
import socket
import ssl
import sys
import threading

libssl = ctypes.CDLL("libssl.so.3")
EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
seen = []
lock = threading.Lock()


class Connection:
    def __init__(self, stream, number):
        self.stream = stream
        self.number = number
        self.buffer = b""

    def read_request(self):
        """The first line and the content of the next request; None at the end."""
        while b"\r\n\r\n" not in self.buffer:
            if not self.read_more():
                return None
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = int(fields.get("content-length", 0))
        while len(self.buffer) < length:
            if not self.read_more():
                return None
        self.buffer = self.buffer[length:]
        return lines[0]

    def read_more(self):
        data = self.stream.recv(65536)
        self.buffer += data
        return bool(data)

    def head(self, *fields, status="200 OK"):
        lines = [f"HTTP/1.1 {status}", f"X-Connection: {self.number}", *fields, "", ""]
        return "\r\n".join(lines).encode()

    def send(self, *records):
        """Sends records of TLS, all in one segment."""
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        for record in records:
            self.stream.sendall(record)
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)

    def send_message(self, function, *arguments):
        """Has OpenSSL send a message of the handshake, for which Python has no function."""
        session = self.session()
        if libssl[function](session, *arguments) != 1 or libssl.SSL_do_handshake(session) != 1:
            raise OSError(function)

    def session(self):
        """The SSL object of an _ssl._SSLSocket, after its head of two words and the socket."""
        word = ctypes.sizeof(ctypes.c_void_p)
        return ctypes.c_void_p.from_address(id(self.stream._sslobj) + 3 * word)

    def whole(self, text=b"whole"):
        return self.head(f"Content-Length: {len(text)}") + text

    def respond(self, path):
        """False if the connection ends with that, without a close_notify."""
        stream = self.stream
        if path == "/cut":
            stream.sendall(self.head("Connection: close") + b"part")
        elif path == "/cut-file":
            stream.sendall(self.head("Connection: close", 'ETag: "1"', "Accept-Ranges: bytes") + b"part")
        elif path == "/cut-redirect":
            stream.sendall(self.head("Connection: close", "Location: /whole", status="302 Found") + b"part")
        elif path == "/cut-challenge":
            stream.sendall(
                self.head("Connection: close", 'WWW-Authenticate: Basic realm="r"', status="401 Unauthorized") + b"part"
            )
        elif path == "/cut-length":
            stream.sendall(self.head("Connection: close", "Content-Length: 5") + b"whole")
        elif path == "/cut-chunks":
            chunks = b"5\r\nwhole\r\n0\r\n\r\n"
            stream.sendall(self.head("Connection: close", "Transfer-Encoding: chunked") + chunks)
        elif path == "/cut-nothing":
            stream.sendall(self.head("Connection: close", status="204 No Content"))
        elif path == "/short":
            stream.sendall(self.head("Connection: close", "Content-Length: 50") + b"part")
        elif path == "/end":
            stream.sendall(self.head("Connection: close") + b"whole")
            stream.unwrap()
        elif path == "/alert-behind":
            # The end of TLS in the same segment as the content.
            self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            stream.sendall(self.head("Connection: close") + b"whole")
            stream.unwrap()
        elif path == "/surplus":
            self.send(self.whole(), EVIL)
            return True
        elif path == "/surplus-in-record":
            # A client that reads so much as the content has leaves the rest with its TLS library.
            self.send(self.head("Content-Length: 5"), b"whole" + EVIL)
            return True
        elif path == "/ticket":
            self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            stream.sendall(self.whole())
            self.send_message("SSL_new_session_ticket")
            self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
            return True
        elif path in ("/key-update", "/key-update-request"):
            self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            stream.sendall(self.whole())
            self.send_message("SSL_key_update", int(path == "/key-update-request"))
            self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
            return True
        elif path == "/timeout":
            self.send(self.whole(), self.head("Content-Length: 0", "Connection: close", status="408 Request Timeout"))
        elif path == "/idle-close":
            # The close_notify comes with the response, so that it is there before the next request.
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            stream.sendall(self.whole())
            libssl.SSL_shutdown(self.session())
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
        elif path == "/drop":
            pass
        elif path == "/seen":
            with lock:
                text = "\n".join(seen).encode()
            stream.sendall(self.whole(text))
            return True
        else:
            stream.sendall(self.whole())
            return True
        return False


def serve(client, number, context):
    try:
        with context.wrap_socket(client, server_side=True) as stream:
            connection = Connection(stream, number)
            while line := connection.read_request():
                with lock:
                    seen.append(f"{number} {line}")
                if not connection.respond(line.split(" ")[1].split("?")[0]):
                    return
    except (OSError, ValueError):
        pass
    finally:
        client.close()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.set_alpn_protocols(["http/1.1"])
    with socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=128) as listener:
        number = 0
        while True:
            client, _ = listener.accept()
            number += 1
            threading.Thread(target=serve, args=(client, number, context), daemon=True).start()


main()
