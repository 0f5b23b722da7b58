# A server for WebSockets from PyPI, for servers.sh, in the environment of httpbin.

websocket_ports=(webSocket)

start_websockets() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install websockets==15.0.1
    "$folder/python/bin/python" "$scripts/websocket_echo.py" "${ports[webSocket]}" > "$folder/websockets.log" 2>&1 &
    echo $! > "$folder/websockets.pid"
}
