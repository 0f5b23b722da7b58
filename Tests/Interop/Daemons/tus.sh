# A tus server, for servers.sh, behind a proxy that cuts connections.

tus_ports=(tus tusBehindProxy)

start_tus() {
    mkdir "$folder/tus"
    "$folder/python/bin/python" "$scripts/tus_server.py" "${ports[tus]}" "${ports[tusBehindProxy]}" "$folder/tus" \
        > "$folder/tus.log" 2>&1 &
    echo $! > "$folder/tus.pid"
}
