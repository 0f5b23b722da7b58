#!/usr/bin/env python3
"""Kills a process that writes shared files at each of its system calls, and in the middle of each write.

    swift build --build-tests && Tests/SharedStores/kill.py

After each kill, another process has to read the old state or the new one, as a whole, and to write the next one without waiting for
the process that was killed. At the end, no temporary file may remain.
"""
import concurrent.futures
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = pathlib.Path(__file__).with_name("kill.c")
WORKER = ROOT / ".build/debug/StoreWorker"
# Two calls of mkdir, and those that follow them.
CREATING_CALLS = 6


def run(*arguments, status=0, **variables):
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"} | variables
    result = subprocess.run([WORKER, *arguments], env=environment, capture_output=True, text=True, timeout=60)
    if result.returncode not in (status if isinstance(status, tuple) else (status,)):
        sys.exit(f"{' '.join(map(str, arguments))} ended with {result.returncode}: {result.stderr}")
    return result


def following(kind, folder):
    """Reads the state, writes the next one, and returns both."""
    return [line.split() for line in run("next", kind, folder, "next").stdout.splitlines()]


class Value:
    """One value: all its words are one number."""

    def check(self, found, before, number):
        assert len(found) == 5000 and set(found) in ({before[-1]}, {number}), f"{len(found)} words: {set(found)}"


class Names:
    """A set of names, to which a writer adds one."""

    def __init__(self, prefix, suffix=""):
        self.prefix, self.suffix = prefix, suffix

    def check(self, found, before, number):
        new = self.prefix + number + self.suffix
        assert set(found) in (set(before), set(before) | {new}), f"{before} became {found}"


class Lease:
    """Fencing numbers, which only increase."""

    def check(self, found, before, number):
        assert int(found[0]) > int(before[0]), f"{before[0]} became {found[0]}"


class Bucket:
    """A bucket, from which a token is taken: it has a state, and a token is free."""

    def check(self, found, before, number):
        assert found[0] in ("0.0", "0"), found


KINDS = {"value": Value(), "lease": Lease(), "bucket": Bucket(), "hsts": Names("h", ".test"), "cookies": Names("c")}


def trials(kind, library):
    """Returns the number of kills before calls, the number in the middle of writes, and the names of the calls."""
    rule = KINDS[kind]
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.join(temporary, "shared")
        os.mkdir(folder, 0o700)
        log = os.path.join(temporary, "calls")
        # The first writes create the files. The next one is like those that are killed.
        for _ in range(2):
            run("write", kind, folder, "0")
        run("write", kind, folder, "1", LD_PRELOAD=library, KILL_FOLDER=folder, KILL_LOG=log)
        calls = pathlib.Path(log).read_text().split()
        attempts = [(at, {}) for at in range(1, len(calls) + 1)]
        attempts += [(at, {"KILL_HALF": "1"}) for at, name in enumerate(calls, 1) if "write" in name]
        # The kills before calls, and those in the middle of writes.
        kills = halves = 0
        _, before = following(kind, folder)
        for number, (at, variables) in enumerate(attempts, 2):
            # A clean-up may have fewer calls than the first one.
            killed = run(
                "write", kind, folder, str(number), status=(0, -signal.SIGKILL), LD_PRELOAD=library, KILL_FOLDER=folder,
                KILL_AT=str(at), **variables,
            )
            if "KILL_HALF" in variables:
                halves += killed.returncode != 0
            else:
                kills += killed.returncode != 0
            try:
                found, before_next = following(kind, folder)
                rule.check(found, before, str(number))
                before = before_next
            except AssertionError as error:
                sys.exit(f"{kind}, killed at call {at}, {calls[at - 1]} {variables}: {error}")
        rest = [name for name in os.listdir(folder) if name.startswith(("new-", "."))]
        assert not rest, f"{kind}: temporary files remain: {rest}"
        assert kills >= len(calls) - 2, f"{kind}: only {kills} processes were killed at {len(calls)} calls"
        writes = len(attempts) - len(calls)
        assert halves >= writes - 2, f"{kind}: only {halves} processes were killed in {writes} writes"
        return kills, halves, calls


def creations(library):
    """Kills processes before the calls with which they create the folder. Returns the number of kills."""
    with tempfile.TemporaryDirectory() as temporary:
        for at in range(1, CREATING_CALLS + 1):
            parent = os.path.join(temporary, str(at))
            folder = os.path.join(parent, "shared")
            run("write", "bucket", folder, "1", status=-signal.SIGKILL, LD_PRELOAD=library, KILL_FOLDER=parent, KILL_AT=str(at))
            # Fails if other users can write the folder.
            run("write", "bucket", folder, "2")
            for path in (parent, folder):
                mode = stat.S_IMODE(os.stat(path).st_mode)
                assert mode == 0o700, f"killed at call {at}: {path} has the mode {mode:o}"
    return CREATING_CALLS


def main():
    # With it, a folder of no particular permissions can be written by the group.
    os.umask(0o002)
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "kill.so")
        subprocess.run(["clang", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda kind: (kind, *trials(kind, library)), KINDS))
        print(f"folder: killed {creations(library)} times while it was created")
    for kind, kills, halves, calls in results:
        print(f"{kind}: killed {kills} times at {len(calls)} calls, and {halves} times in writes: {' '.join(calls)}")
    if not all({"open", "write", "rename", "flock", "close"} <= {name.replace("64", "") for name in calls} for *_, calls in results):
        sys.exit("A call was not seen.")


main()
