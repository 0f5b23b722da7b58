# A tus server from PyPI, for servers.sh, behind a proxy that cuts connections. It uses the environment of httpbin.

tus_ports=(tus tusBehindProxy)

start_tus() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install tuspyserver==4.4.3 uvicorn==0.54.0
    mkdir "$folder/tus"
    "$folder/python/bin/python" "$scripts/tus_server.py" "${ports[tus]}" "${ports[tusBehindProxy]}" "$folder/tus" \
        > "$folder/tus.log" 2>&1 &
    echo $! > "$folder/tus.pid"
}
