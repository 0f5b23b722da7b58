#!/usr/bin/env python3
"""Writes the pages of figures from one run, and puts the figures into the other pages that have some.

    Tests/Benchmarks/run.sh --json Tests/Benchmarks/figures.json    makes the run
    Tests/Benchmarks/Scripts/page.py                                writes the pages
    Tests/Benchmarks/Scripts/page.py --check                        fails if they do not agree with the figures

Tests/Benchmarks/Figures.md has all figures, and Docs/Performance.md those that matter most. In the other pages, the figures stand between
`<!-- figures: NAME -->` and `<!-- end of figures -->`. A name can have arguments, as in `<!-- figures: ratio default-call-32 FoundationNetworking -->`:
MARKED_FIGURES lists the names.
"""

import datetime
import json
import re
import sys
from pathlib import Path

import report
from report import factor, markdown, number

ROOT = Path(__file__).resolve().parents[3]
FIGURES = ROOT / "Tests/Benchmarks/figures.json"
PAGE = ROOT / "Tests/Benchmarks/Figures.md"
GUIDE = ROOT / "Docs/Performance.md"
OTHER_PAGES = [ROOT / "README.md", ROOT / "Docs/BeforeYouAdopt.md"]
MARKED = re.compile(r"(<!-- figures: ([^\n>]+?) -->\n*)(.*?)(\n*<!-- end of figures -->)", re.DOTALL)

AHC, GO, FOUNDATION = "AsyncHTTPClient", "Go", "FoundationNetworking"
#: The peers, and the names of their clients; a scenario has one of them.
PEERS = {
    AHC: ["async-http-client-async"],
    GO: ["go"],
    FOUNDATION: ["FoundationNetworking-completion", "FoundationNetworking"],
}

AWAITED, EXECUTOR = "SessionManager-async", "SessionManager-executor-async"
#: The clients of program-size and build-time, and what a page calls them.
PROGRAMS = {
    AWAITED: "`Larkspur`",
    "CurlURLSession": "`LarkspurTransport`",
    "FoundationNetworking": "FoundationNetworking",
    "async-http-client-async": "AsyncHTTPClient",
    "go": "Go's `net/http`",
}
#: What is compared: a title, the scenario, and Larkspur's client.
COMPARISONS = [
    ("the default call, 1 in flight", "default-call-1", AWAITED),
    ("the default call, 32 in flight", "default-call-32", AWAITED),
    ("the default call with an `ETag` and `no-cache`, 1", "etag-call-1", AWAITED),
    ("the default call with an `ETag` and `no-cache`, 32", "etag-call-32", AWAITED),
    ("the default call with `no-store`, 1", "no-store-call-1", AWAITED),
    ("the default call with `no-store`, 32", "no-store-call-32", AWAITED),
    ("data, 1", "small-get-1", AWAITED),
    ("data, 32", "small-get-32", AWAITED),
    ("data on `manager.executor`, 1", "small-get-1", EXECUTOR),
    ("data on `manager.executor`, 32", "small-get-32", EXECUTOR),
    ("data through an interceptor that does nothing, 32", "small-get-32", "SessionManager-intercepted-async"),
    ("data over https, 1", "small-get-https-1", AWAITED),
    ("data over https, 32", "small-get-https-32", AWAITED),
    ("data over HTTP/2, 32", "small-get-h2-32", AWAITED),
    ("data over HTTP/2, 100", "small-get-h2-100", AWAITED),
    ("data with `CurlURLSession`, 1", "small-get-1", "CurlURLSession-completion"),
    ("data with `CurlURLSession`, 32", "small-get-32", "CurlURLSession-completion"),
    ("POST of 1 KiB that is encoded, 32", "post-encoded-1k", AWAITED),
    ("POST of 1 KiB that is prepared, 32", "post-json-1k", AWAITED),
    ("100 KiB of JSON, decoded, 32", "json-100k", AWAITED),
    ("1 GiB, discarded", "discard-1gib", AWAITED),
    ("1 GiB from a sequence", "upload-sequence", AWAITED),
    ("1 GiB from a sequence of the same chunk", "upload-sequence-same-chunk", AWAITED),
    ("1 GiB as a sequence", "download-sequence", AWAITED),
    ("a slow consumer of 1 GiB", "slow-consumer-1gib", AWAITED),
    ("10,000 calls at once", "queued-10000", AWAITED),
    ("5,000 pages of a site", "crawl", AWAITED),
    ("a program with one GET, http", "one-get-http", AWAITED),
    ("a program with one GET, https", "one-get-https", AWAITED),
]

