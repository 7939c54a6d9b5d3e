#!/bin/sh
# Installs what the build needs where it is missing: GDAL's library with its headers, and pkg-config.
# `setup.sh test` adds GDAL's command line tools and Python scripts, which the tests use as an independent judge; where
# they cannot be installed, the tests that need them say that they are skipped.
set -eu

have_gdal() { pkg-config --exists gdal 2>/dev/null; }
have_tools() { command -v gdalinfo >/dev/null 2>&1; }
# The distribution's Python, which its package is for; another one on PATH may not see it.
have_scripts() { /usr/bin/python3 -c "import osgeo_utils" 2>/dev/null || python3 -c "import osgeo_utils" 2>/dev/null; }
say() { echo "setup: $*" >&2; }

command -v cargo >/dev/null 2>&1 || {
    say "there is no cargo on PATH; install Rust 1.89 or newer from https://rustup.rs"
    exit 1
}
command -v cc >/dev/null 2>&1 || {
    say "there is no C compiler; install one (Debian: apt-get install gcc libc6-dev)"
    exit 1
}

needed=""
have_gdal || needed="libgdal-dev pkg-config"
useful=""
if [ "${1:-}" = test ]; then
    have_tools || useful="gdal-bin"
    have_scripts || useful="$useful python3-gdal"
fi
[ -n "$needed$useful" ] || exit 0

# The prefix that makes a command root's: nothing for root, sudo where it can be used. sudo may ask for a password on
# a terminal; without one it must not.
as_root() {
    [ "$(id -u)" != 0 ] || return 0
    command -v sudo >/dev/null 2>&1 || return 1
    if [ -t 0 ]; then echo sudo; else sudo -n true 2>/dev/null && echo "sudo -n"; fi
}

apt_install() {
    # shellcheck disable=SC2086  # lists of words
    $root apt-get update -qq &&
        $root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends $needed $useful >/dev/null
}

if [ -z "$needed" ]; then
    # Tools alone are not worth a question or a failure.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        root=""
        say "installing $useful"
        apt_install || say "$useful could not be installed; tests that need it are skipped"
    else
        say "GDAL's tools (Debian: $useful) are missing; tests that need them are skipped"
    fi
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    say "GDAL (3.6 or newer) with its headers is missing. Install it with one of"
    say "    Fedora:    sudo dnf install gdal-devel gdal pkgconf-pkg-config"
    say "    Arch:      sudo pacman -S gdal pkgconf"
    say "    Homebrew:  brew install gdal pkgconf"
    say "and run make again."
    exit 1
fi
root=$(as_root) || {
    say "GDAL is missing and there is no way to become root here. As root, run:"
    say "    apt-get install --no-install-recommends $needed $useful"
    exit 1
}
say "installing $needed $useful"
apt_install
have_gdal || { say "pkg-config still finds no GDAL"; exit 1; }
