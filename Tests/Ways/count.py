#!/usr/bin/env python3
"""Counts the functions, types and files that five ways through Larkspur run, in a debug build.

    swift build && Tests/Ways/count.py            prints the table
    Tests/Ways/count.py --list FILE               writes the functions, too, with their files and ways
    Tests/Ways/count.py --products FOLDER         counts those of another build, such as ../other/.build/debug

Each way is called once before it is counted, and its server is another process, so that the functions are those of one
warm call. Counted are the named declarations of the modules below whose code runs: functions, initializers, properties
and subscripts, each once. A declaration's closures, accessors, parts between two awaits, specializations, thunks,
default arguments and witnesses belong to it. What the compiler makes (accessors of stored properties, memberwise
initializers) does not count.

valgrind has to be installed.
"""
import argparse
import base64
import collections
import functools
import hashlib
import json
import os
import pathlib
import re
import socketserver
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODULES = ["Larkspur", "LarkspurTransport", "HTTPSyntax", "JSONSyntax"]
WAYS = {
    "value": "an awaited `value(as:)`",
    "closures": "the same with closures",
    "upload": "a streamed upload with `open`",
    "refresh": "a 401 with a refresh",
    "socket": "a WebSocket message and its echo",
}


class Server(socketserver.StreamRequestHandler):
    """Keeps its connections, and responds to the requests of the five ways."""

    def handle(self):
        while line := self.rfile.readline():
            path = line.split()[1]
            fields = {}
            while (field := self.rfile.readline().strip()):
                name, value = field.split(b":", 1)
                fields[name.strip().lower()] = value.strip()
            if path == b"/echo":
                return self.echo(fields[b"sec-websocket-key"])
            if fields.get(b"transfer-encoding") == b"chunked":
                while int(size := self.rfile.readline(), 16):
                    self.rfile.read(int(size, 16) + 2)
                self.rfile.readline()
            status = b"200 OK"
            if path == b"/account" and fields.get(b"authorization") != b"Bearer new":
                status = b"401 Unauthorized\r\nWWW-Authenticate: Bearer"
            content = b'{"number":1}'
            self.wfile.write(
                b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)
                + content
            )

    def echo(self, key):
        key = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + key + b"\r\n\r\n"
        )
        # A client's frames are masked, and the messages here are short.
        while len(head := self.rfile.read(6)) == 6:
            content = bytes(byte ^ head[2 + at % 4] for at, byte in enumerate(self.rfile.read(head[1] & 0x7F)))
            self.wfile.write(bytes([head[0], len(content)]) + content)


class Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True


def compile_program(products, program):
    """Links main.swift with the objects of a build."""
    needed = MODULES + ["CCodings", "CDynamicLibrary", "CEventPoll", "CLibcurl"]
    # A build keeps the objects of files that went.
    objects = []
    for module in needed:
        for item in sorted((products / f"{module}.build").rglob("*.o")):
            sources = products.resolve().parent.parent.parent / "Sources" / module
            if any(True for _ in sources.rglob(item.name[:-2])):
                objects.append(item)
    includes = [products / "Modules", *(products / f"{module}.build" for module in needed if module.startswith("C"))]
    subprocess.run(
        ["swiftc", "-Onone", "-g", "-swift-version", "6", "-o", program, HERE / "main.swift"]
        + [word for path in includes for word in ("-I", path)] + objects,
        check=True,
    )


def files(program, symbols):
    """Returns the source file and line of each symbol."""
    output = subprocess.run(["nm", "--defined-only", program], text=True, stdout=subprocess.PIPE, check=True).stdout
    addresses = {line.split()[2]: line.split()[0] for line in output.splitlines()}
    symbols = [symbol for symbol in symbols if symbol in addresses]
    output = subprocess.run(
        ["llvm-symbolizer", f"--obj={program}", "--output-style=JSON"], text=True, stdout=subprocess.PIPE, check=True,
        input="".join(f"0x{addresses[symbol]}\n" for symbol in symbols),
    ).stdout
    places = [json.loads(line)["Symbol"][-1] for line in output.splitlines()]
    return {symbol: (at["FileName"], at["StartLine"]) for symbol, at in zip(symbols, places, strict=True)}


