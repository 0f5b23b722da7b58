#!/usr/bin/env python3
"""Checks that no class of Sources has more than 15 stored properties.

    Tests/Layers/properties.py

The members of a struct that a class keeps behind a lock, or that is called State or Storage, count with its own; another value counts as
one. Values and classes that only describe (settings) may have as many members as they like.
"""
import pathlib
import re
import sys

LIMIT = 15
EXEMPT = re.compile(r"Settings$")
SOURCES = pathlib.Path("Sources")
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
ATTRIBUTES = r"(?:@\w+(?:\([^)]*\))? +)*(?:\w+(?:\(\w+\))? +)*"
TYPE = re.compile(r"^\s*" + ATTRIBUTES + r"(?P<kind>class|struct|actor|enum|protocol|extension) +(?P<name>[\w.]+)")
PROPERTY = re.compile(r"^\s*(?P<words>" + ATTRIBUTES + r")(?:let|var) +(?P<name>\w+)(?: *: *(?P<type>[^={]+))?(?P<rest>.*)$")
LOCK = re.compile(r"\bMutex(?:<(?P<type>[\w.]+)>|\((?P<made>[A-Z][\w.]*)\()")


class Type:
    def __init__(self, kind):
        self.kind, self.properties = kind, []


def parse(text, types):
    """Adds the types of a file: their stored properties with the types and values that are written there."""
    text = re.sub(r"//.*", "", re.sub(r'"""[\s\S]*?"""', '""', text))
    lines = [STRING.sub('""', line) for line in text.split("\n")]
    scopes, depth, header = [], 0, None
    for number, line in enumerate(lines):
        match = TYPE.match(line)
        if match and " func " not in line[: match.end()]:
            header = match
        elif scopes and depth == scopes[-1][1] and scopes[-1][0]:
            owner = types[scopes[-1][0]]
            found = PROPERTY.match(line)
            if found and not re.search(r"\b(static|class)\b", found["words"]):
                following = found["rest"] + " " + " ".join(lines[number + 1 : number + 2])
                if not re.match(r"\s*\{(?!\s*(didSet|willSet))", following):
                    owner.properties.append((found["name"], found["type"] or "", found["rest"]))
        for character in line:
            if character == "{":
                depth += 1
                if header:
                    outer = "" if header["kind"] == "extension" else (scopes[-1][0] + "." if scopes and scopes[-1][0] else "")
                    name = outer + header["name"]
                    if header["kind"] != "extension" or name not in types:
                        kept = types.get(name)
                        types[name] = Type(header["kind"])
                        if kept:
                            types[name].properties = kept.properties
                    scopes.append((name, depth))
                    header = None
            elif character == "}":
                if scopes and scopes[-1][1] == depth:
                    scopes.pop()
                depth -= 1


def find(name, context, types):
    parts = context.split(".")
    for count in range(len(parts), -1, -1):
        candidate = ".".join(parts[:count] + [name])
        if candidate in types and types[candidate].kind != "extension":
            return candidate
    return None


def count(name, types):
    total = 0
    for _, written, rest in types[name].properties:
        lock = LOCK.search(written + rest)
        plain = re.match(r"\s*=?\s*(?P<type>[A-Z][\w.]*)\(?", written or rest)
        inner = lock and (lock["type"] or lock["made"]) or plain and plain["type"]
        is_state = inner and (lock or re.search(r"(State|Storage)$", inner))
        inner = is_state and not EXEMPT.search(inner) and find(inner, name, types)
        total += count(inner, types) if inner and types[inner].kind == "struct" else 1
    return total


def main():
    found = []
    for module in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
        types = {}
        for path in sorted(module.rglob("*.swift")):
            parse(path.read_text(), types)
        for name, kept in types.items():
            if kept.kind in ("class", "actor") and not EXEMPT.search(name):
                number = count(name, types)
                if number > LIMIT:
                    found.append(f"{module.name}: {name} has {number} stored properties, more than {LIMIT}")
    print("\n".join(found) if found else f"No class has more than {LIMIT} stored properties.")
    sys.exit(1 if found else 0)


main()
