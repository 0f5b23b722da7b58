#!/usr/bin/env bash
# Prints the folder of the go command: of Debian's newest package, which is unpacked into a cache folder and not installed, or else of the one that is installed.
# Prints nothing if there is neither. Its programs and the command itself are linked statically, so that they run on older releases too.
set -euo pipefail

version=1.27
release=trixie-backports
cache=${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/go-$version

# With lists of its own, so that nothing of the system's changes.
fetch() (
    mkdir -p "$(dirname "$cache")"
    folder=$(mktemp -d "$cache.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial "$folder/go"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" \
        > "$folder/apt/sources.list"
    apt=(-qq -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State=$folder/apt/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$folder/apt/cache"
        -o APT::Sandbox::User=root)
    apt-get "${apt[@]}" update
    cd "$folder"
    apt-get "${apt[@]}" download "golang-$version-go" "golang-$version-src"
    for package in golang-*.deb; do dpkg-deb --extract "$package" go; done
    # Another run may have been faster.
    mv --no-target-directory go "$cache" 2> /dev/null || [[ -e $cache ]]
) >&2

if [[ ! -e $cache ]] && command -v dpkg-deb > /dev/null; then fetch || true; fi
if [[ -e $cache ]]; then
    echo "$cache/usr/lib/go-$version/bin"
elif command -v go > /dev/null; then
    dirname "$(command -v go)"
fi
