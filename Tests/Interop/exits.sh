#!/usr/bin/env bash
# Ends many processes during transfers and handshakes of TLS, while a library makes OpenSSL's clean-up slow, and prints how many of them have crashed.
#
#     Tests/Interop/exits.sh [rounds]
#     Tests/Interop/libcurls.sh chosen 8.23.0 Tests/Interop/exits.sh 20
#
# Each of the 12 kinds of end is tried so often; by default 10 times. The tests must have been built.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clang -O1 -Wall -Wextra -Werror -shared -fPIC -o "$folder/slow.so" "$(dirname "$0")/Scripts/slow_clean_up.c"
LARKSPUR_EXIT_ROUNDS=${1:-10} LARKSPUR_EXIT_LIBRARY=$folder/slow.so \
    swift test --skip-build --filter ProcessEndTests.stress 2>&1 | tee "$folder/log" | grep -E '^(transfers|handshakes) ' || true
tail -n 1 "$folder/log"
grep --quiet 'passed after' <(tail -n 1 "$folder/log")
