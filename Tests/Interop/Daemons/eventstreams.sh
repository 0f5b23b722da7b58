# A parser of event streams from PyPI, for servers.sh, in the environment of httpbin.

install_event_streams() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install httpx-sse==0.4.3 httpx==0.28.1
}
