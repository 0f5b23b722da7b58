"""The smallest program that uses each client: the time of its clean build, its size, and the cost of running it once."""

import ctypes
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

from failure import Failure

PACKAGE = pathlib.Path(__file__).resolve().parent.parent

#: The target of each client, and what the program calls.
CLIENTS = {
    "SessionManager-async": ("OneGetSessionManager", "`SessionManager(baseURL:)`, `value(as:)`"),
    "CurlURLSession": ("OneGetCurlURLSession", "`data(from:)`, `JSONDecoder`"),
    "FoundationNetworking": ("OneGetFoundationNetworking", "`URLSession.shared`, `data(from:)`, `JSONDecoder`"),
    "async-http-client-async": ("OneGetAsyncHTTPClient", "`HTTPClient.shared`, `JSONDecoder`"),
    "go": ("OneGetGo", "`http.Get`, `encoding/json`"),
    "libcurl-c": ("OneGetLibcurl", "`curl_easy_perform`, decodes nothing"),
}

#: The product that each of them depends on, and its package.
_DEPENDENCIES = {
    "SessionManager-async": ("Larkspur", "Larkspur"),
    "CurlURLSession": ("LarkspurTransport", "Larkspur"),
    "async-http-client-async": ("AsyncHTTPClient", "async-http-client"),
}


def async_http_client_version():
    manifest = (PACKAGE / "Package.swift").read_text()
    return re.search(r'async-http-client", exact: "([^"]+)"', manifest)[1]


def program_size(client, programs):
    """MiB of a release build without symbols."""
    program = programs / CLIENTS[client][0]
    stripped = pathlib.Path(os.environ["BENCH_FOLDER"]) / f"{program.name}-stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    return stripped.stat().st_size / (1 << 20)


def measure_size(client, programs):
    """The size with Swift's libraries apart from the program, and within it."""
    target = CLIENTS[client][0]
    sizes = {"program_mib": program_size(client, programs)}
    if not (PACKAGE / "Sources" / target / "main.swift").exists():
        return sizes | {"static_program_mib": sizes["program_mib"]}
    # FoundationNetworking's static library asks the linker for -lcurl, a name that only a development package has.
    link = pathlib.Path(os.environ["BENCH_FOLDER"]) / "lib" / "libcurl.so"
    link.parent.mkdir(exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(_loaded_libcurl())
    scratch = PACKAGE / ".build" / "static"
    options = ("--static-swift-stdlib", "-Xlinker", f"-L{link.parent}", "--scratch-path", str(scratch))
    _swift(PACKAGE, "build", "-c", "release", "--product", target, *options)
    return sizes | {"static_program_mib": program_size(client, scratch / "release")}


def measure_build(client, programs):
    """Seconds of a clean debug build, and of processor time."""
    folder = _package(client)
    for path in folder.glob(".build/*"):
        if path.name not in ("checkouts", "repositories", "workspace-state.json", "artifacts"):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    _swift(folder, "build")
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"build_seconds": seconds, "build_cpu_seconds": processor_seconds}


def _package(client):
    """The folder of a package of that program alone, whose dependencies have been fetched."""
    # The folder's name is the package's identity, and must not be that of the dependency.
    folder = pathlib.Path(os.environ["BENCH_FOLDER"]) / f"program-{client}"
    if folder.exists():
        return folder
    packages = {
        "Larkspur": f'.package(name: "Larkspur", path: "{os.environ["BENCH_ROOT"]}")',
        "async-http-client": '.package(url: "https://github.com/swift-server/async-http-client", '
        f'exact: "{async_http_client_version()}")',
    }
    product, package = _DEPENDENCIES.get(client, (None, None))
    dependency = f'.product(name: "{product}", package: "{package}")' if product else ""
    shutil.copytree(PACKAGE / "Sources" / CLIENTS[client][0], folder / "Sources" / "Program")
    (folder / "Package.swift").write_text(
        "// swift-tools-version: 6.0\nimport PackageDescription\n\n"
        'let package = Package(name: "Program", platforms: [.macOS(.v15)], '
        f"dependencies: [{packages.get(package, '')}], "
        f'targets: [.executableTarget(name: "Program", dependencies: [{dependency}])])\n'
    )
    _swift(folder, "package", "resolve")
    return folder


def _swift(folder, *arguments):
    command = ["swift", *arguments, "--package-path", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure((result.stdout + result.stderr).strip()[-300:])


def _loaded_libcurl():
    """The path of libcurl, as the loader finds it."""
    ctypes.CDLL("libcurl.so.4")
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        if "libcurl" in line:
            return line.split(maxsplit=5)[5]
    raise Failure("libcurl.so.4 is not found")


#: What is measured of a program, by the scenario's workload.
MEASUREMENTS = {"build": measure_build, "size": measure_size}
WORKLOADS = {"process", *MEASUREMENTS}
