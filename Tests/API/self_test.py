"""Checks that the check of the API reports changes: of Changes.swift by way of the compiler, and of the baselines themselves."""
import collections
import pathlib
import re
import sys
import tempfile

import changes
import dump

MODULE = "LarkspurChanges"


def run(judge):
    """Ends the program with a list of what is wrong, if something is."""
    wrong = [*changes_of_source(), *changes_of_baselines(), *failures(), *lists(judge)]
    if wrong:
        sys.exit("The check of the API does not do what it should:\n" + "\n".join(wrong))
    print("The check of the API reports what it should.")


def changes_of_source():
    file = dump.FOLDER / "Changes.swift"
    expected = collections.Counter(re.findall(r"^// reported: (.*)$", file.read_text(), re.MULTILINE))
    dumps = []
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("before", ["-D", "BEFORE"]), ("after", [])):
            build = pathlib.Path(folder) / name
            (build / "Modules").mkdir(parents=True)
            dump.output(
                "swiftc", "-emit-module", "-module-name", MODULE, "-package-name", MODULE, "-swift-version", "6",
                "-suppress-warnings", *options, "-o", build / "Modules" / f"{MODULE}.swiftmodule", file,
            )
            dumps.append(dump.Build(build).dump(MODULE))
    found = collections.Counter(changes.breaking_changes(*dumps))
    yield from (f"Changes.swift: not reported: {line}" for line in (expected - found).elements())
    yield from (f"Changes.swift: reported, and not expected: {line}" for line in (found - expected).elements())


def changes_of_baselines():
    baselines, made = dump.read_baselines(), set()
    if not baselines:
        yield "There are no baselines."
    for module, root in baselines.items():
        found = changes.breaking_changes(root, dump.clone(root))
        yield from (f"{module} differs from itself: {line}" for line in found)
        pair = EditedPair(root)
        expected = {edit: edit(pair) for edit in EDITS}
        found = changes.breaking_changes(pair.before, pair.after)
        made |= {edit for edit, line in expected.items() if line}
        yield from (f"{module}: not reported: {line}" for line in expected.values() if line and line not in found)
    yield from (f"No baseline has a place for the edit {edit.__name__}." for edit in EDITS if edit not in made)


class EditedPair:
    """Two copies of a dump, of which edits change one."""

    def __init__(self, root):
        self.before, self.after = dump.clone(root), dump.clone(root)
        self.edited = set()

    def find(self, condition):
        """Returns a declaration of the second copy with a name of its own that no edit has changed; None if there is none."""
        everything = list(changes.declarations(self.after))
        names = collections.Counter(declaration.name for declaration in everything)
        for declaration in everything:
            chain = [owner.node for owner in declaration.owners] + [declaration.node]
            if (
                names[declaration.name] == 1 and declaration.name not in self.edited and condition(declaration.node)
                and not any(node.get("isExternal") or node["declKind"] == "Protocol" for node in chain)
            ):
                self.edited.add(declaration.name)
                return declaration
        return None


def missing_type(pair):
    types = [node for node in pair.after["children"] if node["kind"] == "TypeDecl" and not node.get("isExternal")]
    # A dump without types is none.
    if len(types) == 1:
        return None
    declaration = pair.find(lambda node: node in types)
    pair.after["children"].remove(declaration.node)
    return f"{declaration.name} has been removed"


def missing_function(pair):
    owner = pair.find(lambda node: node["kind"] == "TypeDecl")
    # A small module may have one type, which another edit has removed.
    if not owner:
        return None
    function = {
        "kind": "Function", "name": "past", "printedName": "past()", "declKind": "Func", "usr": "s:4Past4pastyyF",
        "moduleName": pair.after["name"], "children": [{"kind": "TypeNominal", "name": "Void", "printedName": "()"}],
        "funcSelfKind": "NonMutating",
    }
    changes.by_symbol(changes.declarations(pair.before))[owner.node["usr"]].node.setdefault("children", []).append(function)
    return f"Func {owner.name.partition(' ')[2]}.past() has been removed"


def missing_default(pair):
    function = pair.find(lambda node: any("hasDefaultArg" in child for child in node.get("children", [])))
    if function:
        index, parameter = next(pair for pair in enumerate(function.node["children"]) if "hasDefaultArg" in pair[1])
        del parameter["hasDefaultArg"]
        return f"{function.name} has removed default argument from parameter {index - 1}"


def new_error(pair):
    function = pair.find(lambda node: node["kind"] == "Function" and not node.get("throwing"))
    if function:
        function.node["throwing"] = True
        return f"{function.name} is now throwing"


def new_async(pair):
    function = pair.find(lambda node: node["kind"] == "Function" and node["usr"].endswith("yyF"))
    if function:
        function.node["usr"] = function.node["usr"].removesuffix("F") + "YaF"
        return f"{function.name} now has `async`"


def other_result(pair):
    function = pair.find(lambda node: node["kind"] == "Function" and node["children"][0]["printedName"] == "()")
    if function:
        function.node["children"][0] = {"kind": "TypeNominal", "name": "Int", "printedName": "Swift.Int", "usr": "s:Si"}
        return f"{function.name} has return type change from () to Swift.Int"


def new_case(pair):
    case = pair.find(lambda node: node["declKind"] == "EnumElement")
    if case:
        added = {**case.node, "name": "added", "printedName": "added", "usr": "s:5Added5addedyyF"}
        case.owners[-1].node["children"].append(added)
        return f"{case.name.rpartition('.')[0]}.added has been added as a new enum case"


EDITS = [missing_type, missing_function, missing_default, new_error, new_async, other_result, new_case]


def failures():
    """A module that cannot be loaded and a dump without types are failures, and not APIs without changes."""
    with tempfile.TemporaryDirectory() as folder:
        modules = pathlib.Path(folder) / "Modules"
        modules.mkdir()
        (modules / "Broken.swiftmodule").write_text("This is no module.")
        for module in ("Broken", "Missing"):
            if not fails(lambda: dump.Build(modules.parent).dump(module)):
                yield f"The dump of a module that cannot be loaded ({module}) does not fail."
    empty = {"kind": "Root", "name": "Empty", "printedName": "Empty", "children": []}
    if not fails(lambda: dump.compare(empty, empty)):
        yield "The comparison of dumps without types does not fail."


def fails(action):
    try:
        action()
    except dump.DigesterError:
        return True
    return False


def lists(judge):
    """Texts of accepted.txt for the changes a and b, with the changes that remain and the number of faults."""
    for text, remaining, faults in [
        ("", ["a", "b"], 0),
        ("a -- reason\nb -- reason", [], 0),
        ("# About the file.\n\n# Reason.\na\nb", [], 0),
        ("# About the file.\na\nb", [], 2),
        ("\n# Reason.\na\n\nb", [], 1),
        ("a -- reason\na -- reason", ["b"], 1),
        ("c -- reason", ["a", "b"], 1),
    ]:
        lines, found = judge(["a", "b"], text)
        if (lines, len(found)) != (remaining, faults):
            yield f"The list {text!r} leaves {lines} and has the faults {found}."
