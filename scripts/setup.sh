#!/bin/sh
# Installs what the build needs where it is missing: GDAL's library with its headers, and pkg-config.
# `setup.sh test` adds GDAL's command line tools, which the tests use as an independent judge.
set -eu

have_gdal() { pkg-config --exists gdal 2>/dev/null; }
have_tools() { command -v gdalinfo >/dev/null 2>&1; }

wanted=""
have_gdal || wanted="libgdal-dev pkg-config"
if [ "${1:-}" = test ] && ! have_tools; then wanted="$wanted gdal-bin"; fi
[ -n "$wanted" ] || exit 0

if command -v apt-get >/dev/null 2>&1; then
    as_root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            echo "setup: GDAL is missing and there is no sudo here. As root, run:" >&2
            echo "    apt-get install --no-install-recommends $wanted" >&2
            exit 1
        }
        as_root=sudo
    fi
    echo "setup: installing $wanted"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # a list of package names
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >/dev/null
else
    {
        echo "setup: GDAL (3.6 or newer) with its headers is missing. Install it with one of"
        echo "    Fedora:    sudo dnf install gdal-devel gdal pkgconf-pkg-config"
        echo "    Arch:      sudo pacman -S gdal pkgconf"
        echo "    Homebrew:  brew install gdal pkgconf"
        echo "and run make again."
    } >&2
    exit 1
fi
have_gdal || { echo "setup: pkg-config still finds no GDAL" >&2; exit 1; }
