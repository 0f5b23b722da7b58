#!/usr/bin/env python3
"""Checks that text is compared by its bytes, and not by Unicode's equivalence, in the modules that read or write HTTP.

    swift build && Tests/Layers/strings.py

For Swift's own `==` and `hash` of String, "é" in one scalar and in two is the same text, and so are the Kelvin sign and "K"; see
Sources/HTTPSyntax/TextEquality.swift. Their uses are read from the object files of the debug build. There, each use refers to them by
name, also in a `==` that the compiler has written, in a generic function or in a pattern. `strings.txt` lists the exceptions.
"""
import bisect
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

MODULES = [
    "HTTPSyntax", "JSONSyntax", "LarkspurTransport", "Larkspur", "LarkspurCredentials", "LarkspurCurlCommands", "LarkspurImages", "LarkspurXML",
    "LarkspurReachability",
]
EXCEPTIONS = pathlib.Path(__file__).with_name("strings.txt")

# The symbols by which the standard library and Foundation compare and hash text. SS is String, Ss Substring, SJ Character, Sy
# StringProtocol, SQ Equatable, SL Comparable and SH Hashable.
COMPARISONS = {
    "==": r"\$sS[SJ]2eeoi.*|\$sSysE2eeoi.*|\$ss14_stringCompare.*",
    "a generic ==": r"\$sS[SsJ]SQsWP|\$sSJSLsWP",
    "a generic hash": r"\$sS[SsJ]SHsWP|\$sS[SJ]4hash4into.*",
    "hasPrefix or hasSuffix": r"\$sS(S|ysE)9has(Pre|Suf)fix.*",
    "a search of text": r"\$sSy(10Foundation|20FoundationEssentials|17_StringProcessing)E"
    r"(8contains|5range|10components|20replacingOccurrences|6ranges|5split).*",
    # The raw values of enums are ASCII without "K", ";" and "`". Other characters of ASCII are equal only to themselves.
    "a raw value": r"\$ss21_findStringSwitchCase.*",
}
COMPARISONS = {kind: re.compile(pattern) for kind, pattern in COMPARISONS.items()}
RAW_VALUE = "a raw value"

# A mutating method of a generic type gets no conformances, but the metadata of the type, which has them. So it is found by the metadata
# of dictionaries, sets and indexes of text, in a function that also refers to such a method.
KEYED = re.compile(r"\$s(SD|Sh|17LarkspurTransport12RecencyIndexV)yS\d*[SsJ].*M[DR]")
CHANGES = re.compile(
    r"\$sS[Dh](6insert|6update|6removey|11updateValue|11removeValue|5merge|9formUnion|16formIntersection|8subtract).*"
    r"|\$sSD(yq_Sgxc|_7default.*)i[sM]|\$s17LarkspurTransport12RecencyIndexV.*"
)

# Functions that only pass a comparison on to their callers: accessors of the conformances of generic types, and the compiler's copies of
# generic functions of the standard library.
PASSING = re.compile(r".*W[lL]|\$s[sS].*T(t\d*)?[gG]\w*")

# Functions that may hash text: a hash may be the same for texts with different bytes, because `==` decides. And the first values of
# variables and of parameters: the keys of a table are those that stand in the source, and no text is looked up.
HARMLESS = re.compile(r".*4hash4into.*|.*9hashValue.*|.*_rawHash.*|.*_WZ|.*vpfi|.*fA\d*_|.*04hash\w*vgTW|.*08_rawHash.*")

# Members of dictionaries and sets that look no text up, and copies of a dictionary with some of its keys.
GENERIC_HASH = "a generic hash"
MEMBER = re.compile(r"\$sS[Dh][^y].*|\$sS[Dh]y(x|q_).*|.*SHR.*|\$ss(11AnyHashable|21_convertToAnyHashable).*")
UNHASHED = re.compile(
    r"\$sS[Dh](7isEmpty|5count|12makeIterator|8Iterator|4keys|6values|4Keys|6Values|17dictionaryLiteral|12arrayLiteral|9removeAll|6filter|"
    r"9mapValues|16compactMapValues|15reserveCapacity|10startIndex|8endIndex).*"
    r"|\$sS[Dh].*(M[acnDR]|W[PlL]|Mp|N)"
)

