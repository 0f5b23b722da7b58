"""The servers' origins: nginx's, which run.sh has started, and those of the server for streams that stay open."""

import contextlib
import os
import pathlib
import signal
import subprocess

from failure import Failure


@contextlib.contextmanager
def origins(scenario):
    """The origin of the requests, and that of the idle streams; none for WebSockets, which have a server for each run."""
    if scenario.server == "websockets":
        yield None, None
        return
    if scenario.server != "streams":
        scheme = "http" if scenario.server == "http" else "https"
        origin = f"{scheme}://127.0.0.1:{os.environ[f'BENCH_{scenario.server.upper()}_PORT']}"
        yield origin, origin
        return
    with _bench_server([]) as (_, first, second):
        yield first, second if scenario.idle_elsewhere else first


@contextlib.contextmanager
def websockets(count, seconds, processors):
    """A server of WebSockets on some of the processors: the process, and its origin."""
    with _bench_server(["--websockets", str(count), "--seconds", str(seconds)]) as (server, origin, _):
        os.sched_setaffinity(server.pid, processors)
        yield server, origin


@contextlib.contextmanager
def _bench_server(arguments):
    server = subprocess.Popen(
        [pathlib.Path(os.environ["BENCH_PROGRAMS"]) / "BenchServer", *arguments], stdout=subprocess.PIPE, text=True
    )
    try:
        ports = server.stdout.readline().split()
        if len(ports) != 2:
            raise Failure("BenchServer has not started")
        yield server, *(f"http://127.0.0.1:{port}" for port in ports)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        server.stdout.close()
