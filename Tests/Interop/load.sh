#!/usr/bin/env bash
# Runs a command beside a server for many connections and many requests.
#
#     Tests/Interop/load.sh swift test --filter LoadTests
#     Tests/Interop/load.sh --seconds 600 --requests 1000000 swift test --filter LoadTests
#
# --seconds is the time of mixed use, --requests the number of requests of the soak. Nothing is left when the command has ended.
set -euo pipefail

while [[ ${1:-} == --* ]]; do
    case $1 in
        --seconds) export LARKSPUR_LOAD_SECONDS=$2 ;;
        --requests) export LARKSPUR_LOAD_REQUESTS=$2 ;;
        *) echo "$0: unknown option $1" >&2; exit 64 ;;
    esac
    shift 2
done
if (($# == 0)); then
    echo "usage: $0 [--seconds number] [--requests number] command [argument ...]" >&2
    exit 64
fi

folder=$(mktemp -d)
server=
clean_up() {
    [[ -z $server ]] || kill "$server" 2> /dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT

# A connection takes a descriptor of the server and one of the client.
ulimit -n "$(ulimit -H -n)"
python3 -B "$(dirname "$0")/Scripts/Load/server.py" "$folder/port" &
server=$!
for ((tries = 0; tries < 300; tries++)); do
    [[ -s $folder/port ]] && break
    sleep 0.1
done
LARKSPUR_LOAD_PORT=$(<"$folder/port") "$@"
