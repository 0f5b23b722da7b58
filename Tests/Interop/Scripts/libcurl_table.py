#!/usr/bin/env python3
"""Makes the table of Tests/Interop/LibcurlVersions.md: what the engine does with each libcurl that Tests/Interop/libcurls.sh can provide, and with the system's.

    swift build --build-tests
    Tests/Interop/Scripts/libcurl_table.py                     runs the suites with every version, and writes the table
    Tests/Interop/Scripts/libcurl_table.py 8.16.0 system       the same with these versions; the other rows stay as they are
    Tests/Interop/Scripts/libcurl_table.py --suite pins system the same for some of the columns
    Tests/Interop/Scripts/libcurl_table.py --print             writes the table again from the results of the last runs

The results are stored in .build/libcurl-table.json. A version takes a few minutes. Run it as root, like Tests/Interop/servers.sh, which it uses.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
RESULTS = ROOT / ".build/libcurl-table.json"
PAGE = ROOT / "Tests/Interop/LibcurlVersions.md"
BEGIN, END = "<!-- The table of Tests/Interop/Scripts/libcurl_table.py begins. -->", "<!-- It ends. -->"

# Columns, and the tests that decide about them. The suite of HTTP/2 runs whatever the judgement is.
SUITES = {
    "HTTP/2": r"InteropTests\.(HTTP2(Completion|Connection|Differential)|StreamTests)",
    "hostile frames": r"InteropTests\.(HTTP2(Truncation|Flood)|GeneratedStream)",
    "HTTP/3": r"InteropTests\.HTTP3",
    "codings": r"InteropTests\.ContentTests|LarkspurTransportTests\.(CodedResponse|ContentCoding|ContentDecoder|SlowConsumer)",
    "pins": r"InteropTests\.(SecurityPolicyServer|TLSPolicy|Certificate)Tests",
}

# The builds whose program needs no shared library: the one that Tests/StaticLinking/libcurl.sh makes of Debian's source package. The wheels have no archive.
STATIC = {"system"}


def command(version, *arguments):
    """A command with a libcurl."""
    prefix = [] if version == "system" else ["Tests/Interop/libcurls.sh", version]
    return [*prefix, *map(str, arguments)]


def output(*arguments, **options):
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, errors="replace", **options)


def report(version):
    """The engine's report, as lines."""
    program = output("swift", "build", "--show-bin-path").stdout.strip() + "/larkspur"
    return output(*command(version, program, "doctor")).stdout.splitlines()


def libraries(version):
    """The versions of what the build consists of, from curl_version()."""
    code = "import ctypes; f = ctypes.CDLL('libcurl.so.4').curl_version; f.restype = ctypes.c_char_p; print(f().decode())"
    words = output(*command(version, sys.executable, "-c", code)).stdout.strip().splitlines()[-1].split()
    return dict(word.split("/", 1) for word in words if "/" in word)


def run_suites(version, has_http2, names):
    """Runs the suites with these names, with servers that are started once."""
    suites = {name: SUITES[name] for name in names if has_http2 or name not in ("HTTP/2", "hostile frames")}
    with tempfile.TemporaryDirectory() as folder:
        script = "\n".join(
            f"timeout 200 swift test --skip-build --filter '{suite}' > {folder}/{number} 2>&1 || true"
            for number, suite in enumerate(suites.values())
        )
        environment = os.environ | {"LARKSPUR_HTTP2_SUITE": "1", "LARKSPUR_INTEROP_REQUIRED": "1"}
        done = output(*command(version, "Tests/Interop/servers.sh", "bash", "-c", script), env=environment)
        texts = [Path(folder, str(number)) for number in range(len(suites))]
        if not all(text.exists() for text in texts):
            sys.exit(f"{version}: the suites did not run.\n{done.stderr}")
        results = {name: summary(text.read_text(errors="replace")) for name, text in zip(suites, texts)}
        return {name: results.get(name, {"count": 0, "failed": []}) for name in names}


def summary(text):
    """The failed tests, and how many tests there were; None if all of them were skipped or none of them ended."""
    ends = re.findall(r"Test run with (\d+) tests? .*(?:passed|failed) after", text)
    failed = re.findall(r'✘ Test (?!run)(.+?) (?:with \d+ test cases )?failed after', text)
    passed = re.findall(r"✔ Test (?!run)(.+?) (?:with \d+ test cases )?passed after", text)
    if not ends:
        return {"count": None, "failed": failed}
    return {"count": len(failed) + len(passed), "failed": sorted(set(failed))}


def examine(version, names, earlier):
    lines = report(version)
    http2 = next((line for line in lines if " HTTP/2" in line), "")
    return {
        "date": datetime.date.today().isoformat(),
        "libraries": libraries(version),
        "judgement": None if http2.startswith("yes") else http2.partition(": ")[2] or "unknown",
        "suites": earlier | run_suites(version, "built without" not in http2, names),
    }


def verdict(result):
    if result["count"] is None:
        return "did not end"
    if result["count"] == 0:
        return "–"
    return f"{len(result['failed'])} of {result['count']} fail" if result["failed"] else f"{result['count']} pass"


def sound(row):
    if row["judgement"] is None:
        return "sound"
    return "no HTTP/2" if "built without" in row["judgement"] else "not sound"


def table(rows):
    yield "| libcurl | nghttp2 | TLS | date | judgement | HTTP/2 suite | hostile frames | HTTP/3 suite | codings | pins | static |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for version, row in rows:
        found = row["libraries"]
        number = found.get("libcurl", "?").removesuffix("-DEV")
        tls = next((f"{name} {found[name]}" for name in ("OpenSSL", "GnuTLS") if name in found), "–")
        suites = [verdict(row["suites"].get(name, {"count": 0, "failed": []})) for name in SUITES]
        cells = [number + (" (the system's)" if version == "system" else ""), found.get("nghttp2", "–"), tls, row["date"]]
        yield "| " + " | ".join(cells + [sound(row)] + suites + ["yes" if version in STATIC else "–"]) + " |"


def reasons(rows):
    yield "| libcurl | the reason why HTTP/2 is not offered by default |"
    yield "| --- | --- |"
    for _, row in rows:
        if row["judgement"] and "built without" not in row["judgement"]:
            reason = row["judgement"].removeprefix("not offered by default, because ")
            reason = reason.removesuffix("; HTTP2Use.always offers it")
            number = row["libraries"].get("libcurl", "?").removesuffix("-DEV")
            yield f"| {number}, nghttp2 {row['libraries'].get('nghttp2', '–')} | {reason} |"


def order(version, row):
    return [int(number) for number in re.findall(r"\d+", row["libraries"].get("libcurl", "0"))], version


def write(results):
    rows = sorted(results.items(), key=lambda item: order(*item))
    lines = [*table(rows), "", *reasons(rows)]
    for _, row in rows:
        for name, suite in row["suites"].items():
            if suite["failed"]:
                print(f"{row['libraries'].get('libcurl')}, {name}: {', '.join(suite['failed'])}")
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--print", action="store_true", dest="prints")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this column; may be given again")
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not arguments.prints:
        known = output("Tests/Interop/libcurls.sh", "list").stdout.split() + ["system"]
        for version in arguments.versions or known:
            if version not in known:
                sys.exit(f"{version} is none of {' '.join(known)}.")
            earlier = results.get(version, {}).get("suites", {}) if arguments.suite else {}
            results[version] = examine(version, arguments.suite or list(SUITES), earlier)
            RESULTS.write_text(json.dumps(results, indent=2))
            print(version, sound(results[version]), {n: verdict(s) for n, s in results[version]["suites"].items()}, flush=True)
    write(results)


main()
