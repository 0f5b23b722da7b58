"""The servers of scenarios.py: processes of their own, and those that are threads of the script.

Ports are free ones: a server of Python chooses one when it starts. docker-registry and WsgiDAV need a number, so for them
a port that was free a moment ago is tried again with another one.
"""

import base64
import json
import os
import secrets
import socket
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve().parent
START_LIMIT = 60


class Processes:
    """Processes of servers, all of which end with the script."""

    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, name, command, **environment):
        log = open(self.folder / f'{name}.log', 'wb')
        process = subprocess.Popen(
            [str(part) for part in command], env=os.environ | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=log,
        )
        self.running.append(process)
        return process

    def start_python(self, python, script, **environment):
        """Starts a script that prints its URL, which is returned."""
        process = self.start(script, [python, HERE / script], **environment)
        line = []
        reader = threading.Thread(target=lambda: line.append(process.stdout.readline().decode().strip()), daemon=True)
        reader.start()
        reader.join(START_LIMIT)
        if not line or not line[0]:
            raise RuntimeError(f'{script} has not started: {self.log(script)}')
        return line[0]

    def start_on_port(self, name, command_for):
        """Starts a server whose command has a port, and returns its URL."""
        for _ in range(5):
            port = free_port()
            process = self.start(name, command_for(port))
            end = time.monotonic() + START_LIMIT
            while time.monotonic() < end and process.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(('127.0.0.1', port)) == 0:
                        return f'http://127.0.0.1:{port}'
                time.sleep(0.1)
            if process.poll() is None:
                break
        raise RuntimeError(f'{name} has not started: {self.log(name)}')

    def log(self, name):
        return (self.folder / f'{name}.log').read_text(errors='replace')[-2000:]

    def stop(self):
        for process in self.running:
            if process.poll() is None:
                process.terminate()
        for process in self.running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


class Thread(ThreadingHTTPServer):
    """A server in a thread of the script."""

    daemon_threads = True
    # 32 connections may arrive at the same time.
    request_queue_size = 64

    def __init__(self, handler):
        super().__init__(('127.0.0.1', 0), handler)
        self.url = f'http://127.0.0.1:{self.server_port}'
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def send(self, status, content, kind='application/json', **fields):
        content = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def content(self):
        return self.rfile.read(int(self.headers.get('Content-Length') or 0))


class Sink(Thread):
    """Another origin, which must get no secret. It records whole requests."""

    def __init__(self):
        self.received = []
        super().__init__(SinkHandler)


class SinkHandler(Handler):
    def do_GET(self):
        with self.server.lock:
            self.server.received.append(f'{self.requestline}\n{self.headers}\n{self.content().decode("latin-1")}')
        self.send(200, 'elsewhere', 'text/plain')

    do_POST = do_PUT = do_GET


class Faults(Thread):
    """Authorization servers with faults. The issuer `URL/NAME` has the fault of that name:

        refuses   the token endpoint is at a port at which no server listens
        closes    the token endpoint closes the connection in place of a response
        half      the token endpoint ends in the middle of its response
        silent    the token endpoint sends nothing until the client has gone
        broken    the token endpoint responds with 500 and HTML
        basic     the token endpoint sends a token of another type than Bearer
        other     the metadata is that of another issuer
        missing   there is no metadata
        garbage   the metadata is no JSON
    """

    def __init__(self):
        self.dead = f'http://127.0.0.1:{free_port()}'
        self.counts = Counter()
        super().__init__(FaultsHandler)


class FaultsHandler(Handler):
    def do_GET(self):
        name = self.path.rpartition('/')[2]
        issuer = f'{self.server.url}/{name}'
        if not self.path.startswith('/.well-known/oauth-authorization-server/') or name == 'missing':
            return self.send(404, {'error': 'not_found'})
        if name == 'garbage':
            return self.send(200, '<html>', 'text/html')
        endpoint = f'{self.server.dead}/token' if name == 'refuses' else f'{issuer}/token'
        self.send(200, {
            'issuer': 'https://evil.example' if name == 'other' else issuer, 'token_endpoint': endpoint,
            'device_authorization_endpoint': endpoint,
        })

    def do_POST(self):
        self.content()
        name = self.path.split('/')[1]
        with self.server.lock:
            self.server.counts[name] += 1
        self.close_connection = True
        if name == 'half':
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"access')
        elif name == 'silent':
            self.connection.settimeout(60)
            try:
                self.connection.recv(1)
            except OSError:
                pass
        elif name == 'broken':
            self.send(500, '<h1>Internal Server Error</h1>', 'text/html')
        elif name == 'basic':
            self.send(200, {'access_token': 'x', 'token_type': 'mac'})


