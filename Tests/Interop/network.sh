#!/usr/bin/env bash
# Runs a command in a network namespace whose only link leads to another one, over a path that loses, delays, reorders and repeats packets as the tests tell it; as root.
#
#     Tests/Interop/network.sh swift test --filter NetworkFaultTests
#     Tests/Interop/network.sh --rounds 20 swift test --filter NetworkFaultTests
#
# With --rounds, the tests with random faults run so often, each time with another seed. LARKSPUR_SEED sets the first seed. What is missing is installed from
# Debian's or Ubuntu's packages. Nothing is left when the command has ended.
set -euo pipefail

if [[ ${1:-} == --rounds ]]; then
    export LARKSPUR_NETWORK_ROUNDS=$2
    shift 2
fi
if (($# == 0)); then
    echo "usage: $0 [--rounds number] command [argument ...]" >&2
    exit 64
fi

PATH=$PATH:/usr/sbin:/sbin
scripts=$(realpath "$(dirname "$0")")/Scripts/Network

packages=()
command -v ip > /dev/null || packages+=(iproute2)
command -v python3 > /dev/null || packages+=(python3)
command -v openssl > /dev/null || packages+=(openssl)
if ((${#packages[@]} > 0)); then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >&2
    apt-get install --yes --no-install-recommends "${packages[@]}" >&2
fi

client=larkspur-client-$$
server=larkspur-server-$$
folder=$(mktemp -d)
path=

clean_up() {
    [[ -z $path ]] || kill "$path" 2> /dev/null || true
    # What the tests have started in the namespaces ends with them.
    ip netns pids "$server" 2> /dev/null | xargs --no-run-if-empty kill 2> /dev/null || true
    ip netns delete "$client" 2> /dev/null || true
    ip netns delete "$server" 2> /dev/null || true
    rm -rf "$folder" "/etc/netns/$client"
    rmdir /etc/netns 2> /dev/null || true
}
trap clean_up EXIT

if [[ ! -e /dev/net/tun ]]; then
    mkdir -p /dev/net
    mknod /dev/net/tun c 10 200
fi
clang -O1 -Wall -Wextra -Werror -o "$folder/path" "$scripts/path.c"
for library in failing_allocations jumping_clock; do
    clang -O1 -Wall -Wextra -Werror -shared -fPIC -o "$folder/lib$library.so" "$scripts/$library.c"
done

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=192.0.2.1 -addext subjectAltName=IP:192.0.2.1 \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2> /dev/null

ip netns add "$client"
ip netns add "$server"
# The name server of the client is beside the server. Its answers are not waited for as long as usual.
mkdir -p "/etc/netns/$client"
printf 'nameserver 192.0.2.1\noptions timeout:2 attempts:2\n' > "/etc/netns/$client/resolv.conf"

"$folder/path" "$client" "$server" 9 > "$folder/path.log" &
path=$!
for ((tries = 0; tries < 300; tries++)); do
    grep --quiet ready "$folder/path.log" && break
    sleep 0.1
done
ip -n "$client" link set lo up
ip -n "$server" link set lo up
# A packet that was lost is sent again after 3 seconds at most, where the kernel can be told so (from 6.15 on). Otherwise each loss in a row doubles the time, and one
# transfer of some hundred waits for minutes on a path that loses a fifth.
for namespace in "$client" "$server"; do
    if ip netns exec "$namespace" sysctl --quiet --write net.ipv4.tcp_rto_max_ms=3000 2> /dev/null; then
        ip netns exec "$namespace" sysctl --quiet --write net.ipv4.tcp_retries2=100
    fi
done
# Without IPv6 addresses of their own, whose solicitations nobody answers.
ip netns exec "$client" sysctl --quiet --write net.ipv6.conf.near.addr_gen_mode=1
ip netns exec "$client" sysctl --quiet --write net.ipv6.conf.near.keep_addr_on_down=1
ip netns exec "$server" sysctl --quiet --write net.ipv6.conf.far.addr_gen_mode=1
ip -n "$client" addr add 192.0.2.2/24 dev near
ip -n "$server" addr add 192.0.2.1/24 dev far
ip -n "$client" -6 addr add 2001:db8::2/64 dev near nodad
ip -n "$client" link set near up
ip -n "$server" link set far up

export LARKSPUR_NETWORK_FAULTS=$folder
export LARKSPUR_SERVER_NAMESPACE=$server
ip netns exec "$client" "$@"
