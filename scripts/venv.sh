#!/bin/sh
# Makes a Python environment under the target folder with the given packages and prints the path of its python.
# Exit 77, with the reason on stdout: it cannot be made here.
#   venv.sh NAME PACKAGE...
set -eu
name=$1
shift
folder="${CARGO_TARGET_DIR:-$(dirname "$0")/../target}/venv/$name"
python="$folder/bin/python"

unable() { echo "$1"; exit 77; }

# The stamp is written last: an environment that was cut short in the making is made again.
if [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ]; then
    command -v python3 >/dev/null 2>&1 || unable "there is no python3"
    rm -rf "$folder"
    python3 -m venv "$folder" >/dev/null 2>&1 ||
        python3 -m virtualenv -q "$folder" >/dev/null 2>&1 ||
        unable "python3 has neither venv nor virtualenv (Debian: apt-get install python3-venv)"
    "$python" -m pip install -q --disable-pip-version-check "$@" </dev/null >/dev/null 2>&1 ||
        unable "pip cannot install $* (no network?)"
    echo "$*" >"$folder/packages"
fi
echo "$python"
