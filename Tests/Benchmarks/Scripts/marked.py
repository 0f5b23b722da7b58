"""The figures between markers in other pages."""

import re
import sys

import report
from figures import AHC, AWAITED, FIGURES, FOUNDATION, GO, PEERS, PROGRAMS, duration
from report import factor, markdown, number

MARKED = re.compile(r"(<!-- figures: ([^\n>]+?) -->\n*)(.*?)(\n*<!-- end of figures -->)", re.DOTALL)


def speed(run):
    def ratio(count, name):
        return factor(run.ratio(f"default-call-{count}", AWAITED, PEERS[name]))

    return (
        f"**Its costs are published.** With 32 calls in flight, the first call above takes {ratio(32, AHC)} × the CPU time of "
        f"AsyncHTTPClient with a `JSONDecoder`, {ratio(32, FOUNDATION)} × the CPU time of Foundation's `URLSession`, and "
        f"{ratio(32, GO)} × the CPU time of Go's `net/http`. With one call in flight, it takes {ratio(1, AHC)} ×, "
        f"{ratio(1, FOUNDATION)} × and {ratio(1, GO)} ×. [Figures](Tests/Benchmarks/Figures.md) has all measurements, also those "
        "in which Larkspur is slower."
    )


def bounded_memory(run):
    own, foundation = run.memory("slow-consumer-1gib", AWAITED), run.memory("slow-consumer-1gib", "FoundationNetworking")
    return (
        f"**Its memory is bounded.** When 1 GiB is sent to a slow consumer, the process takes {own:.0f} MiB of memory. With "
        f"Foundation's `URLSession` it takes {foundation:.0f} MiB."
    )


def call_cost(run):
    cells = [factor(run.ratio("default-call-32", AWAITED, PEERS[AHC])), "not measured", "1"]
    foundation = run.result("default-call-32", *PEERS[FOUNDATION])["cpu_us_per_request"]
    peer = run.result("default-call-32", *PEERS[AHC])["cpu_us_per_request"]
    title = "CPU time of a GET whose JSON is decoded, with 32 in flight; AHC's async functions are 1"
    return " | ".join([title, *cells, factor(foundation / peer)])


def call_memory(run):
    own, peer, foundation = (
        f"{run.memory('default-call-32', *clients):.0f} MiB" for clients in ([AWAITED], PEERS[AHC], PEERS[FOUNDATION])
    )
    return " | ".join(["peak memory in that test", own, "not measured", peer, foundation])


def program_size(run):
    return f"{number(run.size(AWAITED))} MiB"


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
    "speed": speed,
    "bounded-memory": bounded_memory,
    "call-cost": call_cost,
    "call-memory": call_memory,
    "program-size": program_size,
    "program-sizes": program_sizes,
    "threads-after-sessions": threads_after_sessions,
    "threads-of-sessions": threads_of_sessions,
}


def with_figures(run, text):
    def replaced(match):
        name, *arguments = match[2].split()
        return match[1] + MARKED_FIGURES[name](run, *arguments) + match[4]

    return MARKED.sub(replaced, text)
