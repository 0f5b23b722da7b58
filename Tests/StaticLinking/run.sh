#!/usr/bin/env bash
# Builds a program that uses the engine and images and has Swift's libraries within it, and runs it.
#
# FoundationNetworking's static library asks the linker for -lcurl, a name that only libcurl's development package gives to the library. A link of that name does too.
set -euo pipefail
cd "$(dirname "$0")"

build=$PWD/../../.build/static
mkdir -p "$build/lib"
libcurl=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk '/libcurl\.so\.4 / && !path { path = $NF } END { print path }')
ln -sf "$libcurl" "$build/lib/libcurl.so"

options=(--static-swift-stdlib --scratch-path "$build" -Xlinker "-L$build/lib")
swift build "${options[@]}"
program=$(swift build "${options[@]}" --show-bin-path)/Probe
if ldd "$program" | grep -E 'libswift|libFoundation|libdispatch'; then
    echo 'The program needs libraries of Swift after all.'
    exit 1
fi
"$program"
