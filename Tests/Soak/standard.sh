#!/usr/bin/env bash
# Runs the standard interceptors in real time, with servers that are healthy, slow, dead or partly failing, and then with many calls. Prints a table. The tests have to
# be built. It takes about three minutes, and one more for each 200,000 calls.
#
#     Tests/Soak/standard.sh [calls]
set -euo pipefail
cd "$(dirname "$0")/../.."

LARKSPUR_STANDARD_CALLS=${1-200000} swift test --skip-build --filter '\.StandardInterceptorsSoakTests/'
