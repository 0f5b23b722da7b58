# provide_python [FILE]: the environment of Python with the packages of requirements.txt, or of another file. It is made once, and stays in a cache folder:
# $LARKSPUR_PYTHON, or ~/.cache/larkspur/python. Other packages, or another Python, have another environment there.

python_packages=(python3-venv)

provide_python() {
    local cache=${LARKSPUR_PYTHON:-${XDG_CACHE_HOME:-$HOME/.cache}/larkspur/python} requirements environment
    requirements=${1:-$(dirname "${BASH_SOURCE[0]}")/requirements.txt}
    environment=$cache/$({ python3 --version; cat "$requirements"; } | sha256sum | head -c 16)
    mkdir -p "$cache"
    # Two runs do not make it at once. It is made in its place, as its programs contain its path.
    (
        flock 9
        [[ ! -e $environment/complete ]] || exit 0
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/pip" --quiet --disable-pip-version-check install --requirement "$requirements"
        touch "$environment/complete"
    ) 9> "$cache/lock"
    ln -s "$environment" "$folder/python"
}
