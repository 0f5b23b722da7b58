#!/usr/bin/env bash
# Prepares a release of the version that the sources name, or publishes it up to the push. README.md beside this script describes it.
#
#     .ci/release/release.sh [--output FOLDER] URL           a trial: everything up to the tag, in FOLDER; this repository does not change
#     .ci/release/release.sh [--output FOLDER] --tag URL     the same, and then the commit of the release and its annotated tag in this repository
#     .ci/release/release.sh --check URL                     only the checks that need no build
#
# URL is the address at which the repository will be, such as https://github.com/OWNER/larkspur. Nothing is pushed.
set -euo pipefail
shopt -s inherit_errexit

here=$(dirname "$(realpath "$0")")

fail() {
    echo "release.sh: $1" >&2
    exit 1
}

usage() {
    echo 'usage: .ci/release/release.sh [--check | --tag] [--output FOLDER] URL' >&2
    exit 2
}

step() { printf '\n=== %s\n' "$1"; }

# Git in this repository.
own_git() { git -C "$root" "$@"; }

# MARK: Checks without a build

# A URL that SwiftPM accepts and that can be written in a manifest. The name at its end is the identity of the package, which manifests write as package: "Larkspur".
check_url() {
    local rest host
    case $url in
    https://* | ssh://*)
        rest=${url#*://}
        host=${rest%%/*}
        [[ $url != https://*@* ]] || fail "The URL has a user or a password, which a manifest must not have: $url"
        [[ ${host#*@} =~ ^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]+)?$ ]] || fail "The URL has no valid host: $url"
        ;;
    file:///*) ;;
    file:*) fail "A file URL begins with file:/// and has the whole path: $url" ;;
    *) fail "The URL has to begin with https://, ssh:// or file:///: $url" ;;
    esac
    [[ ${url#*://} =~ ^[A-Za-z0-9@:/._~+-]+$ ]] || fail "The URL has characters that do not belong into a manifest: $url"
    [[ $url =~ ^[a-z]+://[^/]*(/[^/]+)*/[Ll]arkspur(\.git)?$ ]] \
        || fail "The URL has to end with /larkspur or /larkspur.git, as the name of the package is its last part: $url"
}

check_version() {
    local source=Sources/Larkspur/Basics/LarkspurVersion.swift number='(0|[1-9][0-9]*)'
    version=$(sed -nE 's/.*static let current = "(.*)"/\1/p' "$root/$source")
    [[ $version =~ ^$number\.$number\.$number$ ]] || fail "$source has no version such as 1.0.0: $version"
}

check_repository() {
    local changes
    changes=$(own_git --no-optional-locks status --porcelain)
    [[ -z $changes ]] || fail "There are changes that are not committed:
$changes"
    own_git symbolic-ref --quiet HEAD > /dev/null || fail 'No branch is checked out, to which the commit of the release could be added.'
    [[ $(own_git rev-parse --is-shallow-repository) == false ]] \
        || fail 'The clone is shallow, so the adapters would be exported without their history. Run git fetch --unshallow.'
    own_git var GIT_COMMITTER_IDENT > /dev/null 2>&1 || fail 'git knows no user.name and user.email for the commit and the tag.'
    if own_git rev-parse --quiet --verify "refs/tags/$version" > /dev/null; then
        fail "The tag $version exists. A released version never changes; name the next one in LarkspurVersion.swift and Docs/Changelog.md."
    fi
}

# Whether the tag is published already. A repository that does not exist yet, or needs a password, cannot be asked.
check_published_tags() {
    local tags
    if tags=$(GIT_TERMINAL_PROMPT=0 GIT_SSH_COMMAND='ssh -o BatchMode=yes' timeout 60 git ls-remote --tags "$url" "refs/tags/$version" 2> /dev/null); then
        [[ -z $tags ]] || fail "The tag $version exists at $url."
    else
        echo "$url could not be asked for its tags."
    fi
}

check_changelog() {
    local heading date
    heading=$(grep --max-count 1 -E '^## [0-9]' "$root/Docs/Changelog.md") || fail 'Docs/Changelog.md has no version.'
    [[ $heading =~ ^'## '([^ ]+)' '\((.*)\)$ ]] || fail "The first version of Docs/Changelog.md has no date: $heading"
    [[ ${BASH_REMATCH[1]} == "$version" ]] \
        || fail "Docs/Changelog.md begins with the version ${BASH_REMATCH[1]}, and the sources have $version."
    date=${BASH_REMATCH[2]}
    [[ $date =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ && $(date --utc --date "$date" +%F 2> /dev/null) == "$date" ]] \
        || fail "The version $version of Docs/Changelog.md has no date such as 2026-01-31: $heading"
    [[ ! $date > $(date --utc --date tomorrow +%F) ]] || fail "The date of version $version in Docs/Changelog.md is in the future: $date"
    release_date=$date
    if [[ $date != "$(date --utc +%F)" ]]; then echo "Docs/Changelog.md gives version $version the date $date, and today is $(date --utc +%F)."; fi
}