SYMBOLS, RELOCATIONS, FUNCTION, UNDEFINED = 2, 4, 2, 0


def uses(path):
    """The comparisons that the functions of an object file (ELF) refer to, by the functions' names."""
    data = path.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        raise SystemExit(f"{path} is no ELF file of 64 bits.")
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    # If there are too many sections for this field, the first section has their number.
    count = count or struct.unpack_from("<Q", data, start + 32)[0]
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + index * size) for index in range(count)]
    table = next(section for section in sections if section[1] == SYMBOLS)
    names = sections[table[6]][4]
    symbols = list(struct.iter_unpack("<IBBHQQ", data[table[4]:table[4] + table[5]]))

    def name(symbol):
        begin = names + symbols[symbol][0]
        return data[begin:data.index(b"\0", begin)].decode()

    functions = collections.defaultdict(list)
    for index, (_, info, _, section, value, _) in enumerate(symbols):
        if info & 15 == FUNCTION and section != UNDEFINED:
            functions[section].append((value, index))
    users = collections.defaultdict(set)
    for section in sections:
        home = sorted(functions.get(section[7], []))
        if section[1] == RELOCATIONS and home:
            for offset, info, _ in struct.iter_unpack("<QQq", data[section[4]:section[4] + section[5]]):
                place = bisect.bisect_right(home, (offset, len(symbols))) - 1
                if place >= 0:
                    users[info >> 32].add(home[place][1])
    rest = [
        (symbol, kind)
        for symbol in users if symbols[symbol][3] == UNDEFINED
        for kind, pattern in COMPARISONS.items() if pattern.fullmatch(name(symbol))
    ]
    found, passed = collections.defaultdict(set), set(rest)
    keyed, changing = (
        {user for symbol in users if pattern.fullmatch(name(symbol)) for user in users[symbol]} for pattern in (KEYED, CHANGES)
    )
    for user in keyed & changing:
        found[name(user)].add("a change of a dictionary or set")
    members, hashing = collections.defaultdict(set), set()
    for symbol in users:
        if MEMBER.fullmatch(name(symbol)):
            for user in users[symbol]:
                members[user].add(symbol)
                if not UNHASHED.fullmatch(name(symbol)):
                    hashing.add(user)
    while rest:
        symbol, kind = rest.pop()
        for user in users[symbol]:
            if kind == GENERIC_HASH and members[user] and user not in hashing:
                continue
            if not PASSING.fullmatch(name(user)):
                found[name(user)].add(kind)
            elif (user, kind) not in passed:
                passed.add((user, kind))
                rest.append((user, kind))
    return found


def demangled(names):
    """The names of functions as the source has them, without the numbers of closures."""
    names = sorted(names)
    command = ["swift", "demangle", "--simplified", "--compact"]
    text = subprocess.run(command, input="\n".join(names), capture_output=True, text=True, check=True).stdout
    closures = re.compile(r"^((implicit )?closure #\d+ in |specialized )+")
    return dict(zip(names, (closures.sub("", line) for line in text.splitlines())))


def violations(objects):
    """The uses in object files that are neither harmless nor in a raw value, each as (source, function, kind)."""
    found = {source: uses(path) for source, path in objects.items()}
    texts = demangled({name for functions in found.values() for name in functions})
    for source, functions in found.items():
        for name, kinds in functions.items():
            if not HARMLESS.fullmatch(name):
                for kind in kinds - ({RAW_VALUE} if texts[name].endswith("init(rawValue:)") else set()):
                    yield source, texts[name], kind


def exceptions():
    """The functions that may compare text, as (source, function)."""
    lines = [line.strip() for line in EXCEPTIONS.read_text().splitlines()]
    return {tuple(line.split(": ", 1)) for line in lines if line and not line.startswith("#")}


