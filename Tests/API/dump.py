"""Dumps of the public API of modules by the toolchain's swift-api-digester, and its comparison of two of them."""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent

# The parts of a dump that a change of the implementation alone can change, and the copy of `usr`.
IMPLEMENTATION = {"mangledName", "hasStorage", "declAttributes"}
IMPLEMENTATION_ATTRIBUTES = {
    "AddressableForDependencies", "EagerMove", "HasInitialValue", "HasStorage", "Inlinable", "Inline", "Override", "Safe",
    "Semantics", "SetterAccess", "Specialize", "Specialized", "Transparent", "UsableFromInline",
}

# The usr of a protocol of one of the products.
OWN_PROTOCOL = re.compile(r"s:\d+Larkspur")


class DigesterError(Exception):
    """A dump or a comparison that failed, which says nothing about changes."""


def output(name, *arguments, text=None):
    """Returns the output of a tool of the toolchain, and raises an error with all that it says if it fails."""
    swift = shutil.which("swift")
    if not swift:
        raise SystemExit("swift is not in the search path.")
    beside = pathlib.Path(swift).resolve().parent / name
    command = [beside if beside.exists() else name, *arguments]
    result = subprocess.run(command, cwd=FOLDER.parent.parent, input=text, capture_output=True, text=True)
    # The digester says some errors with a status of success.
    if result.returncode or name == "swift-api-digester" and result.stderr.strip():
        words = " ".join(map(str, [name, *arguments]))
        raise DigesterError(f"{words}\nstatus {result.returncode}\n{(result.stdout + result.stderr).strip()[-3000:]}")
    return result.stdout


def modules():
    """The modules of the library products of the package. One in C has no API that the digester knows."""
    products = json.loads(output("swift", "package", "dump-package"))["products"]
    targets = {target for product in products if "library" in product["type"] for target in product["targets"]}
    return sorted(target for target in targets if any(pathlib.Path("Sources", target).rglob("*.swift")))


class Build:
    """The folder of a build, which has the modules."""

    def __init__(self, folder=None):
        self.folder = folder or pathlib.Path(output("swift", "build", "--show-bin-path").strip())

    def dump(self, module):
        """Returns the API of a module.

        :raises DigesterError: if the module cannot be loaded, or has no API.
        """
        if not (self.folder / "Modules" / f"{module}.swiftmodule").exists():
            raise DigesterError(f"There is no module {module} in {self.folder / 'Modules'}: run swift build first.")
        maps = sorted(self.folder.glob("*.build/module.modulemap"))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "dump.json"
            output(
                "swift-api-digester", "-dump-sdk", "-module", module, "-o", file, "-abort-on-module-fail",
                "-avoid-location", "-avoid-tool-args", "-swift-only", "-sdk", "/", "-I", self.folder / "Modules",
                "-module-cache-path", self.folder / "ModuleCache",
                *(argument for path in maps for argument in ("-Xcc", f"-fmodule-map-file={path}")),
            )
            root = json.loads(file.read_text())["ABIRoot"]
        result = api(root)
        if result["name"] != module or not has_types(result):
            raise DigesterError(f"The dump of {module} has no types.")
        return result


def api(node):
    """Returns a part of a dump as a caller sees it, in an order that does not depend on the sources."""
    result = {key: value for key, value in node.items() if key not in IMPLEMENTATION}
    attributes = sorted(set(node.get("declAttributes", [])) - IMPLEMENTATION_ATTRIBUTES)
    if attributes:
        result["declAttributes"] = attributes
    for key in ("children", "accessors", "conformances"):
        if key not in node:
            continue
        children = [api(child) for child in node[key] if is_visible(child)]
        # The children of a function are the types of its result and its parameters.
        if key == "conformances" or node["kind"] in ("Root", "TypeDecl"):
            children.sort(key=lambda child: (child["kind"], child["printedName"], child.get("usr", "")))
        # An extension of a protocol has default implementations, any other is only another place for a member.
        if node.get("declKind") != "Protocol":
            for child in children:
                child.pop("isFromExtension", None)
        result[key] = children
    if node.get("isExternal"):
        # The other conformances of a type of another module are its own module's, and change with the toolchain.
        result["conformances"] = [one for one in result.get("conformances", []) if OWN_PROTOCOL.match(one["usr"])]
    return result


def has_types(root):
    """Whether a dump is one of a module, and not that of a digester that has loaded nothing."""
    return any(child["kind"] == "TypeDecl" and not child.get("isExternal") for child in root.get("children", []))


def is_visible(node):
    if node["kind"] == "Import":
        return "Exported" in node.get("declAttributes", [])
    if node["kind"] == "Conformance" and node["name"] == "SendableMetatype":
        # Sendable implies it.
        return False
    if node.get("isInternal"):
        # Its access level is `package`, or it is internal and inlined code uses it.
        return False
    return not node.get("isExternal") or any(map(is_visible, node.get("children", []))) or any(
        OWN_PROTOCOL.match(one["usr"]) for one in node.get("conformances", [])
    )


def compare(before, after):
    """Returns the lines of the digester about breaking changes between two dumps."""
    for root in (before, after):
        if not has_types(root):
            raise DigesterError(f"A dump of {root['name']} has no types.")
    if before["json_format_version"] != after["json_format_version"]:
        raise DigesterError(
            f"Another version of the digester has recorded {before['name']}. Record the release's API again with this toolchain."
        )
    with tempfile.TemporaryDirectory() as folder:
        old, new, result = (pathlib.Path(folder) / name for name in ("old.json", "new.json", "result"))
        old.write_text(json.dumps({"ABIRoot": before}))
        new.write_text(json.dumps({"ABIRoot": after}))
        output("swift-api-digester", "-diagnose-sdk", "-input-paths", old, "-input-paths", new, "-o", result)
        lines = result.read_text().split("\n")
    return [line for line in lines if line and not re.fullmatch(r"/\* .* \*/", line)]


def clone(root):
    """Returns a copy of a dump, in a tenth of the time of copy.deepcopy."""
    return json.loads(json.dumps(root))


def read_baselines():
    """The recorded dumps, by the names of their modules."""
    files = sorted(FOLDER.glob("*.json.gz"))
    return {file.name.removesuffix(".json.gz"): json.loads(gzip.decompress(file.read_bytes())) for file in files}


def write_baselines(dumps):
    """Writes the dumps of all modules; returns the sizes of their files.

    The file of an unchanged dump stays as it is, as another version of zlib would compress it differently.
    """
    baselines, sizes = read_baselines(), {}
    for module in baselines.keys() | dumps.keys():
        path = FOLDER / f"{module}.json.gz"
        if module not in dumps:
            path.unlink()
        elif dumps[module] != baselines.get(module):
            path.write_bytes(gzip.compress(json.dumps(dumps[module], separators=(",", ":")).encode(), mtime=0))
        if module in dumps:
            sizes[module] = path.stat().st_size
    return sizes
