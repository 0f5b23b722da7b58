"""The scenarios: what is requested, and how many at once."""

import dataclasses
import os
import pathlib

import content

SMALL = "small.json"
SILENT = "silent"
#: The buffer of the C library where 1 GiB is received: the same as that of CurlURLSession.
STREAM_BUFFER_SIZE = 64 * 1024

#: A libcurl with which the engine offers HTTP/2, which Tests/Interop/libcurls.sh provides.
HTTP2_LIBCURL = "8.14.1"


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    summary: str
    path: str = SMALL
    workload: str = "get"
    clients: str = ""  # a list of clients.py; that of the workload by default
    libcurl: str = ""  # the version that LARKSPUR_LIBCURL names; the system's by default
    server: str = "http"  # or https, http2, streams, websockets
    in_flight: int = 1
    connections: int = 0  # as many as requests in flight
    requests: int = 0  # as many as there is time for
    content_length: int = 0  # any
    source: str = ""  # the file that is uploaded
    is_sequence: bool = False  # content is uploaded from, or handed out as, an asynchronous sequence
    transferred: int = 0  # bytes of content of each request, where its size is what matters
    memory_limit_mib: int = 0  # the greatest resident set of Larkspur's clients; none in most scenarios
    idle_streams: int | None = None  # responses that stay open and silent; none in most scenarios
    idle_elsewhere: bool = False  # on another port than that of the requests
    websockets: int = 0  # WebSockets that the server pings once a second
    is_slow: bool = False  # only run when asked for

    def quick(self):
        """The same with little to do, for a smoke test."""
        if self.is_sequence:
            return self.with_content(1 << 26)
        if self.path == "zeros-1gib":
            return dataclasses.replace(self, path="zeros-64mib", content_length=content.ZEROS["zeros-64mib"])
        if self.idle_streams is not None:
            return dataclasses.replace(self, requests=500, idle_streams=min(self.idle_streams, 50))
        if self.websockets:
            return dataclasses.replace(self, websockets=100)
        if self.source:
            return dataclasses.replace(self, source="zeros-64mib")
        if self.name == "queued-10000":
            return dataclasses.replace(self, requests=1000, in_flight=1000)
        if self.name == "sessions-500":
            return dataclasses.replace(self, requests=50)
        if self.workload == "process":
            return dataclasses.replace(self, requests=2)
        if self.workload == "crawl":
            return dataclasses.replace(self, requests=200)
        return self

    def with_content(self, size):
        """The same with another number of bytes."""
        if self.content_length:
            return dataclasses.replace(self, path=zeros_of(size), content_length=size, transferred=size)
        folder = os.path.dirname(self.path)
        return dataclasses.replace(self, path=f"{folder}/{size}", transferred=size)

    def arguments(self, base_url, idle_url, seconds):
        """The command line of a client's program."""
        if self.websockets:
            values = {"url": f"{base_url}/websocket", "websockets": self.websockets, "seconds": seconds}
            return _words(values)
        values = {
            "workload": self.workload,
            "url": f"{base_url}/{self.path}",
            "in-flight": self.in_flight,
            "connections": (self.connections or self.in_flight) + (self.idle_streams or 0),
        }
        if self.idle_streams is not None:
            values["idle-url"] = f"{idle_url}/{SILENT}"
            values["idle-streams"] = self.idle_streams
        if self.content_length:
            values["content-length"] = self.content_length
        if self.requests:
            values["requests"] = self.requests
        else:
            values["seconds"] = seconds
        if self.workload == "upload":
            values["file"] = self._file()
        if self.workload in ("discard", "slow"):
            values["warm-up-url"] = f"{base_url}/{SMALL}"
            values["buffer-size"] = STREAM_BUFFER_SIZE
        if self.workload.startswith("upload-sequence"):
            values["warm-up-url"] = f"{base_url}/sink/{1 << 16}"
        if self.workload in ("download", "upload"):
            # As with curl, of which the whole process is measured.
            values["warm-up"] = 0
        elif self.workload not in ("sessions", "sessions-alive", "crawl"):
            # Several for each connection: the first to be open may take the requests of others.
            values["warm-up"] = max(8 * (self.connections or self.in_flight), 500)
        return _words(values)

    def curl_arguments(self, base_url):
        """The same for the curl command."""
        url = f"{base_url}/{self.path}"
        if self.workload == "upload-sequence":
            return ["--upload-file", "-", "--output", os.devnull, url]
        if self.workload == "discard":
            return ["--output", os.devnull, url]
        if self.workload == "upload":
            return ["--upload-file", self._file(), "--output", os.devnull, url]
        return ["--output", os.path.join(os.environ["BENCH_FOLDER"], "downloaded"), url]

    @property
    def piped_length(self):
        """The number of bytes that the curl command reads from a pipe."""
        return self.transferred if self.workload == "upload-sequence" else 0

    def _file(self):
        """What is uploaded: the file that has the length of what is downloaded."""
        return os.path.join(os.environ["BENCH_FOLDER"], "content", self.source)


