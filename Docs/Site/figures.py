"""The figures of the first page, each from where it is made: the run of the benchmarks, and the sources."""

import json
import re
import sys

from .guides import ROOT, Problems

sys.path.append(str(ROOT / 'Tests/Benchmarks/Scripts'))

SERVER = 'LarkspurTesting/LoopbackServer'


def reasons():
    """Returns the reasons to use Larkspur: a figure, a heading, and a text in the Markdown of the guides."""
    # The figures that the guides have too.
    from figures import AHC, AWAITED, FIGURES, FOUNDATION, PEERS, Run
    from report import factor, number

    run = Run(json.loads(FIGURES.read_text()))
    faults = cases(f'{SERVER}/Fault.swift', 'Fault')
    faults += cases(f'{SERVER}/WebSocket/WebSocketFault.swift', 'WebSocketFault')
    own, foundation = (run.memory('slow-consumer-1gib', client) for client in (AWAITED, FOUNDATION))
    cost = {name: f'{factor(run.ratio("default-call-32", AWAITED, PEERS[name]))} ×' for name in (FOUNDATION, AHC)}
    size = f'{number(run.result("program-size", AWAITED)["program_mib"])} MiB'
    reasons = [
        (
            f'{faults} faults', 'It survives bad servers',
            'The server for tests simulates them, and all are [tested](Reliability.md). Replies that end a process '
            'with Foundation’s `URLSession` on Linux end only the task.',
        ),
        (
            f'{own:.0f} MiB', 'Its memory is bounded',
            f'A process that reads 1 GiB slowly takes {own:.0f} MiB. With Foundation’s `URLSession` on Linux it takes '
            f'[{foundation:.0f} MiB](Performance.md).',
        ),
        (
            cost[FOUNDATION], 'Its costs are published',
            f'With 32 calls in flight, a call takes {cost[FOUNDATION]} the CPU time of Foundation’s `URLSession` on '
            f'Linux, and [{cost[AHC]}](Performance.md) that of AsyncHTTPClient.',
        ),
        (
            size, 'It depends on no package',
            f'The [smallest program](BeforeYouAdopt.md) has {size}. On Linux it needs libcurl, which is found at run '
            'time.',
        ),
    ]
    # Numbers stay on a line with their units.
    return [[re.sub(r'(\d) (?=[GM]iB|×)', '\\1\N{NO-BREAK SPACE}', text) for text in reason] for reason in reasons]


def cases(path, name):
    """Returns the number of cases of an enumeration in the sources, which stand before its properties."""
    match = re.search(rf'\benum {name}\b.*?\n    +public var ', source(path), re.DOTALL)
    count = len(re.findall(r'^ +case \w+', match[0], re.MULTILINE)) if match else 0
    if not count:
        raise Problems(f'{path} has no enumeration {name} with cases.')
    return count


def source(path):
    return (ROOT / 'Sources' / path).read_text()


def version():
    """Returns the version of Larkspur, which the tests compare with the changelog."""
    return re.search(r'current = "([^"]+)"', source('Larkspur/Basics/LarkspurVersion.swift'))[1]
