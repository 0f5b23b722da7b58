#!/usr/bin/env bash
# Builds libcurl.a and libxml2.a from Debian's source packages, and collects the archives that libcurl needs from Debian's -dev packages. Prints the folder that has them,
# with a list of the versions, and with the texts of the licenses in the folder copyright.
#
#     Tests/StaticLinking/libcurl.sh
#     swift build -c release --static-swift-stdlib -Xswiftc -static-executable -Xlinker "-L$(Tests/StaticLinking/libcurl.sh)"
#
# Debian's own libcurl.a and libxml2.a need libraries that have no static form, or are large. Here libcurl is built with OpenSSL, zlib, Brotli, Zstandard and nghttp2,
# and without GSSAPI, LDAP, RTMP, SSH, libpsl and libidn2; libxml2, which FoundationXML needs, is built without ICU and lzma. No package of the system is changed, apart
# from make, patch and xz-utils, which are installed if they are missing.
#
# The archives stay in a cache folder, $LARKSPUR_STATIC or ~/.cache/larkspur/static. They are built again when Debian has a new version of one of the packages, or this script has changed. With
# LARKSPUR_STATIC_OFFLINE=1, the script asks for no new versions, and prints the folder that was built last.
set -euo pipefail

script=$(realpath "$0")
cache=${LARKSPUR_STATIC:-${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/static}
sources=(curl libxml2)
packages=(libssl-dev zlib1g-dev libbrotli-dev libzstd-dev libnghttp2-dev)

release=$(. /etc/os-release && [[ $ID == debian ]] && echo "$VERSION_CODENAME") || {
    echo "$0 needs Debian, whose packages it uses." >&2
    exit 1
}
mkdir -p "$cache"
if [[ ${LARKSPUR_STATIC_OFFLINE-} ]]; then
    newest=$(find "$cache" -name versions.txt -path '*/curl-*' -printf '%T@ %h\n' | sort --numeric-sort | tail -n 1 | cut -d ' ' -f 2-)
    [[ $newest ]] || { echo "$cache has no archives." >&2; exit 1; }
    echo "$newest"
    exit
fi
folder=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$folder"' EXIT

install_tools() {
    if command -v make patch xz > /dev/null; then return; fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install --yes --no-install-recommends make patch xz-utils
}

# apt with lists of its own, so that nothing of the system's changes.
prepare_apt() {
    mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial
    local key=/usr/share/keyrings/debian-archive-keyring.gpg kind
    for kind in deb deb-src; do
        echo "$kind [signed-by=$key] http://deb.debian.org/debian $release main"
        echo "$kind [signed-by=$key] http://deb.debian.org/debian-security $release-security main"
    done > "$folder/apt/sources.list"
    apt=(-qq -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State=$folder/apt/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$folder/apt/cache"
        -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update
}

# The newest versions of the source packages and of the -dev packages, one on each line.
list_versions() {
    local name
    for name in "${sources[@]}"; do
        echo "$name $(apt-cache "${apt[@]}" showsrc "$name" | sed -n 's/^Version: //p' | sort --version-sort | tail -n 1)"
    done
    for name in "${packages[@]}"; do
        echo "$name $(apt-cache "${apt[@]}" show "$name" | sed -n 's/^Version: //p' | sort --version-sort | tail -n 1)"
    done
}

version_of() { sed -n "s/^$1 //p" "$folder/versions.txt"; }

# The headers and archives that libcurl.a needs. Their links to shared libraries are removed, so that the archives are linked.
fetch_dependencies() {
    mkdir "$folder/packages"
    local name wanted=()
    for name in "${packages[@]}"; do wanted+=("$name=$(version_of "$name")"); done
    (cd "$folder/packages" && apt-get "${apt[@]}" download "${wanted[@]}")
    for name in "$folder"/packages/*.deb; do dpkg-deb --extract "$name" "$folder/system"; done
    libraries=$(dirname "$(find "$folder/system/usr/lib" -name libssl.a)")
    find "$libraries" -name '*.so' -delete
}

# fetch_source <package>: with Debian's patches, but without those for its other libcurls. Generated files are then newer than what they were made from.
fetch_source() {
    local name=$1 patch
    mkdir "$folder/$name"
    (cd "$folder" && apt-get "${apt[@]}" source --download-only "$name=$(version_of "$name")")
    tar --extract --strip-components 1 --directory "$folder/$name" --file "$folder/$name"_*.orig.tar.*z
    tar --extract --directory "$folder/$name" --file "$folder/$name"_*.debian.tar.*
    cd "$folder/$name"
    while read -r patch; do
        case $patch in '' | '#'* | 90_gnutls.patch | 99_nss.patch) continue ;; esac
        patch --quiet --strip 1 --input "debian/patches/$patch"
    done < debian/patches/series
    touch aclocal.m4
    find . \( -name configure -o -name Makefile.in -o -name '*config.h.in' \) -exec touch {} +
}

flags='-O2 -fPIC -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=2'

build_curl() {
    fetch_source curl
    ./configure CC=clang CFLAGS="$flags" CPPFLAGS="-I$folder/system/usr/include -I$folder/system/usr/include/$(basename "$libraries")" \
        LDFLAGS="-L$libraries" LIBS='-lssl -lcrypto -lbrotlidec -lbrotlicommon -lzstd -lz -ldl -lpthread' PKG_CONFIG=false \
        --disable-shared --enable-static --disable-dependency-tracking --with-openssl --with-zlib --with-brotli --with-zstd --with-nghttp2 \
        --enable-threaded-resolver --without-libpsl --without-libidn2 --without-gssapi --disable-ldap --disable-ldaps --without-librtmp \
        --without-libssh --without-libssh2 --disable-manual --without-zsh-functions-dir \
        --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --with-ca-path=/etc/ssl/certs
    make -C lib -j "$(nproc)"
}

build_libxml2() {
    fetch_source libxml2
    ./configure CC=clang CFLAGS="$flags" --disable-shared --enable-static --disable-dependency-tracking \
        --without-icu --without-lzma --without-zlib --without-python --without-http --without-ftp
    make -j "$(nproc)" libxml2.la
}

# The licenses require that a program that is linked with the archives is delivered with their texts.
copy_copyrights() {
    local name file
    mkdir "$1"
    for name in "${packages[@]}"; do
        # A -dev package may link to the folder of the package with the library, which is not downloaded.
        file=$folder/system/usr/share/doc/$name/copyright
        if [[ ! -e $file ]]; then
            file=$(realpath --canonicalize-missing --relative-to "$folder/system" "$file")
            file=/$file
        fi
        cp "$file" "$1/$name"
    done
    for name in "${sources[@]}"; do cp "$folder/$name/debian/copyright" "$1/$name"; done
}

{
    install_tools
    prepare_apt
    list_versions > "$folder/versions.txt"
    result=$cache/curl-$(version_of curl)-$(cat "$folder/versions.txt" "$script" | sha256sum | head -c 8)
    if [[ ! -e $result/versions.txt ]]; then
        fetch_dependencies
        for name in curl libxml2; do
            set +e
            (set -e; "build_$name") > "$folder/$name.log" 2>&1
            status=$?
            set -e
            ((status == 0)) || { tail -n 60 "$folder/$name.log"; exit 1; }
        done
        mkdir "$folder/archives"
        cp "$folder"/{curl/lib,libxml2}/.libs/*.a "$libraries"/lib{nghttp2,ssl,crypto,brotlidec,brotlicommon,zstd,z}.a "$folder/versions.txt" \
            "$folder/archives"
        copy_copyrights "$folder/archives/copyright"
        # Another run may have been faster.
        mv --no-target-directory "$folder/archives" "$result" 2> /dev/null || [[ -e $result/versions.txt ]]
    fi
} >&2
echo "$result"
