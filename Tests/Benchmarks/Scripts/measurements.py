"""Runs the clients' programs, each measurement in a process of its own."""

import json
import subprocess

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
    return {
        "cpu_us_per_request": figures["cpu_us"] / figures["requests"],
        "requests_per_second": figures["requests"] / figures["wall_us"] * 1e6,
        "peak_rss_mib": figures["peak_rss_kib"] / 1024,
        "growth": figures["growth"],
    }
