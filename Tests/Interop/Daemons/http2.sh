# A server of our own that misbehaves over HTTP/2, for servers.sh, with packages from PyPI in the environment of httpbin.

http2_ports=(misbehaving)

start_http2() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install hyperframe==6.1.0 hpack==4.1.0
    "$folder/python/bin/python" "$(dirname "${BASH_SOURCE[0]}")/../Scripts/http2_server.py" "${ports[misbehaving]}" \
        "$folder/good.pem" "$folder/key.pem" > "$folder/http2.log" 2>&1 &
    echo $! > "$folder/http2.pid"
}
