#!/usr/bin/env bash
# Installs hiredis, which larkspur-redis needs, from Debian's packages, as root, if it is missing.
set -euo pipefail

if [[ -e /usr/include/hiredis/hiredis.h ]] || ! command -v apt-get > /dev/null; then exit; fi
export DEBIAN_FRONTEND=noninteractive
timeout 600 apt-get update > /dev/null
timeout 600 apt-get install --yes --no-install-recommends libhiredis-dev > /dev/null
