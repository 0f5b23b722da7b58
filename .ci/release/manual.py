#!/usr/bin/env python3
"""Makes the page of the manual from the help, so that both say the same.

    larkspur --help | manual.py VERSION DATE > larkspur.1
"""
import re
import sys
import textwrap

# An option or an item, and its description.
ENTRY = re.compile(r'^  (\S.*?)  +(\S.*)$')


def text(words):
    """Escapes text for roff."""
    escaped = words.replace('\\', r'\e').replace('-', r'\-').replace('…', '...').replace('`', r'\(ga')
    if re.search(r'[^\x00-\x7f]', escaped):
        sys.exit(f'manual.py has no escape for a character of: {words}')
    return re.sub(r"^([.'])", r'\\&\1', escaped)


def prose(lines):
    return map(text, textwrap.wrap(' '.join(lines), 70, break_long_words=False, break_on_hyphens=False))


def option(synopsis):
    """The names of an option in bold type, its argument in italics."""
    return re.sub(r'(?<![\w\\-])((?:\\-)+[\w\\-]+)', r'\\fB\1\\fR', re.sub(r'\b([A-Z]{3,})$', r'\\fI\1\\fR', text(synopsis)))


def usage_line(line):
    words = re.sub(r'\blarkspur\b', r'\\fBlarkspur\\fR', text(line))
    return re.sub(r'\b(ws|doctor)\b', r'\\fB\1\\fR', re.sub(r'\b([A-Z]{3,})\b', r'\\fI\1\\fR', words))


def main():
    version, date = sys.argv[1:]
    paragraphs = [paragraph.split('\n') for paragraph in sys.stdin.read().strip('\n').split('\n\n')]
    usage, description, *sections, status = paragraphs
    if not usage[0].startswith('usage: ') or not status[0].startswith('Exit status: '):
        sys.exit('The help begins with no usage, or does not end with the exit status.')
    lines = [
        f'.TH LARKSPUR 1 {date} "Larkspur {version}" "User Commands"',
        '.SH NAME', r'larkspur \- command line client for HTTP',
        '.SH SYNOPSIS',
    ]
    for index, line in enumerate(usage):
        lines += ['.br'] * (index > 0) + [usage_line(line.removeprefix('usage: ').strip())]
    lines += ['.SH DESCRIPTION', *prose(description)]
    has_options = False
    for heading, *entries in sections:
        is_option = entries[0].startswith('  --')
        if is_option and not has_options:
            lines.append('.SH OPTIONS')
            has_options = True
        lines.append(f'.SS {text(heading)}' if is_option else f'.SH {text(heading).upper()}')
        for entry in entries:
            match = ENTRY.match(entry)
            if not match:
                sys.exit(f'This line of the help has no two columns: {entry}')
            lines += ['.TP', option(match[1]) if is_option else rf'\fB{text(match[1])}\fR', text(match[2])]
    if not has_options:
        sys.exit('The help has no options.')
    status[0] = status[0].removeprefix('Exit status: ')
    lines += ['.SH EXIT STATUS', *prose(status), '.SH SEE ALSO', '.BR curl (1)']
    print('\n'.join(lines))


main()
