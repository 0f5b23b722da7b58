#!/usr/bin/env bash
# Links a client as a whole, with libcurl and the C library, and runs it in a folder that has nothing but the client, certificates and the kernel's /proc: requests over TLS, with pins,
# HTTP/2 and content codings, to the servers of Tests/Interop/servers.sh. Prints the size of the program.
#
#     Tests/StaticLinking/executable.sh
#
# Not a part of CI, because libcurl and the client are built first; that takes some minutes. See Docs/StaticPrograms.md. What is built stays in .build/executable,
# and libcurl.a in the cache of libcurl.sh.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")

# run <program>: in the environment of servers.sh, whose folder has the certificates.
run() {
    local options=() name
    bare=$(mktemp -d)
    trap 'rm -rf "$bare"; [[ -z ${ZSTD_PID-} ]] || kill "$ZSTD_PID"' EXIT
    mkdir "$bare/certificates"
    cp "$1" "$bare/client"
    for name in authority chain-root chain-leaf; do cp "$LARKSPUR_INTEROP/$name.pem" "$bare/certificates"; done
    while read -r name; do options+=("$name"); done < <(python3 -c '
import json, sys
for name, port in json.load(open(sys.argv[1]))["ports"].items(): print(f"{name}={port}")
' "$LARKSPUR_INTEROP/servers.json")
    # A server of content in zstd, which nginx does not have: a frame with the five bytes of a word.
    coproc ZSTD { exec python3 -u -c '
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content = bytes.fromhex("28b52ffd2005290000") + b"hello"
        self.send_response(200)
        self.send_header("Content-Encoding", "zstd")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *arguments): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port)
server.serve_forever()
'; }
    read -r name <&"${ZSTD[0]}"
    options+=("zstd=$name")
    find "$bare" -type f -printf 'in the folder: /%P\n'
    # FoundationNetworking ends a process that cannot find its own program in /proc.
    mkdir "$bare/proc"
    unshare --user --map-root-user --mount bash -euo pipefail -c '
        mount --rbind /proc "$1/proc"
        exec env --ignore-environment "$(PATH=$PATH:/usr/sbin command -v chroot)" "$1" /client /certificates "${@:2}"
    ' - "$bare" "${options[@]}"
}

if [[ ${1-} == run ]]; then
    run "$2"
    exit
fi

archives=$("$root/Tests/StaticLinking/libcurl.sh")
build=$root/.build/executable
cd "$root/Tests/StaticLinking/Executable"
options=(-c release --static-swift-stdlib -Xswiftc -static-executable -Xlinker "-L$archives" --scratch-path "$build")
swift build "${options[@]}"
program=$(swift build "${options[@]}" --show-bin-path)/Client
if readelf --program-headers "$program" | grep --quiet INTERP; then
    echo 'The program needs a dynamic linker after all.'
    exit 1
fi
"$root/Tests/Interop/servers.sh" "$root/Tests/StaticLinking/executable.sh" run "$program"
strip -o "$build/Client" "$program"
printf 'Size of the static program without symbols: %d bytes\n' "$(stat --format %s "$build/Client")"
