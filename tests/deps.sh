#!/bin/sh
# deps.sh: installs what Debian or Ubuntu lacks for building, testing and drawing; asks nothing
# SPDX-License-Identifier: GPL-3.0-or-later

set -eu

missing=
need () { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
has_package () { apt-cache show "$1" 2>/dev/null | grep -q '^Package:'; }

# tests/format.sh wants this version and skips where it is not to be had.
has_formatter () {
  for formatter in clang-format-14 clang-format build/tools/bin/clang-format; do
    $formatter --version 2>/dev/null | grep -q 'version 14\.' && return
  done
  return 1
}

# An Octave that is already here keeps the BLAS that it has.
command -v octave-cli >/dev/null 2>&1 || missing="$missing octave libopenblas0-pthread"
need mkoctfile octave-dev
need gcc gcc
need g++ g++
need ccache ccache
need bats bats
need gnuplot gnuplot-nox
if command -v fc-list >/dev/null 2>&1; then
  [ -n "$(fc-list 2>/dev/null)" ] || missing="$missing fonts-freefont-otf"
else
  missing="$missing fontconfig fonts-freefont-otf"
fi
wish=
has_formatter || python3 -c 'import ensurepip' >/dev/null 2>&1 || wish=clang-format-14

[ -n "$missing$wish" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
  [ -n "$missing" ] || exit 0
  echo "missing here:$missing (names of Debian's packages; with Octave 6 octave-dev is liboctave-dev)." \
    "make deps as root installs them where there is apt-get." >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
# Octave 6 has its headers in liboctave-dev (Debian 11, Ubuntu 22.04).
case $missing in
  *octave-dev*) has_package octave-dev || missing=$(echo "$missing" | sed 's/octave-dev/liboctave-dev/') ;;
esac
# Where there is no such package, PyPI has that version.
[ -z "$wish" ] || has_package "$wish" || wish=python3-venv
echo "installing$missing${wish:+ $wish}"
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing $wish >/dev/null
