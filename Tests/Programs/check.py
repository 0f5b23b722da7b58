#!/usr/bin/env python3
"""Builds the programs of Docs/Programs.md exactly as they are printed, each as the `main.swift` of an executable target,
in a package of its own that names this checkout as its dependency; and the samples of Docs/Cookbook.md as top-level code
behind the lines that its first block shows. Everything is in Swift 6 mode; a warning is an error.

    Tests/Programs/check.py                        builds in .build/programs, which the next run uses again
    Tests/Programs/check.py --scratch-path FOLDER  builds there
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = 13

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
TARGET = '        .executableTarget(name: "{name}", dependencies: [.product(name: "Larkspur", package: "Larkspur")]),'

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


def build(folder, scratch):
    """Builds the programs; returns their headings."""
    programs = blocks('Programs', 'swift-program')
    if len(programs) != PROGRAMS:
        sys.exit(f'Docs/Programs.md has {len(programs)} programs, and not {PROGRAMS}.')
    names = [target_name(heading) for heading, _ in programs]
    for name, (_, code) in zip(names, programs, strict=True):
        (folder / 'Sources' / name).mkdir(parents=True)
        (folder / 'Sources' / name / 'main.swift').write_text(code)
    targets = '\n'.join(TARGET.format(name=name) for name in names)
    (folder / 'Package.swift').write_text(MANIFEST.format(root=ROOT, targets=targets))
    result = subprocess.run(
        ['swift', 'build', '--package-path', folder, '--scratch-path', scratch],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if result.returncode or 'warning:' in result.stdout:
        sys.exit(result.stdout)
    return names


def check_samples(folder, scratch):
    """Type-checks the samples of the cookbook; returns their number."""
    binaries = Path(subprocess.check_output(
        ['swift', 'build', '--package-path', folder, '--scratch-path', scratch, '--show-bin-path'], text=True
    ).strip())
    modules = [binaries / 'Modules', *(path.parent for path in binaries.glob('C*.build/module.modulemap'))]
    options = [argument for path in modules for argument in ('-I', path)]
    [(_, lines)] = blocks('Cookbook', 'swift-program')
    # Tests are no programs.
    samples = [(heading, code) for heading, code in blocks('Cookbook', 'swift') if '@Test' not in code]
    failures = 0
    for index, (heading, code) in enumerate(samples):
        file = folder / 'Samples' / str(index) / 'main.swift'
        file.parent.mkdir(parents=True)
        # A sample may declare a name anew.
        before = '\n'.join(
            line for line in lines.split('\n')
            if not (declared := re.match(r'let (\w+)', line))
            or not re.search(rf'^(?:let|var) {declared[1]}\b', code, re.MULTILINE)
        )
        file.write_text(f'{before}\n#sourceLocation(file: "{heading}", line: 1)\n{code}')
        result = subprocess.run(
            ['swiftc', '-emit-sil', '-o', '/dev/null', '-swift-version', '6', '-warnings-as-errors', *options, file],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if result.returncode:
            failures += 1
            print(f'Docs/Cookbook.md, {heading}\n{result.stdout}')
    if failures:
        sys.exit(f'{failures} of {len(samples)} samples do not compile as top-level code.')
    return len(samples)


def main():
    parser = argparse.ArgumentParser(description='Builds the programs and samples of the guides as they are printed.')
    parser.add_argument('--scratch-path', type=Path, default=ROOT / '.build/programs', help='the folder of the products')
    arguments = parser.parse_args()
    scratch = arguments.scratch_path.absolute()
    start, cpu = time.monotonic(), os.times()
    with tempfile.TemporaryDirectory() as folder:
        names = build(Path(folder), scratch)
        count = check_samples(Path(folder), scratch)
    used = os.times()
    seconds = used.children_user + used.children_system - cpu.children_user - cpu.children_system
    print(f'{", ".join(names)}: built. {count} samples of the cookbook: checked.')
    print(f'{time.monotonic() - start:.0f} s, {seconds:.0f} s of the processors.')


if __name__ == '__main__':
    main()
