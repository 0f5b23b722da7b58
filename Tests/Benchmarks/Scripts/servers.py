"""The servers' origins: nginx's, which run.sh has started, and those of the server for streams that stay open."""

import contextlib
import os
import pathlib
import signal
import subprocess

import measurements


@contextlib.contextmanager
def origins(scenario):
    """The origin of the requests, and that of the idle streams."""
    if scenario.server != "streams":
        scheme = "http" if scenario.server == "http" else "https"
        origin = f"{scheme}://127.0.0.1:{os.environ[f'BENCH_{scenario.server.upper()}_PORT']}"
        yield origin, origin
        return
    server = subprocess.Popen(
        [pathlib.Path(os.environ["BENCH_PROGRAMS"]) / "BenchServer"], stdout=subprocess.PIPE, text=True
    )
    try:
        ports = server.stdout.readline().split()
        if len(ports) != 2:
            raise measurements.Failure("BenchServer has not started")
        first, second = (f"http://127.0.0.1:{port}" for port in ports)
        yield first, second if scenario.idle_elsewhere else first
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
        server.stdout.close()
