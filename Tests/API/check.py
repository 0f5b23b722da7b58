#!/usr/bin/env python3
"""Checks that the API of the library products breaks no caller: compares it with the baselines, the API of the last release.

    swift build && Tests/API/check.py      fails for each breaking change that accepted.txt does not list
    Tests/API/check.py --self-test         checks that changes of an API are reported
    Tests/API/check.py --record            makes the API of the build the baseline, and empties accepted.txt
    Tests/API/check.py --recorded          fails unless the API of the build is the baseline, as it is in a release
    Tests/API/check.py --record MODULE …   makes the API of some modules the baseline, such as that of a new product
    Tests/API/check.py --count [TYPE]      prints the number of public symbols of the build: of all modules, or of one type
    Tests/API/check.py --owners [MODULE …] prints all symbols of each module, members of foreign types included, by their owner

The API is read from the modules of the debug build. README.md says which changes the check does not see.
"""
import argparse
import collections
import itertools
import pathlib
import sys

import changes
import dump
import self_test

ACCEPTED = dump.FOLDER / "accepted.txt"
ADVICE = """If a change is meant, add its line to Tests/API/accepted.txt, with the reason behind " -- " or in a comment above it.
With a release, Tests/API/check.py --record makes the API of the build the baseline."""

KINDS = {
    "types": {"Class", "Enum", "Protocol", "Struct"}, "functions": {"Func"}, "initializers": {"Constructor"},
    "properties": {"Var"}, "cases": {"EnumElement"}, "others": {"AssociatedType", "Subscript", "TypeAlias"},
}

# The kinds of declarations that are no symbols of their own.
OMITTED = {"Accessor", "AssociatedType", "GenericTypeParam", "Import"}


def changes_since(baselines, dumps):
    """The lines of the breaking changes of all modules that have a baseline."""
    lines = [f"{module}: the library product has been removed" for module in sorted(baselines.keys() - dumps.keys())]
    for module, root in dumps.items():
        if module in baselines:
            lines += [f"{module}: {line}" for line in changes.breaking_changes(baselines[module], root)]
    return lines


def judge(lines, accepted):
    """Returns the changes that the text of accepted.txt does not list, and the faults of that text.

    A line accepts one change, so overloads of the same name can need it several times.
    """
    remaining, faults = collections.Counter(lines), []
    header = len(header_of(accepted))
    has_comment = False
    for number, line in enumerate(accepted.split("\n"), 1):
        change, _, reason = line.strip().partition(" -- ")
        if not change or change.startswith("#"):
            # A comment is the reason of the lines below it, until an empty line.
            has_comment = bool(change) and number > header
            continue
        if not has_comment and not reason.strip():
            faults.append(f"accepted.txt, line {number}: there is no reason for: {change}")
        if remaining[change]:
            remaining[change] -= 1
        else:
            faults.append(f"accepted.txt, line {number}: there is no such change: {change}")
    return sorted(remaining.elements()), faults


def header_of(accepted):
    """The lines at the top of accepted.txt, which are about the file."""
    return list(itertools.takewhile(lambda line: line.startswith("#"), accepted.split("\n")))


def check(dumps):
    baselines = dump.read_baselines()
    found = changes_since(baselines, dumps)
    lines, faults = judge(found, ACCEPTED.read_text())
    faults += [f"{module} has no baseline: Tests/API/check.py --record {module}" for module in dumps if module not in baselines]
    if lines or faults:
        print("\n".join(lines + faults))
    if lines:
        print(f"\nBreaking changes that are not accepted: {len(lines)}.\n{ADVICE}")
    if lines or faults:
        sys.exit(1)
    print(f"No change of {', '.join(dumps)} breaks a caller. Accepted changes: {len(found)}.")


def record(dumps, names):
    unknown = sorted(set(names) - dumps.keys())
    if unknown:
        sys.exit(f"There is no library product with the module {', '.join(unknown)}.")
    baselines = dump.read_baselines()
    new = {**baselines, **{name: dumps[name] for name in names}} if names else dumps
    for line in changes_since(baselines, new):
        print(line)
    for module, size in sorted(dump.write_baselines(new).items()):
        print(f"{module}: {sum(count([new[module]]).values())} symbols, {size / 1000:.0f} kB")
    if not names:
        ACCEPTED.write_text("\n".join(header_of(ACCEPTED.read_text())) + "\n")


