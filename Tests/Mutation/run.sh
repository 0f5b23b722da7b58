#!/usr/bin/env bash
# Breaks central decisions of a copy of the sources, one at a time, and checks that the tests find each.
#
#     Tests/Mutation/run.sh              all mutations: a build (ten minutes and more), then the tests
#     Tests/Mutation/run.sh 3 18         only these
#     Tests/Mutation/run.sh --check      only that the mutations still fit the sources: seconds
#
# mutations.py lists them. The copy is built once with all of them, each behind its number in the environment variable LARKSPUR_MUTATION, which is read once.
# Without a number, all tests have to pass. The copy is in .build/mutation, or in the folder LARKSPUR_MUTATION_FOLDER, and stays there for the next run.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 Tests/Mutation/mutate.py "$@"
