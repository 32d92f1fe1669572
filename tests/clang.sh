#!/bin/sh
# clang.sh: the C library built by clang, and some of its tests, in a copy of the tree
# SPDX-License-Identifier: GPL-3.0-or-later
#
# With -O1, which takes a third less time: the test is for what clang refuses or computes differently. Kernels
# that these tests do not call have -O0, which takes a tenth of the time.

set -eu
cd "$(dirname "$0")/.."
command -v clang >/dev/null 2>&1 && command -v clang++ >/dev/null 2>&1 || {
  echo "no clang here (Debian: clang)"
  echo "clang: 0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GPULINALG_WERROR # clang warns of attributes that only GCC has
tests="test_api test_bits test_isa test_eigs_ways"

sh tests/files.sh --new DESCRIPTION src oct kernels tests/c tests/files.sh examples \
  | tar --create --files-from=- | tar --extract --directory="$work"
cd "$work/src"
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
if ! {
  objects=$(uncalled) \
    && { [ -z "$objects" ] || make --no-print-directory -j"$(nproc)" CFLAGS=-O0 $objects; } \
    && make --no-print-directory -j"$(nproc)" obj/libcpu.a \
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