def _words(values):
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def zeros_of(size):
    """The name of a file of so many zeros, for nginx to serve; it has holes, and takes no room."""
    name = next((name for name, length in content.ZEROS.items() if length == size), f"zeros-{size}")
    if "BENCH_FOLDER" in os.environ:
        with open(pathlib.Path(os.environ["BENCH_FOLDER"]) / "content" / name, "ab") as file:
            file.truncate(size)
    return name


def small(name, summary, **changes):
    return Scenario(name, summary, content_length=70, **changes)


def _calls():
    """The call that people write, with responses that a cache has to treat in another way."""
    for name, path, clients, response in (
        ("default-call", SMALL, "value", "the response has no fields for caches"),
        ("etag-call", f"etag/{SMALL}", "caching", "the response has an `ETag` and `Cache-Control: no-cache`"),
        ("no-store-call", f"no-store/{SMALL}", "caching", "the response has `Cache-Control: no-store`"),
    ):
        for count in (1, 32):
            yield small(
                f"{name}-{count}",
                f"GET of 70 bytes of JSON over http that is decoded into a value, {count} in flight; {response}",
                path=path,
                workload="value",
                clients=clients,
                in_flight=count,
            )


def _gets():
    for server, prefix in (("http", "small-get"), ("https", "small-get-https")):
        for count in (1, 32, 256):
            yield small(
                f"{prefix}-{count}",
                f"GET of 70 bytes over {server}, HTTP/1.1, {count} in flight on {count} connection(s)",
                clients="get" if server == "http" and count < 256 else "usual",
                server=server,
                in_flight=count,
                is_slow=server == "https" and count == 256,
            )
    for count in (32, 100):
        yield small(
            f"small-get-h2-{count}",
            f"GET of 70 bytes over https, HTTP/2, {count} streams on one connection, with libcurl {HTTP2_LIBCURL} for the engine",
            clients="usual",
            libcurl=HTTP2_LIBCURL,
            server="http2",
            in_flight=count,
            connections=1,
        )


def _idle():
    """Most of them are left out of a run of all scenarios: with some clients they take minutes."""
    for elsewhere in (False, True):
        for count in (1000, 4000, 8000) if elsewhere else (0, 1000, 4000, 8000):
            yield small(
                f"idle-elsewhere-{count}" if elsewhere else f"idle-{count}",
                f"20,000 GETs of 70 bytes, 32 in flight, while {count:,} responses "
                + ("of another port stay open and silent" if elsewhere else "of the same port stay open and silent"),
                clients="idle",
                server="streams",
                in_flight=32,
                requests=20_000,
                idle_streams=count,
                idle_elsewhere=elsewhere,
                is_slow=elsewhere or count == 4000,
            )


