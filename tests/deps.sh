#!/bin/sh
# deps.sh: installs missing Debian or Ubuntu packages for building, testing and drawing, without questions
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: deps.sh [demo | windows | platforms | gui]      demo: not those that only tests need; windows, platforms and gui:
# those of tests/windows.sh, tests/platforms.sh and tests/gui.sh, too

set -eu

missing=
need () { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
has_package () { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

# tests/format.sh needs this version; without it the format is not checked.
has_formatter () {
  for formatter in clang-format-14 clang-format build/tools/bin/clang-format; do
    $formatter --version 2>/dev/null | grep -q 'version 14\.' && return
  done
  return 1
}

# wants_package NAME: not where Octave is not Debian's, whose packages would install Debian's Octave as well.
wants_package () {
  command -v octave-cli >/dev/null 2>&1 || return 0
  dpkg -s octave >/dev/null 2>&1 && ! octave-cli --no-init-file --no-history --eval "pkg load $1" >/dev/null 2>&1
}

# If Octave is installed already, its BLAS is not changed.
command -v octave-cli >/dev/null 2>&1 || missing="$missing octave libopenblas0-pthread"
need mkoctfile octave-dev
need gcc gcc
need g++ g++
need gnuplot gnuplot-nox
need fc-list fontconfig
if [ "${1:-}" = windows ]; then
  need x86_64-w64-mingw32-gcc-posix gcc-mingw-w64-x86-64-posix
  need x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
  need wine "wine wine64"
  need clang clang
fi
if [ "${1:-}" = platforms ]; then
  need aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross libgfortran5-arm64-cross"
  need qemu-aarch64 qemu-user
  need musl-gcc musl-tools
  need i686-linux-gnu-gcc "gcc-i686-linux-gnu libc6-dev-i386-cross"
  need clang clang
fi
if [ "${1:-}" = gui ]; then
  need octave octave
  need Xvfb xvfb
  need xdotool xdotool
  need xclip xclip
  need setsid util-linux
  need gs ghostscript
  python3 -c 'import ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
fi
# Optional packages: without them some checks are skipped.
formatter_package=
doctest=
parallel= # has parcellfun, for a test
if [ "${1:-}" != demo ]; then
  need ccache ccache
  need bats bats
  need pkg-config pkg-config
  need xz xz-utils
  has_formatter || python3 -c 'import ensurepip' >/dev/null 2>&1 || formatter_package=clang-format-14
  ! wants_package doctest || doctest=octave-doctest
  ! wants_package parallel || parallel=octave-parallel
fi
# Octave draws with FreeSans; with other fonts alone it makes no axes.
font=
fc-list : family 2>/dev/null | grep -q FreeSans || font=fonts-freefont-otf

[ -n "$missing$formatter_package$doctest$parallel$font" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
  [ -n "$missing" ] || exit 0
  echo "missing here:$missing (names of Debian's packages; with Octave 6 octave-dev is liboctave-dev)." \
    "make deps as root installs them where there is apt-get." >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null || {
  [ -z "$missing" ] # the optional can wait
  exit
}
# Octave 6 has its headers in liboctave-dev (Debian 11, Ubuntu 22.04).
case $missing in
  *octave-dev*) has_package octave-dev || missing=$(echo "$missing" | sed 's/octave-dev/liboctave-dev/') ;;
esac
# Without such a package tests/format.sh gets that version from PyPI.
[ -z "$formatter_package" ] || has_package "$formatter_package" || formatter_package=python3-venv
[ -z "$doctest" ] || has_package "$doctest" || doctest=
[ -z "$parallel" ] || has_package "$parallel" || parallel=
optional=$(echo $formatter_package $doctest $parallel $font)
[ -n "$missing$optional" ] || exit 0
echo "installing$missing${optional:+ $optional}"
# shellcheck disable=SC2086
[ -z "$missing" ] || apt-get install -q -y --no-install-recommends $missing >/dev/null
for package in $optional; do
  apt-get install -q -y --no-install-recommends "$package" >/dev/null || echo "not installed: $package"
done
