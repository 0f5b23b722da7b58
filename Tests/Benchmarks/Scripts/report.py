"""Medians, spreads, and the Markdown tables."""

import ctypes
import os
import platform
import statistics
import subprocess

import clients


REQUEST_KEYS = ("cpu_us_per_request", "requests_per_second", "peak_rss_mib")
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
    for key in (*REQUEST_KEYS, *SEQUENCE_KEYS, *STREAM_KEYS, *WEBSOCKET_KEYS, *BUILD_KEYS, *SIZE_KEYS):
        values = [run[key] for run in runs if key in run]
        if values:
            result[key] = round(statistics.median(values), 3)
            result[f"{key}_range"] = [round(min(values), 3), round(max(values), 3)]
        elif key in REQUEST_KEYS:
            result[key] = None
    samples = [run["growth"] for run in runs if run.get("growth")]
    if samples:
        result["growth"] = [
            {key: statistics.median(sample[key] for sample in column) for key in column[0]} for column in zip(*samples)
        ]
    if failures:
        result["failures"] = failures
    return result


def table(scenario, results):
    """A scenario's results as Markdown."""
    lines = [f"### {scenario.name}", "", f"{scenario.summary}.", ""]
    measured = [result for result in results if result["runs"]]
    if measured and "build_seconds" in measured[0]:
        lines += _build_table(measured)
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


def environment(runs, seconds):
    """What the figures were measured on."""
    versions = [
        _first_line("swift", "--version"),
        _first_line("nginx", "-v"),
        _libcurl_version(),
        _first_line("go", "version"),
        _first_line("uname", "-sr"),
    ]
    return (
        f"{_processor()}, {os.cpu_count()} cores; {'; '.join(version for version in versions if version)}. "
        f"Medians of {runs} run(s) of {seconds} s (one build, unless --runs says otherwise), with least and greatest "
        "in brackets; CPU is the client's alone, and × is its multiple of a peer's.\n"
    )


def _request_table(results):
    peers = [result for result in results if result["client"] in clients.PEERS]
    header = ["client", "CPU per request", "requests/s", "peak memory, MiB"]
    has_streams = any(STREAM_KEYS[0] in result for result in results)
    if has_streams:
        header += ["CPU to open a stream", "memory of a stream, KiB"]
    header += [f"× {peer['client']}" for peer in peers]
    rows = []
    for result in results:
        row = [
            result["client"],
            _with_range(result, "cpu_us_per_request", *_unit(result["cpu_us_per_request"])),
            _with_range(result, "requests_per_second"),
            _with_range(result, "peak_rss_mib"),
        ]
        if has_streams:
            row += [_with_range(result, "cpu_us_per_stream", 1, " µs"), _with_range(result, "rss_kib_per_stream")]
        row += [_ratio(result["cpu_us_per_request"], peer["cpu_us_per_request"]) for peer in peers]
        rows.append(row)
    return _markdown(header, rows)


def _sequence_table(results):
    peers = [result for result in results if result["client"] in clients.PEERS]
    header = ["client", f"CPU per GiB ({results[0]['mib']:,.0f} MiB a request)", "MiB/s", "peak memory, MiB"]
    header += [f"× {peer['client']}" for peer in peers]
    rows = [
        [
            result["client"],
            _with_range(result, "cpu_ms_per_gib", 1, " ms"),
            _with_range(result, "mib_per_second"),
            _with_range(result, "peak_rss_mib"),
            *(_ratio(result["cpu_us_per_request"], peer["cpu_us_per_request"]) for peer in peers),
        ]
        for result in results
    ]
    return _markdown(header, rows)


def _websocket_table(results):
    header = ["client", "CPU per second", "CPU per ping", "memory of a WebSocket, KiB", "CPU to open one"]
    header += ["latency, median", "latency, p99", "latency, greatest", "lost pings", "peak memory, MiB"]
    rows = [
        [
            result["client"],
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
    return _markdown(header, rows)


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
    return _markdown([heading, "threads", "descriptors", "memory, MiB"], rows)


def _build_table(results):
    rows = [
        [
            result["client"],
            _with_range(result, "build_seconds", 1, " s"),
            _with_range(result, "build_cpu_seconds", 1, " s"),
        ]
        for result in results
    ]
    return _markdown(["client", "build", "CPU"], rows)


def _size_table(results):
    rows = [[result["client"], *(f"{result[key]:.1f} MiB" for key in SIZE_KEYS)] for result in results]
    return _markdown(["client", "program", "with Swift's libraries"], rows)


def _markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| --- |" + " ---: |" * (len(header) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def _with_range(result, key, scale=1, unit=""):
    least, greatest = result[f"{key}_range"]
    median = _number(result[key] / scale) + unit
    return median if result["runs"] == 1 else f"{median} ({_number(least / scale)}–{_number(greatest / scale)})"


def _unit(microseconds):
    return (1, " µs") if microseconds < 10_000 else (1000, " ms")


def _number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _ratio(value, peer):
    ratio = value / peer if peer else 0
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
    return library.curl_version().decode().split()[0]


def _first_line(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return ((result.stdout or result.stderr).splitlines() or [""])[0].strip()
