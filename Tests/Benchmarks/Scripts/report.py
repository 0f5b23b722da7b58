"""Medians, spreads, and the Markdown tables."""

import ctypes
import datetime
import json
import os
import platform
import statistics
import subprocess

import clients
import programs
import scenarios

REQUEST_KEYS = ("cpu_us_per_request", "requests_per_second", "sleeps_per_request", "peak_rss_mib")
PROCESS_KEYS = ("wall_us_per_request",)
SEQUENCE_KEYS = ("cpu_ms_per_gib", "mib_per_second")
STREAM_KEYS = ("cpu_us_per_stream", "rss_kib_per_stream")
WEBSOCKET_KEYS = (
    "cpu_us_per_second",
    "cpu_us_per_ping",
    "pings",
    "lost_pings",
    "latency_median_us",
    "latency_p99_us",
    "latency_greatest_us",
)
BUILD_KEYS = ("build_seconds", "build_cpu_seconds")
SIZE_KEYS = ("program_mib", "static_program_mib")


def summary(scenario, client, runs, failures):
    """One object of the JSON file."""
    result = {"scenario": scenario.name, "client": client, "runs": len(runs)}
    if scenario.transferred:
        mib = scenario.transferred / (1 << 20)
        result["mib"] = mib
        runs = [
            run
            | {
                "cpu_ms_per_gib": run["cpu_us_per_request"] / 1000 / mib * 1024,
                "mib_per_second": run["requests_per_second"] * mib,
            }
            for run in runs
        ]
    for key in (
        *REQUEST_KEYS, *PROCESS_KEYS, *SEQUENCE_KEYS, *STREAM_KEYS, *WEBSOCKET_KEYS, *BUILD_KEYS, *SIZE_KEYS
    ):
        values = [run[key] for run in runs if key in run]
        if values:
            result[key] = round(statistics.median(values), 3)
            result[f"{key}_range"] = [round(min(values), 3), round(max(values), 3)]
    samples = [run["growth"] for run in runs if run.get("growth")]
    if samples:
        result["growth"] = [
            {key: statistics.median(sample[key] for sample in column) for key in column[0]} for column in zip(*samples)
        ]
    if failures:
        result["failures"] = failures
    return result


def write(path, environment, summaries, results):
    """Writes the figures of a run as JSON, each result in a line."""
    parts = {"environment": [environment], "scenarios": [summaries], "results": results}
    lines = {name: ",\n".join(json.dumps(part, ensure_ascii=False) for part in of_name) for name, of_name in parts.items()}
    path.write_text(
        f'{{"environment": {lines["environment"]},\n"scenarios": {lines["scenarios"]},\n"results": [\n{lines["results"]}\n]}}\n'
    )


def table(name, summary, results):
    """A scenario's results as Markdown."""
    lines = [f"### {name}", "", f"{summary}.", ""]
    measured = [result for result in results if result["runs"]]
    if measured and "build_seconds" in measured[0]:
        lines += _build_table(measured)
    elif measured and "wall_us_per_request" in measured[0]:
        lines += _process_table(measured)
    elif measured and "program_mib" in measured[0]:
        lines += _size_table(measured)
    elif measured and "cpu_us_per_ping" in measured[0]:
        lines += _websocket_table(measured)
    elif measured and "mib" in measured[0]:
        lines += _sequence_table(measured)
    elif measured:
        lines += _request_table(measured)
    if any("growth" in result for result in measured):
        lines += ["", *_growth_table(measured)]
    for result in results:
        for failure in result.get("failures", []):
            lines += ["", f"{result['client']} failed: {failure}"]
    return "\n".join(lines) + "\n"


def environment(runs, seconds, seed):
    """What the figures were measured on, and how."""
    versions = {
        "Swift": _words(2, "swift", "--version"),
        "AsyncHTTPClient": programs.async_http_client_version(),
        "Go": _words(2, "go", "version").removeprefix("go"),
        "libcurl": _libcurl_version(),
        "libcurl for HTTP/2": scenarios.HTTP2_LIBCURL,
        "nginx": _words(2, "nginx", "-v").removeprefix("nginx/"),
        "kernel": platform.release(),
    }
    return {
        "date": datetime.date.today().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "versions": {name: version for name, version in versions.items() if version},
        "runs": runs,
        "seconds": seconds,
        "seed": seed,
    }


def environment_line(environment):
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    return (
        f"{environment['processor']}, {environment['cores']} cores; {versions}. Medians of {environment['runs']} run(s) of "
        f"{environment['seconds']} s (one build, unless --runs says otherwise), with least and greatest in brackets; CPU is "
        f"the client's alone, and × is its multiple of a peer's. The seed of the site is {environment['seed']}.\n"
    )


