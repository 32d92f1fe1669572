#!/bin/sh
# deps.sh: installs what Debian or Ubuntu lacks for building, testing and drawing; asks nothing
# SPDX-License-Identifier: GPL-3.0-or-later

set -eu

missing=
need () { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }

# An Octave that is already here keeps the BLAS that it has.
command -v octave-cli >/dev/null 2>&1 || missing="$missing octave libopenblas0-pthread"
need mkoctfile octave-dev
need gcc gcc
need g++ g++
need ccache ccache
need bats bats
need gnuplot gnuplot-nox
need clang-format clang-format
if command -v fc-list >/dev/null 2>&1; then
  [ -n "$(fc-list 2>/dev/null)" ] || missing="$missing fonts-freefont-otf"
else
  missing="$missing fontconfig fonts-freefont-otf"
fi

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "missing here, and there is no apt-get to install it:$missing (names of Debian's packages)" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "missing here:$missing. As root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing >/dev/null