#: The headings of the page, a text for each, and the scenarios whose tables follow.
SECTIONS = [
    (
        "The default call",
        "The call is the first line of the README: `try await manager.get(\"users/1\").value(as: User.self)` on "
        "`SessionManager(baseURL:)`. All clients decode the same JSON into the same type: those in Swift with a "
        "`JSONDecoder`, Go with `encoding/json`. With an `ETag` and `no-cache`, a session manager stores the response, "
        "and asks the server whether it has changed; the server replies 304. A client without a cache loads the response "
        "again.",
        ["default-call-1", "default-call-32", "etag-call-1", "etag-call-32", "no-store-call-1", "no-store-call-32"],
    ),
    (
        "Data",
        "The content is delivered as it is. With one call in flight, most of the cost is the waking of threads. Tasks on "
        "[`manager.executor`](../../Docs/Async.md) make fewer threads sleep.",
        ["small-get-1", "small-get-32", "small-get-256"],
    ),
    ("TLS", "The connections are open when the measurement begins.", ["small-get-https-1", "small-get-https-32"]),
    (
        "HTTP/2",
        "The libcurl of Debian 12 is [not offered HTTP/2](../../Docs/LibcurlVersions.md#how-http2-is-judged) by the engine, so "
        "`LARKSPUR_LIBCURL` names a later one. `libcurl-c` uses this libcurl too, and FoundationNetworking the system's.",
        ["small-get-h2-32", "small-get-h2-100"],
    ),
    (
        "Uploads of JSON",
        "In the first scenario all clients send prepared bytes, in the second they encode the same value for each request.",
        ["post-json-1k", "post-encoded-1k"],
    ),
    (
        "Large content",
        "The scenarios with sequences send chunks of 64 KiB. Each chunk is new memory, as when it is read from a file, unless "
        "the scenario says that all are the same. `curl` is the command line program; its whole process is measured.",
        [
            "json-100k", "discard-1gib", "slow-consumer-1gib", "download-1gib", "upload-1gib", "upload-sequence",
            "upload-sequence-same-chunk", "upload-sequence-slow-producer", "upload-sequence-slow-server", "download-sequence",
            "download-sequence-slow-consumer",
        ],
    ),
    (
        "A crawler",
        "One client loads the pages of a generated site, 32 at a time, and searches each page for links. All clients have "
        "the same search, and the same queue of URLs.",
        ["crawl"],
    ),
    ("Many calls and sessions", "", ["queued-10000", "sessions-500", "sessions-alive-100"]),
    ("Idle streams", None, ["idle-0", "idle-1000", "idle-8000"]),
    (
        "WebSockets",
        "The server sends a ping to each WebSocket once a second, evenly spread over the second, and measures the time "
        "until the pong. Client and server have a processor each. The session's thread serves all WebSockets, and replies "
        "to pings without a Swift task.",
        ["websockets-10000"],
    ),
    (
        "A program that sends one GET",
        "The whole process is measured: its start, the libraries that it loads, and its end. The size is that of a release "
        "build without symbols, and without Swift's libraries. [Before you adopt it](../../Docs/BeforeYouAdopt.md) has programs that contain them.",
        ["one-get-http", "one-get-https"],
    ),
]


