#!/bin/sh
# aarch64.sh: compiles the C library for 64-bit ARM with Debian's cross compiler
# SPDX-License-Identifier: GPL-3.0-or-later
#
# All C sources of src/ are compiled, with the flags of the build but -O1. Octave is not needed. At -O1 the
# compiler does not see that the loops over lanes run, so what they set seems uninitialized to it.

set -eu
cd "$(dirname "$0")/../src"
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null 2>&1 || {
  echo "$cc is missing (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
  echo "aarch64: 0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# types_of FILE: what it is compiled for, see src/sources.mk
types_of () {
  case $1 in
    lanczos/factor/*_types.c) echo d z ;;
    *_kernels.c | *_types.c) echo s d c z ;;
    *) echo all ;;
  esac
}

files=$(find . -name obj -prune -o -name '*.c' -print | cut -c 3- | sort)
jobs=$(for file in $files; do for type in $(types_of "$file"); do echo "$file:$type"; done; done)
echo "$jobs" | xargs -P "$(nproc)" -I{} sh -c \
  '"$0" -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -fopenmp-simd -Wall -Wextra -Wno-psabi -Wno-maybe-uninitialized -I. \
     -DGLA_ISA=base -DGLA_T="${1#*:}" -c "${1%:*}" -o "$2/$(echo "$1" | tr /: __).o"' $cc {} "$work"
set -- "$work"/*.o
count=$(echo "$jobs" | wc -l)
[ $# -eq "$count" ] || { echo "aarch64: 0 passed, 1 failed, 0 skipped"; exit 1; }
aarch64-linux-gnu-readelf -h "$1" | grep -q AArch64
echo "aarch64: $count passed, 0 failed, 0 skipped"
