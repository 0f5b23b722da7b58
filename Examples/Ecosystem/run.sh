#!/usr/bin/env bash
# Builds the adapters with the packages that they connect, and runs their tests. A warning about the example's own code is an error.
set -euo pipefail
cd "$(dirname "$0")"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build --build-tests 2>&1 | tee "$log"
if grep -E 'Ecosystem/(Sources|Tests)/.*warning:' "$log"; then
    echo 'The build has warnings.'
    exit 1
fi
swift test --skip-build
