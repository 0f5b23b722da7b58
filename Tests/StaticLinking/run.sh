#!/usr/bin/env bash
# Checks the lists of LarkspurStatic, and compiles the C targets for arm64. Builds a program that uses the engine and images, and the command line, with Swift's libraries within them, and runs them where there is no Swift.
#
# FoundationNetworking's static library asks the linker for -lcurl, a name that only libcurl's development package gives to the library. A link of that name does too.
set -euo pipefail
cd "$(dirname "$0")"

# The functions that are looked up by name, without those of libpsl, which is not linked in, and those that LarkspurStatic links.
sources=$PWD/../../Sources
missing=$(
    comm -23 <(grep -ohE '\{"\w+", &' "$sources"/{CLibcurl,CCodings,CSignatures}/*.c | grep -oE '\w+' | grep -v '^psl_' | sort -u) \
        <(grep -oE '\w+' "$sources/CLibcurlStatic/CLibcurlStatic.c" | sort -u)
)
if [[ $missing ]]; then
    echo "LarkspurStatic links no" $missing
    exit 1
fi
./arm64.sh

build=$PWD/../../.build/static
mkdir -p "$build/lib"
libcurl=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk '/libcurl\.so\.4 / && !path { path = $NF } END { print path }')
ln -sf "$libcurl" "$build/lib/libcurl.so"

options=(--static-swift-stdlib --scratch-path "$build" -Xlinker "-L$build/lib")
swift build "${options[@]}"
programs=$(swift build "${options[@]}" --show-bin-path)
for program in Probe larkspur; do
    if ldd "$programs/$program" | grep -E 'libswift|lib_?Foundation|libdispatch|not found'; then
        echo "$program needs libraries of Swift after all."
        exit 1
    fi
done
"$programs/Probe"

# The command line is copied away and run in a namespace in which an empty folder stands in place of Swift's libraries. Their
# folder alone: a toolchain may be installed in /usr, with all that the system has.
copies=$(mktemp -d)
trap 'rm -rf "$copies"; [[ -z ${SERVER_PID-} ]] || kill "$SERVER_PID"' EXIT
cp "$programs/larkspur" "$copies"
echo '{"name": "Ada"}' > "$copies/user.json"
coproc SERVER { exec python3 -u -m http.server --bind 127.0.0.1 --directory "$copies" 0 2> /dev/null; }
read -r line <&"${SERVER[0]}"
port=$(sed 's/.* port \([0-9]*\) .*/\1/' <<< "$line")
libraries=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")/lib/swift
output=$(
    unshare --user --map-root-user --mount bash -euo pipefail -c '
        mount -t tmpfs none "$1"
        if [[ -e $1/linux ]]; then exit 1; fi
        cd "$2"
        env --ignore-environment PATH=/usr/bin:/bin ./larkspur --pretty=format "127.0.0.1:$3/user.json"
    ' - "$libraries" "$copies" "$port"
)
[[ $output == *'    "name": "Ada"'* ]] || { echo "larkspur printed: $output"; exit 1; }
