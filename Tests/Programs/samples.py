#!/usr/bin/env python3
"""Compiles the Swift samples of the guides and of the doc comments as they are printed: in Swift 6 mode, in Swift 5
mode, and with the main actor as the default isolation.

A sample of a guide is a block with the word `swift`. A sample of a doc comment stands below an empty line of it,
indented by four more columns. Each sample is the body of a function, behind the declarations of samples.swift, which no
sample repeats. The modules are those of `swift build`. The programs of Tests/Credentials are checked in the same way.

    Tests/Programs/samples.py
"""

import concurrent.futures
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from check import ROOT, module_options

MODES = {
    'in Swift 6 mode': ['-swift-version', '6'],
    'in Swift 5 mode': ['-swift-version', '5'],
    'with the main actor as default': ['-swift-version', '6', '-default-isolation', 'MainActor'],
}
COMMENT = re.compile(r'\s*/// ?(.*)')


def in_comments(path):
    """Yields the samples of a source file: the number of the first line, and the lines."""
    first, lines, is_text, is_behind_blank = 0, [], False, False
    for number, line in enumerate(path.read_text().split('\n') + [''], 1):
        comment = COMMENT.fullmatch(line)
        text = comment[1] if comment else None
        is_code = text is not None and not is_text and text.startswith('    ') and (lines or is_behind_blank)
        if is_code:
            first = first or number
            lines.append(text[4:])
        elif lines and text == '':
            lines.append('')
        elif lines:
            yield first, lines
            first, lines = 0, []
        if text is not None and text.startswith('```'):
            is_text = not is_text
        is_behind_blank = text == ''


def in_guide(path):
    """Yields the samples of a guide, as in_comments does. Tests are compiled with Larkspur's own tests."""
    language, first, lines = None, 0, []
    for number, line in enumerate(path.read_text().split('\n'), 1):
        if not line.startswith('```'):
            # A file has its imports once, in front.
            lines.append('' if line.startswith('import ') else line)
        elif language is None:
            language, first, lines = line[3:], number + 1, []
        else:
            if language == 'swift' and not re.search(r'#expect|@Test|XCTest', '\n'.join(lines)):
                yield first, lines
            language = None


def in_program(path):
    """Yields a whole program, as in_comments does."""
    yield 1, ['' if line.startswith('import ') else line for line in path.read_text().split('\n')]


def source():
    """Returns a Swift file with a function for each sample, and the number of samples. Errors are reported where the
    sample stands. The declarations of a page are in an enum with its functions. A sample with an extension is at the
    top level."""
    text = (ROOT / 'Tests/Programs/samples.swift').read_text()
    declarations, *pages = re.split(r'^// page: (.*)\n', text, flags=re.MULTILINE)
    of_page = dict(zip(pages[::2], pages[1::2], strict=True))
    files = {path: in_comments(path) for path in sorted((ROOT / 'Sources').rglob('*.swift'))}
    files |= {path: in_guide(path) for path in [ROOT / 'README.md', *sorted((ROOT / 'Docs').glob('*.md'))]}
    files |= {path: in_program(path) for path in sorted((ROOT / 'Tests/Credentials/Programs').glob('*.swift'))}
    parts, extensions, count = [declarations], [], 0
    for index, (path, samples) in enumerate(files.items()):
        name = path.relative_to(ROOT)
        parts.append(f'enum File{index} {{\n{of_page.pop(path.name, "")}')
        for first, lines in samples:
            count += 1
            place, code = f'#sourceLocation(file: "{name}", line: {first})', '\n'.join(lines)
            if re.search('^extension ', code, re.MULTILINE):
                extensions.append(f'{place}\n{code}\n#sourceLocation()\n')
            else:
                parts.append(f'static func sample{count}() async throws {{\n{place}\n{code}\n#sourceLocation()\n}}\n')
        parts.append('}\n')
    if of_page:
        sys.exit(f'samples.swift has declarations for {", ".join(of_page)}, which is no page.')
    return ''.join(parts + extensions), count


def errors_of(file, options):
    result = subprocess.run(
        ['swiftc', '-typecheck', '-parse-as-library', '-diagnostic-style', 'llvm', *options, file],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    found = re.findall(r'^(.*): error: (.*)', result.stdout, re.MULTILINE)
    return found or ([(file, result.stdout)] if result.returncode else [])


def main():
    binaries = Path(subprocess.check_output(['swift', 'build', '--show-bin-path'], cwd=ROOT, text=True).strip())
    options = module_options(binaries)
    code, count = source()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        file = Path(folder) / 'Samples.swift'
        file.write_text(code)
        results = pool.map(lambda mode: errors_of(file, [*mode, *options]), MODES.values())
        found = [f'{place}, {mode}: {message}' for mode, errors in zip(MODES, results) for place, message in errors]
    if found:
        sys.exit('\n'.join(found))
    print(f'{count} samples of the guides and of the doc comments, and programs with credentials: checked {", ".join(MODES)}.')


if __name__ == '__main__':
    main()
