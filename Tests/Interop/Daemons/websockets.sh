# Servers for WebSockets with a library from PyPI, for servers.sh, in the environment of httpbin.

websocket_ports=(webSocket webSocketFuzz)

start_websockets() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install websockets==15.0.1
    "$folder/python/bin/python" "$scripts/websocket_echo.py" "${ports[webSocket]}" > "$folder/websockets.log" 2>&1 &
    echo $! > "$folder/websockets.pid"
    "$folder/python/bin/python" "$scripts/websocket_fuzz.py" "${ports[webSocketFuzz]}" > "$folder/websocket-fuzz.log" 2>&1 &
    echo $! > "$folder/websocket-fuzz.pid"
}
