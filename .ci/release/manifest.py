#!/usr/bin/env python3
"""Reads and writes the lines of manifests that name Larkspur.

    manifest.py write FOLDER URL VERSION  names the URL and the version in README.md and the guides
    manifest.py check FOLDER              checks that the lines of README.md are those of a manifest
    manifest.py package FOLDER NEW        creates a package in the folder NEW that depends on Larkspur as README.md says
    manifest.py link-statically FOLDER    lets the program larkspur of a copy of the package contain libcurl and OpenSSL

FOLDER is a checkout of Larkspur.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# A line of a page that names the package Larkspur, by a path or by a URL; the rest of the line is a comment.
DEPENDENCY = re.compile(
    r'^(\s*)(\.package\((?:(?:name: "Larkspur", )?path: "[^"]*\blarkspur"'
    r'|url: "[^"]*/larkspur(?:\.git)?", (?:from|exact|branch): "[^"]*")\))(,?)(?:\s*//.*)?$',
    re.IGNORECASE,
)
PRODUCT = re.compile(r'\.product\(name: "\w+", package: "Larkspur"\)')

MANIFEST = '''// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [
        {dependency},
    ],
    targets: [.executableTarget(name: "Consumer", dependencies: [{products}])]
)
'''
PROGRAM = '''import Larkspur
import LarkspurTesting

let server = try LoopbackServer()
server.route("/names", .json(#"["Ada"]"#))
let manager = SessionManager(baseURL: server.baseURL)
let names = try await manager.get("names").value(as: [String].self)
print(names.joined())
'''


def blocks(text):
    """Yields the numbers of the lines within fences, with the lines."""
    is_inside = False
    for number, line in enumerate(text.split('\n')):
        if line.startswith('```'):
            is_inside = not is_inside
        elif is_inside:
            yield number, line


def dependencies(text):
    """Returns the lines that name the package, by their numbers."""
    return {number: match for number, line in blocks(text) if (match := DEPENDENCY.match(line))}


def write(folder, url, version):
    changed = []
    for page in [folder / 'README.md', *sorted((folder / 'Docs').glob('*.md'))]:
        lines = page.read_text().split('\n')
        for number, match in dependencies(page.read_text()).items():
            lines[number] = f'{match[1]}.package(url: "{url}", from: "{version}"){match[3]}'
            changed.append(page.name)
        page.write_text('\n'.join(lines))
    if 'README.md' not in changed:
        sys.exit('README.md has no line that names the package in a block.')
    print(f'The URL and the version are in {", ".join(changed)}.')


def manifest(folder):
    """Returns a manifest with the lines of README.md."""
    text = (folder / 'README.md').read_text()
    found = [match[2] for match in dependencies(text).values()]
    if len(found) != 1:
        sys.exit(f'README.md has {len(found)} lines that name the package in a block, and not one.')
    products = [match[0] for _, line in blocks(text) for match in PRODUCT.finditer(line)]
    if '.product(name: "Larkspur", package: "Larkspur")' not in products:
        sys.exit('README.md has no line with the product Larkspur in a block.')
    # The program below uses it.
    products.append('.product(name: "LarkspurTesting", package: "Larkspur")')
    return MANIFEST.format(dependency=found[0], products=', '.join(dict.fromkeys(products)))


def check(folder):
    with tempfile.TemporaryDirectory() as new:
        Path(new, 'Package.swift').write_text(manifest(folder))
        result = subprocess.run(['swift', 'package', '--package-path', new, 'dump-package'], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f'The lines of README.md are not those of a manifest:\n{result.stderr}')
    [dependency] = json.loads(result.stdout)['dependencies']
    print('README.md names', 'a path.' if 'fileSystem' in dependency else 'a URL and a version.')


def package(folder, new):
    files = {'Package.swift': manifest(folder), 'Sources/Consumer/main.swift': PROGRAM}
    for name, text in files.items():
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        (new / name).write_text(text)


def link_statically(folder):
    path = folder / 'Package.swift'
    target = re.compile(r'(\.executableTarget\(\s*name: "LarkspurCommand",\s*dependencies: \[)')
    text, count = target.subn(r'\1"CLibcurlStatic", ', path.read_text())
    if count != 1:
        sys.exit('Package.swift has no target LarkspurCommand with dependencies.')
    path.write_text(text)


COMMANDS = {'write': (write, 3), 'check': (check, 1), 'package': (package, 2), 'link-statically': (link_statically, 1)}

command, count = COMMANDS.get(sys.argv[1] if len(sys.argv) > 1 else '', (None, 0))
if not command or len(sys.argv) != 2 + count:
    sys.exit(__doc__)
paths = 2 if command is package else 1
command(*map(Path, sys.argv[2:2 + paths]), *sys.argv[2 + paths:])
