#!/usr/bin/env bash
# Runs a command with the fuzzing server of the Autobahn test suite, and checks the results of the WebSocket client
# that the command runs against it.
#
#     Tests/Interop/autobahn.sh swift test --skip-build --filter AutobahnTests
#     LARKSPUR_AUTOBAHN_CASES='1.* 7.9.*' Tests/Interop/autobahn.sh swift test --skip-build --filter AutobahnTests
#
# The command finds the server's URL, ws://127.0.0.1:PORT, in LARKSPUR_AUTOBAHN. Its client asks /getCaseCount for the
# number of cases, connects to /runCase?case=<1...>&agent=<name> for each and returns every message, and ends with
# /updateReports?agent=<name>.
#
# Cases that end other than OK, NON-STRICT, INFORMATIONAL or UNIMPLEMENTED are listed with what was sent and received,
# and so are cases that were not run. The exit status is then 1, or the command's if that is not 0.
#
# The suite comes from PyPI, and stays in a cache folder. Python's module for environments is installed from Debian's or
# Ubuntu's packages if it is missing.
#
# LARKSPUR_AUTOBAHN_CASES     patterns of the cases to run; all without it
# LARKSPUR_AUTOBAHN_MESSAGES  limit for the cases that send 1000 messages: 9.7, 9.8, 12 and 13
# LARKSPUR_AUTOBAHN_REPORTS   folder for the reports, which are otherwise removed
# LARKSPUR_AUTOBAHN_CACHE     cache folder; without it ~/.cache/larkspur/autobahn
set -euo pipefail

if (($# == 0)); then
    echo "usage: $0 command [argument ...]" >&2
    exit 64
fi

# The suite is written for Python 2, and Scripts/autobahn_cases.py adapts its cases to Python 3. The version of autobahn
# is the one that the suite requires; those of the other packages run with a current Python 3.
suite=autobahntestsuite==25.10.1
requirements=(autobahn==0.10.9 txaio==2.1.0 six==1.17.0 Twisted==26.10.0 wsaccel==0.6.7)

script=$(realpath "$(dirname "$0")")/Scripts/autobahn_cases.py
cache=${LARKSPUR_AUTOBAHN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/autobahn}
folder=
server=

install_python() {
    if python3 -c 'import ensurepip, venv' 2> /dev/null; then return; fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install --yes --no-install-recommends python3-venv
} >&2

# provide <folder>: sees to it that the folder is a Python environment with the suite.
provide() (
    [[ ! -x $1/bin/python ]] || exit 0
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/new.XXXXXX")
    trap 'rm -rf "$new"' EXIT
    python3 -m venv "$new"
    # Much of the suite cannot be compiled by Python 3.
    install=("$new/bin/python" -m pip --quiet --disable-pip-version-check install --no-compile)
    "${install[@]}" "${requirements[@]}"
    "${install[@]}" --no-deps "$suite"
    # Another run may have been faster.
    mv --no-target-directory "$new" "$1" 2> /dev/null || [[ -x $1/bin/python ]]
) >&2

start_server() {
    local patterns tries
    read -ra patterns <<< "${LARKSPUR_AUTOBAHN_CASES-}"
    "$1/bin/python" "$script" serve "$folder" "${LARKSPUR_AUTOBAHN_MESSAGES:-1000}" "${patterns[@]}" \
        > "$folder/server.log" 2>&1 &
    server=$!
    for ((tries = 0; tries < 600; tries++)); do
        [[ ! -s $folder/url ]] || return 0
        kill -0 "$server" 2> /dev/null || break
        sleep 0.1
    done
    echo 'The fuzzing server has not started.' >&2
    cat "$folder/server.log" >&2
    return 1
}

# The server writes its results when it is terminated.
stop_server() {
    [[ -n $server ]] || return 0
    kill "$server" 2> /dev/null || true
    wait "$server" || true
    server=
}

clean_up() {
    stop_server
    [[ -z $folder || -n ${LARKSPUR_AUTOBAHN_REPORTS-} ]] || rm -rf "$folder"
}

install_python
# An environment belongs to one version of Python.
environment=$cache/${suite##*=}-python$(python3 -c 'import platform; print(platform.python_version())')
provide "$environment"

trap clean_up EXIT
if [[ -n ${LARKSPUR_AUTOBAHN_REPORTS-} ]]; then
    folder=$LARKSPUR_AUTOBAHN_REPORTS
    mkdir -p "$folder"
    rm -f "$folder"/{url,cases.json,index.json}
else
    folder=$(mktemp -d)
fi
start_server "$environment"
status=0
LARKSPUR_AUTOBAHN=$(<"$folder/url") "$@" || status=$?
stop_server
# Empty, unless the server has failed.
cat "$folder/server.log" >&2
python3 "$script" check "$folder" || status=$((status ? status : $?))
exit "$status"
