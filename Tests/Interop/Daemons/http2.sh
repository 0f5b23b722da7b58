# A server of our own that misbehaves over HTTP/2, for servers.sh.

http2_ports=(misbehaving)

start_http2() {
    "$folder/python/bin/python" "$(dirname "${BASH_SOURCE[0]}")/../Scripts/http2_server.py" "${ports[misbehaving]}" \
        "$folder/good.pem" "$folder/key.pem" > "$folder/http2.log" 2>&1 &
    echo $! > "$folder/http2.pid"
}
