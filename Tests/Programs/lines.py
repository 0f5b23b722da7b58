#!/usr/bin/env python3
"""Counts the lines of the programs of Docs/Programs.md, and of the same programs for other clients (folder peers).

A line counts if it has code: blank lines, comments and imports do not count. All programs have the width that
.swift-format allows. The table of README.md in this folder has these numbers.

    Tests/Programs/lines.py          prints the table
    Tests/Programs/lines.py --check  fails if README.md has another table, or if a program of Tests/Credentials has more
                                     than 60 lines, all of its lines counted
"""

import re
import sys
from pathlib import Path

from check import ROOT, blocks

PEERS = {'Alamofire': ('alamofire', 'swift'), 'httpx': ('httpx', 'py')}
LONGEST = 60
IGNORED = re.compile(r'//|#|import |from |@_spi\(\w+\) import ')


def count(code):
    return sum(1 for line in code.split('\n') if line.strip() and not IGNORED.match(line.strip()))


def peer_lines(number, folder, extension):
    """Returns the lines of a peer's program; none if there is no such program."""
    files = list((ROOT / 'Tests/Programs/peers' / folder).glob(f'{number:02}-*.{extension}'))
    return count(files[0].read_text()) if files else None


def table():
    rows = ['| program | Larkspur | Alamofire | httpx |', '| --- | --- | --- | --- |']
    for number, (heading, code) in enumerate(blocks('Programs', 'swift-program'), 1):
        counts = [count(code), *(peer_lines(number, *peer) for peer in PEERS.values())]
        rows.append(f'| {heading} | {" | ".join("–" if lines is None else str(lines) for lines in counts)} |')
    return '\n'.join(rows)


def main():
    if sys.argv[1:] != ['--check']:
        print(table())
        return
    for file in (ROOT / 'Tests/Credentials/Programs').glob('*.swift'):
        if (lines := len(file.read_text().splitlines())) > LONGEST:
            sys.exit(f'{file.relative_to(ROOT)} has {lines} lines, and not at most {LONGEST}.')
    if table() not in (ROOT / 'Tests/Programs/README.md').read_text():
        sys.exit(f'Tests/Programs/README.md has another table than this one:\n{table()}')


if __name__ == '__main__':
    main()
