# Proxies, for servers.sh: tinyproxy, once with and once without credentials (ada, secret), Dante's SOCKS server, microsocks, which wants the same credentials, and a
# proxy of our own that is spoken to over TLS, by the name other.test.

proxy_packages=(tinyproxy-bin dante-server microsocks)
proxy_commands=(tinyproxy danted microsocks)
proxy_ports=(proxy protectedProxy socks protectedSocks secureProxy)

start_proxies() {
    start_tinyproxy proxy
    start_tinyproxy protectedProxy 'BasicAuth ada secret'
    start_dante
    microsocks -i 127.0.0.1 -p "${ports[protectedSocks]}" -u ada -P secret > "$folder/microsocks.log" 2>&1 &
    echo $! > "$folder/microsocks.pid"
    python3 "$(dirname "${BASH_SOURCE[0]}")/../Scripts/secure_proxy.py" "${ports[secureProxy]}" "$folder/other-host.pem" \
        "$folder/key.pem" "$folder/secure-proxy-requests.log" > "$folder/secure-proxy.log" 2>&1 &
    echo $! > "$folder/secure-proxy.pid"
}

start_tinyproxy() {
    cat > "$folder/$1.conf" <<END
Port ${ports[$1]}
Listen 127.0.0.1
Timeout 600
MaxClients 100
LogFile "$folder/$1.log"
LogLevel Connect
PidFile "$folder/$1.pid"
${2-}
END
    tinyproxy -c "$folder/$1.conf"
}

start_dante() {
    cat > "$folder/dante.conf" <<END
logoutput: $folder/dante.log
internal: 127.0.0.1 port = ${ports[socks]}
external: lo
clientmethod: none
socksmethod: none
client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
END
    danted -D -f "$folder/dante.conf" -p "$folder/dante.pid"
}
