# Packages from PyPI that the differential runs compare with, for servers.sh, in the environment of httpbin.

install_differential() {
    "$folder/python/bin/pip" --quiet --disable-pip-version-check install ada-url==1.26.0 aiohttp==3.13.2 \
        brotlicffi==1.2.1.0 python-multipart==0.0.20 werkzeug==3.1.9 zstandard==0.25.0
}
