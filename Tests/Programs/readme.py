"""The programs of README.md, and what they print.

README.md has the output of its programs in blocks below `<!-- output: NAME -->`. The second program is also run with
Foundation's URLSession, in place of the engine's.
"""

import contextlib
import os
import pty
import re
import signal
import subprocess
import threading
from pathlib import Path

README = Path(__file__).resolve().parent.parent.parent / 'README.md'
FIRST, BESIDE, FOUNDATION = 'ReadmeFirst', 'ReadmeBeside', 'ReadmeFoundation'
OUTPUT = re.compile(r'(<!-- output: ([\w ]+) -->\n```text\n)(.*?)(```\n)', re.DOTALL)
# The path of a source file before a message of Swift's runtime.
SOURCE = re.compile(r'^\S*/(\w+/\w+\.swift:\d+: )', re.MULTILINE)


def programs():
    """Returns the programs by the names of their targets."""
    first, beside = re.findall(r'```swift-program\n(.*?)```', README.read_text(), re.DOTALL)
    foundation = beside.replace('session = CurlURLSession(', 'session = URLSession(')
    return {FIRST: first, BESIDE: beside, FOUNDATION: foundation}


def run(program):
    """Returns what a program prints, and at its end the signal that ended it, if one did."""
    # A backtrace has addresses, which differ each time. To a terminal a program writes each line at once, and loses
    # none when it crashes.
    environment = os.environ | {'SWIFT_BACKTRACE': 'enable=no'}
    terminal, output = pty.openpty()
    process = subprocess.Popen([program], env=environment, stdout=output, stderr=output)
    os.close(output)
    # A program that hangs is ended.
    limit = threading.Timer(60, process.kill)
    limit.start()
    text = b''
    with contextlib.suppress(OSError):  # EIO, when the program has ended
        while chunk := os.read(terminal, 4096):
            text += chunk
    os.close(terminal)
    status = process.wait()
    limit.cancel()
    text = SOURCE.sub(r'\1', text.decode().replace('\r\n', '\n'))
    return text + (f'(ended by {signal.Signals(-status).name})\n' if status < 0 else '')


def toolchain():
    version = subprocess.check_output(['swift', '--version'], text=True, stderr=subprocess.DEVNULL)
    return re.search(r'Swift version ([\d.]+)', version)[1]


def outputs(binaries, old):
    """Returns the outputs by their names in README.md. FoundationNetworking's are those of one toolchain: with another
    one, the old text stays."""
    beside = f'CurlURLSession:\n{run(binaries / BESIDE)}'
    foundation = f'\nURLSession of Swift {toolchain()}:\n'
    named = re.search(r'\nURLSession of Swift [\d.]+:\n', old)
    if named and named[0] != foundation:
        foundation = old[named.start():]
    else:
        foundation += run(binaries / FOUNDATION)
    return {'the first program': run(binaries / FIRST), 'both sessions': beside + foundation}


def check(binaries, records):
    """Returns whether README.md has what its programs print; puts it there if asked to."""
    text = README.read_text()
    old = {name: output for _, name, output, _ in OUTPUT.findall(text)}
    new = outputs(binaries, old.get('both sessions', ''))
    if records:
        README.write_text(OUTPUT.sub(lambda match: match[1] + new[match[2]] + match[4], text))
    elif old != new:
        for name, output in new.items():
            if old.get(name) != output:
                print(f'README.md, {name}: the program prints\n{output}')
        return False
    return True
