#!/usr/bin/env bash
# Runs each ready interceptor with many attempts on a thread with a small stack, and compares the cost of the last tenth with the first. The tests have to be
# built.
#
#     Tests/Soak/run.sh [attempts of each interceptor]
set -euo pipefail
cd "$(dirname "$0")/../.."

LARKSPUR_SOAK_CALLS=${1-200000} swift test --skip-build --filter '\.InterceptorSoakTests/'
