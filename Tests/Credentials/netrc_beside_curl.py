#!/usr/bin/env python3
"""Compares the credentials that larkspur and curl read from random netrc files.

    swift build --product larkspur && Tests/Credentials/netrc_beside_curl.py [--count N] [--seed N] [--larkspur PATH] [--curl PATH]

Each file is written by a generator that knows the entry for each host. curl gets the file with --netrc-file, larkspur with the variable NETRC.
A server in this script records the field Authorization of both. Some files are malformed by Larkspur's rules: larkspur must warn with the path
and the line, and must send nothing. curl reads many of these files, so that it is not asked.

Versions of curl differ, so the generator leaves out what the curl at hand reads in another way than curl 8.21 and later:
- before 8.21: an entry for the host without login or password (or an empty one) with another entry after it, keywords as values of the
  entries of other hosts or of accounts, and an empty line, a blank or a carriage return at the end of a line between a keyword and its value;
- before 8.11: a value that begins with # and is not quoted.
With --curl-only, only curl is compared with the generator.
"""
import argparse
import base64
import http.server
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

HOSTS = ["127.0.0.1", "localhost", "api.test", "other.test"]
KEYWORDS = ["machine", "default", "login", "password", "account", "macdef"]
CHARACTERS = "abcxyzABC0189#\"\\ \t-._:/@%=+'äé€😀\n\r"
OTHER_NAME = "missing"


