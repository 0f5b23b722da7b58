#!/usr/bin/env python3
"""Compiles what the guides print as a stranger does: in Swift 6 mode, as the `main.swift` of a package that names this
checkout as its dependency. A warning is an error.

- Each program of Docs/Programs.md, and of the guides that have one, is built as an executable target, exactly as it is printed, and checked once more
  with the main actor as the default isolation.
- The programs of README.md are built, too, and have to print what stands below them.
- Each sample of Docs/Cookbook.md is checked as top-level code behind the lines that the guide's first block shows.
- Each mistake of mistakes.swift, behind the same lines, has to fail, and the first error has to contain its message. A
  second message behind ` | ` is allowed, too: which overload the compiler names has differed between two machines with
  the same compiler.

    Tests/Programs/check.py                        builds in .build/programs, which the next run uses again
    Tests/Programs/check.py --scratch-path FOLDER  builds there
    Tests/Programs/check.py --record               writes what the programs of README.md print into it
    Tests/Programs/check.py --table                prints the mistakes with the compiler's messages as a table, too
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import readme

ROOT = Path(__file__).resolve().parent.parent.parent
# The numbers of programs in guides.
PROGRAMS = {'Programs': 13, 'UntrustedURLs': 1}

MANIFEST = '''// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Programs",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Larkspur", path: "{root}")],
    targets: [
{targets}
    ]
)
'''
# Those that the programs and samples import.
PRODUCTS = ['Larkspur', 'LarkspurActivity', 'LarkspurReachability', 'LarkspurTesting', 'LarkspurTransport']
DEPENDENCIES = ', '.join(f'.product(name: "{product}", package: "Larkspur")' for product in PRODUCTS)
TARGET = f'        .executableTarget(name: "{{name}}", dependencies: [{DEPENDENCIES}]),'


def blocks(name, info):
    """Returns the fenced blocks of a guide with a word behind their fence, each with the heading above it."""
    found, heading, lines = [], '', None
    for line in (ROOT / 'Docs' / f'{name}.md').read_text().split('\n'):
        if lines is None and line.startswith('#'):
            heading = line.lstrip('# ')
        elif line.startswith('```'):
            if lines is None:
                opening, lines = line[3:], []
            else:
                if opening == info:
                    found.append((heading, '\n'.join(lines) + '\n'))
                lines = None
        elif lines is not None:
            lines.append(line)
    return found


def target_name(heading):
    return ''.join(word.capitalize() for word in re.findall(r'\w+', heading))


def all_programs():
    """Returns the programs of the guides, each with its guide and the heading above it."""
    found = []
    for guide, count in PROGRAMS.items():
        programs = blocks(guide, 'swift-program')
        if len(programs) != count:
            sys.exit(f'Docs/{guide}.md has {len(programs)} programs, and not {count}.')
        found += [(guide, heading, code) for heading, code in programs]
    return found


def build(folder, scratch):
    """Builds the programs; returns their headings."""
    programs = readme.programs() | {target_name(heading): code for _, heading, code in all_programs()}
    for name, code in programs.items():
        (folder / 'Sources' / name).mkdir(parents=True)
        (folder / 'Sources' / name / 'main.swift').write_text(code)
    targets = '\n'.join(TARGET.format(name=name) for name in programs)
    (folder / 'Package.swift').write_text(MANIFEST.format(root=ROOT, targets=targets))
    result = subprocess.run(
        ['swift', 'build', '--package-path', folder, '--scratch-path', scratch],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if result.returncode or 'warning:' in result.stdout:
        sys.exit(result.stdout)
    return list(programs)


def binary_path(folder, scratch):
    """Returns the folder of the programs."""
    return Path(subprocess.check_output(
        ['swift', 'build', '--package-path', folder, '--scratch-path', scratch, '--show-bin-path'], text=True
    ).strip())


def module_options(binaries):
    """Returns the compiler's options for the modules that the package is built with."""
    modules = [binaries / 'Modules', *(path.parent for path in binaries.glob('C*.build/module.modulemap'))]
    return [argument for path in modules for argument in ('-I', path)]


