#!/usr/bin/env bash
# Loads generated responses with FoundationNetworking's URLSession and with the engine's, in child processes, and writes a table in Markdown with what came of them.
#
#     Tests/Programs/foundation_fate.sh [cases [seed [file]]]
#
# Without arguments: 2,000 cases, a random seed, and the table on the standard output. One to four minutes for 1,000 cases; the tests have to be built.
set -euo pipefail
cd "$(dirname "$0")/../.."

cases=${1:-2000}
seed=${2:-$((RANDOM * 32768 + RANDOM + 1))}
table=$(mktemp)
trap 'rm -f "$table"' EXIT
LARKSPUR_FATE_CASES=$cases LARKSPUR_FATE_TABLE=$table LARKSPUR_SEED=$seed \
    swift test --skip-build --filter FoundationFateTests >&2
if (($# > 2)); then cp "$table" "$3"; else cat "$table"; fi