PLANTED = """
struct Record: Hashable { var name: String; var nickname: String?; var tags: [String]; var notes: [String: String] }
enum Choice: Equatable { case named(String) }
func foundEqual(_ a: String, _ b: String) -> Bool { a == b }
func foundOptional(_ a: String?, _ b: String?) -> Bool { a == b }
func foundArrays(_ a: [String], _ b: [String]) -> Bool { a == b }
func foundTuples(_ a: (String, Int), _ b: (String, Int)) -> Bool { a == b }
func foundSubstrings(_ a: Substring, _ b: String) -> Bool { a == b }
func foundSwitch(_ a: String) -> Int { switch a { case "a": 1; default: 2 } }
func foundMember(_ a: [String], _ b: String) -> Bool { a.contains(b) }
func foundSet(_ a: Set<String>, _ b: String) -> Bool { a.contains(b) }
func foundDictionary(_ a: inout [String: Int], _ b: String) { a[b, default: 0] += 1 }
func foundInsertion(_ a: inout Set<String>, _ b: String) { a.insert(b) }
func foundRemoval(_ a: inout [String: Int], _ b: String) { a.removeValue(forKey: b) }
func foundUpdate(_ a: inout [String: Int], _ b: String) { a.updateValue(1, forKey: b) }
func foundSetter(_ a: inout [String: Int], _ b: String) { a[b] = 1 }
func foundUnion(_ a: Set<String>, _ b: Set<String>) -> Set<String> { a.union(b) }
func foundMerge(_ a: inout [String: Int], _ b: [String: Int]) { a.merge(b) { $1 } }
func foundSearch(_ a: [String], _ b: String) -> Int? { a.firstIndex(of: b) }
func foundClosure(_ a: [String], _ b: String) -> Bool { a.contains { $0 == b } }
func foundCharacter(_ a: String) -> [Substring] { a.split(separator: ";") }
func foundPrefix(_ a: String) -> Bool { a.hasPrefix("K") }
func foundAny(_ a: String) -> AnyHashable { AnyHashable(a) }
func isLike<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b }
func foundGeneric(_ a: String, _ b: String) -> Bool { isLike(a, b) }
func rightCount(_ a: [String: Int]) -> Int { a.isEmpty ? 0 : a.count }
func rightLoop(_ a: [String: Int]) -> Int { a.reduce(0) { $0 + $1.value } }
func right(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) && a.utf8.contains(0x41) && a < b }
"""


def self_test():
    """Ends the program if a planted use is not found, or if something else is."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "Planted.swift", pathlib.Path(folder) / "Planted.o"
        source.write_text(PLANTED)
        subprocess.run(["swiftc", "-parse-as-library", "-Onone", "-c", str(source), "-o", str(target)], check=True)
        found = {function for _, function, _ in violations({source: target})}
    planted = set(re.findall(r"func (found\w+)", PLANTED))
    missing = [name for name in planted if not any(function.startswith(name + "(") for function in found)]
    missing += [name for name in ("Record", "Choice") if not any(f"{name}.__derived" in function for function in found)]
    wrong = [function for function in found if not function.startswith("found") and "__derived" not in function]
    if missing or wrong:
        raise SystemExit(f"The check is broken: {missing} were not found, {wrong} should not have been found.")


def main():
    self_test()
    build = subprocess.run(["swift", "build", "--show-bin-path"], capture_output=True, text=True, check=True)
    products = pathlib.Path(build.stdout.strip())
    objects = {
        str(source.relative_to("Sources")): products / f"{module}.build" / f"{source.name}.o"
        for module in MODULES for source in sorted(pathlib.Path("Sources", module).rglob("*.swift"))
    }
    missing = [source for source, path in objects.items() if not path.exists()]
    if missing:
        raise SystemExit("These files are not compiled, run swift build first: " + ", ".join(missing))
    allowed, lines, used = exceptions(), [], set()
    for source, function, kind in violations(objects):
        if (source, function) in allowed:
            used.add((source, function))
        else:
            lines.append(f"{source}: {function} uses {kind} of text")
    lines += [f"{source}: {function} is an exception without need" for source, function in sorted(allowed - used)]
    if lines:
        print("\n".join(sorted(set(lines))))
        print("Import HTTPSyntax, whose == compares bytes, or use its TextKey as key; Tests/Layers/strings.txt has the exceptions.")
    else:
        print("All text is compared by its bytes.")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
