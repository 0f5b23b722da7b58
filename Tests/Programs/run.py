#!/usr/bin/env python3
"""Compiles programs against Larkspur as a stranger does: in a fresh package, as main.swift, in Swift 6 mode.

The programs are the samples of Docs/Cookbook.md, each exactly as printed, below the declarations of prelude.swift that
it uses and does not make itself. Each mistake of mistakes.swift has to fail with the message that it names.

    Tests/Programs/run.py           makes the package in .build/programs, and compiles everything
    Tests/Programs/run.py --table   prints the mistakes with the compiler's messages, as a table
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
PACKAGE = ROOT / '.build/programs'

# A test needs a test target, not a main.swift; Tests/LarkspurTests/Docs compiles it.
NO_PROGRAMS = {'How do I test without a network?'}

MANIFEST = '''// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Programs",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Larkspur", path: "%s")],
    targets: [
        .executableTarget(name: "Program", dependencies: [.product(name: "Larkspur", package: "Larkspur")])
    ]
)
'''


def declarations():
    """Returns the declarations of the prelude by name; each is separated from the next by an empty line."""
    text = (HERE / 'prelude.swift').read_text().split('\n\n', 1)[1]
    return {re.match(r'(?:let|struct) (\w+)', part)[1]: part for part in text.strip().split('\n\n')}


def program(body):
    """Returns a program: the declarations that the body needs, and the body, unchanged."""
    known = declarations()
    made = set(re.findall(r'^(?:let|var|struct|func|import) (\w+)', body, re.MULTILINE))
    needed, text = [], body
    for name in reversed(known):
        if name not in made and re.search(rf'\b{name}\b', text):
            needed.insert(0, known[name])
            text += known[name]
    return 'import Larkspur\n\n' + '\n'.join(needed) + '\n' + body


def samples():
    """Returns the code of each question of the cookbook, by its words."""
    page = (ROOT / 'Docs/Cookbook.md').read_text()
    return {
        question: code
        for question, text in re.findall(r'^### ([^\n]*)\n(.*?)(?=^##|\Z)', page, re.MULTILINE | re.DOTALL)
        for code in re.findall(r'```swift\n(.*?)```', text, re.DOTALL)
        if question not in NO_PROGRAMS
    }


def mistakes():
    """Returns name, expected message and code of each mistake."""
    text = (HERE / 'mistakes.swift').read_text()
    return re.findall(r'^// mistake: ([^\n]*)\n// says: ([^\n]*)\n(.*?)(?=^// mistake: |\Z)', text, re.MULTILINE | re.DOTALL)


def build():
    """Makes the package with one program, and builds and links it."""
    source = PACKAGE / 'Sources/Program/main.swift'
    source.parent.mkdir(parents=True, exist_ok=True)
    (PACKAGE / 'Package.swift').write_text(MANIFEST % ROOT)
    source.write_text(program(next(iter(samples().values()))))
    result = subprocess.run(['swift', 'build'], cwd=PACKAGE, capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stdout + result.stderr)
    path = subprocess.run(['swift', 'build', '--show-bin-path'], cwd=PACKAGE, capture_output=True, text=True)
    return Path(path.stdout.strip())


def compile(name, body, binaries):
    """Compiles a program as the package does, and returns the compiler's errors and warnings."""
    folder = PACKAGE / 'programs' / re.sub(r'\W+', '-', name).strip('-')
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'main.swift').write_text(program(body))
    maps = [path.parent for path in binaries.glob('C*.build/module.modulemap')]
    maps += [path for path in ROOT.glob('Sources/C*/include')]
    result = subprocess.run(
        ['swiftc', '-swift-version', '6', '-Onone', '-c', 'main.swift', '-o', 'main.o', '-module-name', 'Program',
         *(argument for path in [binaries / 'Modules', *maps] for argument in ('-I', path))],
        cwd=folder, capture_output=True, text=True,
    )
    return re.findall(r'^\S*main\.swift:\d+:\d+: ((?:error|warning): .*)', result.stderr, re.MULTILINE) or (
        [result.stderr] if result.returncode else []
    )


def main():
    parser = argparse.ArgumentParser(description='Compiles programs against Larkspur in a fresh package.')
    parser.add_argument('--table', action='store_true', help="print the mistakes with the compiler's messages")
    parser.add_argument('--binaries', type=Path, help='the products of a build of Larkspur, in place of a fresh package')
    arguments = parser.parse_args()

    start = time.monotonic()
    binaries = arguments.binaries or build()
    built = time.monotonic() - start
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        programs = samples()
        for name, found in zip(programs, pool.map(lambda name: compile(name, programs[name], binaries), programs)):
            if found:
                failed = True
                print(f'{name}\n    ' + '\n    '.join(found))
        wrong = mistakes()
        for (name, says, code), found in zip(wrong, pool.map(lambda mistake: compile(*mistake[::2], binaries), wrong)):
            first = next((text for text in found if text.startswith('error: ')), 'no error')
            if arguments.table:
                print(f'| {name} | `{code.strip().splitlines()[-1].strip()}` | {first} |')
            if says not in first:
                failed = True
                print(f'{name}: expected “{says}”, found:\n    ' + '\n    '.join(found or [first]))
    print(f'{len(programs)} programs and {len(wrong)} mistakes in {time.monotonic() - start:.0f} s, '
          f'{built:.0f} of them for the package')
    sys.exit(failed)


if __name__ == '__main__':
    main()
