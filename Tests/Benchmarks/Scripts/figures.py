"""The figures of one run, and the clients and scenarios that the pages compare."""

import sys
from pathlib import Path

from report import number

ROOT = Path(__file__).resolve().parents[3]
FIGURES = ROOT / "Tests/Benchmarks/figures.json"

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


def duration(microseconds):
    return f"{number(microseconds)} µs" if microseconds < 10_000 else f"{number(microseconds / 1000)} ms"
