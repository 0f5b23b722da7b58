# Servers for WebSockets, for servers.sh.

websocket_ports=(webSocket webSocketFuzz)

start_websockets() {
    "$folder/python/bin/python" "$scripts/websocket_echo.py" "${ports[webSocket]}" > "$folder/websockets.log" 2>&1 &
    echo $! > "$folder/websockets.pid"
    "$folder/python/bin/python" "$scripts/websocket_fuzz.py" "${ports[webSocketFuzz]}" > "$folder/websocket-fuzz.log" 2>&1 &
    echo $! > "$folder/websocket-fuzz.pid"
}
