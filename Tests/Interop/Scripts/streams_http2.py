"""HTTP/2 for streams_server.py, by the library h2."""

import asyncio
import collections

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
from streams_protocols import Broken, Closed, Exchange, lowercase, SIZE


class Exchange2(Exchange):
    """A stream of HTTP/2. Its window opens only when a handler reads."""

    protocol = "HTTP/2"

    def __init__(self, connection, number, method, target, fields):
        super().__init__(method, target, fields)
        self.connection, self.number = connection, number
        self.waiting, self.error, self.has_end, self.length = collections.deque(), None, False, 0
        self.readable, self.writable = asyncio.Event(), asyncio.Event()

    async def receive(self):
        while True:
            while not self.waiting:
                if self.has_end:
                    return b""
                if self.error:
                    raise self.error
                self.readable.clear()
                await self.readable.wait()
            data, length = self.waiting.popleft()
            if length and not self.has_end and not self.error:
                self.connection.do(self.connection.h2.increment_flow_control_window, length, self.number)
            # An empty frame is not the end.
            if data:
                return data

    def fail(self, error):
        """The client has ended the stream, or the connection."""
        self.error = self.error or error
        self.readable.set()
        self.writable.set()
        if not self.has_end and self.record.end is None:
            self.record.end, self.record.code = error.how, error.code
            self.record.changed()

    async def interim(self, status, fields):
        await self.connection.headers(self.number, [(":status", str(status))] + lowercase(fields))

    async def head(self, status, fields):
        self.status = status
        fields = [field for field in fields if field != ("Connection", "close")]
        await self.connection.headers(self.number, [(":status", str(status))] + lowercase(fields))

    async def send(self, data):
        view = memoryview(data)
        while view:
            if self.error:
                raise self.error
            size = min(self.connection.window(self.number), len(view))
            if size <= 0:
                self.writable.clear()
                await self.writable.wait()
                continue
            await self.connection.data(self.number, view[:size].tobytes())
            view = view[size:]

    async def finish(self, trailers):
        if self.error:
            raise self.error
        if trailers:
            await self.connection.headers(self.number, lowercase(trailers), end=True)
        else:
            await self.connection.data(self.number, b"", end=True)

    async def raw(self, data):
        self.connection.writer.write(data)
        raise Closed

    async def reset(self, code):
        self.connection.reset(self.number, code)

    async def refuse_rest(self):
        self.connection.reset(self.number, h2.errors.ErrorCodes.NO_ERROR)


class Connection2:
    def __init__(self, reader, writer, handle):
        self.reader, self.writer, self.handle = reader, writer, handle
        # What is malformed is sent too.
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(
                client_side=False,
                header_encoding="utf-8",
                validate_outbound_headers=False,
                normalize_outbound_headers=False,
            )
        )
        self.streams, self.plays = {}, set()

    async def run(self):
        self.h2.initiate_connection()
        self.h2.update_settings(
            {
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1000,
                h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1 << 18,
            }
        )
        self.h2.increment_flow_control_window(1 << 24)
        try:
            while True:
                self.flush()
                data = await self.reader.read(SIZE)
                if not data:
                    return
                for event in self.h2.receive_data(data):
                    self.receive(event)
        except h2.exceptions.ProtocolError:
            self.flush()
        finally:
            for stream in self.streams.values():
                stream.fail(Broken("broken"))

    def receive(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.begin(event)
        elif isinstance(event, (h2.events.WindowUpdated, h2.events.RemoteSettingsChanged)):
            number = getattr(event, "stream_id", 0)
            for stream in [self.streams[number]] if number in self.streams else self.streams.values():
                stream.writable.set()
        stream = self.streams.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.DataReceived):
            if event.flow_controlled_length:
                self.h2.increment_flow_control_window(event.flow_controlled_length)
            if stream:
                stream.waiting.append((event.data, event.flow_controlled_length))
                stream.readable.set()
        elif stream and isinstance(event, h2.events.TrailersReceived):
            stream.record.trailers.extend(event.headers)
        elif stream and isinstance(event, h2.events.StreamEnded):
            stream.has_end = True
            stream.readable.set()
        elif stream and isinstance(event, h2.events.StreamReset):
            stream.fail(Broken("reset", int(event.error_code)))
            self.forget(event.stream_id)

    def begin(self, event):
        pseudo = {name: value for name, value in event.headers if name.startswith(":")}
        fields = [(name, value) for name, value in event.headers if not name.startswith(":")]
        stream = Exchange2(self, event.stream_id, pseudo[":method"], pseudo[":path"], fields)
        self.streams[event.stream_id] = stream
        task = asyncio.ensure_future(self.play(stream))
        self.plays.add(task)
        task.add_done_callback(self.plays.discard)

    async def play(self, stream):
        try:
            await self.handle(stream)
        except (OSError, Closed):
            self.writer.close()
        finally:
            self.forget(stream.number)

    def forget(self, number):
        self.streams.pop(number, None)

    def window(self, number):
        try:
            return min(self.h2.local_flow_control_window(number), self.h2.max_outbound_frame_size)
        except h2.exceptions.ProtocolError:
            raise Broken("reset")

    async def headers(self, number, fields, end=False):
        self.do(self.h2.send_headers, number, fields, end_stream=end)
        await self.writer.drain()

    async def data(self, number, data, end=False):
        self.do(self.h2.send_data, number, data, end_stream=end)
        await self.writer.drain()

    def reset(self, number, code):
        self.do(self.h2.reset_stream, number, code)

    def do(self, step, *arguments, **named):
        try:
            step(*arguments, **named)
        except h2.exceptions.ProtocolError:
            # The stream has ended meanwhile.
            raise Broken("reset")
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.writer.is_closing():
            self.writer.write(data)
