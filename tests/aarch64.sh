#!/bin/sh
# aarch64.sh: compiles the C library for 64-bit ARM with Debian's cross compiler
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Octave is not needed for it: the sources of src/ and src/cpu/, each with the flags of the build.

set -eu
cd "$(dirname "$0")/../src"
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null 2>&1 || {
  echo "no $cc here (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
  echo "aarch64: 0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$(ls -- *.c cpu/*.c)
for file in $files; do echo "$file"; done | xargs -P "$(nproc)" -I{} sh -c \
  '"$0" -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -fopenmp-simd -Wall -Wextra -Wno-psabi -I. -DGLA_ISA=base \
     -c "$1" -o "$2/$(echo "$1" | tr / _).o"' $cc {} "$work"
set -- "$work"/*.o
count=$(echo "$files" | wc -l)
[ $# -eq "$count" ] || { echo "aarch64: 0 passed, 1 failed, 0 skipped"; exit 1; }
file=$work/cpu_eig_kernels.c.o
aarch64-linux-gnu-readelf -h "$file" | grep -q AArch64
echo "aarch64: $count passed, 0 failed, 0 skipped"
