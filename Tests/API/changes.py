"""The breaking changes between two dumps: those that swift-api-digester reports, and those that it does not look for.

The symbol of a declaration (`usr`) contains its type. If a symbol of the old dump is missing in the new one and the digester reports
nothing, the type has changed in a way that the digester does not compare, such as `async`, typed errors, and attributes of closures.
"""
import collections
import difflib
import json
import re

import dump

Declaration = collections.namedtuple("Declaration", "name node owners")

# The attributes whose loss or gain breaks a caller, or makes a warning there.
LOST = {
    "DiscardableResult": "@discardableResult", "DynamicCallable": "@dynamicCallable",
    "DynamicMemberLookup": "@dynamicMemberLookup", "Nonisolated": "nonisolated", "PropertyWrapper": "@propertyWrapper",
    "ResultBuilder": "@resultBuilder",
}
GAINED = {"Custom": "has a custom attribute, such as @MainActor", "Required": "is required"}

# The parts of a declaration that the digester does not compare.
NOT_COMPARED = re.compile(r', "(?:usr|typeAttributes)": (?:"[^"]*"|\[[^]]*\])')
# A word of a type that a line shows.
TOKEN = re.compile(r"throws\([^()]*\)|\[[^\[\]]*\]|@?\w+(?:\.\w+)*(?:\.\.\.)?|\S")


def breaking_changes(before, after):
    """Returns a line for each breaking change, sorted."""
    after, lines = without_new_setters(before, after)
    lines += dump.compare(before, after)
    old, new = (list(declarations(root)) for root in (before, after))
    lines += symbols(old, new, lines) + conformances(old, new, lines)
    return sorted(lines + attributes(old, new) + exports(before, after))


def declarations(node, owners=()):
    """The declarations of a dump with the names that the digester gives them."""
    for child in node.get("children", []):
        # An import and an operator have no symbol; the digester compares operators.
        if "declKind" not in child or "usr" not in child:
            continue
        path = ".".join([*(owner.node["printedName"] for owner in owners), child["printedName"]])
        kind = "Extension" if child.get("isExternal") else child["declKind"]
        declaration = Declaration(f"{kind} {path}", child, owners)
        yield declaration
        if child["kind"] == "TypeDecl":
            yield from declarations(child, (*owners, declaration))


def by_symbol(declarations):
    return {declaration.node["usr"]: declaration for declaration in declarations}


def without_new_setters(before, after):
    """Returns a dump without the setters that a protocol did not require before, which crash the digester, and their lines."""
    known = by_symbol(declarations(before))
    after, lines = dump.clone(after), []
    for name, node, _ in declarations(after):
        if node.get("protocolReq") and node.get("accessors") and node["usr"] in known:
            kinds = {accessor["name"] for accessor in known[node["usr"]].node.get("accessors", [])}
            accessors = [accessor for accessor in node["accessors"] if accessor["name"] in kinds]
            if len(accessors) < len(node["accessors"]):
                node["accessors"] = accessors
                lines.append(f"{name} is now required to have a setter")
    return after, lines


def symbols(old, new, reported):
    """The lines about symbols that are missing in the new dump, without those that the digester has reported."""
    known, remaining = by_symbol(old), by_symbol(new)
    added = collections.defaultdict(list)
    for name, node, _ in new:
        if node["usr"] not in known:
            added[name].append(node)
    changed, missing = [], collections.defaultdict(list)
    for name, node, owners in old:
        if is_present(node, remaining) or not all(is_present(owner.node, remaining) for owner in owners):
            continue
        twin = next((one for one in added[name] if as_compared(one) == as_compared(node)), None)
        if twin:
            added[name].remove(twin)
            changed.append((name, node, twin))
        else:
            missing[name].append(node)
    for name, nodes in missing.items():
        # Overloads share their name, and the digester has one line or more for each that it reports.
        if sum(line.startswith(f"{name} ") for line in reported) < len(nodes):
            changed += [(name, node, next(iter(added[name]), None)) for node in nodes]
    return describe(changed)


def is_present(node, symbols):
    """Whether a dump has a symbol. A dump has a type of another module only if the module extends it."""
    return node["usr"] in symbols or node.get("isExternal", False)


def as_compared(node):
    """The text of the part of a declaration that the digester compares."""
    return NOT_COMPARED.sub("", json.dumps(node))


def describe(changed):
    """The lines about declarations with a symbol of the old dump and, if there is one, that of the new one."""
    usrs = [node["usr"] for _, old, new in changed for node in (old, new) if node]
    output = dump.output("swift-demangle", "-compact", text="".join(f"$s{usr[2:]}\n" for usr in usrs))
    text = dict(zip(usrs, output.splitlines(), strict=True))
    return [f"{name} {difference(text[old['usr']], text[new['usr']]) if new else 'is missing'}" for name, old, new in changed]


def difference(before, after):
    """The words by which one type differs from another."""
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    parts = []
    for operation, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        less, more = " ".join(old[start:end]), " ".join(new[new_start:new_end])
        if operation == "insert":
            parts.append(f"now has `{more}`")
        elif operation == "delete":
            parts.append(f"no longer has `{less}`")
        elif operation == "replace":
            parts.append(f"has `{more}` in place of `{less}`")
    return ", ".join(parts) or "has another type"


def conformances(old, new, reported):
    """The lines about lost conformances of types of other modules; if a type has no extension left, the digester reports none."""
    remaining, lines = by_symbol(new), []
    for name, node, _ in old:
        if node.get("isExternal"):
            after = remaining[node["usr"]].node["conformances"] if node["usr"] in remaining else []
            has = {one["usr"] for one in after}
            lines += [f"{name} has removed conformance to {one['name']}" for one in node["conformances"] if one["usr"] not in has]
    return [line for line in lines if line not in reported]


def attributes(old, new):
    """The lines about attributes, the errors of getters, and designated initializers."""
    remaining, lines = by_symbol(new), []
    for name, node, _ in old:
        if node["usr"] not in remaining:
            continue
        after = remaining[node["usr"]].node
        had, has = (set(one.get("declAttributes", [])) for one in (node, after))
        lines += [f"{name} is no longer {LOST[one]}" for one in sorted(had - has) if one in LOST]
        lines += [f"{name} now {GAINED[one]}" for one in sorted(has - had) if one in GAINED]
        if node.get("init_kind") == "Designated" and after.get("init_kind") == "Convenience":
            lines.append(f"{name} is now a convenience initializer")
        could, can = (any(accessor.get("throwing") for accessor in one.get("accessors", [])) for one in (node, after))
        if can and not could:
            lines.append(f"{name} can now throw")
    return lines


def exports(before, after):
    old, new = ({child["name"] for child in root["children"] if child["kind"] == "Import"} for root in (before, after))
    return [f"Import {name} is no longer exported" for name in sorted(old - new)]
