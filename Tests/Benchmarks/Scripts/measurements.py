"""Runs the clients' programs, each measurement in a process of its own."""

import json
import os
import pathlib
import subprocess

import clients
import programs
import servers
from failure import Failure

TIME_LIMIT = 300  # seconds


def run(program, client, arguments, environment):
    """The figures of one run of a client's program."""
    return _of_requests(_figures([str(program), "--client", client, *arguments], environment))


def run_processes(client, scenario, origin, environment):
    """The figures of several runs of the smallest program of a client, of its whole process."""
    folder = pathlib.Path(os.environ["BENCH_PROGRAMS"])
    command = [str(folder / programs.CLIENTS[client][0]), f"{origin}/", scenario.path]
    figures = _of_requests(_processes(scenario.requests, command, environment))
    return figures | {
        "wall_us_per_request": 1e6 / figures["requests_per_second"],
        "program_mib": programs.program_size(client, folder),
    }


def run_curl(arguments, piped_length, environment):
    """The figures of the curl command, of the whole process. It reads so many zeros from a pipe, if it reads at all."""
    with subprocess.Popen(["head", "--bytes", str(piped_length), "/dev/zero"], stdout=subprocess.PIPE) as zeros:
        command = ["curl", "--silent", "--show-error", "--fail", *arguments]
        return _of_requests(_processes(1, command, environment, stdin=zeros.stdout))


def run_websockets(program, client, scenario, seconds, environment):
    """The figures of one run of WebSockets, with those of their server. The client has a processor of its own, if there are two."""
    first, *others = sorted(os.sched_getaffinity(0))
    # Longer than the client measures.
    with servers.websockets(scenario.websockets, seconds + 2, others or [first]) as (server, origin):
        words = scenario.arguments(origin, None, seconds)
        command = ["taskset", "--cpu-list", str(first), str(program), "--client", client, *words]
        figures = _figures(command, environment)
        server.wait(TIME_LIMIT)
        of_server = json.loads(server.stdout.readline())
    if of_server["websockets"] != scenario.websockets or of_server["closed_by_client"]:
        raise Failure(f"{of_server['closed_by_client']} of {of_server['websockets']} WebSockets were closed by the client")
    return _of_streams(figures) | {
        "cpu_us_per_second": figures["cpu_us"] / figures["wall_us"] * 1e6,
        "cpu_us_per_ping": figures["cpu_us"] / (of_server["pings"] / of_server["seconds"] * figures["wall_us"] / 1e6),
        "pings": of_server["pings"],
        "lost_pings": of_server["pings"] + of_server["unsent_pings"] - of_server["pongs"],
        "latency_median_us": of_server["latency_us"]["median"],
        "latency_p99_us": of_server["latency_us"]["p99"],
        "latency_greatest_us": of_server["latency_us"]["greatest"],
        "peak_rss_mib": figures["peak_rss_kib"] / 1024,
        "growth": [],
    }


def check_memory(client, scenario, figures):
    """Fails if one of Larkspur's clients has used more memory than the scenario allows."""
    limit = scenario.memory_limit_mib
    if limit and client in clients.OWN and figures["peak_rss_mib"] > limit:
        raise Failure(f"{figures['peak_rss_mib']:.1f} MiB of memory instead of at most {limit} MiB")


def _processes(count, command, environment, **options):
    """The figures of so many runs of a command, one after the other."""
    launcher = pathlib.Path(os.environ["BENCH_PROGRAMS"]) / "BenchProcess"
    return _figures([str(launcher), str(count), *command], environment, **options)


def _figures(command, environment, **options):
    """What a program has printed."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, env=environment, **options)
    except subprocess.TimeoutExpired:
        raise Failure(f"not finished after {TIME_LIMIT} s")
    if result.returncode != 0:
        lines = (result.stderr.strip() or "no message").splitlines()
        how = f"signal {-result.returncode}" if result.returncode < 0 else f"status {result.returncode}"
        raise Failure(f"{how}: {lines[0][:300]}")
    return json.loads(result.stdout)


def _of_requests(figures):
    return _of_streams(figures) | {
        "cpu_us_per_request": figures["cpu_us"] / figures["requests"],
        "requests_per_second": figures["requests"] / figures["wall_us"] * 1e6,
        "sleeps_per_request": figures["sleeps"] / figures["requests"],
        "peak_rss_mib": figures["peak_rss_kib"] / 1024,
        "growth": figures["growth"],
    }


def _of_streams(figures):
    opening = figures.get("opening", {"streams": 0})
    if opening["streams"] == 0:
        return {}
    return {
        "cpu_us_per_stream": opening["cpu_us"] / opening["streams"],
        "rss_kib_per_stream": opening["rss_kib"] / opening["streams"],
    }
