"""The clients, in the order of the tables, and what each of them can be asked to do."""

PROGRAMS = {
    "CurlURLSession": "BenchCurlURLSession",
    "CurlURLSession-completion": "BenchCurlURLSession",
    "CurlURLSession-websocket": "BenchWebSocket",
    "SessionManager": "BenchSessionManager",
    "SessionManager-logged": "BenchSessionManager",
    "SessionManager-observed": "BenchSessionManager",
    "SessionManager-data": "BenchSessionManager",
    "SessionManager-data-async": "BenchSessionManager",
    "SessionManager-data-executor-async": "BenchSessionManager",
    "SessionManager-data-intercepted-async": "BenchSessionManager",
    "FoundationNetworking": "BenchFoundationNetworking",
    "FoundationNetworking-completion": "BenchFoundationNetworking",
    "async-http-client": "BenchAsyncHTTPClient",
    "async-http-client-async": "BenchAsyncHTTPClient",
    "go": "BenchGo",
    "libcurl-c": "BenchLibcurl",
    "libcurl-c-fields": "BenchLibcurl",
    "libcurl-c-epoll": "BenchLibcurl",
    "libcurl-c-epoll-apart": "BenchLibcurl",
    "libcurl-c-epoll-apart-100": "BenchLibcurl",
    "curl": None,  # the command
}

#: Those that the others are compared with.
PEERS = [name for name in PROGRAMS if not name.startswith(("CurlURLSession", "SessionManager"))]

#: Those whose failure fails the whole run.
OWN = [name for name in PROGRAMS if name not in PEERS]

#: They send content from asynchronous sequences, and hand it out as such.
SEQUENCES = {"SessionManager-data-async", "SessionManager-data-executor-async", "async-http-client-async"}

#: They collect the content of a response, and cannot take it piece by piece.
COLLECTING = {"CurlURLSession-completion", "FoundationNetworking-completion"} | {
    name for name in PROGRAMS if name.startswith("SessionManager") and name not in SEQUENCES
}

#: They can show when a response that stays open has begun.
HOLDING = {
    "CurlURLSession",
    "SessionManager-data",
    "SessionManager-data-async",
    "FoundationNetworking",
    "async-http-client",
    "async-http-client-async",
    "go",
} | {name for name in PROGRAMS if name.startswith("libcurl-c")}

#: They write content to files, or send it from files.
WITH_FILES = {"CurlURLSession", "FoundationNetworking", "curl"}

#: They open WebSockets, and do nothing else.
WITH_WEBSOCKETS = {"CurlURLSession-websocket"}


def can_do(client, scenario):
    workload = scenario.workload
    if workload == "websockets" or client in WITH_WEBSOCKETS:
        return workload == "websockets" and client in WITH_WEBSOCKETS
    if scenario.idle_streams is not None:
        return client in HOLDING
    if client == "libcurl-c-fields":
        return workload == "get" and scenario.idle_streams is None
    if client.startswith("libcurl-c-epoll"):
        return client == "libcurl-c-epoll" and workload == "get"
    if scenario.is_sequence:
        # The command does not sleep.
        return client in SEQUENCES or (client == "curl" and workload in ("discard", "upload-sequence"))
    if workload in ("download", "upload"):
        return client in WITH_FILES
    if client == "curl":
        return False
    if workload in ("discard", "slow"):
        return client not in COLLECTING
    if workload == "sessions-alive":
        return client != "go" and not client.startswith("libcurl-c")
    if workload == "json":
        return client != "libcurl-c"  # it decodes no JSON
    return True
