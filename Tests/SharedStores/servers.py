"""The servers of the scenarios: Redis or Valkey, a slow way to it, and an HTTP server with OAuth 2 tokens."""

import asyncio
import ctypes
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def end_with_this_process():
    """Lets the kernel kill the new process when this one ends, however it ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Redis:
    """A server without persistence on a port of 127.0.0.1."""

    def __init__(self, program):
        self.program, self.port, self.process = program, free_port(), None
        self.folder = tempfile.TemporaryDirectory()
        self.start()

    @property
    def url(self):
        return f'redis://127.0.0.1:{self.port}'

    def start(self):
        self.process = subprocess.Popen(
            [self.program, '--port', str(self.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no',
             '--dir', self.folder.name],
            stdout=subprocess.DEVNULL, preexec_fn=end_with_this_process)
        for _ in range(200):
            try:
                if self.command('PING') == b'+PONG':
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise RuntimeError(f'{self.program} does not start.')

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def command(self, *words):
        """Sends a command, and returns the first line of the reply, or the text of a bulk reply."""
        with socket.create_connection(('127.0.0.1', self.port), timeout=10) as connection:
            connection.sendall(encoded(words))
            file = connection.makefile('rb')
            line = file.readline().rstrip()
            return file.read(int(line[1:])) if line.startswith(b'$') else line

    def counts(self):
        """The number of times that each command was performed, also within scripts."""
        found = re.findall(r'^cmdstat_([^:]+):calls=(\d+)', self.command('INFO', 'commandstats').decode(), re.M)
        return {name: int(count) for name, count in found}


def encoded(words):
    words = [str(word).encode() for word in words]
    return b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(word), word) for word in words)


class Monitor:
    """The tokens that scripts take from buckets, by Redis's own report of its commands and by its clock."""

    LINE = re.compile(r'\blua\] "SET" "([^"]*bucket:[^"]*)" "(\d+) (\d+) (-?\d+)"')
    CALL = re.compile(r'"EVAL(?:SHA)?" ".*" "1" "([^"]*bucket:[^"]*)" "(\d+)" "(\d+)" "(\d+)" "(\d+)"')

    def __init__(self, redis):
        self.states, self.capacity = [], {}
        self.connection = socket.create_connection(('127.0.0.1', redis.port))
        self.connection.sendall(encoded(['MONITOR']))
        self.file = self.connection.makefile('r', errors='replace')
        self.file.readline()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            for line in self.file:
                if found := self.LINE.search(line):
                    key, seconds, nanoseconds, ahead = found.groups()
                    self.states.append((key, int(seconds) * 10**9 + int(nanoseconds), int(ahead)))
                elif found := self.CALL.search(line):
                    self.capacity[found[1]] = int(found[3])
        except OSError:
            pass

    def admissions(self):
        """Ends, and returns the times at which tokens may be used, in seconds."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        return sorted((now + max(ahead - self.capacity[key], 0)) / 1e9 for key, now, ahead in self.states)


class Loop:
    """A thread with an event loop and a server."""

    def __init__(self):
        self.port, self.loop = free_port(), asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        server = asyncio.start_server(self.serve, '127.0.0.1', self.port, backlog=512)
        asyncio.run_coroutine_threadsafe(server, self.loop).result()

    async def serve(self, reader, writer):
        raise NotImplementedError


class SlowWay(Loop):
    """A way to Redis on which all bytes need some time, in each direction."""

    def __init__(self, redis, delay):
        self.redis, self.delay = redis, delay
        super().__init__()

    @property
    def url(self):
        return f'redis://127.0.0.1:{self.port}'

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection('127.0.0.1', self.redis.port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.copy(reader, other_writer), self.copy(other_reader, writer))

    async def copy(self, reader, writer):
        try:
            while data := await reader.read(65536):
                self.loop.call_later(self.delay, writer.write, data)
        except OSError:
            pass
        self.loop.call_later(self.delay, writer.close)


class Server(Loop):
    """An HTTP server. /work answers at once, /api needs the present access token, and /token takes each refresh token
    once."""

    def __init__(self):
        self.arrivals, self.refreshes, self.refusals = [], 0, 0
        self.number, self.is_expired = 0, False
        self.holds, self.token_arrived = False, threading.Event()
        super().__init__()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.port}'

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b'\r\n\r\n')).decode('latin-1')
                size = re.search(r'(?im)^content-length: *(\d+)', head)
                content = (await reader.readexactly(int(size[1]))).decode() if size else ''
                path = head.split(' ')[1]
                status, text = '200 OK', 'done'
                if path.startswith('/work'):
                    self.arrivals.append(time.monotonic())
                elif path.startswith('/api'):
                    if self.is_expired or f'Bearer access-{self.number}\r' not in head:
                        status = '401 Unauthorized'
                elif path.startswith('/token'):
                    status, text = self.refresh(content)
                    self.token_arrived.set()
                    if self.holds:
                        continue
                text = text.encode()
                writer.write(b'HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' % (
                    status.encode(), len(text), text))
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    def refresh(self, content):
        if urllib.parse.parse_qs(content).get('refresh_token') != [f'refresh-{self.number}']:
            self.refusals += 1
            return '400 Bad Request', '{"error": "invalid_grant"}'
        self.refreshes += 1
        self.number, self.is_expired = self.number + 1, False
        return '200 OK', (f'{{"access_token": "access-{self.number}", "token_type": "Bearer", '
                          f'"refresh_token": "refresh-{self.number}"}}')