# No page says any more that nothing is released.
check_pages() {
    local lines
    if lines=$(cd "$root" && grep -nEi 'no version has been released|no release yet|before the first release|until 1\.0\.0|\(unreleased\)' \
        README.md Docs/*.md .github/*.md); then
        fail "Pages say that nothing has been released:
$(cut -c 1-160 <<< "$lines")"
    fi
}

# A program and the package of Debian that has it.
tools=(swift: python3:python3 tar:tar gzip:gzip strip:binutils readelf:binutils sha256sum:coreutils dpkg-deb:dpkg lintian:lintian mandoc:mandoc
    man:man-db)

check_tools() {
    local tool packages=()
    for tool in "${tools[@]}"; do
        if command -v "${tool%%:*}" > /dev/null; then continue; fi
        [[ ${tool#*:} ]] || fail "${tool%%:*} is missing; see https://www.swift.org/install."
        packages+=("${tool#*:}")
    done
    ((${#packages[@]} == 0)) || fail "Tools are missing: apt-get install ${packages[*]}"
    (. /etc/os-release && [[ $ID == debian ]]) || fail 'The static program is built with the packages of Debian, so this needs Debian.'
}

# MARK: The commit of the release

# update_clone <folder> <repository> <commit>: files that have not changed stay as they are, so that little is built again.
update_clone() {
    if [[ ! -e $1/.git ]]; then git init --quiet "$1"; fi
    git -C "$1" fetch --quiet --no-tags "$2" "$3"
    git -C "$1" checkout --quiet --force -B release FETCH_HEAD
    git -C "$1" clean --quiet --force -d
}

# The commit is made in a clone, so that this repository changes only if all has succeeded.
prepare_clone() {
    # The last part of its path is the name of the package for SwiftPM.
    source=$output/larkspur
    update_clone "$source" "$root" HEAD
    git -C "$source" config user.name "$(own_git var GIT_COMMITTER_IDENT | sed -E 's/ <.*//')"
    git -C "$source" config user.email "$(own_git var GIT_COMMITTER_IDENT | sed -E 's/.*<(.*)>.*/\1/')"
}

# The baseline of the API is the API, and the pages are right. The build of this repository is that of the commit, as nothing in it has changed.
check_build() {
    cd "$root"
    swift build --build-tests
    Tests/API/check.py --self-test
    Tests/API/check.py --recorded
    swift test --quiet --skip-build --filter 'DocumentationSamplesTests|ChangelogTests'
    "$here/manifest.py" check "$root"
}

commit_install_lines() {
    "$here/manifest.py" write "$source" "$url" "$version"
    "$here/manifest.py" check "$source"
    if git -C "$source" diff --quiet; then
        echo 'The pages name the URL and the version already.'
    else
        git -C "$source" commit --quiet --all --message "Name $version and its URL in the lines that install it" \
            --message "Until a version is released, the pages name a clone beside the program.
Now a manifest can name the repository and the version."
        git -C "$source" show --format=%s HEAD
    fi
    SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
}

# A program can depend on the URL and the version, as README.md says: SwiftPM reads the clone in place of the URL.
check_consumer() {
    local consumer=$output/consumer
    git -C "$source" tag --force --annotate --message "Larkspur $version" "$version"
    rm -rf "$consumer"/{Package.*,Sources,.swiftpm}
    "$here/manifest.py" package "$source" "$consumer"
    # SwiftPM stores the commits of versions for all packages of a user. These here are of no use to others.
    local options=(--package-path "$consumer" --cache-path "$output/cache" --security-path "$output/security")
    rm -rf "$output"/{cache,security}
    # SwiftPM makes a path of a file URL.
    swift package "${options[@]}" config set-mirror --original "${url#file://}" --mirror "file://$source"
    swift package "${options[@]}" update
    swift package "${options[@]}" show-dependencies
    grep --quiet "\"version\" : \"$version\"" "$consumer/Package.resolved" || fail 'The program that depends on it has another version.'
    [[ $(swift run "${options[@]}" Consumer) == Ada ]] || fail 'The program that depends on it does not work.'
}

export_adapters() {
    rm -rf "$output/adapters"
    "$source/Examples/Ecosystem/export.sh" "$output/adapters" "${url%/*}"
}

# MARK: The program

# The package with one dependency more, of the program on the libraries that are linked into it. Other programs must not get them.
build_program() {
    static=$output/static
    update_clone "$static" "$source" release
    "$here/manifest.py" link-statically "$static"
    archives=$("$root/Tests/StaticLinking/libcurl.sh")
    cd "$static"
    local options=(-c release --product larkspur --static-swift-stdlib -Xswiftc -static-executable -Xlinker "-L$archives"
        -Xlinker "-Map=$output/larkspur.map")
    # The map is written when the program is linked.
    rm -f .build/release/larkspur
    swift build "${options[@]}"
    program=$output/program
    strip -o "$program" "$(swift build "${options[@]}" --show-bin-path)/larkspur"
    check_program
}

check_program() {
    if readelf --program-headers "$program" | grep --quiet INTERP; then fail 'The program needs shared libraries after all.'; fi
    [[ $(env --ignore-environment "$program" --version) == "larkspur $version" ]] || fail "The program does not have the version $version."
    local folder server line answer
    folder=$(mktemp -d)
    echo '{"name": "Ada"}' > "$folder/user.json"
    coproc SERVER { exec python3 -u -m http.server --bind 127.0.0.1 --directory "$folder" 0 2> /dev/null; }
    server=$SERVER_PID
    read -r line <&"${SERVER[0]}"
    answer=$(env --ignore-environment "$program" --ignore-stdin "127.0.0.1:$(sed 's/.* port \([0-9]*\) .*/\1/' <<< "$line")/user.json") || true
    kill "$server"
    rm -rf "$folder"
    [[ $answer == '{"name": "Ada"}' ]] || fail "The program printed: $answer"
    "$program" doctor
}

# The files that belong to the program, as they are in the packages: a tree below usr.
lay_out_files() {
    tree=$output/tree
    rm -rf "$tree"
    mkdir -p "$tree"/usr/{bin,share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d,doc/larkspur/libraries}}
    install -m 755 "$program" "$tree/usr/bin/larkspur"
    "$program" --help | "$here/manual.py" "$version" "$release_date" > "$output/larkspur.1"
    mandoc -T lint "$output/larkspur.1"
    local warnings
    warnings=$(man --warnings --local-file "$output/larkspur.1" 2>&1 > /dev/null)
    [[ -z $warnings ]] || fail "man warns: $warnings"
    cp "$output/larkspur.1" "$tree/usr/share/man/man1"
    "$program" --completion bash > "$tree/usr/share/bash-completion/completions/larkspur"
    "$program" --completion zsh > "$tree/usr/share/zsh/vendor-completions/_larkspur"
    "$program" --completion fish > "$tree/usr/share/fish/vendor_completions.d/larkspur.fish"

    local files=$output/files
    rm -rf "$files"
    mkdir "$files"
    "$here/sbom.py" --map "$output/larkspur.map" --archives "$archives" --program "$program" --version "$version" --url "$url" \
        --architecture "$architecture" --licenses "$tree/usr/share/doc/larkspur/libraries" > "$files/larkspur-$version-$architecture.spdx.json"
}

