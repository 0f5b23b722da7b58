"""The lines of Docs/Performance.md, the summary for users."""

from figures import AHC, AWAITED, EXECUTOR, FOUNDATION, GO, PEERS, PROGRAMS, duration
from report import factor, markdown, number

#: The rows of the guide: a title, the scenario, and what is compared.
CPU_ROWS = [
    ("GET of 70 bytes of JSON, decoded, 1 in flight", "default-call-1"),
    ("GET of 70 bytes of JSON, decoded, 32 in flight", "default-call-32"),
    ("small GET over https, 32 in flight", "small-get-https-32"),
    ("small GET over HTTP/2, 100 in flight", "small-get-h2-100"),
    ("POST of 1 KiB, encoded, 32 in flight", "post-encoded-1k"),
    ("100 KiB of JSON, decoded, 32 in flight", "json-100k"),
    ("1 GiB, discarded", "discard-1gib"),
    ("each of 10,000 calls at once", "queued-10000"),
    ("a program with one GET, https", "one-get-https"),
]
MEMORY_ROWS = [
    ("GET of 70 bytes, 32 in flight", "default-call-32"),
    ("1 GiB to a slow consumer", "slow-consumer-1gib"),
    ("1 GiB sent from a sequence", "upload-sequence"),
    ("10,000 calls at once", "queued-10000"),
]
#: A guide lists no more rows than these in which Larkspur is slower.
LISTED = 12


def guide(run):
    environment = run.environment
    versions = environment["versions"]
    yield f"""# Performance

With 32 small requests in flight, a session manager takes {factor(run.ratio("default-call-32", AWAITED, PEERS[AHC]))} × the CPU time of AsyncHTTPClient, {factor(run.ratio("default-call-32", AWAITED, PEERS[FOUNDATION]))} × that of FoundationNetworking's `URLSession`, and {factor(run.ratio("default-call-32", AWAITED, PEERS[GO]))} × that of Go's `net/http`. Reading content as it arrives takes a bounded amount of memory. [Figures](../Tests/Benchmarks/Figures.md) has all {len(run.summaries)} scenarios, and more clients.

## How it is measured

- All clients run on one machine, in turns, with the same server: {environment["processor"]}, {environment["cores"]} cores, Swift {versions["Swift"]}, libcurl {versions["libcurl"]} ({versions["libcurl for HTTP/2"]} for HTTP/2), AsyncHTTPClient {versions["AsyncHTTPClient"]}, Go {versions["Go"]}. Each value is the median of {environment["runs"]} rounds.
- CPU time is the client's user and system time.
- Each client has its default settings, except the number of connections to a host. Session managers use their cache. All Swift clients decode JSON with a `JSONDecoder`.
- Compare the ratios. The microseconds differ between machines, and between minutes.

## CPU

The CPU time of a session manager whose calls are awaited. In a column with ×, this time is divided by another client's: above 1, Larkspur is slower.
"""
    rows = [
        [title, duration(run.result(scenario, AWAITED)["cpu_us_per_request"]), *(
            "–" if ratio is None else factor(ratio) for ratio in (run.ratio(scenario, AWAITED, PEERS[name]) for name in PEERS)
        )]
        for title, scenario in CPU_ROWS
    ]
    yield from markdown(["", "Larkspur", *(f"× {name}" for name in PEERS)], rows)
    yield ""
    yield (
        "With one small GET in flight, a Swift task on [`manager.executor`](Async.md) takes "
        f"{factor(run.ratio('small-get-1', EXECUTOR, [AWAITED]))} × the CPU time, and `CurlURLSession` without a manager "
        f"{factor(run.ratio('small-get-1', 'CurlURLSession-completion', [AWAITED]))} ×."
    )
    yield ""
    yield "## Memory"
    yield ""
    yield "The greatest resident memory of the process, in MiB:"
    yield ""
    rows = [
        [title, *("–" if value is None else f"{value:.0f}" for value in (
            run.memory(scenario, *clients) for clients in ([AWAITED], *PEERS.values())
        ))]
        for title, scenario in MEMORY_ROWS
    ]
    yield from markdown(["", "Larkspur", *PEERS], rows)
    yield ""
    yield "## Many connections"
    yield ""
    sockets = run.result("websockets-10000", "CurlURLSession-websocket")
    streams, silent = run.result("idle-8000", AWAITED), run.result("idle-0", AWAITED)
    yield (
        f"- 10,000 WebSockets, each with a ping a second, take {sockets['cpu_us_per_second'] / 1000:.0f} ms of CPU time a second, and "
        f"{number(sockets['rss_kib_per_stream'])} KiB each. Half of the pongs arrive within {sockets['latency_median_us']:.0f} µs, and "
        f"99 % within {sockets['latency_p99_us'] / 1000:.1f} ms."
    )
    yield (
        f"- 8,000 open responses without traffic take {number(streams['rss_kib_per_stream'])} KiB each. With them, a small GET takes "
        f"{factor(streams['cpu_us_per_request'] / silent['cpu_us_per_request'])} × the CPU time."
    )
    own, peer = (run.result("sessions-alive-100", *of)["growth"][-1]["threads"] for of in ([AWAITED], PEERS[AHC]))
    yield (
        f"- 100 session managers in use have {own:.0f} threads, and 100 clients of AsyncHTTPClient have {peer:.0f}. "
        "[Use one manager for each API](BeforeYouAdopt.md)."
    )
    yield ""
    yield "## Size"
    yield ""
    sizes = "; ".join(f"{title} {number(run.size(client))} MiB" for client, title in PROGRAMS.items() if run.size(client))
    yield (
        f"A release build of a program with one GET, without symbols and Swift's libraries: {sizes}. "
        "[Before you adopt it](BeforeYouAdopt.md) has the sizes with Swift's libraries."
    )
    yield ""
    yield "## Where Larkspur is slower"
    yield ""
    yield "The \"default call\" is the decoded GET of JSON, and \"data\" a small GET. \"1\" and \"32\" are the numbers of calls in flight:"
    yield ""
    for name, ratios in run.ratios().items():
        yield shortened(name, ratios)


def shortened(name, ratios):
    """The rows in which Larkspur is slower than a peer, if they are few, or their number."""
    slower = sorted((row for row in ratios if row[0] > 1), reverse=True)
    if not slower or len(slower) <= LISTED:
        listed = "; ".join(f"{title} ({factor(ratio)} ×)" for ratio, title in slower)
        return f"- More CPU time than {name}: {listed}." if slower else f"- No more CPU time than {name} in all comparisons."
    (greatest, title), middle = slower[0], sorted(ratio for ratio, _ in ratios)[len(ratios) // 2]
    return (
        f"- More CPU time than {name}: {len(slower)} of {len(ratios)} comparisons, with a median of {factor(middle)} ×, and "
        f"{factor(greatest)} × at most ({title})."
    )
