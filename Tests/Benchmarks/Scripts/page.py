#!/usr/bin/env python3
"""Writes the pages of figures from one run, and puts the figures into the other pages that have some.

    Tests/Benchmarks/run.sh --json Tests/Benchmarks/figures.json    makes the run
    Tests/Benchmarks/Scripts/page.py                                writes the pages
    Tests/Benchmarks/Scripts/page.py --check                        fails if they do not agree with the figures

Tests/Benchmarks/Figures.md has all figures, and Docs/Performance.md those that matter most. In the other pages, the figures stand between
`<!-- figures: NAME -->` and `<!-- end of figures -->`. A name can have arguments, as in `<!-- figures: ratio default-call-32 FoundationNetworking -->`:
MARKED_FIGURES in marked.py lists the names.
"""

import datetime
import json
import sys

import report
from figures import AWAITED, COMPARISONS, FIGURES, PEERS, ROOT, Run
from guide import guide
from marked import with_figures
from report import factor, markdown

PAGE = ROOT / "Tests/Benchmarks/Figures.md"
GUIDE = ROOT / "Docs/Performance.md"
OTHER_PAGES = [ROOT / "README.md", ROOT / "Docs/BeforeYouAdopt.md"]

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
