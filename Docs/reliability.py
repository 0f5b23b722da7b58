#!/usr/bin/env python3
"""Writes the list of trials at the end of Docs/Reliability.md, from the sources: every test of the generators, and every target of the fuzzer.

    Docs/reliability.py            writes the list
    Docs/reliability.py --check    fails if it is not up to date
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'Docs/Reliability.md'
BEGIN, END = '<!-- The list of Docs/reliability.py begins. -->', '<!-- It ends. -->'

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
STRUCT = re.compile(r'(?:struct|class) (\w+)')
TEST = re.compile(r'@Test\(\s*"((?:[^"\\]|\\.)*)".*?func (\w+)\(', re.DOTALL)


def tests(source):
    """The tests of a source, each as suite, function and sentence."""
    text = source.read_text()
    # The innermost suite that begins before a test.
    suites = [(match.start(), match.group(1)) for match in STRUCT.finditer(text) if match.group(1) != 'func']
    for match in TEST.finditer(text):
        before = [name for start, name in suites if start < match.start()]
        yield before[-1] if before else source.stem, match.group(2), match.group(1).replace('\\"', '"')


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
    names = targets()
    yield f'### Fuzzing: {len(names)} targets'
    yield ''
    yield ', '.join(f'`{name}`' for name in names)
    for kind, patterns in KINDS.items():
        sources = sorted({source for pattern in patterns for source in (ROOT / 'Tests').glob(pattern)})
        rows = [row for source in sources for row in tests(source)]
        if not rows:
            sys.exit(f'{kind}: no tests found.')
        yield ''
        yield f'### {kind}: {len(rows)} tests'
        yield ''
        yield '| test | what it shows |'
        yield '| --- | --- |'
        for suite, function, sentence in rows:
            yield f'| `{suite}.{function}` | {sentence.replace("|", chr(92) + "|")} |'
    found = mutations()
    yield ''
    yield f'### Mutation: {len(found)} decisions'
    yield ''
    for decision in found:
        yield f'- {decision}'


def main():
    text = PAGE.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f'{PAGE} has no place for the list.')
    new = before + BEGIN + '\n\n' + '\n'.join(lines()) + '\n\n' + END + after
    if '--check' in sys.argv[1:]:
        if new != text:
            sys.exit('The list of Docs/Reliability.md is not up to date: run Docs/reliability.py.')
    else:
        PAGE.write_text(new)


main()
