#!/usr/bin/env bash
# Exports adapters as Git repositories that other packages can depend on by URL:
#
#     Examples/Ecosystem/export.sh FOLDER URL [PACKAGE…]
#
# makes a bare repository FOLDER/PACKAGE.git for each adapter, or for the packages that are named. It has the history of
# the package's folder, as committed. A commit on top names Larkspur and the other adapters by URL, adds the license,
# and has Larkspur's version as its tag. URL is the address below which these repositories and Larkspur's will be, such
# as https://github.com/OWNER.
#
# The history is that of `git subtree split`, commit for commit. That command needs a checkout, and reads all commits of
# Larkspur for each package.
set -euo pipefail
shopt -s inherit_errexit

fail() {
    echo "export.sh: $1" >&2
    exit 1
}

# Git in this repository, which is only read.
source_git() { git -C "$here" "$@"; }

# Git in the new repository, which borrows the objects of this one until it is finished.
new_git() { GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects GIT_INDEX_FILE=$new/export-index git --git-dir="$new" "$@"; }

# Makes a commit of a tree and parents, with a message, and with the author, the committer and the dates of another one.
# So the same files get the same commit in each export: SwiftPM refuses a version whose commit has changed.
commit() {
    local tree=$1 like=$2 message=$3 parent
    shift 3
    {
        echo "tree $tree"
        for parent; do echo "parent $parent"; done
        new_git cat-file commit "$like" | sed -nE '1,/^$/ { /^(author|committer) /p }'
        printf '\n%s\n' "$message"
    } | new_git hash-object -t commit -w --stdin
}

# Copies the commits that change a folder, with the folder as their root. Prints the last one.
copy_history() {
    local path=$1 commit parents parent tree copy='' mapped
    local -A copies=()
    while read -r commit parents; do
        mapped=()
        for parent in $parents; do mapped+=("${copies[$parent]}"); done
        # A commit that removes the folder has an empty tree.
        tree=$(new_git rev-parse --verify --quiet "$commit:$path" || new_git mktree < /dev/null)
        copy=$(commit "$tree" "$commit" "$(source_git log -1 --no-show-signature --format=%B "$commit")" "${mapped[@]}")
        copies[$commit]=$copy
    done < <(source_git rev-list --topo-order --reverse --parents --simplify-merges HEAD -- ":/$path")
    echo "$copy"
}

# Names the packages of this repository by URL in place of paths, in a file from standard input.
name_by_url() {
    local text
    text=$(sed -E \
        -e 's|\.package\(name: "Larkspur", path: "[^"]*"\)|.package(path: "../larkspur")|' \
        -e "s|\.package\(path: \"[^\"]*/(larkspur[a-z-]*)\"\)|.package(url: \"$url/\1.git\", from: \"$version\")|")
    if [[ $text != *"\"$1\""* ]]; then fail "$2 has no line for $1 that could be replaced."; fi
    if grep '\.package(.*path:' <<< "$text" >&2; then fail "$2 names a package by a path that is not known."; fi
    echo "$text"
}

# Replaces or adds a file of the new repository's index by standard input.
add_file() {
    local object
    object=$(new_git hash-object -w --stdin)
    new_git update-index --add --cacheinfo "100644,$object,$1"
}

export_package() {
    local package=$1 path=$prefix$1 history manifest readme tree top
    manifest=$(source_git show "HEAD:$path/Package.swift" 2> /dev/null) \
        || fail "No package $package is committed in $prefix"
    new=$folder/$package.git
    if [[ -e $new ]]; then fail "$new exists."; fi
    unfinished=$new
    git init --quiet --bare --initial-branch=main "$new"

    history=$(copy_history "$path")
    new_git read-tree "$history"
    manifest=$(name_by_url "$url/larkspur.git" "$path/Package.swift" <<< "$manifest")
    add_file Package.swift <<< "$manifest"
    if readme=$(source_git show "HEAD:$path/README.md" 2> /dev/null); then
        readme=$(name_by_url "$url/$package.git" "$path/README.md" <<< "$readme")
        add_file README.md <<< "$readme"
    fi
    source_git show HEAD:LICENSE | add_file LICENSE
    source_git show HEAD:.gitignore | add_file .gitignore
    tree=$(new_git write-tree)
    top=$(commit "$tree" "$history" "Name Larkspur $version by its URL, and add the license" "$history")
    new_git update-ref refs/heads/main "$top"
    new_git update-ref "refs/tags/$version" "$top"

    new_git repack -a -d --quiet
    rm "$new/export-index"
    git --git-dir="$new" fsck --connectivity-only --no-progress
    unfinished=''
    echo "$new: $version, commit $top, $(git --git-dir="$new" rev-list --count main) commits"
}

if (($# < 2)); then
    echo 'Usage: Examples/Ecosystem/export.sh FOLDER URL [PACKAGE…]' >&2
    exit 2
fi
url=${2%/}
if [[ ! $url =~ ^[A-Za-z0-9@:/._~+-]+$ ]]; then fail "No URL to write in a manifest: $2"; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(source_git rev-parse --show-prefix) || fail "$here is in no Git repository."
objects=$(source_git rev-parse --path-format=absolute --git-path objects)
version=$(source_git show HEAD:Sources/Larkspur/Basics/LarkspurVersion.swift \
    | sed -nE 's/.*static let current = "(.*)"/\1/p')
if [[ -z $version ]]; then fail 'LarkspurVersion.swift has no version.'; fi
if [[ -n $(source_git --no-optional-locks status --porcelain .) ]]; then
    echo "Changes in $prefix that are not committed are not exported." >&2
fi
if [[ $(source_git rev-parse --is-shallow-repository) == true ]]; then
    echo 'This clone is shallow, so the history of the packages is not complete.' >&2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift 2
if (($# == 0)); then
    packages=$(source_git ls-tree --full-tree --name-only "HEAD:$prefix" | grep '^larkspur-') \
        || fail "No adapters are committed in $prefix"
    mapfile -t packages <<< "$packages"
    set -- "${packages[@]}"
fi

unfinished=''
trap 'rm -rf ${unfinished:+"$unfinished"}' EXIT
for package; do export_package "$package"; done
