#!/usr/bin/env bash
# Runs the engine's tests on other systems, as far as that is possible on this machine. README.md lists what was tried.
#
#     Tests/Systems/run.sh trixie [FILTER]   Debian 13, with its libcurl and OpenSSL; FILTER selects tests, by default LarkspurTransportTests
#     Tests/Systems/run.sh sid [FILTER]      Debian's next release
#     Tests/Systems/run.sh gnutls [FILTER]   Debian's next release, with its libcurl for GnuTLS; by default LarkspurTransportTests.OwnRootsTests
#     Tests/Systems/run.sh arm64             compiles the C targets for arm64 (Tests/StaticLinking/arm64.sh)
#     Tests/Systems/run.sh musl              compiles the C targets with the headers of musl
#
# The first three need root, debootstrap, and a debug build with tests (swift build --build-tests). debootstrap makes a minimal system in a temporary
# folder, which is removed afterwards. The tests that were built on this machine run in it, with this machine's toolchain: its libraries are those of
# Swift, and libxml2 and ICU, which FoundationXML needs in the versions of this system, are copied too. Everything else, with libcurl, OpenSSL,
# the codings and the C library, belongs to the other system. Not a part of CI, because it takes minutes and downloads 150 MB.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")

usage() {
    echo "usage: $0 { { trixie | sid | gnutls } [FILTER] | arm64 | musl }" >&2
    exit 64
}

# With Debian's headers of musl and of the kernel, which are extracted and not installed.
run_musl() {
    local folder file headers machine count=0 includes=()
    machine=$(uname -m)
    folder=$(mktemp -d)
    trap "rm -rf '$folder'" EXIT
    (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download musl-dev linux-libc-dev)
    for file in "$folder"/*.deb; do dpkg-deb --extract "$file" "$folder"; done
    headers=$folder/usr/include
    cd "$root"
    for file in Sources/*/include; do includes+=(-I "$file"); done
    for file in Sources/*/*.c; do
        clang --target="$machine-linux-musl" -nostdlibinc -isystem "$headers/$machine-linux-musl" -isystem "$headers" \
            -isystem "$headers/$machine-linux-gnu" "${includes[@]}" -O2 -Wall -Werror -c "$file" -o "$folder/$((++count)).o"
    done
    echo "$count C files compiled for musl."
}

# The packages with the libraries that the engine and the tests look up, by the names of both releases.
packages() {
    echo ca-certificates libatomic1 libbrotli1 libcurl4t64 libpng16-16t64 libpsl5t64 libsqlite3-0 libstdc++6 libturbojpeg0 libzstd1 openssl procps tzdata zlib1g
}

# run_in <system> <filter> [file of libcurl]: in a mount namespace of its own.
run_in() {
    local system=$1 filter=$2 toolchain bundle name
    toolchain=$(dirname "$(dirname "$(dirname "$(realpath "$(command -v swift)")")")")
    bundle=$(cd "$root" && swift build --show-bin-path)
    mkdir -p "$system$toolchain" "$system$root" "$system/swift-libraries"
    mount --bind -o ro "$toolchain" "$system$toolchain"
    mount --bind "$root" "$system$root"
    mount -t proc proc "$system/proc"
    mount --rbind /dev "$system/dev"
    printf '127.0.0.1 localhost\n::1 localhost\n' > "$system/etc/hosts"
    for name in libxml2.so.2 libicuuc.so.72 libicudata.so.72 libicui18n.so.72; do
        cp "$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk -v name="$name" '$1 == name && !path { path = $NF } END { print path }')" "$system/swift-libraries"
    done
    # Only what the other system lacks.
    local environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/tmp LANG=C.UTF-8 SWIFT_BACKTRACE=enable=no "LD_LIBRARY_PATH=$toolchain/usr/lib/swift/linux")
    if ! chroot "$system" ldconfig -p | grep --quiet 'libxml2\.so\.2 '; then environment[-1]+=:/swift-libraries; fi
    if [[ -n ${3-} ]]; then environment+=("LARKSPUR_LIBCURL=$3"); fi
    chroot "$system" env --ignore-environment "${environment[@]}" "$bundle/larkspur" doctor || true
    chroot "$system" sh -c 'cd "$1" && shift && exec env --ignore-environment "$@"' - "$root" "${environment[@]}" \
        "$bundle/LarkspurPackageTests.xctest" --testing-library swift-testing --filter "$filter"
}

run_debian() {
    # The trap needs the variable `system` when this function has ended.
    local release=$1 filter=$2 libcurl=${3-}
    command -v debootstrap > /dev/null || { echo 'debootstrap is missing: apt-get install debootstrap' >&2; exit 1; }
    [[ $(id --user) == 0 ]] || { echo 'This needs root, for debootstrap.' >&2; exit 1; }
    system=$(mktemp -d /var/tmp/larkspur-"$release".XXXXXX)
    # The mounts end with their namespace. --one-file-system, in case one does not.
    trap 'rm -rf --one-file-system "$system"' EXIT
    chmod 755 "$system"
    debootstrap --variant=minbase --include="$(packages | tr ' ' ,)${libcurl:+,libcurl3t64-gnutls}" "$release" "$system" http://deb.debian.org/debian > "$system.log" 2>&1 || {
        tail -n 30 "$system.log"
        exit 1
    }
    rm "$system.log"
    chroot "$system" dpkg-query --show libcurl4t64 libssl3t64 libssl4 libc6 libxml2 libxml2-16 2> /dev/null || true
    unshare --mount "$0" in "$system" "$filter" "$libcurl"
}

case ${1-} in
trixie | sid) run_debian "$1" "${2-LarkspurTransportTests}" ;;
gnutls) run_debian sid "${2-LarkspurTransportTests.OwnRootsTests}" "/usr/lib/$(uname -m)-linux-gnu/libcurl-gnutls.so.4" ;;
arm64) "$root/Tests/StaticLinking/arm64.sh" ;;
musl) run_musl ;;
in) run_in "$2" "$3" "${4-}" ;;
*) usage ;;
esac
