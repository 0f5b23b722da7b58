#!/usr/bin/env bash
# Checks that a program elsewhere can depend on the adapters: exports them, and builds and runs AllAdapters, which then
# names Larkspur and all adapters by URL. A warning is an error. With --resolve it only resolves the packages, which
# takes seconds.
set -euo pipefail
cd "$(dirname "$0")"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
repositories=$folder/repositories
log=$folder/log

# Larkspur's files as committed. Not a clone, for which git would have to trust the owner of this repository.
larkspur=$repositories/larkspur.git
git init --quiet --initial-branch=main "$larkspur"
git -C "$(git rev-parse --show-toplevel)" archive HEAD | tar -x -C "$larkspur"
git -C "$larkspur" add --all --force
git -C "$larkspur" -c user.name=Larkspur -c user.email=larkspur@example.com \
    commit --quiet --no-gpg-sign --message=Larkspur

./export.sh "$repositories" "file://$repositories"
./export.sh "$repositories" "file://$repositories" AllAdapters
git -C "$larkspur" tag "$(git --git-dir="$repositories/AllAdapters.git" tag)"
git clone --quiet "$repositories/AllAdapters.git" "$folder/program"

# SwiftPM stores repositories, and the commits of their versions, for all packages of a user. These here are of no use
# to others.
options=(--package-path "$folder/program" --cache-path "$folder/cache" --security-path "$folder/security")
without_warnings() {
    "$@" 2>&1 | tee "$log"
    if grep 'warning:' "$log" | grep --invert-match "'swift-"; then
        echo 'The packages have warnings.'
        return 1
    fi
}
without_warnings swift package "${options[@]}" show-dependencies
if [[ ${1:-} == --resolve ]]; then exit; fi
./hiredis.sh

without_warnings swift build "${options[@]}"
swift run "${options[@]}" --skip-build AllAdapters | tee "$log"
diff "$log" - << 'END'
larkspur-http-types: 200, Hello
larkspur-http-api: 200, Hello
larkspur-openapi: 200, Hello
larkspur-lifecycle: session-invalidated
larkspur-log: info, A call succeeded.
larkspur-metrics: 3 durations
larkspur-tracing: GET
larkspur-redis: connection-failed
END
echo 'A program can depend on the adapters.'
