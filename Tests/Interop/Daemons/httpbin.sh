# httpbin from PyPI, for servers.sh, in an environment of its own, h11, a strict reader of HTTP/1.1 with which a test compares, readers of HTTP archives, and HTTPie.

httpbin_packages=(python3-venv)
httpbin_ports=(httpbin)

start_httpbin() {
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install httpbin==0.10.4 h11==0.16.0 \
        haralyzer==2.4.0 marshmallow-har==1.2.1 httpie==3.2.4
    "$folder/python/bin/python" -m httpbin.core --port "${ports[httpbin]}" > "$folder/httpbin.log" 2>&1 &
    echo $! > "$folder/httpbin.pid"
}
