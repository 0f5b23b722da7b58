"""The figures of the first page, each from where it is made: the run of the benchmarks, and the sources."""

import json
import re
import sys

from .guides import ROOT, Problems

sys.path.append(str(ROOT / 'Tests/Benchmarks/Scripts'))

SERVER = 'LarkspurTesting/LoopbackServer'


def reasons():
    """Returns the reasons to use Larkspur: a figure, a heading, and a text in the Markdown of the guides."""
    # The script that writes these figures into the guides.
    from page import AHC, AWAITED, FIGURES, FOUNDATION, PEERS, Run
    from report import factor, number

    run = Run(json.loads(FIGURES.read_text()))
    faults = cases(f'{SERVER}/Fault.swift', 'Fault') + cases(f'{SERVER}/WebSocket/WebSocketFault.swift', 'WebSocketFault')
    own, foundation = (run.memory('slow-consumer-1gib', client) for client in (AWAITED, FOUNDATION))
    cost, beside = (run.ratio('default-call-32', AWAITED, PEERS[name]) for name in (FOUNDATION, AHC))
    size = run.result('program-size', AWAITED)['program_mib']
    # The numbers stay on a line with their units.
    return [
        (
            f'{faults} faults', 'It survives bad servers',
            'The server for tests simulates them, and all are [tested](Reliability.md). Replies that end a process with '
            'Foundation’s `URLSession` on Linux end only the task.',
        ),
        (
            f'{own:.0f} MiB', 'Its memory is bounded',
            f'This is the memory of a process that reads 1 GiB slowly. With Foundation’s `URLSession` on Linux it is '
            f'[{foundation:.0f}\N{NO-BREAK SPACE}MiB](Performance.md).',
        ),
        (
            f'{factor(cost)} ×', 'Its costs are published',
            'This is the CPU time of a call, with 32 in flight, beside Foundation’s `URLSession` on Linux. Beside '
            f'AsyncHTTPClient it is [{factor(beside)}\N{NO-BREAK SPACE}×](Performance.md).',
        ),
        (
            f'{number(size)} MiB', 'It brings nothing along',
            'This is the [size](BeforeYouAdopt.md) of the smallest program. Larkspur depends on no other package; on Linux '
            'it needs libcurl at run time.',
        ),
    ]


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
