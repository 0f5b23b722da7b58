#!/usr/bin/env bash
# Runs the tests of the adapters and of the server, each in its own package, and checks that a program elsewhere can
# depend on the adapters. A warning about their code is an error. Each package builds Larkspur for itself: in a shared
# build folder SwiftPM may run the tests of another package.
set -euo pipefail
cd "$(dirname "$0")"

./hiredis.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in larkspur-* TracedServer; do
    printf '\n=== %s\n' "$package"
    swift build --build-tests --package-path "$package" 2>&1 | tee "$log"
    if grep 'warning:' "$log" | grep --invert-match --extended-regexp "'(swift-|hummingbird)"; then
        echo "$package has warnings."
        exit 1
    fi
    swift test --skip-build --package-path "$package"
done
printf '\n=== a program elsewhere\n'
./check.sh
