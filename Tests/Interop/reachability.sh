#!/usr/bin/env bash
# Runs a command in a network namespace of its own, in which it may change links and routes; as root.
#
#     Tests/Interop/reachability.sh swift test --filter ReachabilityNetworkTests
#
# iproute2 is installed from Debian's or Ubuntu's packages if it is missing. Nothing is left when the command has ended.
set -euo pipefail

if (($# == 0)); then
    echo "usage: $0 command [argument ...]" >&2
    exit 64
fi

PATH=$PATH:/usr/sbin:/sbin
if ! command -v ip > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >&2
    apt-get install --yes --no-install-recommends iproute2 >&2
fi

namespace=larkspur-$$
ip netns add "$namespace"
trap 'ip netns delete "$namespace"' EXIT
LARKSPUR_NETWORK_NAMESPACE=$namespace ip netns exec "$namespace" "$@"
