#!/usr/bin/env bash
# Runs a command with real servers beside it: nginx, httpbin, a tus server, servers of HTTP/3, WebSockets and streams, and proxies on free ports of the loopback interface, with certificates of its own
# making.
#
#     Tests/Interop/servers.sh swift test --filter InteropTests
#
# The command finds in LARKSPUR_INTEROP the folder in which servers.json names the ports. What is missing is installed from Debian's or Ubuntu's packages,
# what Daemons/requirements.txt names from PyPI, which stays in a cache folder. Nothing else is left when the command has ended.
set -euo pipefail
source "$(dirname "$0")/Daemons/certificates.sh"
source "$(dirname "$0")/Daemons/http2.sh"
source "$(dirname "$0")/Daemons/http3.sh"
source "$(dirname "$0")/Daemons/httpbin.sh"
source "$(dirname "$0")/Daemons/proxies.sh"
source "$(dirname "$0")/Daemons/python.sh"
source "$(dirname "$0")/Daemons/streams.sh"
source "$(dirname "$0")/Daemons/tus.sh"
source "$(dirname "$0")/Daemons/websockets.sh"

if (($# == 0)); then
    echo "usage: $0 command [argument ...]" >&2
    exit 64
fi

# Libraries of images; Ubuntu has the second under another name.
image_packages=(libpng16-16 libturbojpeg0)
if grep --quiet '^ID=ubuntu' /etc/os-release; then image_packages=(libpng16-16 libturbojpeg); fi

install_tools() {
    PATH=$PATH:/usr/sbin
    local packages=(curl nginx openssl libnginx-mod-http-brotli-filter "${proxy_packages[@]}" "${python_packages[@]}")
    packages+=("${image_packages[@]}")
    if dpkg --status "${packages[@]}" > /dev/null; then return; fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install --yes --no-install-recommends "${packages[@]}"
} >&2

folder=
scripts=$(realpath "$(dirname "$0")")/Scripts
modules=/usr/lib/nginx/modules

clean_up() {
    local file
    [[ -n $folder ]] || return 0
    for file in "$folder"/*.pid; do
        [[ -s $file ]] && kill "$(<"$file")" 2> /dev/null || true
    done
    rm -rf "$folder"
}

make_content() {
    echo "ada:$(openssl passwd -apr1 'correct horse')" > "$folder/users"
    mkdir "$folder/content" "$folder/uploads"
    head -c 70 /dev/urandom > "$folder/content/small"
    head -c $((100 << 10)) /dev/urandom > "$folder/content/medium"
    head -c $((10 << 20)) /dev/urandom > "$folder/content/large"
    # As long as medium, but easy to compress.
    yes 'A line of text, of which there are many.' | head -c $((100 << 10)) > "$folder/content/text.txt" || true
}

# Below the range from which the system takes ports by itself; that nobody answers is not yet proof, so that starting may have to be tried again.
declare -A ports
choose_ports() {
    local name port
    ports=()
    for name in http h2 http1 tls12 expired notYetValid otherHost selfSigned unknownIssuer reloading killed paced \
        chain otherChain impostor selfSignedName selfSignedNobody mutual mutual12 mutualHandshake mutualHandshake12 tlsFaults \
        commonName commonNameAndMail listed revoked revokedIntermediate \
        "${proxy_ports[@]}" "${httpbin_ports[@]}" "${http2_ports[@]}" "${http3_ports[@]}" "${stream_ports[@]}" "${tus_ports[@]}" \
        "${websocket_ports[@]}"; do
        while true; do
            port=$((20000 + RANDOM % 12000))
            [[ " ${ports[*]} " != *" $port "* ]] || continue
            (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
        done
        ports[$name]=$port
    done
}

write_configuration() {
    local name separator= asks_for_certificate="ssl_verify_client on; ssl_client_certificate $folder/authority.pem;"
    {
        common_settings main
        server http '' '' "listen unix:$folder/nginx.sock;"
        server h2 'ssl http2' good
        server http1 ssl good
        server tls12 'ssl http2' good 'ssl_protocols TLSv1.2;'
        server expired 'ssl http2' expired
        server notYetValid 'ssl http2' not-yet-valid
        server otherHost 'ssl http2' other-host
        server selfSigned 'ssl http2' self-signed
        server unknownIssuer 'ssl http2' unknown-issuer
        server commonName 'ssl http2' common-name
        server commonNameAndMail 'ssl http2' common-name-and-mail
        server chain 'ssl http2' chain "$(key_of chain) listen unix:$folder/chain.sock ssl;"
        server otherChain 'ssl http2' other-chain "$(key_of other-chain)"
        server listed 'ssl http2' listing-chain "$(key_of listing-chain)"
        server revoked 'ssl http2' revoked-chain "$(key_of revoked-chain)"
        server revokedIntermediate 'ssl http2' revoked-listing-chain "$(key_of revoked-listing-chain)"
        server impostor 'ssl http2' impostor "$(key_of impostor)"
        server selfSignedName 'ssl http2' self-signed-name "$(key_of self-signed-name)"
        server selfSignedNobody 'ssl http2' self-signed-nobody "$(key_of self-signed-nobody)"
        server mutual ssl good "$asks_for_certificate"
        server mutual12 ssl good "$asks_for_certificate ssl_protocols TLSv1.2;"
        server paced '' '' "limit_rate 4m; access_log $folder/paced-requests.log range;"
        echo '}'
    } > "$folder/main.conf"
    {
        common_settings reloading
        server reloading ssl good
        echo '}'
    } > "$folder/reloading.conf"
    # One process, which a test starts and kills.
    {
        echo 'daemon off; master_process off;'
        common_settings killed
        server killed '' '' 'limit_rate 60m;'
        echo '}'
    } > "$folder/killed.conf"
    {
        echo '{"ports": {'
        for name in "${!ports[@]}"; do
            echo "$separator\"$name\": ${ports[$name]}"
            separator=,
        done
        echo '}}'
    } > "$folder/servers.json"
}

key_of() { echo "ssl_certificate_key $folder/$1-key.pem;"; }

common_settings() {
    if ((EUID == 0)); then echo 'user root;'; fi
    echo "load_module $modules/ngx_http_brotli_filter_module.so;"
    # One worker, so that what it logs has the order in which it happened.
    cat <<END
worker_processes 1;
pid $folder/$1.pid;
error_log $folder/$1-errors.log info;
events { worker_connections 512; }
http {
    log_format request '\$server_port \$request_method \$request_uri \$server_protocol';
    log_format range '\$status \$http_range';
    access_log $folder/$1-requests.log request;
    client_body_temp_path $folder/$1-body;
    proxy_temp_path $folder/$1-proxy;
    fastcgi_temp_path $folder/$1-fastcgi;
    uwsgi_temp_path $folder/$1-uwsgi;
    scgi_temp_path $folder/$1-scgi;
    client_max_body_size 64m;
    client_body_buffer_size 1m;
    default_type application/octet-stream;
    types { text/plain txt; }
    brotli on;
    brotli_types text/plain;
    gzip on;
    gzip_types text/plain;
    keepalive_requests 100000;
    ssl_certificate_key $folder/key.pem;
    # For all sessions of all tests: nginx does not keep a session for which a full cache has no room.
    ssl_session_cache shared:sessions:32m;
    ssl_protocols TLSv1.2 TLSv1.3;
END
}

# server <port's name> <parameters of listen> <certificate> [settings]
server() {
    echo 'server {'
    echo "    listen 127.0.0.1:${ports[$1]} ${2};"
    [[ -z $3 ]] || echo "    ssl_certificate $folder/$3.pem;"
    echo "    ${4-}"
    cat <<END
    root $folder/content;
    location = /echo { return 200 "\$request_method \$http_x_test"; }
    # What the server knows of the connection, which it closes when it has said so.
    location = /tls {
        keepalive_timeout 0;
        return 200 "\$ssl_protocol \$ssl_session_reused \$ssl_client_verify \$ssl_client_s_dn";
    }
    # On a connection that stays open.
    location = /client { return 200 "\$ssl_client_verify \$ssl_client_s_dn"; }
    location = /to-other { return 302 https://localhost:${ports[otherChain]}/echo; }
    # As if it were the proxy.
    location = /proxy-refusal {
        add_header Proxy-Authenticate 'Basic realm="trap"' always;
        return 407;
    }
    location = /credentials { return 200 "[\$http_authorization] [\$http_proxy_authorization]"; }
    location = /worker { return 200 "\$pid"; }
    # nginx reads content only to hand it on.
    location = /post {
        proxy_pass http://127.0.0.1:${ports[http]}/received;
        add_header X-Content "\$request_body";
    }
    location = /received { return 200 "\$request_method \$content_length \$content_type"; }
    location /socket {
        proxy_pass http://127.0.0.1:${ports[webSocket]};
        proxy_http_version 1.1;
        proxy_set_header Upgrade \$http_upgrade;
        proxy_set_header Connection upgrade;
        # Ends connections on which nothing is sent. A handshake on a busy machine has to take less time.
        location = /socket/impatient {
            proxy_pass http://127.0.0.1:${ports[webSocket]};
            proxy_read_timeout 5s;
        }
    }
    location /gzip/ {
        alias $folder/content/;
        brotli off;
    }
    location /private/ {
        alias $folder/content/;
        auth_basic "private files";
        auth_basic_user_file $folder/users;
    }
    location /uploads/ {
        root $folder;
        dav_methods PUT;
    }
    location = /to-http { return 302 http://localhost:${ports[http]}/echo; }
    location = /to-https { return 302 https://localhost:${ports[h2]}/echo; }
}
END
}

# start_mutual_handshake <port> <option>: a server that ends the handshake of clients without a certificate, where nginx answers with a 400.
start_mutual_handshake() {
    local attempt
    openssl s_server -accept "127.0.0.1:${ports[$1]}" -cert "$folder/good.pem" -key "$folder/key.pem" \
        -CAfile "$folder/authority.pem" -Verify 1 -verify_return_error -groups secp384r1:prime256v1 -serverpref "$2" -www \
        < /dev/null > "$folder/$1.log" 2>&1 &
    echo $! > "$folder/$1.pid"
    for attempt in {1..100}; do
        if (: < "/dev/tcp/127.0.0.1/${ports[$1]}") 2> /dev/null; then return; fi
        sleep 0.1
    done
    return 1
}

# HTTP/1.1 over TLS that ends, and says, what it should not.
start_tls_faults() {
    python3 "$scripts/tls_faults.py" "${ports[tlsFaults]}" "$folder/good.pem" "$folder/key.pem" > "$folder/tls-faults.log" 2>&1 &
    echo $! > "$folder/tls-faults.pid"
}

# nginx has opened its ports when this returns.
start() {
    nginx -p "$folder" -e "$folder/$1-errors.log" -c "$folder/$1.conf"
}

start_servers() {
    local attempt
    for attempt in 1 2 3 4 5; do
        choose_ports
        write_configuration
        if start main; then
            if start reloading && start_mutual_handshake mutualHandshake -tls1_3 \
                && start_mutual_handshake mutualHandshake12 -tls1_2; then return; fi
            kill "$(<"$folder/main.pid")"
        fi
        echo "The ports of attempt $attempt could not be used." >&2
    done
    return 1
}

# Waits for those that do not say when they have opened their ports.
await_ports() {
    local name tries
    for name in "$@"; do
        for ((tries = 0; ; tries++)); do
            (: < "/dev/tcp/127.0.0.1/${ports[$name]}") 2> /dev/null && break
            ((tries < 300)) || { echo "Nobody has opened the port of $name." >&2; return 1; }
            sleep 0.1
        done
    done
}

trap clean_up EXIT
install_tools
folder=$(mktemp -d)
make_certificates > "$folder/openssl.log" 2>&1 || {
    cat "$folder/openssl.log" >&2
    exit 1
}
make_content
start_servers
start_proxies
provide_python
start_httpbin
start_tus
start_tls_faults
start_http2
start_http3
start_streams
start_websockets
await_ports "${proxy_ports[@]}" "${httpbin_ports[@]}" "${http2_ports[@]}" "${http3_ports[@]}" "${stream_ports[@]}" \
    "${tus_ports[@]}" "${websocket_ports[@]}" tlsFaults
LARKSPUR_INTEROP=$folder "$@"
