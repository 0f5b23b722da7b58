# Servers of HTTP/3, for servers.sh.

http3_ports=(http3 http3Absent http3Impostor)

start_http3() {
    "$folder/python/bin/python" "$scripts/http3_server.py" "$folder/good.pem" "$folder/key.pem" \
        "$folder/unknown-issuer.pem" "${ports[http3]}" "${ports[http3Absent]}" "${ports[http3Impostor]}" \
        > "$folder/http3.log" 2>&1 &
    echo $! > "$folder/http3.pid"
}
