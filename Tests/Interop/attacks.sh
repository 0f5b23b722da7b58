#!/usr/bin/env bash
# Runs a command in a network namespace without a way out, in which each address, public or private, leads to the servers of the tests; as root.
#
#     Tests/Interop/attacks.sh swift test --filter AttackTests
#
# The tests send requests to URLs that you do not choose. A socket that gets each packet of the kernel shows to which addresses they went. What is missing is
# installed from Debian's or Ubuntu's packages. Nothing is left when the command has ended.
set -euo pipefail

if (($# == 0)); then
    echo "usage: $0 command [argument ...]" >&2
    exit 64
fi

PATH=$PATH:/usr/sbin:/sbin
packages=()
command -v ip > /dev/null || packages+=(iproute2)
command -v python3 > /dev/null || packages+=(python3)
command -v openssl > /dev/null || packages+=(openssl)
if ((${#packages[@]} > 0)); then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >&2
    apt-get install --yes --no-install-recommends "${packages[@]}" >&2
fi

namespace=larkspur-attacks-$$
folder=$(mktemp -d)

clean_up() {
    ip netns pids "$namespace" 2> /dev/null | xargs --no-run-if-empty kill 2> /dev/null || true
    ip netns delete "$namespace" 2> /dev/null || true
    rm -rf "$folder" "/etc/netns/$namespace"
    rmdir /etc/netns 2> /dev/null || true
}
trap clean_up EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=stranger.test \
    -addext 'subjectAltName=DNS:*.stranger.test,IP:93.184.216.34,IP:1.1.1.7,IP:2606:2800:220:1::1' \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2> /dev/null

ip netns add "$namespace"
mkdir -p "/etc/netns/$namespace"
printf 'nameserver 203.0.113.53\noptions timeout:5 attempts:2\n' > "/etc/netns/$namespace/resolv.conf"
ip -n "$namespace" link set lo up
# The only interface has all addresses, also those that no interface can be given, so that a connection to any address would be accepted. Connections come from two
# public addresses, so that a packet to a private one is never a response.
ip -n "$namespace" addr add 93.184.215.1/32 dev lo
ip -n "$namespace" -6 addr add 2606:2800:220:1::9/128 dev lo nodad
ip -n "$namespace" -6 addr add fe80::9/64 dev lo nodad
ip -n "$namespace" route add local default dev lo src 93.184.215.1
ip -n "$namespace" -6 route add local default dev lo src 2606:2800:220:1::9

export LARKSPUR_ATTACKS=$folder
ip netns exec "$namespace" "$@"
