#!/usr/bin/env python3
"""Checks that no folder of a module uses types of a folder above it.

    Tests/Layers/check.py

The layers of each module stand below, the lowest first; folders in one line do not know each other. Types are found as text, by their
definitions, so that members of extensions are not seen. A folder that is named nowhere is an error too.
"""
import pathlib
import re
import sys

LAYERS = {
    "LarkspurTransport": [
        ["Coding", "Cookies", "Memory", "WebSocket"],
        ["HTTP"],
        ["Route", "TLS"],
        ["Errors", "Authentication"],
        ["Download", "Cache"],
        ["Curl"],
        ["Engine"],
        ["URLSession"],
    ],
    "Larkspur": [
        ["Platform", "Redaction"],
        ["Errors"],
        ["Request"],
        ["Response"],
        ["Security"],
        ["Transport"],
        ["Interception"],
        ["Call"],
        ["Session"],
        ["Reachability"],
        ["Activity"],
        ["Observation"],
    ],
}

DEFINITION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? +)*(?P<modifiers>(?:\w+(?:\(\w+\))? +)*)(?:struct|class|enum|protocol|actor|typealias) +(?P<name>\w+)", re.M
)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


def code(path):
    """The text of a file without comments, and without the characters of string literals."""
    text = re.sub(r"//.*", "", path.read_text())
    return STRING.sub(lambda literal: " ".join(re.findall(r"\\\(([^)]*)\)", literal.group())), text)


def violations(module, layers):
    heights = {folder: height for height, layer in enumerate(layers) for folder in layer}
    files = {}
    homes = {}
    for path in sorted(pathlib.Path("Sources", module).rglob("*.swift")):
        parts = path.relative_to(pathlib.Path("Sources", module)).parts
        if len(parts) == 1:
            continue
        if parts[0] not in heights:
            yield f"{path}: the folder {parts[0]} has no layer"
            continue
        files[path] = (parts[0], code(path))
        for match in DEFINITION.finditer(files[path][1]):
            if not re.search(r"\b(file)?private\b", match["modifiers"]):
                homes.setdefault(match["name"], parts[0])
    for path, (folder, text) in files.items():
        for name in sorted(set(re.findall(r"\b[A-Z]\w+", text))):
            home = homes.get(name, folder)
            if home != folder and heights[home] >= heights[folder]:
                yield f"{path}: {folder} uses {name} of {home}, which is not below it"


def main():
    found = [line for module, layers in LAYERS.items() for line in violations(module, layers)]
    print("\n".join(found) if found else "Every folder knows only those below it.")
    sys.exit(1 if found else 0)


main()
