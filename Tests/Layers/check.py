#!/usr/bin/env python3
"""Checks that no folder of Sources uses, by way of others, a folder that uses it: at every depth, in every target.

    swift build && Tests/Layers/check.py [FOLDER]

What uses what is read from the compiler's index, so that members of extensions count, and what the code in closures uses. Files that lie
beside folders are not compared with them. With a folder, such as LarkspurTransport, its folders are listed from the lowest to the highest.
"""
import collections
import pathlib
import sys

from index import Index

SOURCES = pathlib.Path("Sources")

# Folders whose subfolders are rooms of one subject, not layers: a call has one state, which each room reads.
ROOMS = {"Larkspur/Call"}


def graphs(uses):
    """For each folder the uses of its folders by one another."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for use in uses:
        user, home = (path.relative_to(SOURCES).parts[:-1] for path in (use.file, use.home))
        depth = next((depth for depth, (one, other) in enumerate(zip(user, home)) if one != other), None)
        if depth:
            found["/".join(user[:depth])][user[depth], home[depth]].append(use)
    return found


def reach(edges, start):
    """The folders that a folder uses, by way of others too."""
    found, rest = set(), [start]
    while rest:
        folder = rest.pop()
        for user, home in edges:
            if user == folder and home not in found:
                found.add(home)
                rest.append(home)
    return found


def violations(parent, edges):
    below = {folder: reach(edges, folder) for edge in edges for folder in edge}
    circular = [edge for edge in edges if edge[0] in below[edge[1]]]
    # The fewest uses are the likeliest mistake.
    for user, home in sorted(circular, key=lambda edge: len(edges[edge])):
        places = sorted({f"{use.file.name}:{use.line} {use.name}" for use in edges[user, home]})
        yield f"{parent}: {user} uses {home}, which uses it: {', '.join(places[:5])}{' …' if len(places) > 5 else ''}"


def main():
    files = sorted(SOURCES.rglob("*.swift"))
    found = graphs(Index().uses(files))
    if len(sys.argv) > 1:
        edges = found[sys.argv[1]]
        below = {folder: reach(edges, folder) for edge in edges for folder in edge}
        for folder in sorted(below, key=lambda folder: (len(below[folder]), folder)):
            print(f"{folder}: {', '.join(sorted(below[folder])) or 'none'}")
        return
    lines = [line for parent in sorted(found.keys() - ROOMS) for line in violations(parent, found[parent])]
    print("\n".join(lines) if lines else "No folder uses one that uses it.")
    sys.exit(1 if lines else 0)


main()
