#!/usr/bin/env bash
# Runs crossings of features: with the system's libcurl, and with others. The tests have to be built.
#
#     Tests/Models/crossings.sh [number in all] [version of libcurl ...]
#
# A version is one of Tests/Interop/libcurls.sh. LARKSPUR_SEED sets the seed, which each run prints, and LARKSPUR_CROSSING choices that all of them have.
set -euo pipefail
cd "$(dirname "$0")/../.."

count=${1-300000}
versions=("${@:2}")
((${#versions[@]} > 0)) || versions=(8.12.1 8.16.0+nghttp2-1.65)
export LARKSPUR_CROSSINGS=$((count / (${#versions[@]} + 1)))
run=(Tests/Interop/servers.sh swift test --skip-build --quiet --filter CrossingTests)

echo "With the system's libcurl:"
"${run[@]}"
for version in "${versions[@]}"; do
    echo "With libcurl $version:"
    Tests/Interop/libcurls.sh "$version" "${run[@]}"
done
