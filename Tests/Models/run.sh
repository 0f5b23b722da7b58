#!/usr/bin/env bash
# Runs random sequences of operations on session managers and sessions against the models of a call's and a task's life,
# and random calls with secrets. The tests have to be built.
#
#     Tests/Models/run.sh [runs of each model] [calls with secrets]
#
# LARKSPUR_SEED=… repeats a run: with the seed that a failure prints, one run is enough.
set -euo pipefail
cd "$(dirname "$0")/../.."

LARKSPUR_MODEL_RUNS=${1-3000} LARKSPUR_SECRETS=${2-1000} \
    swift test --skip-build --filter '\.(CallModelTests|SessionModelTests|SharedCredentialModelTests|SecretScenarioTests|CanaryGeneratorTests)/'
