#!/usr/bin/env python3
"""Copies the sources with all mutations, builds the copy, and runs the tests that should find each. See run.sh."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from mutations import MUTATIONS, Crossings

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("Sources", "Tests", "Examples")
# The switch of a module. A number that is not set is none of theirs.
SWITCH = """import Foundation

/// The number of the decision that is broken; 0 for none.
private let chosenMutation = ProcessInfo.processInfo.environment["LARKSPUR_MUTATION"].flatMap { Int($0) } ?? 0

func isMutated(_ number: Int) -> Bool { chosenMutation == number }
"""
# The same at the beginning of a file in C.
SWITCH_IN_C = """#include <stdlib.h>

static int isMutated(int number) {
    const char *chosen = getenv("LARKSPUR_MUTATION");
    return chosen && atoi(chosen) == number;
}

"""
# A run that takes longer than this, and many times as long as without a mutation, has found it by not ending.
SHORTEST_LIMIT = 120


class Misfit(Exception):
    """A mutation that does not fit the sources."""


def name_of(suite):
    return suite if isinstance(suite, str) else suite.name


def mutated_sources():
    """The mutated files, and the switches, by their paths."""
    files = {}
    for number, mutation in enumerate(MUTATIONS, start=1):
        for change in mutation.changes:
            path = change.file
            text = files.get(path) or (ROOT / path).read_text()
            count = text.count(change.old)
            if count != 1:
                raise Misfit(f"Mutation {number} ({mutation.decision}): its text occurs {count} times in {path}, not once:\n    {change.old}")
            if "isMutated" not in change.new:
                raise Misfit(f"Mutation {number} ({mutation.decision}) changes nothing in {path}.")
            files[path] = text.replace(change.old, change.new.replace("isMutated", f"isMutated({number})"))
    for path in list(files):
        if path.endswith(".c"):
            files[path] = SWITCH_IN_C + files[path]
        else:
            files["/".join(path.split("/")[:2]) + "/MutationSwitch.swift"] = SWITCH
    files["Package.swift"] = package_of({name_of(suite).split(".")[0] for mutation in MUTATIONS for suite in mutation.suites})
    return files


def package_of(targets):
    """The manifest with only these targets of tests, so that nothing else is built."""
    text = (ROOT / "Package.swift").read_text()
    blocks = re.findall(r'        \.testTarget\(\n            name: "(\w+)",.*?\n        \),\n', text, re.DOTALL)
    if not targets <= set(blocks):
        raise Misfit(f"Package.swift has not all of the targets {sorted(targets)}.")
    for block in re.finditer(r'        \.testTarget\(\n            name: "(\w+)",.*?\n        \),\n', text, re.DOTALL):
        if block[1] not in targets:
            text = text.replace(block[0], "")
    return text


def check_suites():
    """Fails if a suite of the list does not exist."""
    text = "\n".join(path.read_text() for path in (ROOT / "Tests").rglob("*Tests.swift"))
    for suite in {name_of(suite) for mutation in MUTATIONS for suite in mutation.suites}:
        if not re.search(rf"(struct|class) {suite.split('.')[1]}\b", text):
            raise Misfit(f"There is no suite {suite}.")


def copy(files, folder):
    """Makes the folder a copy of the repository with these files. What is unchanged is not written, so that it is not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    wanted = {path for path in listed if path and (ROOT / path).is_file()} | set(files)
    for path in sorted(wanted):
        content = files[path].encode() if path in files else (ROOT / path).read_bytes()
        target = folder / path
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if path not in files:
            target.chmod((ROOT / path).stat().st_mode)
    for part in FOLDERS:
        for path in (folder / part).rglob("*"):
            if path.is_file() and ".build" not in path.parts and str(path.relative_to(folder)) not in wanted:
                path.unlink()


