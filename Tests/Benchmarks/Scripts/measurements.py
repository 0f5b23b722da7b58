"""Runs the clients' programs, each measurement in a process of its own."""

import json
import os
import subprocess
import time

TIME_LIMIT = 300  # seconds


class Failure(Exception):
    pass


def run(program, client, arguments, environment):
    """The figures of one run."""
    command = [str(program), "--client", client, *arguments]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env=environment)
    except subprocess.TimeoutExpired:
        raise Failure(f"not finished after {TIME_LIMIT} s")
    if result.returncode != 0:
        lines = (result.stderr.strip() or "no message").splitlines()
        how = f"signal {-result.returncode}" if result.returncode < 0 else f"status {result.returncode}"
        raise Failure(f"{how}: {lines[0][:300]}")
    figures = json.loads(result.stdout)
    opening = figures.get("opening", {"streams": 0})
    of_streams = {}
    if opening["streams"] > 0:
        of_streams = {
            "cpu_us_per_stream": opening["cpu_us"] / opening["streams"],
            "rss_kib_per_stream": opening["rss_kib"] / opening["streams"],
        }
    return of_streams | {
        "cpu_us_per_request": figures["cpu_us"] / figures["requests"],
        "requests_per_second": figures["requests"] / figures["wall_us"] * 1e6,
        "peak_rss_mib": figures["peak_rss_kib"] / 1024,
        "growth": figures["growth"],
    }


def run_curl(arguments, environment):
    """The figures of the curl command, of the whole process."""
    start = time.monotonic()
    process = subprocess.Popen(["curl", "--silent", "--show-error", "--fail", *arguments], env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"curl ended with status {process.returncode}")
    return {
        "cpu_us_per_request": (usage.ru_utime + usage.ru_stime) * 1e6,
        "requests_per_second": 1 / (time.monotonic() - start),
        "peak_rss_mib": usage.ru_maxrss / 1024,
        "growth": [],
    }
