#!/bin/sh
# compilers.sh: the C library with other compilers and another BLAS than those of this machine
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: compilers.sh clang | ilp64      the last line has the counts; what is not installed is skipped

set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GPULINALG_WERROR # clang warns of attributes that only GCC has; with -O1 GCC gives false warnings

# missing TEXT: says what is not here, and ends
missing () {
  echo "$1"
  echo "$kind: 0 passed, 0 failed, 1 skipped"
  exit 0
}

# copy_to FOLDER: what the C library and its tests are built from
copy_to () {
  sh tests/files.sh --new DESCRIPTION src oct kernels tests/c tests/files.sh PKG_ADD PKG_DEL examples \
    | tar --create --files-from=- | tar --extract --directory="$1"
}

#-------------------------------------------------------------------------------
# clang
#-------------------------------------------------------------------------------

# uncalled: the objects of these kernels. The tests call those of some topics, for the widest instruction set of
# this processor; of the others test_isa calls eigenvalues of doubles.
uncalled () {
  GPULINALG_CUDA=no GPULINALG_ISAS=native ./configure CC=clang CXX=clang++ CFLAGS=-O1 >&2 || return
  widest=$(sed -n 's/^ISAS = //p' config.mk)
  GPULINALG_CUDA=no GPULINALG_ISAS=all ./configure CC=clang CXX=clang++ CFLAGS=-O1 >&2 || return
  for isa in $(sed -n 's/^ISAS = //p' config.mk); do
    for source in cpu/*/*_kernels.c; do
      for type in s d c z; do
        case $isa:$source:$type in
          $widest:cpu/eig/* | $widest:cpu/geev/* | $widest:cpu/gsvd/* | $widest:cpu/qr/* | $widest:cpu/spmv/*) ;;
          *:cpu/eig/*:d) ;;
          *) echo "obj/${source%.c}_${type}_$isa.o" ;;
        esac
      done
    done
  done
}

# The library and some of its tests. With -O1, which takes a third less time: the test is for what clang refuses or
# computes differently. Kernels that these tests do not call have -O0, which takes a tenth of the time.
with_clang () {
  command -v clang >/dev/null 2>&1 && command -v clang++ >/dev/null 2>&1 || missing "no clang here (Debian: clang)"
  tests="test_api test_bits test_isa test_eigs_ways"
  copy_to "$work"
  cd "$work/src"
  if ! {
    objects=$(uncalled) \
      && { [ -z "$objects" ] || make --no-print-directory -j"$(nproc)" CFLAGS=-O0 $objects; } \
      && make --no-print-directory -j"$(nproc)" libgpulinalg.a \
      && make --no-print-directory -j"$(nproc)" -C ../tests/c $(printf 'build/%s ' $tests)
  } >"$work/log" 2>&1; then
    tail -n 30 "$work/log"
    echo "clang: 0 passed, 1 failed, 0 skipped"
    exit 1
  fi
  for test in $tests; do
    "../tests/c/build/$test" || true
  done >"$work/log"
  grep -v ' 0 failed, 0 skipped$' "$work/log" || true
  awk '/ passed, .* skipped$/ { n++; p += $(NF - 5); f += $(NF - 3); s += $(NF - 1) }
       END {
         if (n != 4) { f++; print "a test ended before its end" }
         printf "clang: %d passed, %d failed, %d skipped\n", p, f, s
         exit f > 0
       }' "$work/log"
}

#-------------------------------------------------------------------------------
# a BLAS of 64-bit integers
#-------------------------------------------------------------------------------

# test_with NAME SUFFIX LIBRARIES: builds a copy of the tree with that BLAS and runs two test programs.
test_with () {
  mkdir "$work/$1"
  copy_to "$work/$1"
  if (
    cd "$work/$1/src"
    GPULINALG_CUDA=no ./configure
    set -- BLAS_INT=int64_t "BLAS_SUFFIX=$2" "LAPACK_LIBS=$3" ISAS=base CFLAGS=-O1
    make --no-print-directory -j"$(nproc)" "$@" libgpulinalg.a
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

# With plain names and with names like dgemm_64_. Only the C library is tested, because Octave's own BLAS has 32-bit
# integers on most systems. The build uses -O1 and one instruction set, which is enough to test the width of integers and
# the names.
with_ilp64 () {
  passed=0 failed=0
  echo 'void dgemm_ (void); int main (void) { dgemm_ (); return 0; }' >"$work/a.c"
  gcc "$work/a.c" -lopenblas64 -o "$work/a" 2>/dev/null || missing "libopenblas64 is missing (Debian: libopenblas64-dev)"
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
}

kind=${1:-}
case $kind in
  clang) with_clang ;;
  ilp64) with_ilp64 ;;
  *) echo "compilers.sh: clang or ilp64, not \"$kind\"" >&2; exit 2 ;;
esac
