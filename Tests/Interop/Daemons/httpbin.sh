# httpbin from PyPI, for servers.sh, in an environment of its own, with h11, a strict reader of HTTP/1.1, readers of HTTP archives and of Content-Disposition, and HTTPie: tests compare with
# them.

httpbin_packages=(python3-venv)
httpbin_ports=(httpbin)

start_httpbin() {
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install httpbin==0.10.4 h11==0.16.0 \
        haralyzer==2.4.0 httpie==3.2.4 marshmallow-har==1.2.1 pyrfc6266==1.0.2
    "$folder/python/bin/python" -m httpbin.core --port "${ports[httpbin]}" > "$folder/httpbin.log" 2>&1 &
    echo $! > "$folder/httpbin.pid"
}
