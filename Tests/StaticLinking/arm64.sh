#!/usr/bin/env bash
# Compiles the C targets for arm64, with the toolchain's clang and Debian's headers for that processor. The Swift targets are not compiled, because Swift's modules for
# another processor cannot be had without a whole toolchain for it.
#
#     Tests/StaticLinking/arm64.sh
#
# No package is installed: the headers stay in a cache folder, $LARKSPUR_STATIC or ~/.cache/larkspur/static.
set -euo pipefail
cd "$(dirname "$0")/../.."

headers=${LARKSPUR_STATIC:-${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/static}/arm64-headers
if [[ ! -e $headers/usr ]]; then
    mkdir -p "$(dirname "$headers")"
    folder=$(mktemp -d "$headers.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    mkdir "$folder/packages"
    fetch() { (cd "$folder/packages" && apt-get -qq -o APT::Sandbox::User=root download libc6-dev-arm64-cross linux-libc-dev-arm64-cross); }
    fetch || { apt-get -qq update && fetch; }
    for package in "$folder"/packages/*.deb; do dpkg-deb --extract "$package" "$folder/headers"; done
    mv --no-target-directory "$folder/headers" "$headers" 2> /dev/null || [[ -e $headers/usr ]]
fi

count=0
objects=$(mktemp -d)
trap 'rm -rf "$objects" ${folder:+"$folder"}' EXIT
includes=()
for folder_of_headers in Sources/*/include; do includes+=(-I "$folder_of_headers"); done
for file in Sources/*/*.c; do
    clang --target=aarch64-linux-gnu -isystem "$headers/usr/aarch64-linux-gnu/include" "${includes[@]}" \
        -O2 -Wall -Werror -c "$file" -o "$objects/$((++count)).o"
    llvm-objdump --file-headers "$objects/$count.o" 2> /dev/null | grep -q aarch64 || readelf --file-header "$objects/$count.o" | grep -q AArch64
done
echo "$count C files compiled for arm64."