def check_recorded(dumps):
    """Fails unless the baselines are the dumps: with additions too, which break no caller."""
    baselines = dump.read_baselines()
    differing = sorted(
        module for module in baselines.keys() | dumps.keys() if baselines.get(module) != dumps.get(module)
    )
    if differing:
        sys.exit(f"The API of {', '.join(differing)} is not recorded: Tests/API/check.py --record")
    accepted = ACCEPTED.read_text()
    if accepted.rstrip().split("\n") != header_of(accepted):
        sys.exit("accepted.txt has lines: Tests/API/check.py --record empties it.")
    print(f"The API of {', '.join(dumps)} is recorded.")


def count(roots, owner=None):
    """The number of declarations by kind, without those that the compiler adds: all of them, or the members of a type."""
    found = collections.Counter()
    for root in roots:
        for _, node, owners in changes.declarations(root):
            is_member = owners and owners[-1].node["printedName"] == owner
            if not node.get("implicit") and not node.get("isExternal") and (is_member or not owner):
                found.update(kind for kind, names in KINDS.items() if node["declKind"] in names)
    return found


def print_counts(dumps, owner):
    rows = {module: count([root], owner) for module, root in dumps.items()}
    rows = {module: numbers for module, numbers in rows.items() if numbers or not owner}
    rows["all"] = sum(rows.values(), collections.Counter())
    print(f"| {owner or 'module'} | {' | '.join(KINDS)} | all |\n|{' --- |' * (len(KINDS) + 2)}")
    for name, numbers in rows.items():
        print(f"| {name} | {' | '.join(str(numbers[kind]) for kind in KINDS)} | {sum(numbers.values())} |")


def owners(root):
    """The number of all declarations of a module by the type that they are in, with those in foreign types."""
    found = collections.Counter()

    def visit(node, owner):
        kind = node.get("declKind")
        if kind and kind not in OMITTED and not node.get("implicit"):
            found[owner or node["printedName"]] += 1
        name = node["printedName"] if kind in KINDS["types"] else None
        for child in node.get("children", []):
            visit(child, f"{owner}.{name}" if owner and name else name or owner)

    visit(root, "")
    return found


def print_owners(dumps, names):
    for module, root in dumps.items():
        found = owners(root)
        print(f"{module}: {sum(found.values())}")
        if module in names:
            print("\n".join(f"  {number:4} {owner}" for owner, number in found.most_common()))


def main():
    parser = argparse.ArgumentParser(description="Checks that a change breaks no caller of the library products.")
    commands = parser.add_mutually_exclusive_group()
    commands.add_argument("--self-test", action="store_true", help="check that changes of an API are reported")
    commands.add_argument("--record", nargs="*", metavar="MODULE", help="make the API of the build the baseline")
    commands.add_argument("--recorded", action="store_true", help="fail unless the API of the build is the baseline")
    commands.add_argument("--owners", nargs="*", metavar="MODULE", help="print the number of symbols by their owner")
    commands.add_argument("--count", nargs="?", const="", metavar="TYPE", help="print the number of public symbols")
    parser.add_argument("--bin-path", type=pathlib.Path, help="folder of the build; default: swift build --show-bin-path")
    arguments = parser.parse_args()
    try:
        if arguments.self_test:
            return self_test.run(judge)
        build = dump.Build(arguments.bin_path)
        dumps = {module: build.dump(module) for module in dump.modules()}
        if arguments.record is not None:
            record(dumps, arguments.record)
        elif arguments.recorded:
            check_recorded(dumps)
        elif arguments.owners is not None:
            print_owners(dumps, arguments.owners)
        elif arguments.count is not None:
            print_counts(dumps, arguments.count)
        else:
            check(dumps)
    except dump.DigesterError as error:
        sys.exit(str(error))


main()