def build(folder):
    start = time.monotonic()
    subprocess.run(["swift", "build", "--build-tests"], cwd=folder, check=True)
    print(f"The copy was built in {time.monotonic() - start:.0f} s.", flush=True)
    path = subprocess.run(["swift", "build", "--show-bin-path"], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
    return pathlib.Path(path) / "LarkspurPackageTests.xctest"


def run(program, folder, suite, number, limit):
    """Runs a suite with a mutation, and returns how it failed ("" if it passed) and the seconds."""
    environment = {name: value for name, value in os.environ.items() if name != "LARKSPUR_MUTATION"}
    if number:
        environment["LARKSPUR_MUTATION"] = str(number)
    start = time.monotonic()
    command = [str(program), "--testing-library", "swift-testing", "--filter", re.escape(name_of(suite)) + "/"]
    if isinstance(suite, Crossings):
        # One failure is enough, and nobody reads its simplest form.
        environment |= {"LARKSPUR_CROSSING": suite.choices, "LARKSPUR_CROSSINGS": str(suite.count)}
        environment |= {"LARKSPUR_CROSSING_FAILURES": "1", "LARKSPUR_CROSSING_SHRINKS": "0"}
    if not isinstance(suite, str):
        command = [*suite.command, *command]
    # The command may be a script that ends its servers when it is told to end.
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except BaseException as fault:
            os.killpg(process.pid, signal.SIGTERM)
            if not isinstance(fault, subprocess.TimeoutExpired):
                raise
            return "does not end", time.monotonic() - start
    seconds = time.monotonic() - start
    # Without the colours of terminals.
    text = re.sub(r"\x1b\[[0-9;]*m", "", output.decode(errors="replace"))
    if process.returncode < 0:
        return f"ends by signal {-process.returncode}", seconds
    count = re.search(r"Test run with (\d+) test", text)
    if not count or count[1] == "0":
        raise Misfit(f"{suite} has no tests:\n{text[-2000:]}")
    if process.returncode == 0:
        return "", seconds
    failed = set(re.findall(r'✘ Test (?!run with )(.+?) (?:with \d+ test cases )?failed after', text))
    if number == 0:
        print(text[-6000:])
    return f"{len(failed)} of {count[1]} tests", seconds


def main():
    arguments = sys.argv[1:]
    files = mutated_sources()
    check_suites()
    if arguments == ["--check"]:
        print(f"All {len(MUTATIONS)} mutations fit the sources.")
        return 0
    chosen = [int(argument) for argument in arguments] or range(1, len(MUTATIONS) + 1)
    folder = pathlib.Path(os.environ.get("LARKSPUR_MUTATION_FOLDER") or ROOT / ".build/mutation").resolve()
    copy(files, folder)
    program = build(folder)

    # Without a mutation everything passes; the seconds are the measure for the limits.
    limits, faults = {}, []
    for suite in sorted({suite for number in chosen for suite in MUTATIONS[number - 1].suites}, key=str):
        failure, seconds = run(program, folder, suite, 0, 1800)
        limits[suite] = max(SHORTEST_LIMIT, 10 * seconds)
        if failure:
            faults.append(f"{suite} fails without a mutation: {failure}")
    rows = []
    for number in chosen:
        mutation = MUTATIONS[number - 1]
        found, total = [], 0.0
        for suite in mutation.suites:
            failure, seconds = run(program, folder, suite, number, limits[suite])
            total += seconds
            if failure:
                found.append(f"{name_of(suite).split('.')[1]} ({failure})")
        if not found:
            faults.append(f"No test finds mutation {number}: {mutation.decision}")
        rows.append(f"| {number} | {mutation.decision} | {', '.join(found) or '**none**'} | {total:.0f} |")
        print(rows[-1], flush=True)
    print("\n| number | decision | found by | seconds |\n| --- | --- | --- | --- |")
    print("\n".join(rows))
    print("\n".join(faults) or f"The tests find each of {len(rows)} mutations, and pass without.")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Misfit, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
