#!/bin/sh
# wings.sh: builds the core without gpuArrays and without ranks, in a copy of the tree, and tests it; run by check_all.sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# It builds the instruction set of this processor alone. Of the C tests it runs those of code that ranks or gpuArrays
# call or are called by: sums over ranks, GSVD, memory of GPUs, the context.

set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests="test_api test_null test_states test_driver test_eigs test_gsvd_ways test_spmv_team test_pagesolve"
export GPULINALG_CUDA=no GPULINALG_ISAS=native GPULINALG_MPI=no GPULINALG_ARRAYS=no
octave="octave-cli --no-init-file --no-history --path src --path inst"

sh tests/files.sh --new DESCRIPTION src oct kernels mpi inst tests PKG_ADD PKG_DEL examples \
  | tar --create --files-from=- | tar --extract --directory="$work"
cd "$work"
if ! {
  src/configure && make --no-print-directory -C src -j"$(nproc)" && make --no-print-directory -C src leave-out \
    && make --no-print-directory -C tests/c -j"$(nproc)"
} >log 2>&1; then
  tail -n 30 log
  echo "wings: 0 passed, 1 failed, 0 skipped"
  exit 1
fi

{
  # what they are made of is not there
  left=$(find src/obj/arrays src/obj/ranks inst/@gpuArray src/gpuArray.oct src/gpulinalg_mpi.oct 2>/dev/null || true)
  left=$left$(nm src/libgpulinalg.a | grep -E ' T gla_(ranks_.*|(qr|least_squares|gsvd|gevd|spmv|eigs)_rows|elementwise|reduce|sort)$' || true)
  left=$left$(grep -hE '"(gpuArray|gpulinalg_mpi)"' src/PKG_ADD src/PKG_DEL || true)
  [ -z "$left" ] || echo "left: $left"
  [ "$left" ] && echo "files: 0 passed, 1 failed, 0 skipped" || echo "files: 1 passed, 0 failed, 0 skipped"
  for test in $tests; do
    "tests/c/build/$test" || true
  done
  $octave --path tests/octave --eval "check_no_wings ()" || true
  OMP_NUM_THREADS=1 $octave tests/octave/unit_tests.m || true
} >log 2>&1
grep -v ' 0 failed, 0 skipped$' log || true
awk '/ passed, .* skipped$/ { n++; p += $(NF - 5); f += $(NF - 3); s += $(NF - 1) }
     END {
       if (n != 11) { f++; print "a test ended before its end" }
       printf "wings: %d passed, %d failed, %d skipped\n", p, f, s
       exit f > 0
     }' log