def _request_table(results):
    peers = _peers(results)
    header = ["client", "configuration", "CPU per request", "requests/s", "sleeps per request", "peak memory, MiB"]
    has_streams = any(STREAM_KEYS[0] in result for result in results)
    if has_streams:
        header += ["CPU to open a stream", "memory of a stream, KiB"]
    header += [f"× {peer['client']}" for peer in peers]
    rows = []
    for result in results:
        row = [
            *_client(result),
            _with_range(result, "cpu_us_per_request", *_unit(result["cpu_us_per_request"])),
            _with_range(result, "requests_per_second"),
            number(result["sleeps_per_request"]),
            _with_range(result, "peak_rss_mib"),
        ]
        if has_streams:
            row += [_with_range(result, "cpu_us_per_stream", 1, " µs"), _with_range(result, "rss_kib_per_stream")]
        rows.append(row + _ratios(result, peers))
    return markdown(header, rows, 2)


def _process_table(results):
    peers = _peers(results)
    header = ["client", "the program calls", "CPU", "time", "peak memory, MiB", "program, MiB"]
    header += [f"× {peer['client']}" for peer in peers]
    rows = [
        [
            result["client"],
            programs.CLIENTS[result["client"]][1],
            _with_range(result, "cpu_us_per_request", 1000, " ms"),
            _with_range(result, "wall_us_per_request", 1000, " ms"),
            _with_range(result, "peak_rss_mib"),
            number(result["program_mib"]),
            *_ratios(result, peers),
        ]
        for result in results
    ]
    return markdown(header, rows, 2)


def _sequence_table(results):
    peers = _peers(results)
    header = ["client", "configuration", f"CPU per GiB ({results[0]['mib']:,.0f} MiB a request)", "MiB/s", "peak memory, MiB"]
    header += [f"× {peer['client']}" for peer in peers]
    rows = [
        [
            *_client(result),
            _with_range(result, "cpu_ms_per_gib", 1, " ms"),
            _with_range(result, "mib_per_second"),
            _with_range(result, "peak_rss_mib"),
            *_ratios(result, peers),
        ]
        for result in results
    ]
    return markdown(header, rows, 2)


def _websocket_table(results):
    header = ["client", "configuration", "CPU per second", "CPU per ping", "memory of a WebSocket, KiB", "CPU to open one"]
    header += ["latency, median", "latency, p99", "latency, greatest", "lost pings", "peak memory, MiB"]
    rows = [
        [
            *_client(result),
            _with_range(result, "cpu_us_per_second", 1000, " ms"),
            _with_range(result, "cpu_us_per_ping", 1, " µs"),
            _with_range(result, "rss_kib_per_stream"),
            _with_range(result, "cpu_us_per_stream", 1, " µs"),
            _with_range(result, "latency_median_us", 1, " µs"),
            _with_range(result, "latency_p99_us", 1, " µs"),
            _with_range(result, "latency_greatest_us", 1000, " ms"),
            f"{result['lost_pings']:.0f} of {result['pings']:,.0f}",
            _with_range(result, "peak_rss_mib"),
        ]
        for result in results
    ]
    return markdown(header, rows, 2)


def _growth_table(results):
    rows = []
    sessions = []
    for result in results:
        early, late = result["growth"]
        sessions = [early["sessions"], late["sessions"]]
        rows.append(
            [
                result["client"],
                f"{early['threads']:.0f} → {late['threads']:.0f}",
                f"{early['descriptors']:.0f} → {late['descriptors']:.0f}",
                f"{early['rss_kib'] / 1024:.1f} → {late['rss_kib'] / 1024:.1f}",
            ]
        )
    heading = f"after {sessions[0]:.0f} → {sessions[1]:.0f} sessions"
    return markdown([heading, "threads", "descriptors", "memory, MiB"], rows)


def _build_table(results):
    rows = [
        [
            result["client"],
            _with_range(result, "build_seconds", 1, " s"),
            _with_range(result, "build_cpu_seconds", 1, " s"),
        ]
        for result in results
    ]
    return markdown(["client", "build", "CPU"], rows)


def _size_table(results):
    rows = [[result["client"], *(f"{number(result[key])} MiB" for key in SIZE_KEYS)] for result in results]
    return markdown(["client", "program", "with Swift's libraries"], rows)


def markdown(header, rows, names=1):
    """A table; the columns after those with names are aligned to the right."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * names + " ---: |" * (len(header) - names)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _client(result):
    return result["client"], clients.ALL[result["client"]].configuration


def _peers(results):
    return [result for name in clients.PEERS for result in results if result["client"] == name]


def _ratios(result, peers):
    return [factor(result["cpu_us_per_request"] / peer["cpu_us_per_request"]) for peer in peers]


def _with_range(result, key, scale=1, unit=""):
    least, greatest = result[f"{key}_range"]
    median = number(result[key] / scale) + unit
    return median if result["runs"] == 1 else f"{median} ({number(least / scale)}–{number(greatest / scale)})"


def _unit(microseconds):
    return (1, " µs") if microseconds < 10_000 else (1000, " ms")


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def factor(ratio):
    return f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.3f}"


def _processor():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def _libcurl_version():
    try:
        library = ctypes.CDLL("libcurl.so.4")
    except OSError:
        return ""
    library.curl_version.restype = ctypes.c_char_p
    return library.curl_version().decode().split()[0].removeprefix("libcurl/")


def _words(index, *command):
    """A word of the first line that a command prints; none if there is no such command."""
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    words = (result.stdout or result.stderr).split()
    return words[index] if len(words) > index else ""