class Run:
    """The figures of one run."""

    def __init__(self, figures):
        self.environment = figures["environment"]
        self.summaries = figures["scenarios"]
        self._results = figures["results"]

    def results(self, scenario):
        results = [result for result in self._results if result["scenario"] == scenario and result["runs"]]
        if not results:
            sys.exit(f"{FIGURES.name} has no {scenario}: make a run of all scenarios.")
        return results

    def result(self, scenario, *clients):
        """The result of the first of some clients that has one; none if no client has."""
        by_client = {result["client"]: result for result in self.results(scenario)}
        return next((by_client[client] for client in clients if client in by_client), None)

    def ratio(self, scenario, client, peers):
        """The CPU time of a client as a multiple of a peer's; none if the peer does not take part."""
        own, peer = self.result(scenario, client), self.result(scenario, *peers)
        return own["cpu_us_per_request"] / peer["cpu_us_per_request"] if own and peer else None

    def memory(self, scenario, *clients):
        result = self.result(scenario, *clients)
        return result and result["peak_rss_mib"]

    def ratios(self):
        """For each peer, the ratios of the comparisons in which it takes part, with their titles."""
        return {
            name: [
                (round(ratio, 2), title)
                for title, scenario, client in COMPARISONS
                if (ratio := self.ratio(scenario, client, clients)) is not None
            ]
            for name, clients in PEERS.items()
        }

    def size(self, client):
        result = self.result("program-size", client)
        return result and result["program_mib"]


def page(run):
    yield from introduction(run)
    yield from comparison(run)
    for heading, text, scenarios in SECTIONS:
        yield f"## {heading}"
        yield ""
        if heading == "Idle streams":
            yield from idle_streams(run, scenarios)
            continue
        if text:
            yield text
            yield ""
        if heading == "The default call":
            yield from cost_of_cache(run)
        for scenario in scenarios:
            yield report.table(scenario, run.summaries[scenario], run.results(scenario))


def introduction(run):
    environment = run.environment
    date = datetime.date.fromisoformat(environment["date"])
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    rounds = f"{environment['runs']} round{'s' if environment['runs'] != 1 else ''}"
    yield f"""# Figures

This page has the costs of a request in the process that sends the request. All clients are compared on one machine, in one run, with the same server. [Benchmarks](README.md) describes the programs and the scenarios, and `Scripts/page.py` writes this page from the [figures](figures.json) of the run. [Performance](../../Docs/Performance.md) is the summary. To make a run:

```sh
Tests/Benchmarks/run.sh                     # every scenario of this page
Tests/Benchmarks/run.sh default-call-32     # one of them
```

## The run

{date.day} {date:%B %Y}, {rounds} of {environment["seconds"]} s; {environment["processor"]}, {environment["cores"]} cores; {versions}. The site of the crawler was generated with the seed {environment["seed"]}.

- The clients run in turns. Each value is the median of the rounds, with the least and the greatest value in brackets. Compare the ratios, not the microseconds: on a virtual machine, the same program can take one and a half times as long a minute later.
- Each client has its default settings, except the number of connections to a host, which is the same for all clients. The column "configuration" names what else differs. So session managers and `CurlURLSession` use their cache, unless the row says `urlCache = nil`.
- The responses have no fields for caches, unless the scenario says so.
- CPU is the user and system time of all threads of the client. The server runs on the same cores, and its time is not counted.
- "Sleeps" is how often a thread of the client has gone to sleep.
- A column with × in its title has a ratio: the CPU time of the client of the row, divided by the CPU time of the client in the title.
"""


