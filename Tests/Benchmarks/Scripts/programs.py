"""The smallest program that uses each client: the time of its clean build, and its size."""

import ctypes
import os
import pathlib
import resource
import shutil
import subprocess
import time

import measurements

FOUNDATION = """
import Foundation
import FoundationNetworking

let session = URLSession(configuration: .default, delegate: nil, delegateQueue: nil)
"""
CURL_URL_SESSION = """
import LarkspurTransport

let session = CurlURLSession(configuration: .default, delegate: nil, delegateQueue: nil)
"""
TASK = """
let url = URL(string: CommandLine.arguments[1])!
let group = DispatchGroup()
group.enter()
session.dataTask(with: url) { data, _, _ in
    print(data?.count ?? 0)
    group.leave()
}.resume()
group.wait()
"""
SESSION_MANAGER = """
import Larkspur

let manager = SessionManager()
manager.get(CommandLine.arguments[1]) { _, object in print(object ?? "nothing") }
manager.completionGroup.wait()
"""
ASYNC_HTTP_CLIENT = """
import AsyncHTTPClient

let response = try await HTTPClient.shared.execute(.init(url: CommandLine.arguments[1]), timeout: .seconds(30))
print(try await response.body.collect(upTo: 1 << 20).readableBytes)
"""
LIBCURL = """
#include <dlfcn.h>

int main(int count, char **arguments) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    void *(*easy_init)(void) = (void *(*)(void))dlsym(library, "curl_easy_init");
    int (*easy_setopt)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt");
    int (*easy_perform)(void *) = (int (*)(void *))dlsym(library, "curl_easy_perform");
    void *easy = easy_init();
    easy_setopt(easy, 10002, arguments[count - 1]);
    return easy_perform(easy);
}
"""

#: File name, source, dependency, product and package of the program of each client.
SOURCES = {
    "CurlURLSession": ("main.swift", CURL_URL_SESSION + TASK, "larkspur", "LarkspurTransport", "Larkspur"),
    "SessionManager": ("main.swift", SESSION_MANAGER, "larkspur", "Larkspur", "Larkspur"),
    "FoundationNetworking": ("main.swift", FOUNDATION + TASK, None, None, None),
    "async-http-client": ("main.swift", ASYNC_HTTP_CLIENT, "ahc", "AsyncHTTPClient", "async-http-client"),
    "libcurl-c": ("main.c", LIBCURL, None, None, None),
}


class Package:
    """A package of one client, whose dependencies have been fetched."""

    def __init__(self, client, folder, root):
        # The folder's name is the package's identity, and must not be that of the dependency.
        self.folder = pathlib.Path(folder) / f"program-{client}"
        file_name, source, dependency, product, package = SOURCES[client]
        packages = {
            "larkspur": f'.package(name: "Larkspur", path: "{root}")',
            "ahc": '.package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0")',
            None: "",
        }
        products = f'.product(name: "{product}", package: "{package}")' if product else ""
        sources = self.folder / "Sources" / "Program"
        sources.mkdir(parents=True)
        (sources / file_name).write_text(source)
        (self.folder / "Package.swift").write_text(
            "// swift-tools-version: 6.0\nimport PackageDescription\n\n"
            'let package = Package(name: "Program", platforms: [.macOS(.v15)], '
            f"dependencies: [{packages[dependency]}], "
            f'targets: [.executableTarget(name: "Program", dependencies: [{products}])])\n'
        )
        self._swift("package", "resolve")

    def build(self):
        """Seconds of a clean build, and of processor time."""
        for path in self.folder.glob(".build/*"):
            if path.name not in ("checkouts", "repositories", "workspace-state.json", "artifacts"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        self._swift("build")
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"build_seconds": seconds, "build_cpu_seconds": processor_seconds}

    def measure_size(self):
        """MiB of a release build without symbols, with Swift's libraries apart from it and within it."""
        # FoundationNetworking's static library asks the linker for -lcurl, a name that only a development package has.
        link = self.folder / "lib" / "libcurl.so"
        link.parent.mkdir(exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(_loaded_libcurl())
        static = ("--static-swift-stdlib", "-Xlinker", f"-L{link.parent}")
        return {
            "program_mib": self._size("dynamic"),
            "static_program_mib": self._size("static", *static),
        }

    def _size(self, name, *options):
        scratch = ("--scratch-path", str(self.folder / name))
        self._swift("build", "-c", "release", *options, *scratch)
        program = self.folder / name / "release" / "Program"
        stripped = self.folder / f"{name}-stripped"
        subprocess.run(["strip", "-o", stripped, program], check=True)
        return stripped.stat().st_size / (1 << 20)

    def _swift(self, *arguments):
        command = ["swift", *arguments, "--package-path", str(self.folder)]
        result = subprocess.run(command, capture_output=True, text=True, env=os.environ)
        if result.returncode != 0:
            raise measurements.Failure((result.stdout + result.stderr).strip()[-300:])


def _loaded_libcurl():
    """The path of libcurl, as the loader finds it."""
    ctypes.CDLL("libcurl.so.4")
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        if "libcurl" in line:
            return line.split(maxsplit=5)[5]
    raise measurements.Failure("libcurl.so.4 is not found")


#: What is measured of a package, by the scenario's name.
SCENARIOS = {"build-time": Package.build, "program-size": Package.measure_size}