class RegistryTokens(Thread):
    """The server of tokens for docker-registry (the protocol of Docker's token authentication). A user with a password
    may pull and push in each repository. It counts the tokens by scope."""

    def __init__(self, folder):
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        self.user, self.password = 'ada', secrets.token_urlsafe(24)
        self.counts, self.issued, self.lifetime = Counter(), [], 300
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, 'tokens')])
        now = datetime.now(timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self.key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=2)).sign(self.key, hashes.SHA256())
        )
        self.certificate = certificate.public_bytes(serialization.Encoding.DER)
        self.certificate_file = folder / 'tokens.pem'
        self.certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        super().__init__(RegistryTokensHandler)

    def token(self, service, scopes):
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        def part(content):
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            return base64.urlsafe_b64encode(content).rstrip(b'=').decode()

        access = []
        for scope in scopes:
            kind, name, actions = scope.split(':')
            access.append({'type': kind, 'name': name, 'actions': actions.split(',')})
        now = int(time.time())
        head = {'typ': 'JWT', 'alg': 'ES256', 'x5c': [base64.b64encode(self.certificate).decode()]}
        claims = {
            'iss': 'tokens', 'sub': self.user, 'aud': service, 'iat': now, 'nbf': now - 10, 'exp': now + self.lifetime,
            'jti': secrets.token_hex(8), 'access': access,
        }
        text = f'{part(head)}.{part(claims)}'
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f'{text}.{part(r.to_bytes(32, "big") + s.to_bytes(32, "big"))}'


class RegistryTokensHandler(Handler):
    def do_GET(self):
        url, server = urlsplit(self.path), self.server
        query = parse_qs(url.query)
        pair = base64.b64encode(f'{server.user}:{server.password}'.encode()).decode()
        if url.path != '/token':
            return self.send(404, {})
        scopes = query.get('scope', [])
        with server.lock:
            server.counts[' '.join(scopes)] += 1
        if self.headers.get('Authorization') != f'Basic {pair}':
            return self.send(401, {'details': 'incorrect username or password'}, WWW_Authenticate='Basic realm="tokens"')
        token = server.token(query.get('service', [''])[0], scopes)
        with server.lock:
            server.issued.append(token)
        self.send(200, {'token': token, 'expires_in': server.lifetime})


def start_registry(processes, tokens, folder):
    """Starts docker-registry, and returns its URL."""
    def command(port):
        file = folder / 'registry.json'
        # JSON is YAML, too.
        file.write_text(json.dumps({
            'version': '0.1', 'log': {'level': 'warn'},
            'storage': {'filesystem': {'rootdirectory': str(folder / 'registry')}},
            'http': {'addr': f'127.0.0.1:{port}', 'secret': secrets.token_hex(16)},
            'auth': {'token': {
                'realm': f'{tokens.url}/token', 'service': 'registry.test', 'issuer': 'tokens',
                'rootcertbundle': str(tokens.certificate_file),
            }},
        }))
        return ['docker-registry', 'serve', file]

    return processes.start_on_port('docker-registry', command)


def start_webdav(processes, python, folder, user, password):
    """Starts WsgiDAV, which accepts Digest alone, and returns its URL."""
    files = folder / 'webdav'
    files.mkdir()

    def command(port):
        file = folder / 'wsgidav.json'
        file.write_text(json.dumps({
            'host': '127.0.0.1', 'port': port, 'server': 'cheroot', 'provider_mapping': {'/': str(files)},
            'simple_dc': {'user_mapping': {'*': {user: {'password': password}}}},
            'http_authenticator': {'accept_basic': False, 'accept_digest': True, 'default_to_digest': True},
            'logging': {'enable': True}, 'verbose': 3, 'property_manager': False, 'lock_storage': True,
        }))
        return [python, '-m', 'wsgidav.server.server_cli', '--config', file]

    return processes.start_on_port('wsgidav', command)


def fetch(url, data=None, **fields):
    """Returns the content of a response of a server of the script."""
    request = urllib.request.Request(url, data=data, headers=fields)
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.read().decode()
