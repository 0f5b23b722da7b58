"""The clients: their programs, their configurations, and which of them take part in a scenario."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Client:
    program: str | None  # none is the curl command
    configuration: str  # for the tables: what is not the default, and how a call is made


ALL = {
    "SessionManager-async": Client("BenchSessionManager", "default; awaited"),
    "SessionManager-uncached-async": Client("BenchSessionManager", "`urlCache = nil`; awaited"),
    "SessionManager-executor-async": Client("BenchSessionManager", "default; awaited on `manager.executor`"),
    "SessionManager-intercepted-async": Client("BenchSessionManager", "an interceptor that does nothing; awaited"),
    "SessionManager": Client("BenchSessionManager", "default; closures"),
    "SessionManager-object": Client("BenchSessionManager", "default; closures that get a JSON object"),
    "SessionManager-logged": Client("BenchSessionManager", "a logger that drops what succeeds; closures"),
    "SessionManager-observed": Client("BenchSessionManager", "an observer of every event; closures"),
    "CurlURLSession": Client("BenchCurlURLSession", "default; a delegate"),
    "CurlURLSession-completion": Client("BenchCurlURLSession", "default; completion handlers"),
    "CurlURLSession-websocket": Client("BenchWebSocket", "`.ephemeral`; awaited"),
    "FoundationNetworking": Client("BenchFoundationNetworking", "default; a delegate"),
    "FoundationNetworking-completion": Client("BenchFoundationNetworking", "default; completion handlers"),
    "async-http-client": Client("BenchAsyncHTTPClient", "default; futures"),
    "async-http-client-async": Client("BenchAsyncHTTPClient", "default; awaited"),
    "go": Client("BenchGo", "default; a goroutine for each request in flight"),
    "libcurl-c": Client("BenchLibcurl", "`curl_multi_poll`, one thread"),
    "libcurl-c-fields": Client("BenchLibcurl", "the same, with the fields of `SessionManager`"),
    "libcurl-c-epoll": Client("BenchLibcurl", "epoll, `curl_multi_socket_action`, one thread"),
    "libcurl-c-epoll-apart-100": Client("BenchLibcurl", "the same, a multi handle for each 100 idle streams"),
    "curl": Client(None, "the command, its whole process"),
}

#: Those whose failure fails the whole run.
OWN = [name for name in ALL if name.startswith(("CurlURLSession", "SessionManager"))]

#: Those that the others are compared with: one of each library in a table.
PEERS = ["async-http-client-async", "go", "FoundationNetworking", "FoundationNetworking-completion", "libcurl-c", "curl"]

_AWAITED = [
    "SessionManager-async",
    "SessionManager-uncached-async",
    "SessionManager-executor-async",
    "SessionManager-intercepted-async",
]
_ENGINE = ["CurlURLSession", "CurlURLSession-completion"]
_OTHERS = ["FoundationNetworking-completion", "async-http-client", "async-http-client-async", "go"]
_SEQUENCES = ["SessionManager-async", "SessionManager-executor-async", "async-http-client-async"]
_STREAMS = ["SessionManager-async", "CurlURLSession", "FoundationNetworking", *_OTHERS[1:], "libcurl-c"]

#: The clients of a scenario's workload, or of what the scenario names in its place.
_TAKING_PART = {
    "value": [*_AWAITED, "SessionManager", "SessionManager-object", "CurlURLSession-completion", *_OTHERS],
    "caching": ["SessionManager-async", "SessionManager-uncached-async", *_OTHERS],
    "items": [*_AWAITED, "SessionManager", "CurlURLSession-completion", *_OTHERS],
    "get": [
        *_AWAITED,
        "SessionManager",
        "SessionManager-logged",
        "SessionManager-observed",
        *_ENGINE,
        *_OTHERS,
        "libcurl-c",
        "libcurl-c-fields",
        "libcurl-c-epoll",
    ],
    "usual": [*_AWAITED, "SessionManager", *_ENGINE, *_OTHERS, "libcurl-c"],
    "post": [*_AWAITED, "SessionManager", *_ENGINE, *_OTHERS, "libcurl-c"],
    "encoded-post": [*_AWAITED, "SessionManager", "CurlURLSession-completion", *_OTHERS],
    "discard": _STREAMS,
    "slow": _STREAMS,
    "download": ["CurlURLSession", "FoundationNetworking", "curl"],
    "upload": ["CurlURLSession", "FoundationNetworking", "curl"],
    "sequence": [*_SEQUENCES, "curl"],
    "awaited-sequence": _SEQUENCES,  # the command does not sleep, and makes its own chunks
    "sessions": ["SessionManager-async", *_ENGINE, *_OTHERS, "libcurl-c"],
    "sessions-alive": ["SessionManager-async", *_ENGINE, *_OTHERS[:-1]],
    "idle": [
        "SessionManager-async",
        "CurlURLSession",
        "async-http-client-async",
        "go",
        "libcurl-c-epoll",
        "libcurl-c-epoll-apart-100",
    ],
    "crawl": [
        "SessionManager-async",
        "SessionManager-uncached-async",
        "SessionManager-executor-async",
        "async-http-client-async",
        "go",
    ],
    "websockets": ["CurlURLSession-websocket"],
}


def of(scenario):
    """The names of the clients that take part in a scenario, in the order of the tables."""
    taking_part = _TAKING_PART[scenario.clients or scenario.workload]
    return [name for name in ALL if name in taking_part]