class Checker:
    """Checks code as a `main.swift` that begins with the lines of the cookbook's first block."""

    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        [(_, lines)] = blocks('Cookbook', 'swift-program')
        self.lines = lines.split('\n')

    def first_lines(self, code):
        """Returns the lines of the cookbook's first block, without those that declare a name that code declares anew."""
        return '\n'.join(
            line for line in self.lines
            if not (declared := re.match(r'let (\w+)', line))
            or not re.search(rf'^(?:let|var) {declared[1]}\b', code, re.MULTILINE)
        )

    def diagnostics(self, code, *options, before=None):
        """Returns what the compiler says about code: lines of it, and messages. The first lines are before it, unless
        others are given."""
        if before is None:
            before = self.first_lines(code)
        # Only a file of this name has top-level code.
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            file = Path(folder) / 'main.swift'
            file.write_text(f'{before}\n#sourceLocation(file: "code", line: 1)\n{code}')
            result = subprocess.run(
                ['swiftc', '-emit-sil', '-o', '/dev/null', '-swift-version', '6', *options, *self.options, file],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
        found = re.findall(r'^[^\s:]+:(\d+):\d+: ((?:error|warning): .*)', result.stdout, re.MULTILINE)
        if result.returncode and not found:
            found = [(0, f'error: {result.stdout}')]
        return [(int(line), message) for line, message in found]

    def check_isolation(self, pool):
        """Checks the programs with the main actor as the default isolation."""
        programs = [('../README', name, code) for name, code in readme.programs().items()] + all_programs()
        options = ['-default-isolation', 'MainActor', '-warnings-as-errors']
        failures = 0
        results = pool.map(lambda program: self.diagnostics(program[2], *options, before=''), programs)
        for (guide, heading, _), found in zip(programs, results, strict=True):
            failures += bool(found)
            for line, message in found:
                print(f'Docs/{guide}.md, {heading}, line {line}, with the main actor as default: {message}')
        if failures:
            sys.exit(f'{failures} of {len(programs)} programs do not compile with the main actor as default isolation.')

    def check_samples(self, pool):
        """Checks the samples of the cookbook; returns their number."""
        # Tests are no programs.
        samples = [(heading, code) for heading, code in blocks('Cookbook', 'swift') if '@Test' not in code]
        failures = 0
        results = pool.map(lambda sample: self.diagnostics(sample[1], '-warnings-as-errors'), samples)
        for (heading, _), found in zip(samples, results, strict=True):
            failures += bool(found)
            for line, message in found:
                print(f'Docs/Cookbook.md, {heading}, line {line}: {message}')
        if failures:
            sys.exit(f'{failures} of {len(samples)} samples do not compile as top-level code.')
        return len(samples)

    def check_mistakes(self, pool, prints_table):
        """Checks that each mistake fails with its message; returns their number."""
        text = (ROOT / 'Tests/Programs/mistakes.swift').read_text()
        pattern = r'^// mistake: ([^\n]*)\n// says: ([^\n]*)\n(.*?)(?=^// mistake: |\Z)'
        mistakes = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
        if not mistakes or len(mistakes) != text.count('// mistake: '):
            sys.exit('mistakes.swift has a mistake that says nothing.')
        failures = 0
        if prints_table:
            print('| mistake | line | the compiler says |\n| --- | --- | --- |')
        results = pool.map(lambda mistake: self.diagnostics(mistake[2]), mistakes)
        for (name, says, code), found in zip(mistakes, results, strict=True):
            errors = [(line, message) for line, message in found if message.startswith('error: ')]
            line, message = errors[0] if errors else (0, 'nothing: it compiles')
            if prints_table:
                place = code.split('\n')[line - 1].strip() if line else ''
                print(f'| {name} | `{place}` | {message.removeprefix("error: ")} |')
            if not any(expected in message for expected in says.split(' | ')):
                failures += 1
                print(f'mistakes.swift, {name}: expected “{says}”, and the compiler says {message}')
        if failures:
            sys.exit(f'{failures} of {len(mistakes)} mistakes do not fail as they should.')
        return len(mistakes)


def main():
    parser = argparse.ArgumentParser(description='Compiles the programs and samples of the guides as they are printed.')
    parser.add_argument('--scratch-path', type=Path, default=ROOT / '.build/programs', help='folder of the products')
    parser.add_argument('--record', action='store_true', help='write what the programs of README.md print into it')
    parser.add_argument('--table', action='store_true', help="print the mistakes with the compiler's messages")
    arguments = parser.parse_args()
    scratch = arguments.scratch_path.absolute()
    start, cpu = time.monotonic(), os.times()
    with tempfile.TemporaryDirectory() as folder:
        names = build(Path(folder), scratch)
        binaries = binary_path(folder, scratch)
        if not readme.check(binaries, arguments.record):
            sys.exit('README.md does not have what its programs print: Tests/Programs/check.py --record')
        checker = Checker(folder, module_options(binaries))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            checker.check_isolation(pool)
            samples = checker.check_samples(pool)
            mistakes = checker.check_mistakes(pool, arguments.table)
    used = os.times()
    seconds = used.children_user + used.children_system - cpu.children_user - cpu.children_system
    print(f'{", ".join(names)}: built, and checked with the main actor as default isolation. {samples} samples of the cookbook: checked. {mistakes} mistakes: refused.')
    print(f'{time.monotonic() - start:.0f} s, {seconds:.0f} s of the processors.')


if __name__ == '__main__':
    main()
