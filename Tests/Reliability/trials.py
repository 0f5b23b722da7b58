#!/usr/bin/env python3
"""Writes Tests/Reliability/Trials.md from the sources: every test of the generators, every target of the fuzzer, and every mutation.

    Tests/Reliability/trials.py            writes the page
    Tests/Reliability/trials.py --check    fails if it is not up to date
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / 'Tests/Reliability/Trials.md'

# The headings, and the files with the tests, as patterns below Tests.
KINDS = {
    'Generated responses': ['LarkspurTests/Generated/*Tests.swift', 'Interop/HTTP2/GeneratedStreamTests.swift', 'Interop/HTTP2/GeneratedUploadTests.swift'],
    'Crossings': ['LarkspurTests/Crossings/*Tests.swift'],
    'Models of calls, sessions and caches': ['*/Model/*Tests.swift', '*/Session/Model/*Tests.swift', '*/Cache/CacheModelTests.swift'],
    'Beside other implementations': [
        'Interop/Differential/*Tests.swift', 'Interop/WebSocketFuzzTests.swift',
        'Interop/EventStreamInteropTests.swift', 'Interop/ContentDispositionInteropTests.swift',
    ],
    'Faults in transit': ['Interop/Network/*Tests.swift'],
    'Faults of the machine': ['Interop/Machine/*Tests.swift'],
    'Load and time': ['Interop/Load/*Tests.swift', 'LarkspurTests/Soak/*Tests.swift'],
    'Secrets': [
        'LarkspurTests/Observation/SecretScenarioTests.swift', 'LarkspurTests/Observation/CanaryGeneratorTests.swift',
    ],
}
STRUCT = re.compile(r'^( *)(?:[\w@()".]+ )*(?:struct|final class|class) (\w+)[^\n]*\{\n(?s:.*?)^\1\}', re.MULTILINE)
TEST = re.compile(r'@Test\(\s*"((?:[^"\\]|\\.)*)".*?func (\w+)\(', re.DOTALL)


def tests(source):
    """The tests of a source, each as suite, function and sentence."""
    text = source.read_text()
    # A suite ends with the brace that has its indentation.
    for match in TEST.finditer(text):
        around = [suite[2] for suite in suites(text) if suite.start() < match.start() < suite.end()]
        yield around[-1] if around else source.stem, match.group(2), match.group(1).replace('\\"', '"')


def suites(text, start=0):
    """The types of a source with their ranges, the outer ones first."""
    while match := STRUCT.search(text, start):
        yield match
        start = match.end(2)


def targets():
    """The names of the fuzzer's targets."""
    names = set()
    for source in sorted((ROOT / 'Tests/Fuzzing/Sources/Fuzz/Targets').glob('*.swift')):
        names.update(re.findall(r'FuzzTarget\(\s*(?:text: |unmeasured: )?"([a-z0-9-]+)"', source.read_text()))
    return sorted(names)


def mutations():
    """The decisions that Tests/Mutation breaks."""
    return re.findall(r'Mutation\(\s*"([^"]+)"', (ROOT / 'Tests/Mutation/mutations.py').read_text())


def lines():
    yield '# Trials'
    yield ''
    yield 'The targets, tests and mutations of the generators, with the sentence that each test has in the sources. `Tests/Reliability/trials.py` writes this page. [Reliability](README.md) describes the generators.'
    yield ''
    names = targets()
    yield f'## Fuzzing: {len(names)} targets'
    yield ''
    yield ', '.join(f'`{name}`' for name in names)
    for kind, patterns in KINDS.items():
        sources = sorted({source for pattern in patterns for source in (ROOT / 'Tests').glob(pattern)})
        rows = [row for source in sources for row in tests(source)]
        if not rows:
            sys.exit(f'{kind}: no tests found.')
        yield ''
        yield f'## {kind}: {len(rows)} tests'
        yield ''
        yield '| test | what it shows |'
        yield '| --- | --- |'
        for suite, function, sentence in rows:
            yield f'| `{suite}.{function}` | {sentence.replace("|", chr(92) + "|")} |'
    found = mutations()
    yield ''
    yield f'## Mutation: {len(found)} decisions'
    yield ''
    for decision in found:
        yield f'- {decision}'


def main():
    page = '\n'.join(lines()) + '\n'
    if '--check' not in sys.argv[1:]:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit('Tests/Reliability/Trials.md is not up to date: run Tests/Reliability/trials.py.')


main()
