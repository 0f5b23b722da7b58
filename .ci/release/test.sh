#!/usr/bin/env bash
# Checks what release.sh refuses, and the lines that it writes, in a copy of those files of the last commit that it reads. Builds nothing.
#
#     .ci/release/test.sh
set -euo pipefail
cd "$(dirname "$0")"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Larkspur GIT_AUTHOR_EMAIL=larkspur@example.com GIT_COMMITTER_NAME=Larkspur GIT_COMMITTER_EMAIL=larkspur@example.com
# git asks no other machine for its tags.
export GIT_ALLOW_PROTOCOL=file
url=https://example.com/owner/larkspur
# Not a clone, for which git would have to trust the owner of this repository. These scripts are those of the working tree.
original=$folder/original
git init --quiet --initial-branch=main "$original"
git -c safe.directory='*' -C ../.. archive HEAD README.md Docs .github Sources/Larkspur/Basics | tar --extract --directory "$original"
mkdir "$original/.ci"
cp -r . "$original/.ci/release"
# A version that is not released yet may be above that of the sources.
sed -i '/^## .* (unreleased)$/,/^## [^(]* ([0-9]/{/^## [^(]* ([0-9]/!d}' "$original/Docs/Changelog.md"
git -C "$original" add --all --force
git -C "$original" commit --quiet --no-gpg-sign --message=Larkspur
version=$(sed -nE 's/.*static let current = "(.*)"/\1/p' "$original/Sources/Larkspur/Basics/LarkspurVersion.swift")
failures=0

# attempt <name> <status> <part of the output> <change: a function> [<argument> ...]: runs release.sh in a changed copy.
attempt() {
    local name=$1 expected=$2 words=$3 change=$4 status=0 output
    shift 4
    cp -r "$original" "$folder/copy"
    (cd "$folder/copy" && "$change") > /dev/null
    output=$("$folder/copy/.ci/release/release.sh" "$@" 2>&1) || status=$?
    rm -rf "$folder/copy"
    if ((status == expected)) && [[ $output == *"$words"* ]]; then return; fi
    printf '%s: status %d, not %d with “%s”:\n%s\n' "$name" "$status" "$expected" "$words" "$output"
    failures=$((failures + 1))
}

commit() { git commit --quiet --no-gpg-sign --all --message=Change; }
nothing() { :; }
untracked_file() { touch Docs/New.md; }
changed_file() { echo >> README.md; }
tag() { git tag "$version"; }
other_version() { sed -i "s/current = \".*\"/current = \"9.8.7\"/" Sources/Larkspur/Basics/LarkspurVersion.swift && commit; }
no_version() { sed -i "s/current = \".*\"/current = \"1.0\"/" Sources/Larkspur/Basics/LarkspurVersion.swift && commit; }
heading() { sed -i "s/^## $version .*/$1/" Docs/Changelog.md && commit; }
no_date() { heading "## $version"; }
soon() { heading "## $version (soon)"; }
impossible_date() { heading "## $version (2026-02-30)"; }
late_date() { heading "## $version (2999-01-01)"; }
next_version() { sed -i "s/^## $version/## 99.0.0 (unreleased)\n\n&/" Docs/Changelog.md && commit; }
page() { echo 'There is no release yet.' >> Docs/Tasks.md && commit; }
no_branch() { git checkout --quiet --detach; }
shallow() { git rev-parse HEAD > .git/shallow; }

attempt 'no URL' 2 usage nothing --check
attempt 'an unknown option' 2 usage nothing --all "$url"
attempt 'all is well' 0 "Version $version of " nothing --check "$url"
attempt 'ssh' 0 "Version $version of " nothing --check ssh://git@example.com/owner/larkspur.git
for bad in '' larkspur example.com/larkspur http://example.com/larkspur git@example.com:owner/larkspur.git; do
    attempt "URL “$bad”" 1 'has to begin with' nothing --check "$bad"
done
attempt 'a relative file' 1 'begins with file:///' nothing --check file://../larkspur
attempt 'a password' 1 'a user or a password' nothing --check https://me:secret@example.com/larkspur
attempt 'no host' 1 'no valid host' nothing --check https:///larkspur
attempt 'a port that is none' 1 'no valid host' nothing --check https://example.com:x/larkspur
attempt 'a blank' 1 'characters that do not belong' nothing --check 'https://example.com/a b/larkspur'
attempt 'a quotation mark' 1 'characters that do not belong' nothing --check 'https://example.com/"/larkspur'
attempt 'a query' 1 'characters that do not belong' nothing --check 'https://example.com/larkspur?a'
for bad in https://example.com https://example.com/ https://example.com/larkspur/ https://example.com/swift-larkspur https://example.com//larkspur; do
    attempt "URL $bad" 1 'has to end with /larkspur' nothing --check "$bad"
done
attempt 'a file that is not added' 1 'New.md' untracked_file --check "$url"
attempt 'a change that is not committed' 1 'M README.md' changed_file --check "$url"
attempt 'a tag' 1 "The tag $version exists." tag --check "$url"
attempt 'a tag, with --tag' 1 "The tag $version exists." tag --tag "$url"
attempt 'another version in the changelog' 1 'the sources have 9.8.7' other_version --check "$url"
attempt 'a version of two numbers' 1 'no version such as 1.0.0' no_version --check "$url"
attempt 'no date' 1 'has no date' no_date --check "$url"
attempt 'a word in place of the date' 1 'no date such as' soon --check "$url"
attempt 'changes of a version that is not released' 1 'begins with the version 99.0.0' next_version --check "$url"
attempt 'a day that does not exist' 1 'no date such as' impossible_date --check "$url"
attempt 'a date in the future' 1 'in the future' late_date --check "$url"
attempt 'a page that says that nothing is released' 1 'Docs/Tasks.md:' page --check "$url"
attempt 'no branch' 1 'No branch' no_branch --check "$url"
attempt 'a shallow clone' 1 'shallow' shallow --check "$url"
mkdir "$folder/remote"
git init --quiet --bare "$folder/remote/larkspur.git"
git -C "$original" push --quiet "$folder/remote/larkspur.git" "main:refs/tags/$version"
attempt 'a tag at the URL' 1 "exists at file://$folder/remote/larkspur.git" nothing --check "file://$folder/remote/larkspur.git"

# The lines of the pages are those of a manifest, before they are written and after that, and are written again for a later version.
expect_line() {
    if grep --quiet --fixed-strings ".package(url: \"$url\", from: \"$1\")" "$original/README.md"; then return; fi
    echo "README.md does not name $url and $1."
    failures=$((failures + 1))
}
if command -v swift > /dev/null; then ./manifest.py check "$original"; fi
./manifest.py write "$original" "$url" "$version" > /dev/null
expect_line "$version"
if command -v swift > /dev/null; then ./manifest.py check "$original"; fi
./manifest.py write "$original" "$url" 9.8.7 > /dev/null
expect_line 9.8.7

if ((failures)); then exit 1; fi
echo 'release.sh refuses what it should.'
