# httpbin, for servers.sh.

httpbin_ports=(httpbin)

start_httpbin() {
    "$folder/python/bin/python" -m httpbin.core --port "${ports[httpbin]}" > "$folder/httpbin.log" 2>&1 &
    echo $! > "$folder/httpbin.pid"
}
