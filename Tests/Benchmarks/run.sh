#!/usr/bin/env bash
# Builds the benchmarks, starts nginx, runs every scenario against every client, and prints Markdown tables.
# Usage: run.sh [--json FILE] [--quick] [--all] [--runs N] [--seed N] [--client NAME]… [--list] [SCENARIO…]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1

benchmark() { python3 "$here/Scripts/benchmark.py" "$@"; }
say() { printf '%s\n' "$*" >&2; }

for argument in "$@"; do
    case $argument in
    --list | --help | -h)
        benchmark "$argument"
        exit
        ;;
    esac
done
benchmark --check "$@"

install_nginx() {
    command -v nginx >/dev/null && return
    if [ "$(id -u)" -ne 0 ]; then
        say 'nginx is not installed: apt-get install nginx'
        exit 1
    fi
    say 'Installing nginx…'
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nginx; } >&2
}

# Without the command its clients are left out.
build_go() {
    if ! command -v go >/dev/null; then
        say "There is no go: $1 is left out."
        return
    fi
    # Files outside of a module get the language and the settings of the command's own version.
    GOTOOLCHAIN=local GOFLAGS= go build -o "$BENCH_PROGRAMS/$1" "$here/Sources/$1"/*.go
}

# Programs of an earlier build whose client has been left out since are not to be measured.
build() {
    say 'Building…'
    export BENCH_PROGRAMS
    BENCH_PROGRAMS=$(swift build -c release --package-path "$here" --show-bin-path)
    if [ -d "$BENCH_PROGRAMS" ]; then
        find "$BENCH_PROGRAMS" -maxdepth 1 -type f \( -name 'Bench*' -o -name 'OneGet*' \) -delete
    fi
    local program go
    go=$("$here/Scripts/go.sh")
    PATH=${go:+$go:}$PATH
    for program in $(benchmark --programs "$@"); do
        case $program in
        *Go) build_go "$program" ;;
        *) swift build -c release --package-path "$here" --product "$program" >&2 ;;
        esac
    done
}

make_certificates() {
    local folder=$1
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=Larkspur benchmarks' \
        -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign' \
        -keyout "$folder/ca.key" -out "$folder/ca.pem" 2>/dev/null
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=localhost' \
        -keyout "$folder/server.key" -out "$folder/server.csr" 2>/dev/null
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' >"$folder/server.ext"
    openssl x509 -req -in "$folder/server.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial -days 2 \
        -extfile "$folder/server.ext" -out "$folder/server.pem" 2>/dev/null
}

free_ports() {
    python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(socket.getsockname()[1] for socket in sockets))'
}

nginx_answers() {
    python3 -c '
import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null
}

nginx_pid=

# Another process may have taken a port since it was free: then nginx ends, and others are tried.
start_nginx() {
    local folder=$1 attempt
    export BENCH_HTTP_PORT BENCH_HTTPS_PORT BENCH_HTTP2_PORT
    for attempt in 1 2 3 4 5; do
        read -r BENCH_HTTP_PORT BENCH_HTTPS_PORT BENCH_HTTP2_PORT < <(free_ports)
        sed -e "s|@USER@|$(id -un) $(id -gn)|" -e "s|@FOLDER@|$folder|" -e "s|@HTTP_PORT@|$BENCH_HTTP_PORT|" \
            -e "s|@HTTPS_PORT@|$BENCH_HTTPS_PORT|" -e "s|@HTTP2_PORT@|$BENCH_HTTP2_PORT|" \
            "$here/Scripts/nginx.conf.in" >"$folder/nginx.conf"
        nginx -p "$folder" -c "$folder/nginx.conf" 2>"$folder/nginx-start.log" &
        nginx_pid=$!
        while kill -0 "$nginx_pid" 2>/dev/null; do
            if nginx_answers "$BENCH_HTTP_PORT"; then return; fi
            sleep 0.05
        done
    done
    cat "$folder/nginx-start.log" >&2
    exit 1
}

# Some clients read their roots from this file and from nowhere else; only the processes of the namespace see the changed one.
system_bundle=/etc/ssl/certs/ca-certificates.crt
run_trusting_server() {
    local folder=$1
    shift
    local unshare=(unshare --mount)
    [ "$(id -u)" -eq 0 ] || unshare+=(--map-root-user)
    local bind='mount --bind "$1" "$2"; shift 2; exec "$@"'
    if [ -f "$system_bundle" ] && cat "$system_bundle" "$folder/ca.pem" >"$folder/bundle.pem" &&
        "${unshare[@]}" bash -ec "$bind" - "$folder/bundle.pem" "$system_bundle" true 2>/dev/null; then
        BENCH_TRUSTS_SERVER=1 "${unshare[@]}" bash -ec "$bind" - "$folder/bundle.pem" "$system_bundle" "$@"
    else
        "$@"
    fi
}

folder=
clean_up() {
    if [ -n "$nginx_pid" ]; then
        kill "$nginx_pid" 2>/dev/null && wait "$nginx_pid" || true
    fi
    if [ -n "$folder" ]; then rm -rf "$folder"; fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

install_nginx
build "$@"
ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
folder=$(mktemp -d)
export BENCH_FOLDER=$folder BENCH_ROOT
BENCH_ROOT=$(cd "$here/../.." && pwd)
make_certificates "$folder"
mkdir "$folder/uploads"
python3 "$here/Scripts/content.py" "$folder/content"
start_nginx "$folder"
run_trusting_server "$folder" python3 "$here/Scripts/benchmark.py" "$@"