def comparison(run):
    names = list(PEERS)
    rows, memories = [], []
    for title, scenario, client in COMPARISONS:
        ratios = [run.ratio(scenario, client, PEERS[name]) for name in names]
        rows.append([title, *("–" if ratio is None else factor(ratio) for ratio in ratios)])
        of_memory = [run.memory(scenario, client), *(run.memory(scenario, *PEERS[name]) for name in names)]
        memories.append([title, *("–" if value is None else f"{value:.1f}" for value in of_memory)])
    yield "## Beside other clients"
    yield ""
    yield (
        "The CPU time of Larkspur, divided by the CPU time of the other client: above 1, Larkspur is slower. \"1\" and \"32\" "
        "are the numbers of calls in flight. Larkspur's calls are awaited, and AsyncHTTPClient's too. FoundationNetworking's "
        "have completion handlers, or a delegate where content is read as it arrives."
    )
    yield ""
    yield from markdown(["", *(f"× {name}" for name in names)], rows)
    yield ""
    for name, ratios in run.ratios().items():
        yield from sentences(name, ratios)
    yield ""
    yield "Peak memory of the same processes, in MiB:"
    yield ""
    yield from markdown(["", "Larkspur", *names], memories)
    yield ""


def sentences(name, ratios):
    """The rows in which Larkspur is slower than a peer, and the range of the others."""
    slower = sorted((row for row in ratios if row[0] > 1), reverse=True)
    others = [ratio for ratio, _ in ratios if ratio <= 1]
    if not slower:
        yield f"- In all rows, Larkspur takes less CPU time than {name}, or as much ({span(others)})."
    elif not others:
        yield f"- In all rows, Larkspur takes more CPU time than {name} ({span([ratio for ratio, _ in slower])})."
    else:
        listed = "; ".join(f"{title} ({factor(ratio)} ×)" for ratio, title in slower)
        yield f"- Larkspur takes more CPU time than {name} for {listed}. In the other rows it takes less, or as much ({span(others)})."


def span(ratios):
    return f"{factor(min(ratios))} × to {factor(max(ratios))} ×"


def cost_of_cache(run):
    rows = []
    for title, name in (("no fields for caches", "default"), ("`ETag` and `no-cache`", "etag"), ("`no-store`", "no-store")):
        ratios = [run.ratio(f"{name}-call-{count}", AWAITED, ["SessionManager-uncached-async"]) for count in (1, 32)]
        rows.append([title, *map(factor, ratios)])
    yield "The CPU time of the default configuration, divided by that of a configuration with `urlCache = nil`:"
    yield ""
    yield from markdown(["response", "1 in flight", "32 in flight"], rows)
    yield ""


def idle_streams(run, scenarios):
    yield (
        "The CPU time of a small GET, with 32 in flight, while a number of other responses stay open and silent, and in "
        "brackets its ratio to the time without such responses. libcurl searches through all connections of a multi handle, "
        "so that `libcurl-c-epoll`, which has one multi handle, becomes slow. The engine gives at most 128 transfers to each."
    )
    yield ""
    counts = [f"{int(scenario.removeprefix('idle-')):,} streams" for scenario in scenarios]
    rows = []
    for alone in run.results(scenarios[0]):
        client, time = alone["client"], alone["cpu_us_per_request"]
        row = [client]
        for scenario in scenarios:
            result = run.result(scenario, client)
            row.append(f"{result['cpu_us_per_request']:,.1f} µs ({factor(result['cpu_us_per_request'] / time)})" if result else "–")
        last = run.result(scenarios[-1], client)
        row += [f"{last['cpu_us_per_stream']:,.0f} µs", f"{last['rss_kib_per_stream']:.1f}"] if last else ["–", "–"]
        rows.append(row)
    yield from markdown(["client", *counts, "CPU to open a stream", "memory of a stream, KiB"], rows)
    yield ""


#: The rows of the guide: a title, the scenario, and what is compared.
CPU_ROWS = [
    ("GET of 70 bytes of JSON, decoded, 1 in flight", "default-call-1"),
    ("the same, 32 in flight", "default-call-32"),
    ("data over https, 32 in flight", "small-get-https-32"),
    ("data over HTTP/2, 100 in flight", "small-get-h2-100"),
    ("POST of 1 KiB, encoded, 32 in flight", "post-encoded-1k"),
    ("100 KiB of JSON, decoded, 32 in flight", "json-100k"),
    ("1 GiB, discarded", "discard-1gib"),
    ("10,000 calls at once, each", "queued-10000"),
    ("a program with one GET, https", "one-get-https"),
]
MEMORY_ROWS = [
    ("GET of 70 bytes, 32 in flight", "default-call-32"),
    ("1 GiB to a slow consumer", "slow-consumer-1gib"),
    ("1 GiB from a sequence", "upload-sequence"),
    ("10,000 calls at once", "queued-10000"),
]
#: A guide lists no more rows than these in which Larkspur is slower.
LISTED = 12


