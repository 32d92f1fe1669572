#!/bin/sh
# ilp64.sh: the C library with a BLAS of 64-bit integers, with plain names and with dgemm_64_ and so on
# SPDX-License-Identifier: GPL-3.0-or-later
#
# In copies of the tree, where Debian's libopenblas64-dev is installed. Octave's own BLAS has 32 bits
# on most systems, so this is C alone. Optimised little and for one instruction set: what is tested is
# the width of integers and the names.

set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
unset GPULINALG_WERROR # optimised this little, GCC warns of variables that are set

echo 'void dgemm_ (void); int main (void) { dgemm_ (); return 0; }' >"$work/a.c"
gcc "$work/a.c" -lopenblas64 -o "$work/a" 2>/dev/null || {
  echo "no libopenblas64 here (Debian: libopenblas64-dev)"
  echo "ilp64: 0 passed, 0 failed, 1 skipped"
  exit 0
}

# test_with NAME SUFFIX LIBRARIES
test_with () {
  mkdir "$work/$1"
  sh tests/files.sh --new DESCRIPTION src oct kernels tests/c tests/files.sh PKG_ADD examples \
    | tar --create --files-from=- | tar --extract --directory="$work/$1"
  if (
    cd "$work/$1/src"
    GPULINALG_CUDA=no ./configure
    set -- BLAS_INT=int64_t "BLAS_SUFFIX=$2" "LAPACK_LIBS=$3" X86_64=no CFLAGS=-O1
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
# The same routines under the other names, all of them in a static library.
archive=$(gcc -print-file-name=libopenblas64.a)
if [ -f "$archive" ]; then
  grep -oE '\b[a-z0-9]+_\b' src/blas.h | sort -u | sed 's/.*/& &64_/' >"$work/names.map"
  objcopy --redefine-syms="$work/names.map" "$archive" "$work/libblas_names.a"
  test_with suffix 64_ "$work/libblas_names.a -lgfortran -lpthread"
fi
echo "ilp64: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
