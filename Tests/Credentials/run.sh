#!/usr/bin/env bash
# Runs programs with credentials against real servers on 127.0.0.1: OAuth 2 of Authlib, S3 and STS of moto, docker-registry with tokens, and wsgidav with Digest. It
# prints a line for each check, and fails if one does.
#
#     Tests/Credentials/run.sh                       everything; the first run builds Larkspur in .build/credentials
#     Tests/Credentials/run.sh --only authlib moto   some of: authlib, moto, registry, webdav
#     Tests/Credentials/run.sh --servers             no program: that the servers refuse what they should, by curl and boto3
#
# What is missing is installed from Debian's packages, as root, and what requirements.txt names from PyPI, which stays in a cache folder. Nothing else is left, and the
# servers end with the script.
set -euo pipefail
cd "$(dirname "$0")"
source ../Interop/Daemons/python.sh

packages=(curl docker-registry "${python_packages[@]}")
if ! dpkg --status "${packages[@]}" > /dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    timeout 600 apt-get update > /dev/null
    timeout 600 apt-get install --yes --no-install-recommends "${packages[@]}" > /dev/null
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export folder
timeout 1800 bash -euo pipefail -c 'source ../Interop/Daemons/python.sh; provide_python "$PWD/requirements.txt"'
python=$(realpath "$folder/python")/bin/python

if [[ " $* " != *' --servers '* ]]; then
    build=$(realpath ../..)/.build/credentials
    timeout 3600 swift build --scratch-path "$build" > "$folder/build.log" 2>&1 || { cat "$folder/build.log"; exit 1; }
    if grep --after-context 8 'warning:' "$folder/build.log"; then
        echo 'The programs have warnings.'
        exit 1
    fi
    set -- --programs "$(swift build --scratch-path "$build" --show-bin-path)" "$@"
fi
# Each program and each server has a time limit of its own.
timeout --foreground --kill-after 30 1800 "$python" -u scenarios.py "$@"
