#!/bin/sh
# ilp64.sh: tests the C library with a BLAS of 64-bit integers, with plain names and with names like dgemm_64_
# SPDX-License-Identifier: GPL-3.0-or-later
#
# It needs Debian's libopenblas64-dev and builds copies of the tree. Only the C library is tested, because
# Octave's own BLAS has 32-bit integers on most systems. The build uses -O1 and one instruction set, which
# is enough to test the width of integers and the names.

set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
unset GPULINALG_WERROR # with -O1 GCC gives false warnings about uninitialized variables

echo 'void dgemm_ (void); int main (void) { dgemm_ (); return 0; }' >"$work/a.c"
gcc "$work/a.c" -lopenblas64 -o "$work/a" 2>/dev/null || {
  echo "libopenblas64 is missing (Debian: libopenblas64-dev)"
  echo "ilp64: 0 passed, 0 failed, 1 skipped"
  exit 0
}

# test_with NAME SUFFIX LIBRARIES: builds a copy of the tree with that BLAS and runs two test programs.
test_with () {
  mkdir "$work/$1"
  sh tests/files.sh --new DESCRIPTION src oct kernels tests/c tests/files.sh examples \
    | tar --create --files-from=- | tar --extract --directory="$work/$1"
  if (
    cd "$work/$1/src"
    GPULINALG_CUDA=no ./configure
    set -- BLAS_INT=int64_t "BLAS_SUFFIX=$2" "LAPACK_LIBS=$3" ISAS=base CFLAGS=-O1
    make --no-print-directory -j"$(nproc)" "$@" obj/libcpu.a
    make --no-print-directory -C ../tests/c "$@" build/test_gsvd_ways build/test_eigs
    ../tests/c/build/test_gsvd_ways && ../tests/c/build/test_eigs
  ) >"$work/log" 2>&1; then
    passed=$((passed + 1))
    grep passed "$work/log" | sed "s/^/$1: /"
  else
    failed=$((failed + 1))
    tail -n 30 "$work/log"
  fi
}

test_with plain "" -lopenblas64
# A static library that has the same routines under names with the suffix.
archive=$(gcc -print-file-name=libopenblas64.a)
if [ -f "$archive" ]; then
  grep -oE '\b[a-z0-9]+_\b' src/common/blas.h | sort -u | sed 's/.*/& &64_/' >"$work/names.map"
  objcopy --redefine-syms="$work/names.map" "$archive" "$work/libblas_names.a"
  test_with suffix 64_ "$work/libblas_names.a -lgfortran -lpthread"
fi
echo "ilp64: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