class Server(http.server.ThreadingHTTPServer):
    """A server that records the field Authorization of each request."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.fields.append(self.headers.get("Authorization"))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.fields = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def credentials(self, command, environment):
        """Runs a command. Returns the user and the password that it sent, joined by a colon (None for none), and its errors."""
        self.fields.clear()
        run = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        errors = run.stderr.decode(errors="replace").strip()
        if run.returncode or len(self.fields) != 1:
            return f"exit status {run.returncode}, {len(self.fields)} requests: {errors}", errors
        field = self.fields[0]
        if field is None:
            return None, errors
        scheme, _, text = field.partition(" ")
        return (base64.b64decode(text).decode(errors="replace") if scheme == "Basic" else field), errors


class Generator:
    """A writer of random netrc files for a host and a version of curl."""

    def __init__(self, numbers, version):
        self.numbers = numbers
        self.version = version

    def chance(self, one_in):
        return self.numbers.randrange(one_in) == 0

    def separator(self, before_value=False):
        if self.chance(8):
            return self.numbers.choice(["\n# machine x login \"\n", "\n  #\n", "\n#password\n"])
        if before_value and self.version < (8, 21):
            return self.numbers.choice([" ", "  ", "\t", "\n", "\n\t "])
        return self.numbers.choice([" ", "  ", "\t", "\n", "\n\n", "\r\n", "\n \t\n  "])

    def keyword(self, word):
        return "".join(self.numbers.choice([letter.upper(), letter]) for letter in word) if self.chance(4) else word

    def value(self, keywords):
        """Returns a value and its notation."""
        if keywords and self.chance(6):
            value = self.numbers.choice(KEYWORDS)
            return value, value
        value = "".join(self.numbers.choice(CHARACTERS) for _ in range(self.numbers.randrange(1, 12)))
        plain = not re.search(r"[\s]", value) and value[0] != '"' and (value[0] != "#" or self.version >= (8, 11))
        if plain and self.chance(2):
            return value, value
        return value, self.quoted(value)

    def quoted(self, value):
        text = ""
        for letter in value:
            if letter == "\n":
                text += "\\n"
            elif letter in "\r\t":
                text += self.numbers.choice([letter, {"\r": "\\r", "\t": "\\t"}[letter]]) if letter == "\t" else "\\r"
            elif letter in "\"\\":
                text += "\\" + letter
            else:
                # A backslash before another letter means that letter.
                text += ("\\" if self.chance(10) and letter not in "nrt" else "") + letter
        return f'"{text}"'

    def entry(self, name, host, is_last):
        """Returns the text of an entry, and its login and password."""
        matches = name is None or name.lower() == host
        modern = self.version >= (8, 21)
        text = self.keyword("default") if name is None else self.keyword("machine") + self.separator(before_value=True) + name
        found = {}
        # What is missing lets older versions go on to the next entry.
        may_lack = modern or is_last or not matches
        lacks = may_lack and self.chance(3)
        for word in self.numbers.sample(["login", "password", "account"], 3):
            if word == "account" and not self.chance(4) or word != "account" and lacks and self.chance(2):
                continue
            value, notation = self.value(modern or matches and word != "account")
            if word != "account" and may_lack and self.chance(12):
                value, notation = "", '""'
            text += self.separator() + self.keyword(word) + self.separator_before(notation) + notation
            if word != "account":
                found[word] = value
        if self.chance(8):
            text += self.numbers.choice([" # a comment", "\t#\"", " #", " # it's"]) + "\n"
        if self.chance(8) and (modern or not matches or len([1 for value in found.values() if value]) == 2):
            lines = ["machine " + host, "login \"", "  ", "# c", "default login x password y"]
            body = "".join(self.numbers.choice(lines) + "\n" for _ in range(self.numbers.randrange(4)))
            text += "\n" + self.keyword("macdef") + " init" + self.numbers.choice(["", " machine x"]) + "\n" + body
            text += self.numbers.choice(["\n", "\r\n"])
        return text + self.separator(), (found.get("login"), found.get("password"))

    def separator_before(self, notation):
        # In a new line, a # would begin a comment.
        return " " if notation.startswith("#") else self.separator(before_value=True)

    def file(self, host):
        """Returns the text of a file, and the credentials for the host."""
        names = [self.numbers.choice([*HOSTS, host, host.upper(), OTHER_NAME]) for _ in range(self.numbers.randrange(5))]
        for _ in range(self.numbers.randrange(2)):
            names.insert(self.numbers.randrange(len(names) + 1), None)
        text = self.numbers.choice(["", "\n", "# a file\n"])
        answer = None
        for index, name in enumerate(names):
            entry, (login, password) = self.entry(name, host, index == len(names) - 1)
            text += entry
            if answer is None and (name is None or name.lower() == host) and (login, password) != (None, None):
                answer = f"{login or ''}:{password or ''}"
        return text, answer

    def malformed(self, host):
        """Returns the text of a file that Larkspur refuses, and the line of the error."""
        text, _ = self.file(host)
        text = text.rstrip("\r") + ("" if text.endswith("\n") else "\n")
        # An empty line ends a macro that is still open.
        text += "\nmachine " + host + "\n"
        line = text.count("\n") + 1
        defect, offset = self.numbers.choice([
            ("login ada password my secret words\n", 0), ("login \"ada password secret\n", 0), ("machin x\n", 0), ("login \"a\"b\n", 0),
            ("password\n", 0), ("login a\nlogin b\n", 1), ("macdef\n\n", 0), ("login \"a\\\n\"\n", 0), ("macdef m login x\n\nlogin x\n", 2),
            ("login a password b password c\n", 0), ("password \"\x07\" login \x07\n", 0),
        ])
        return text + defect, line + offset


def version_of(curl):
    text = subprocess.run([curl, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(number) for number in re.match(r"curl (\d+)\.(\d+)", text).groups())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="the number of files")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--larkspur", default=".build/debug/larkspur")
    parser.add_argument("--curl", default="curl")
    parser.add_argument("--curl-only", action="store_true", help="compares curl with the generator")
    options = parser.parse_args()
    version = version_of(options.curl)
    print(f"seed {options.seed}, curl {version[0]}.{version[1]}", flush=True)
    server, failures, sent = Server(), 0, 0
    generator = Generator(random.Random(options.seed), version)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "netrc")
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8", "NETRC": str(file)}
        if "LD_LIBRARY_PATH" in os.environ:
            environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        for number in range(options.count):
            host = generator.numbers.choice(HOSTS)
            line = None
            if number % 5 == 4:
                text, line = generator.malformed(host)
                answer = None
            else:
                text, answer = generator.file(host)
            sent += answer is not None
            file.write_bytes(text.encode())
            file.chmod(0o600)
            url, entry = f"http://{host}:{server.server_port}/", f"{host}:{server.server_port}:127.0.0.1"
            seen = {}
            if line is None:
                command = [options.curl, "-sS", "--noproxy", "*", "--resolve", entry, "--netrc-file", str(file), url]
                seen["curl"], _ = server.credentials(command, environment)
            if not options.curl_only:
                command = [options.larkspur, "--ignore-stdin", "--ignore-config", "--resolve", entry, url]
                seen["larkspur"], errors = server.credentials(command, environment)
                expected = "" if line is None else f"larkspur: warning: {file}:{line}: "
                if not errors.startswith(expected) or bool(errors) != bool(expected) or "secret" in errors:
                    seen["warning"] = errors
            wrong = {name: value for name, value in seen.items() if value != answer or name == "warning"}
            if wrong:
                failures += 1
                print(f"file {number}, host {host}: {text!r}\n  generator: {answer!r}, line {line}\n  {wrong}", flush=True)
    print(f"{options.count} files, {sent} with credentials for the host, {failures} differences")
    sys.exit(1 if failures or not sent else 0)


if __name__ == "__main__":
    main()