def _sequences():
    upload = "PUT of a sequence of chunks of 64 KiB, whose number is not announced"
    for name, summary, workload, folder, size in (
        ("upload-sequence", upload, "upload-sequence", "sink", 1 << 30),
        ("upload-sequence-same-chunk", f"{upload}, and which are all the same", "upload-sequence-same-chunk", "sink", 1 << 30),
        ("upload-sequence-slow-producer", f"{upload}, and which sleeps 1 ms after each", "upload-sequence-slow", "sink", 1 << 28),
        ("upload-sequence-slow-server", f"{upload}, to a server that sleeps 4 ms after each MiB", "upload-sequence", "slow-sink", 1 << 30),
    ):
        yield Scenario(
            name,
            summary,
            f"{folder}/{size}",
            workload,
            clients="sequence" if workload == "upload-sequence" else "awaited-sequence",
            server="streams",
            requests=1,
            is_sequence=True,
            transferred=size,
            memory_limit_mib=64,
        )
    for name, summary, workload in (
        ("download-sequence", "GET whose content is a sequence that is read and thrown away", "discard"),
        ("download-sequence-slow-consumer", "GET whose content is a sequence, by a consumer that sleeps 4 ms after each MiB", "slow"),
    ):
        yield Scenario(
            name,
            summary,
            "zeros-1gib",
            workload,
            clients="awaited-sequence" if workload == "slow" else "sequence",
            requests=1,
            content_length=1 << 30,
            is_sequence=True,
            transferred=1 << 30,
            memory_limit_mib=64,
        )


def _large():
    yield Scenario(
        "json-100k", "GET of 100 KiB of JSON, decoded as an array of structs, 32 in flight", content.ITEMS, "items", in_flight=32
    )
    yield Scenario(
        "discard-1gib",
        f"GET of 1 GiB that is counted and thrown away; libcurl-c with a buffer of {STREAM_BUFFER_SIZE // 1024} KiB",
        "zeros-1gib",
        "discard",
        requests=1,
        content_length=1 << 30,
    )
    yield Scenario(
        "slow-consumer-1gib",
        "GET of 1 GiB by a consumer that sleeps 4 ms after each MiB",
        "zeros-1gib",
        "slow",
        requests=1,
        content_length=1 << 30,
        memory_limit_mib=64,
    )
    yield Scenario(
        "download-1gib",
        "GET of 1 GiB into a file",
        "zeros-1gib",
        "download",
        requests=1,
        content_length=1 << 30,
    )
    yield Scenario("upload-1gib", "PUT of a file of 1 GiB", "uploads/file", "upload", requests=1, source="zeros-1gib")


def _processes():
    for server in ("http", "https"):
        yield small(
            f"one-get-{server}",
            f"A program that sends one GET over {server} and decodes 70 bytes of JSON into a value, from its start to its end",
            workload="process",
            server=server,
            requests=20,
        )
    yield Scenario(
        "program-size",
        "Release build of that program, without symbols; Swift's libraries apart, and within it",
        workload="size",
    )
    yield Scenario(
        "build-time", "Clean debug build of that program, dependencies fetched", workload="build", is_slow=True
    )


def _all():
    yield from _calls()
    yield from _gets()
    yield Scenario("post-json-1k", "POST of 1 KiB of JSON, which is prepared, 32 in flight", "post", "post", in_flight=32)
    yield Scenario(
        "post-encoded-1k",
        "POST of 1 KiB of JSON, which is encoded for each request, 32 in flight",
        "post",
        "encoded-post",
        in_flight=32,
    )
    yield from _large()
    yield from _sequences()
    yield Scenario(
        "crawl",
        "GET of the 5,000 pages of a site, of 2 to 60 KB each, whose links lead from one to the others, 32 in flight",
        content.FIRST_PAGE,
        "crawl",
        in_flight=32,
        requests=5000,
    )
    yield small(
        "queued-10000",
        "10,000 GETs of 70 bytes begun at once, on 64 connections",
        clients="usual",
        in_flight=10_000,
        connections=64,
        requests=10_000,
    )
    yield small(
        "sessions-500",
        "500 sessions made, used once and invalidated, one after the other",
        workload="sessions",
        requests=500,
    )
    yield small(
        "sessions-alive-100",
        "100 sessions made and used once, which all stay",
        workload="sessions-alive",
        requests=100,
    )
    yield from _idle()
    yield Scenario(
        "websockets-10000",
        "10,000 WebSockets that are silent but for the pongs: the server pings each of them once a second",
        "websocket",
        "websockets",
        server="websockets",
        websockets=10_000,
    )
    yield from _processes()


ALL = {scenario.name: scenario for scenario in _all()}
