#!/usr/bin/env bash
# Looks at the web site of the documentation with Chromium: the first page, the guides, the reference and the search, on wide and narrow screens, in light and dark.
#
#     Tests/Site/run.sh                     builds the site below a base path, in .build/site, and checks it
#     Tests/Site/run.sh --guides-only       keeps the reference of the last run: seconds instead of a minute
#     Tests/Site/run.sh --pictures FOLDER   writes its pictures into this folder, and not into .build/site-pictures
#
# It installs Debian's package chromium if that is missing, for which it has to run as root. Not a part of CI.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v chromium > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install --yes --no-install-recommends chromium fonts-dejavu-core
fi
exec python3 Tests/Site/check.py "$@"
