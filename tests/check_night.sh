#!/bin/sh
# check_night.sh: what takes hours, one by one: other Debian releases, LAPACK's tests, other BLAS, GUI, random calls, times
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: check_night.sh     after make build, as root on Debian; run by make check-night. GPULINALG_RANDOM is the seconds
#                           of random calls {3600}
# The times of the benchmarks are printed beside the last tables in bench/results, which stay as they are.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/check_common.sh

# The benchmarks in a copy of their folder, so that their tables replace none.
benchmarks () {
  mkdir -p build/night
  rm -rf build/night/bench
  cp -r bench build/night/
  for name in src inst tests examples; do
    ln -sfn "../../$name" "build/night/$name"
  done
  name=cpu-$(nproc)core
  ! nvidia-smi -L >/dev/null 2>&1 || name=gpu-$(nproc)core
  $make -C build/night/bench NAME="$name" || return 1
  shown=0
  for table in build/night/bench/results/*"$name"*.tsv; do
    ! cmp -s "$table" "bench/results/${table##*/}" || continue
    echo "${table##*/}:"
    $octave --path bench/common bench/tables/compare_tables.m "bench/results/${table##*/}" "$table" && shown=$((shown + 1))
  done
  [ $shown -gt 0 ]
}

limit=1
suite "LAPACK's test programs" sh tests/lapack/run.sh
suite "other BLAS" sh tests/blas.sh
suite "GUI and notebook" sh tests/gui.sh
suite "random calls" random_calls "${GPULINALG_RANDOM:-3600}"
suite "Debian 11, 13 and unstable" sh tests/versions.sh --whole
step "benchmarks" benchmarks
finish