def run(program, way, url, folder):
    """Runs a way under valgrind; returns the symbols whose code ran, with their files."""
    # This valgrind cannot read all of Swift's debug information.
    stripped = program.with_suffix(".stripped")
    subprocess.run(["strip", "-g", "-o", stripped, program], check=True)
    out = folder / way
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", f"--callgrind-out-file={out}",
         "--zero-before=way_begins", "--dump-before=way_ends", stripped, way, url],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={"SWIFT_BACKTRACE": "enable=no", **os.environ},
    )
    if result.returncode:
        sys.exit(result.stdout)
    lines = (folder / f"{way}.1").read_text().split("\n")
    return files(program, sorted({line[3:].split("'")[0] for line in lines if line.startswith("fn=$s")}))


# What leads from the code of a closure, an accessor or a part to the declaration that it belongs to.
INSIDE = {
    "Getter", "Setter", "ModifyAccessor", "Modify2Accessor", "ReadAccessor", "Read2Accessor", "UnsafeAddressor",
    "UnsafeMutableAddressor", "DidSet", "WillSet", "ExplicitClosure", "Static", "DeferBody",
}
NAMED = {"Function", "Constructor", "Allocator", "Variable", "Subscript"}
# The compiler's own code, which may contain the names of declarations.
MADE = {
    "ProtocolWitness", "DefaultArgumentInitializer", "ImplicitClosure", "Initializer", "PropertyWrapperBackingInitializer",
    "ReabstractionThunk", "ReabstractionThunkHelper", "MergedFunction", "OutlinedCopy", "OutlinedVariable", "DispatchThunk",
}


def parse(lines):
    """Reads the indented lines of one tree; returns a node as (kind, text, children)."""
    root = ("Root", "", [])
    stack = [(-1, root)]
    for line in lines:
        match = re.match(r'( *)kind=(\w+)(?:, (?:text="(.*)"|index=(\d+)))?', line)
        node = (match[2], match[3] or match[4] or "", [])
        depth = len(match[1])
        while stack[-1][0] >= depth:
            stack.pop()
        stack[-1][1][2].append(node)
        stack.append((depth, node))
    return root[2][0]


def text(node):
    """Returns a node's kind, text and children as one text, so that two overloads differ."""
    kind, name, children = node
    return f"{kind}{name}({','.join(map(text, children))})"


def module(node):
    while node[0] != "Module":
        # The context is the first child; the module of an extension is the extension's own.
        if not node[2]:
            return ""
        node = node[2][0]
    return node[1]


def names(node):
    """Returns the names of the types that contain a declaration."""
    kind, _, children = node
    if kind == "Extension":
        return names(children[1])
    if kind in {"Structure", "Class", "Enum", "Protocol", "OtherNominalType"}:
        name = next((child[1] for child in children if child[0] == "Identifier"), "")
        name = name or next((child[2][-1][1] for child in children if child[0] in {"PrivateDeclName", "LocalDeclName"}), "?")
        return names(children[0]) + [name]
    if kind in {"Module", "Identifier"} or not children:
        return []
    return names(children[0])


def is_deferred(node):
    """Returns whether a function is the body of a `defer`, which the compiler names."""
    return node[0] == "Function" and any(
        child[0] == "Identifier" and child[1] == "$defer" or child[0] in {"LocalDeclName"} and child[2][-1][1] == "$defer"
        for child in node[2]
    )


