#!/usr/bin/env python3
"""Writes the lists of symbols in the guides for those who come from another library, from the tables of this folder.

    Tests/Migration/guides.py          writes the lists
    Tests/Migration/guides.py --check  fails if they are not up to date, or if code of a table does not compile

A table has all public symbols of a library. `## ` and `### ` begin the headings of the guide, and `> ` a text below
one. The symbols are indented, one in a line, below the text that says what they become:

    `SessionManager`, which has no subclasses         the counterpart, and a note
        Session
    = `SessionManager`                                a type that has members with the same names
        tasks
    None: there are no background sessions on Linux   the reason why there is no counterpart
        backgroundCompletionHandler

All code between backticks has to compile with the modules of the debug build, in Swift 6 mode, behind the declarations
of Context.swift: a type, a member of a type, an import, or an expression or assignment, which may throw and suspend.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
# The tables, and the guides that show them.
GUIDES = {name: ROOT / f'Docs/MigratingFrom{name}.md' for name in ('AFNetworking', 'Alamofire')}
BEGIN, END = '<!-- The lists of Tests/Migration/guides.py begin. -->', '<!-- They end. -->'

CODE = re.compile(r'`([^`]+)`')
TYPE = r'[A-Z]\w*(?:\.[A-Z]\w*)*'
MEMBER = re.compile(rf'({TYPE})\.(\w+(?:\((?:\w+:)*\))?)')
ASSIGNMENT = re.compile(r'[\w.]+(?:\[[^]]*\])? = ')


class Entry:
    """Symbols of another library that become the same."""

    def __init__(self, text, place):
        self.text, self.place, self.symbols = text, place, []

    def codes(self):
        """Returns the code that has to compile."""
        codes = CODE.findall(self.text)
        if not self.text.startswith('= '):
            return codes
        return codes + [f'{codes[0]}.{self.member(symbol)}' for symbol in self.symbols]

    @staticmethod
    def member(symbol):
        """Returns the name of a nested symbol's last part."""
        return re.split(r'[.](?![^(]*[)])', symbol)[-1]

    def line(self):
        """Returns the line of the guide."""
        symbols = ', '.join(f'`{symbol}`' for symbol in self.symbols)
        if self.text.startswith('= ') and len(self.symbols) > 1:
            return f'- {symbols}: the same in {self.text.removeprefix("= ")}'
        if self.text.startswith('= '):
            owner, _, note = self.text.removeprefix('= `').partition('`')
            return f'- {symbols}: `{owner}.{self.member(symbols.strip("`"))}`{note}'
        if self.text.startswith('None: '):
            return f'- {symbols}: none; {self.text.removeprefix("None: ")}'
        return f'- {symbols}: {self.text}'


def read(name):
    """Returns the parts of a table: headings and texts, each with its place, and entries."""
    parts = []
    for number, line in enumerate((FOLDER / f'{name}.txt').read_text().splitlines(), 1):
        place = f'{name}.txt:{number}'
        if line.startswith(('## ', '### ', '> ')):
            parts.append((line, place))
        elif line.startswith('    '):
            if not parts or not isinstance(parts[-1], Entry):
                sys.exit(f'{place}: the symbol is below no text.')
            parts[-1].symbols.append(line.strip())
        elif line:
            parts.append(Entry(line, place))
    for part in parts:
        if isinstance(part, Entry) and not part.symbols:
            sys.exit(f'{part.place}: there is no symbol below the text.')
    return parts


def lists(parts):
    """Yields the lines of the guide."""
    previous = None
    for part in parts:
        if not (isinstance(part, Entry) and isinstance(previous, Entry)):
            yield ''
        yield part.line() if isinstance(part, Entry) else part[0].removeprefix('> ')
        previous = part


def with_lists(name):
    """Returns the text of a guide, and the one that it should have."""
    text = GUIDES[name].read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f'{GUIDES[name]} has no place for the lists.')
    return text, before + BEGIN + '\n' + '\n'.join(lists(read(name))) + '\n\n' + END + after


def forms(code):
    """Returns declarations without their names, of which one has to compile if the code is right."""
    if code.startswith('import '):
        return [code]
    if re.fullmatch(TYPE, code):
        owner, _, name = code.rpartition('.')
        associated = [f'extension {owner} {{ typealias NAME = {name} }}'] if owner else []
        return [f'typealias NAME = {code}', *associated]
    if match := MEMBER.fullmatch(code):
        owner, member = match.groups()
        return [
            f'func NAME() {{ _ = {owner}.{member} }}',
            f'extension {owner} {{ func NAME() async throws {{ _ = try await self.{member} }} }}',
            f'extension {owner} {{ func NAME() {{ _ = Self.{member} }} }}',
        ]
    statement = code if ASSIGNMENT.match(code) else f'_ = try await {code}'
    return [f'func NAME() async throws {{ {statement} }}']


def compiler_options():
    """Returns the compiler's options for the modules of the debug build."""
    binaries = Path(subprocess.check_output(['swift', 'build', '--show-bin-path'], cwd=ROOT, text=True).strip())
    modules = [binaries / 'Modules', *(path.parent for path in binaries.glob('C*.build/module.modulemap'))]
    return ['-swift-version', '6', *(argument for path in modules for argument in ('-I', path))]


def faults(codes):
    """Returns the codes of which no form compiles, each with what the compiler says about the first one."""
    tried = [(code, form) for code in codes for form in forms(code)]
    lines = [form.replace('NAME', f'check{number}') for number, (_, form) in enumerate(tried)]
    above = (FOLDER / 'Context.swift').read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'Codes.swift'
        file.write_text('\n'.join(above + lines) + '\n')
        result = subprocess.run(
            ['swiftc', '-typecheck', '-parse-as-library', '-suppress-warnings', *compiler_options(), file],
            capture_output=True, text=True,
        )
    messages = {}
    for line, message in re.findall(r'^[^\s:]+:(\d+):\d+: error: (.*)', result.stderr, re.MULTILINE):
        messages.setdefault(int(line) - len(above) - 1, message)
    if result.returncode and min(messages, default=-1) < 0:
        sys.exit(result.stderr)
    compiled = {code for number, (code, _) in enumerate(tried) if number not in messages}
    found = {}
    for number, (code, _) in enumerate(tried):
        if code not in compiled:
            found.setdefault(code, messages[number])
    return found


def check():
    start = time.monotonic()
    places = {}
    for name in GUIDES:
        for part in read(name):
            codes, place = (part.codes(), part.place) if isinstance(part, Entry) else (CODE.findall(part[0]), part[1])
            for code in codes:
                places.setdefault(code, place)
    found = faults(places)
    for code, message in found.items():
        print(f'{places[code]}: {code}: {message}')
    if found:
        sys.exit(f'{len(found)} of {len(places)} codes do not compile.')
    print(f'{len(places)} codes compile: {time.monotonic() - start:.0f} s.')


def main():
    parser = argparse.ArgumentParser(description='Writes the lists of symbols in the guides for migrations.')
    parser.add_argument('--check', action='store_true', help='write nothing; fail if guides or code are wrong')
    arguments = parser.parse_args()
    for name, path in GUIDES.items():
        text, new = with_lists(name)
        if not arguments.check:
            path.write_text(new)
        elif new != text:
            sys.exit(f'{path.relative_to(ROOT)}: not as its table has it. Run Tests/Migration/guides.py.')
    if arguments.check:
        check()


if __name__ == '__main__':
    main()
