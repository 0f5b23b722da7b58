#!/usr/bin/env bash
# Runs a command beside servers of HTTP/1.1 and HTTP/2 at the other end of a path that the tests cut; as root.
#
#     Tests/Interop/liveness.sh swift test --filter LivenessTests
#
# network.sh makes the path and the server of HTTP/1.1. nginx, before this server, speaks HTTP/2 with 100 streams a connection. What is missing is installed from
# Debian's or Ubuntu's packages. The tests take about seven minutes. Nothing is left when the command has ended.
set -euo pipefail

if (($# == 0)); then
    echo "usage: $0 command [argument ...]" >&2
    exit 64
fi

PATH=$PATH:/usr/sbin:/sbin
script=$(realpath "$0")
if [[ -z ${LARKSPUR_SERVER_NAMESPACE-} ]]; then
    if ! command -v nginx > /dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update >&2
        apt-get install --yes --no-install-recommends nginx-light >&2
    fi
    exec "$(dirname "$script")/network.sh" "$script" "$@"
fi

folder=$(mktemp -d)
clean_up() {
    [[ ! -s $folder/nginx.pid ]] || kill "$(<"$folder/nginx.pid")" 2> /dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT

# The kernel's own times, which network.sh shortens for its tests.
for place in '' "ip netns exec $LARKSPUR_SERVER_NAMESPACE"; do
    $place sysctl --quiet --write net.ipv4.tcp_rto_max_ms=120000 2> /dev/null || true
    $place sysctl --quiet --write net.ipv4.tcp_retries2=15
done

export LARKSPUR_LIVENESS_PORT=8444
cat > "$folder/nginx.conf" <<END
user root;
worker_processes 1;
pid $folder/nginx.pid;
error_log $folder/errors.log;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path $folder/body;
    proxy_temp_path $folder/proxy;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
    server {
        listen 192.0.2.1:$LARKSPUR_LIVENESS_PORT ssl http2 backlog=1024;
        ssl_certificate $LARKSPUR_NETWORK_FAULTS/certificate.pem;
        ssl_certificate_key $LARKSPUR_NETWORK_FAULTS/key.pem;
        http2_max_concurrent_streams 100;
        keepalive_requests 100000;
        client_max_body_size 0;
        location / {
            proxy_pass http://192.0.2.1:8080;
            proxy_http_version 1.1;
            proxy_request_buffering off;
            proxy_buffering off;
            proxy_read_timeout 600s;
        }
    }
}
END
ip netns exec "$LARKSPUR_SERVER_NAMESPACE" nginx -p "$folder" -e "$folder/errors.log" -c "$folder/nginx.conf"
"$@"