def declaration(tree):
    """Returns the declaration that a symbol belongs to, as (key, name, type); nil if it is the compiler's own."""
    entities = [child for child in tree[2] if child[0] in INSIDE | NAMED | MADE]
    if len(entities) != 1:
        return None
    if any(
        child[0] in MADE or "Outlined" in child[0] or "Thunk" in child[0] or "Metadata" in child[0] for child in tree[2]
    ):
        return None
    node = entities[0]
    while node[0] in INSIDE or is_deferred(node):
        node = node[2][0]
    if node[0] not in NAMED or module(node) not in MODULES:
        return None
    kind, _, children = node
    labels = next((child for child in children if child[0] == "LabelList"), ("", "", []))
    label = "".join(f"{child[1] or '_'}:" for child in labels[2])
    identifier = next(
        (child[2][-1][1] if child[2] else child[1] for child in children[1:]
         if child[0] == "Identifier" or child[0].endswith("Operator")
         or child[0] in {"PrivateDeclName", "LocalDeclName"} and len(child[2]) > 1),
        "subscript" if kind == "Subscript" else "init",
    )
    if identifier.startswith("__derived"):
        return None
    types = names(children[0])
    name = ".".join([module(node), *types, identifier]) + ("" if kind == "Variable" else f"({label})")
    key = text(node).replace("Allocator", "Constructor")
    return key, name, ".".join([module(node), *types])


@functools.cache
def lines(file):
    return pathlib.Path(file).read_text().split("\n")


def is_made(file, line):
    """Returns whether code at the beginning of a line is the compiler's: the line declares a type, whose members are
    initialized by the compiler, or a stored property."""
    code = lines(file)[line - 1] if line else ""
    if re.search(r"\b(struct|class|enum|actor|extension|protocol)\b [A-Z]", code) and "func " not in code:
        return True
    return bool(re.search(r"\b(let|var) \w+", code)) and "{" not in code and not code.endswith(",")


def declarations(symbols):
    """Returns the declarations of symbols, each key with (name, type, file)."""
    mangled = sorted(symbol for symbol in symbols if symbol.startswith("$s"))
    output = subprocess.run(
        ["swift", "demangle", "--tree-only"], input="\n".join(mangled), text=True, stdout=subprocess.PIPE, check=True
    ).stdout
    trees = re.split(r"(?m)^(?=kind=Global)", output)[1:]
    if len(trees) != len(mangled):
        sys.exit(f"{len(trees)} trees of {len(mangled)} symbols")
    found = {}
    for symbol, tree in zip(mangled, trees):
        file, line = symbols[symbol]
        if "/Sources/" not in file or is_made(file, line):
            continue
        if (of := declaration(parse([line for line in tree.split("\n") if "kind=" in line]))) is not None:
            key, name, type = of
            found[key] = (name, type, file)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--products", type=pathlib.Path, default=ROOT / ".build/debug")
    parser.add_argument("--list", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Threads(("127.0.0.1", 0), Server) as server:
        folder = pathlib.Path(folder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        program = folder / "ways"
        compile_program(arguments.products, program)
        url = f"http://127.0.0.1:{server.server_address[1]}"
        ways = {way: declarations(run(program, way, url, folder)) for way in WAYS}
        server.shutdown()
    print(f"| way | functions and properties | {' | '.join(MODULES)} | types | files |")
    print("| --- | ---: |" + " ---: |" * (len(MODULES) + 2))
    for way, title in WAYS.items():
        values = ways[way].values()
        modules = collections.Counter(name.split(".")[0] for name, _, _ in values)
        types, files = {type for _, type, _ in values}, {file for _, _, file in values}
        print(f"| {title} | {len(values)} | {' | '.join(str(modules[name]) for name in MODULES)} | {len(types)} | {len(files)} |")
    if arguments.list:
        rows = collections.defaultdict(list)
        for way, found in ways.items():
            for key, (name, _, file) in found.items():
                rows[re.sub(r"^.*/Sources/", "", file), name, key].append(way)
        arguments.list.write_text(
            "".join(f"{file}\t{name}\t{' '.join(found)}\n" for (file, name, _), found in sorted(rows.items()))
        )


main()