def guide(run):
    environment = run.environment
    versions = environment["versions"]
    yield f"""# Performance

With 32 small requests in flight, a session manager takes {factor(run.ratio("default-call-32", AWAITED, PEERS[AHC]))} × the CPU time of AsyncHTTPClient, {factor(run.ratio("default-call-32", AWAITED, PEERS[FOUNDATION]))} × that of FoundationNetworking's `URLSession`, and {factor(run.ratio("default-call-32", AWAITED, PEERS[GO]))} × that of Go's `net/http`. Content that is read as it arrives takes a bounded amount of memory. [Figures](../Tests/Benchmarks/Figures.md) has all {len(run.summaries)} scenarios, with more clients.

## How it is measured

- All clients run on one machine, in turns, with the same server: {environment["processor"]}, {environment["cores"]} cores, Swift {versions["Swift"]}, libcurl {versions["libcurl"]} ({versions["libcurl for HTTP/2"]} for HTTP/2), AsyncHTTPClient {versions["AsyncHTTPClient"]}, Go {versions["Go"]}. Each value is the median of {environment["runs"]} rounds.
- CPU is the user and system time of the client, without the server's.
- Each client has its default settings, except the number of connections to a host. Session managers use their cache. All clients in Swift decode with a `JSONDecoder`.
- Compare the ratios: the microseconds differ from one machine, and from one minute, to the next.

## CPU

The CPU time of a session manager whose calls are awaited, and its ratio to that of each other client: above 1, Larkspur is slower.
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
        "With one call for data in flight, a task on [`manager.executor`](Async.md) takes "
        f"{factor(run.ratio('small-get-1', EXECUTOR, [AWAITED]))} × the time, and `CurlURLSession` alone "
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
        f"- 10,000 WebSockets, each with a ping a second: {sockets['cpu_us_per_second'] / 1000:.0f} ms of CPU a second, "
        f"{number(sockets['rss_kib_per_stream'])} KiB for each, half of the pongs within {sockets['latency_median_us']:.0f} µs, and "
        f"99 % within {sockets['latency_p99_us'] / 1000:.1f} ms."
    )
    yield (
        f"- 8,000 open and silent responses: {number(streams['rss_kib_per_stream'])} KiB for each. A small GET beside them takes "
        f"{factor(streams['cpu_us_per_request'] / silent['cpu_us_per_request'])} × the time without them."
    )
    own, peer = (run.result("sessions-alive-100", *of)["growth"][-1]["threads"] for of in ([AWAITED], PEERS[AHC]))
    yield (
        f"- 100 session managers in use have {own:.0f} threads, and as many clients of AsyncHTTPClient {peer:.0f}. "
        "[Use one for each API](BeforeYouAdopt.md)."
    )
    yield ""
    yield "## Size"
    yield ""
    sizes = "; ".join(f"{title} {number(run.size(client))} MiB" for client, title in PROGRAMS.items() if run.size(client))
    yield (
        f"A release build of a program with one GET, without symbols and Swift's libraries: {sizes}. "
        "[Before you adopt it](BeforeYouAdopt.md) has the sizes with them."
    )
    yield ""
    yield "## Where Larkspur is slower"
    yield ""
    yield "\"1\" and \"32\" are the numbers of calls in flight:"
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


def duration(microseconds):
    return f"{number(microseconds)} µs" if microseconds < 10_000 else f"{number(microseconds / 1000)} ms"


def program_sizes(run):
    rows = []
    for client, title in PROGRAMS.items():
        if result := run.result("program-size", client):
            rows.append([title, *(f"{number(result[key])} MiB" for key in report.SIZE_KEYS)])
    return "\n".join(markdown(["program", "Swift's libraries apart", "Swift's libraries within it"], rows))


def threads_after_sessions(run):
    early, late = run.result("sessions-500", "CurlURLSession")["growth"]
    return (
        f"after {early['sessions']:.0f} of them a process has {early['threads']:.0f} threads, and after "
        f"{late['sessions']:.0f} it has {late['threads']:.0f}"
    )


def threads_of_sessions(run):
    early, own = run.result("sessions-alive-100", AWAITED)["growth"]
    peer, foundation = (run.result("sessions-alive-100", *PEERS[name])["growth"][-1] for name in (AHC, FOUNDATION))
    memory = (own["rss_kib"] - early["rss_kib"]) / (own["sessions"] - early["sessions"]) / 1024
    return (
        f"With {own['sessions']:.0f} session managers alive, of which each has sent one request, a process has "
        f"{own['threads']:.0f} threads and {own['descriptors']:.0f} descriptors. With AsyncHTTPClient and as many clients it "
        f"has {peer['threads']:.0f} threads and {peer['descriptors']:.0f} descriptors, with FoundationNetworking and as many "
        f"sessions {foundation['threads']:.0f} threads and {foundation['descriptors']:.0f} descriptors. Each session manager "
        f"takes {memory:.1f} MiB of memory."
    )


def clients_of(name):
    """The clients of a name of the markers: Larkspur, a peer's name, or a client's."""
    return [AWAITED] if name == "Larkspur" else PEERS.get(name, [name])


def figure(run, scenario, name, key):
    result = run.result(scenario, *clients_of(name))
    if not result or key not in result:
        sys.exit(f"{FIGURES.name} has no {key} of {name} in {scenario}.")
    return result[key]


#: What is between the markers of the other pages, by the name; the words behind it are arguments. NAME is Larkspur, a peer, or a client.
MARKED_FIGURES = {
    # Single figures, for any page: CPU time, its ratio to Larkspur's and the other way round, memory, size and clean build.
    "cpu": lambda run, scenario, name: duration(figure(run, scenario, name, "cpu_us_per_request")),
    "ratio": lambda run, scenario, name: factor(run.ratio(scenario, AWAITED, clients_of(name))),
    "inverse": lambda run, scenario, name: factor(1 / run.ratio(scenario, AWAITED, clients_of(name))),
    "memory": lambda run, scenario, name: f"{figure(run, scenario, name, 'peak_rss_mib'):.0f} MiB",
    "size": lambda run, name: f"{number(figure(run, 'program-size', name, 'program_mib'))} MiB",
    "build": lambda run, name: f"{figure(run, 'build-time', name, 'build_seconds'):.0f} s",
    # Sentences, rows and tables.
    "program-sizes": program_sizes,
    "threads-after-sessions": threads_after_sessions,
    "threads-of-sessions": threads_of_sessions,
}


def with_figures(run, text):
    def replaced(match):
        name, *arguments = match[2].split()
        return match[1] + MARKED_FIGURES[name](run, *arguments) + match[4]

    return MARKED.sub(replaced, text)


def main():
    run = Run(json.loads(FIGURES.read_text()))
    pages = {path: "\n".join(lines(run)).rstrip() + "\n" for path, lines in ((PAGE, page), (GUIDE, guide))}
    pages |= {other: with_figures(run, other.read_text()) for other in OTHER_PAGES}
    if sys.argv[1:] == ["--check"]:
        wrong = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
        if wrong:
            names = ", ".join(str(path.relative_to(ROOT)) for path in wrong)
            sys.exit(f"{names}: not as Tests/Benchmarks/figures.json has it. Run Tests/Benchmarks/Scripts/page.py.")
    else:
        for path, text in pages.items():
            path.write_text(text)


if __name__ == "__main__":
    main()