make_packages() {
    "$here/debian.sh" "$tree" "$version" "$architecture" "$url" "$root/LICENSE" "$output/files"
    local folder=larkspur-$version-linux-$architecture
    rm -rf "${output:?}/$folder"
    mkdir "$output/$folder"
    cp -r "$tree"/usr/* "$root/LICENSE" "$output/$folder"
    tar --create --directory "$output" --sort name --owner 0 --group 0 --numeric-owner --mtime "@$SOURCE_DATE_EPOCH" "$folder" \
        | gzip --best --no-name > "$output/files/$folder.tar.gz"
    rm -rf "${output:?}/$folder"
    (cd "$output/files" && sha256sum -- * > ../SHA256SUMS && mv ../SHA256SUMS . && cat SHA256SUMS)
}

# MARK: The tag

add_tag() {
    check_repository
    own_git fetch --quiet --no-tags "$source" release
    own_git merge --quiet --ff-only FETCH_HEAD
    own_git tag --annotate --message "Larkspur $version" "$version"
    echo "The tag $version is set. To publish it:"
    printf '\n    git push %s %s %s\n' "$url" "$(own_git symbolic-ref --short HEAD)" "$version"
    local adapter
    for adapter in "$output"/adapters/*.git; do
        printf '    git -C %s push %s +main %s\n' "$adapter" "${url%/*}/${adapter##*/}" "$version"
    done
    printf '\nThe files of the release are in %s.\n' "$output/files"
}

mode=trial
output=
while (($#)); do
    case $1 in
    --check) mode=check ;;
    --tag) mode=tag ;;
    --output)
        (($# > 1)) || usage
        shift
        output=$1
        ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
(($# == 1)) || usage
url=$1

root=$(git -C "$here" rev-parse --show-toplevel 2> /dev/null) || fail "$here is in no Git repository."
check_url
check_version
check_repository
check_changelog
check_pages
check_published_tags
if [[ $mode == check ]]; then
    echo "Version $version of $release_date can be released at $url."
    exit
fi
check_tools
output=$(realpath --canonicalize-missing "${output:-$root/.build/publication}")
mkdir -p "$output"
architecture=$(dpkg --print-architecture)

step 'API and pages'
(check_build)
prepare_clone
step 'the lines that install it'
commit_install_lines
step 'adapters'
export_adapters
step 'a program that depends on it'
check_consumer
step 'program'
build_program
step 'manual, completions, list of the libraries'
lay_out_files
step 'packages'
make_packages
if [[ $mode == trial ]]; then
    printf '\nEverything is ready up to the tag %s, in %s. With --tag, the commit and the tag are added to this repository.\n' "$version" "$output"
    exit
fi
step 'tag'
add_tag
