#!/usr/bin/env python3
"""The inputs with which the fuzzing of each target begins: a text file for each target, sorted, with an input a line.

A line has the printable characters of ASCII as they are, but a backslash, and a blank at the end, as escapes; other bytes
are \\t, \\n, \\r or \\xNN.

    Tests/Fuzzing/corpora.py unpack TARGET FOLDER  writes each input into a file of the folder
    Tests/Fuzzing/corpora.py pack TARGET FOLDER    replaces the text file by the files of the folder
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

CORPORA = Path(__file__).resolve().parent / 'Corpora'
ESCAPES = {ord('\\'): '\\\\', ord('\t'): '\\t', ord('\n'): '\\n', ord('\r'): '\\r'}
BYTES = {text: byte for byte, text in ESCAPES.items()}


def line(content):
    text = ''.join(ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f'\\x{byte:02x}') for byte in content)
    return text[:-1] + '\\x20' if text.endswith(' ') else text


def content(line):
    parts = re.findall(r'\\x[0-9a-f]{2}|\\[\\tnr]|[ -\[\]-~]', line)
    if ''.join(parts) != line:
        sys.exit(f'This is no input of a corpus: {line}')
    return bytes(BYTES[part] if part in BYTES else int(part[2:], 16) if len(part) > 1 else ord(part) for part in parts)


def unpack(target, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = CORPORA / f'{target}.txt'
    for text in file.read_text().split('\n')[:-1] if file.exists() else []:
        data = content(text)
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(target, folder):
    lines = sorted({line(path.read_bytes()) for path in folder.iterdir()})
    CORPORA.mkdir(exist_ok=True)
    (CORPORA / f'{target}.txt').write_text(''.join(f'{text}\n' for text in lines))


def main():
    actions = {'unpack': unpack, 'pack': pack}
    if len(sys.argv) != 4 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))


if __name__ == '__main__':
    main()
