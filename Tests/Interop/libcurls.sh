#!/usr/bin/env bash
# Runs a command with another libcurl than the system's, which FoundationNetworking and the engine then use alike.
#
#     Tests/Interop/libcurls.sh newest swift test --skip-build --filter LarkspurTransportTests
#     Tests/Interop/libcurls.sh each Tests/Interop/servers.sh swift test --skip-build --filter InteropTests
#     Tests/Interop/libcurls.sh all
#     Tests/Interop/libcurls.sh chosen newest swift test --skip-build --filter LarkspurTransportTests
#
# With `chosen` before the version, only the engine uses this libcurl: LARKSPUR_LIBCURL names it, and the system's stays in the process for FoundationNetworking.
#
# The first argument is a version below, `newest`, `http3` for one that was built with HTTP/3, `each` for all that the engine accepts, one after the other, or `list` for their names. Without a command (and with `all`) the libraries are
# fetched and listed. PyPI's wheels of pycurl and of some other packages contain whole builds of libcurl with their TLS library; Debian's backports have one that uses the system's. No library is
# installed: what is downloaded stays in a cache folder, $LARKSPUR_LIBCURLS or ~/.cache/larkspur/libcurls. Python's pip, which fetches the wheels, is
# installed from Debian's or Ubuntu's packages if it is missing. The command finds the version in LARKSPUR_LIBCURL_VERSION, and a test checks that it is the one in use.
#
# The wheels were built for a distribution with another file of certificate authorities: give roots explicitly where a test needs any.
set -euo pipefail

# Version of libcurl, and where it comes from; the newest last. The first is older than the engine accepts.
# After a plus sign: what tells a build from another one of the same version.
declare -A sources=(
    [7.61.1]='wheel pycurl 7.45.3'
    [7.76.1]='wheel pyproj 3.5.0'
    [7.80.0]='wheel rasterio 1.3.7'
    [8.1.2]='wheel pyproj 3.6.1'
    [8.4.0]='wheel rasterio 1.3.9'
    [8.6.0]='wheel pyproj 3.7.2'
    [8.8.0]='wheel rasterio 1.4.3'
    [8.12.1]='wheel pycurl 7.45.6'
    [8.14.1]='backports bookworm'
    [8.14.1+no-http2]='wheel netCDF4 1.7.5.1'
    [8.16.0]='wheel pycurl 7.45.7'
    [8.16.0+nghttp2-1.65]='wheel rasterio 1.4.4'
    [8.19.0]='wheel pycurl 7.46.0'
    [8.21.0]='wheel pycurl 7.47.0'
    [8.22.0]='wheel pycurl 7.48.0'
    [8.23.0]='wheel pycurl 7.49.0'
)
refused=(7.61.1)
accepted=(7.76.1 7.80.0 8.1.2 8.4.0 8.6.0 8.8.0 8.12.1 8.14.1 8.14.1+no-http2 8.16.0 8.16.0+nghttp2-1.65 8.19.0 8.21.0
    8.22.0 8.23.0)
# The newest with which all of LarkspurTransportTests pass: later ones hand on a folded field as one line, which the engine would refuse.
newest=8.16.0
# Built with HTTP/3, as 8.22.0 is, and sound with HTTP/2.
http3=8.23.0

cache=${LARKSPUR_LIBCURLS:-${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/libcurls}

usage() {
    echo "usage: $0 all | list | [chosen] { newest | http3 | each | <one of ${refused[*]} ${accepted[*]}> } [command [argument ...]]" >&2
    exit 64
}

# provide <version>: sees to it that the cache has it.
provide() (
    version=$1
    [[ ! -e $cache/$version/libcurl.so.4 ]] || exit 0
    mkdir -p "$cache"
    folder=$(mktemp -d "$cache/new.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    # shellcheck disable=SC2086
    fetch_${sources[$version]%% *} "$folder" ${sources[$version]#* }
    # Another run may have been faster.
    mv --no-target-directory "$folder/libraries" "$cache/$version" 2> /dev/null || [[ -e $cache/$version/libcurl.so.4 ]]
) >&2

install_pip() {
    if python3 -m pip --version > /dev/null 2>&1; then return; fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install --yes --no-install-recommends python3-pip
}

# fetch_wheel <folder> <package> <version>
fetch_wheel() {
    local folder=$1
    install_pip
    # One wheel has the same libraries as another: the version of Python does not matter.
    local platform platforms=()
    for platform in manylinux_2_28 manylinux_2_27 manylinux_2_17 manylinux2014; do
        platforms+=(--platform "${platform}_$(uname -m)")
    done
    python3 -m pip --quiet --disable-pip-version-check download --no-deps --only-binary :all: --python-version 3.11 \
        --implementation cp --abi cp311 "${platforms[@]}" --dest "$folder" "$2==$3"
    python3 -m zipfile -e "$folder"/*.whl "$folder"
    mv "$folder"/*.libs "$folder/libraries"
    # Beside the others, which it finds in its own folder.
    ln -s "$(basename "$folder"/libraries/libcurl-*.so.*)" "$folder/libraries/libcurl.so.4"
}

# fetch_backports <folder> <release>: with lists of its own, so that nothing of the system's changes.
fetch_backports() {
    local folder=$1
    mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial "$folder/system" "$folder/libraries"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $2-backports main" \
        > "$folder/apt/sources.list"
    local apt=(-qq -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State=$folder/apt/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$folder/apt/cache"
        -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update
    (cd "$folder" && apt-get "${apt[@]}" download libcurl4)
    dpkg-deb --extract "$folder"/libcurl4_*.deb "$folder/system"
    find "$folder/system" -name 'libcurl.so*' -exec mv -t "$folder/libraries" {} +
}

# check <version>: whether it can be loaded and is what it is called.
check() {
    local found
    found=$(LD_LIBRARY_PATH=$cache/$1 python3 - <<-'END'
	import ctypes
	curl = ctypes.CDLL("libcurl.so.4")
	curl.curl_version.restype = ctypes.c_char_p
	print(curl.curl_version().decode())
	END
    )
    echo "$found" >&2
    [[ $found == "libcurl/${1%%+*}"[!0-9]* ]] || {
        echo "$cache/$1 has another version than $1." >&2
        return 1
    }
}

run() {
    local version=$1
    shift
    provide "$version"
    check "$version"
    (($#)) || return 0
    export LARKSPUR_LIBCURL_VERSION=${version%%+*}
    if ((is_chosen)); then
        LARKSPUR_LIBCURL=$cache/$version/libcurl.so.4 "$@"
    else
        LD_LIBRARY_PATH=$cache/$version${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
    fi
}

(($#)) || usage
is_chosen=0
if [[ $1 == chosen ]]; then
    is_chosen=1
    shift
    (($#)) || usage
fi
which=$1
shift
case $which in
newest) versions=("$newest") ;;
http3) versions=("$http3") ;;
each) versions=("${accepted[@]}") ;;
all)
    (($# == 0)) || usage
    versions=("${refused[@]}" "${accepted[@]}")
    ;;
list)
    printf '%s\n' "${accepted[@]}"
    exit
    ;;
*)
    [[ -n ${sources[$which]-} ]] || usage
    versions=("$which")
    ;;
esac
for version in "${versions[@]}"; do run "$version" "$@"; done
