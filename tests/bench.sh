#!/bin/sh
# bench.sh: compiles the benchmarks for GPUs; needs nvcc, but no GPU
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: bench.sh [JOBS]     after configure has found CUDA. Skipped where the headers of cuSOLVER, cuBLAS
#                            and cuSPARSE are missing, which the package itself does not need.

cd "$(dirname "$0")/../bench" || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if make --no-print-directory headers >"$log" 2>&1; then
  make --no-print-directory -k -j"${1:-2}" objects
  for source in */*.cu; do
    echo "obj/$(basename "$source" .cu).o"
  done | {
    passed=0 failed=0
    if gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -fsyntax-only -I. -I../src ranks/bench_ranks.c gsvd/bench_gsvd_gpus.c &&
       g++ -std=c++17 -Wall -Wextra -fsyntax-only -I. -I../src spmv/bench_sparse_gpus.cc ranks/bench_rank_gpus.cc; then
      passed=1
    else
      failed=1
    fi
    while read -r object; do
      if [ -s "$object" ] && make --no-print-directory -q "$object"; then
        passed=$((passed + 1))
      else
        failed=$((failed + 1))
      fi
    done
    echo "benchmarks: $passed passed, $failed failed, 0 skipped"
    [ "$failed" -eq 0 ]
  }
else
  grep -m 1 'fatal error' "$log"
  echo "benchmarks: 0 passed, 0 failed, 1 skipped"
fi
