#!/bin/sh
# check.sh: builds, runs every test, closes with a table of times and one line of totals
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: check.sh [quick]      run by make check and by make check-quick
#
# Jobs run side by side, as many as there are processors. Where the build has CUDA, nvcc works beside
# the tests of the CPU: these use a library without kernels, and the package as users without CUDA
# install it. `quick` builds and tests without CUDA, unless the tree is built with it already.

set -u
cd "$(dirname "$0")/.." || exit 1
quick=${1:-}
work=$(mktemp -d)
. tests/jobs.sh
trap 'end_jobs; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
jobs=$limit
began=$(date +%s)

# bats in TAP, counted.
bats_suite () {
  tap=$(mktemp "$work/tap.XXXXXX")
  bats --tap "$@" >"$tap" 2>&1
  cat "$tap"
  skip=$(grep -c -E '^ok .*# skip' "$tap")
  good=$(($(grep -c '^ok ' "$tap") - skip))
  bad=$(grep -c '^not ok ' "$tap")
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap" | head -n 1)
  [ $((good + bad + skip)) -eq "${planned:--1}" ] || bad=$((bad + 1))
  echo "bats: $good passed, $bad failed, $skip skipped"
  [ "$bad" -eq 0 ]
}

# c_suites PREFIX [NAME=VALUE]...: tests/c/build/PREFIXapi and so on, one for each tests/c/test_*.c.
c_suites () {
  prefix=$1
  shift
  for source in tests/c/test_*.c; do
    program=${source#tests/c/test_}
    suite "$prefix${program%.c}" env "$@" "tests/c/build/$prefix${program%.c}"
  done
}

finish () {
  await_all
  table
  echo "$(($(date +%s) - began)) s in all"
  [ "$quick" ] || sh tests/record.sh | grep '^NOT RUN'
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

# stop_without NAME: nothing more can be tested where that job failed.
stop_without () {
  await "$1" || finish
}

# What the repository's build has compiled is not compiled again when the package is installed. The
# kernels are compiled once only: nvcc's own calls of the compiler would be kept for nothing.
if command -v ccache >/dev/null 2>&1; then
  mkdir "$work/compilers"
  for compiler in gcc g++; do
    ln -s "$(command -v ccache)" "$work/compilers/$compiler"
  done
  export CCACHE_DIR="${CCACHE_DIR:-$work/ccache}" CCACHE_NOHASHDIR=1 CCACHE_PATH="$PATH"
  NVCC_PREPEND_FLAGS="-ccbin $(command -v g++)"
  export NVCC_PREPEND_FLAGS
  PATH=$work/compilers:$PATH
fi

make="make --no-print-directory"
build="$make build"
if [ "$quick" ] && grep -qx "CUDA = yes" src/config.mk 2>/dev/null; then
  build="$make -C src" # as it was configured, whatever this environment says
else
  [ -z "$quick" ] || export GPULINALG_CUDA=no
  (cd src && ./configure) || exit 1
fi
cuda=$(sed -n 's/^CUDA = //p' src/config.mk)
half=$jobs
[ "$cuda" = no ] || [ "$quick" ] || half=$(((jobs + 1) / 2))

#-------------------------------------------------------------------------------
# the quick set
#-------------------------------------------------------------------------------

suite "formatting" $make check-format
if [ "$quick" ]; then
  limit=1
  step "build" $build -j"$jobs"
  stop_without "build"
  step "C tests build" $make -C tests/c -j"$jobs" cpu
  stop_without "C tests build"
  limit=$jobs
  suite "%! tests" octave-cli --no-init-file --no-history --path src --path inst tests/octave/unit_tests.m
  c_suites test_
  finish
fi

#-------------------------------------------------------------------------------
# side by side
#-------------------------------------------------------------------------------

suite "GPU record" sh tests/record.sh
suite "record.bats and suites.bats" bats_suite tests/record.bats tests/suites.bats
suite "build.bats" bats_suite tests/build.bats
suite "64-bit ARM" sh tests/aarch64.sh
suite "BLAS with 64-bit integers" sh tests/ilp64.sh
[ "$cuda" = no ] || step "kernels" $make -C src -j"$half" kernels
await "formatting"
step "library and tests for the CPU" $make -C tests/c -j"$half" cpu
stop_without "library and tests for the CPU"

step "sanitized library and tests" $make -C tests/c -j"$half" sanitize
step "tests for ThreadSanitizer" $make -C tests/c -j"$half" tsan
step "installation" sh tests/install.sh "$work/installed"
c_suites test_
# what a processor with AVX-512 does not use
if grep -qw avx512vl /proc/cpuinfo 2>/dev/null; then
  for name in lanes qr gsvd spmv; do
    suite "test_$name, avx2" env GPULINALG_ISA=avx2 "tests/c/build/test_$name"
  done
fi
step "the C example prints the eigenvalues" sh -c 'tests/c/build/eig_pages | grep -qx "page 7: 6.0000000000 8.0000000000"'
await "sanitized library and tests"
c_suites strict_ OMP_NUM_THREADS=1
await "tests for ThreadSanitizer"
for name in driver parallel; do
  suite "tsan_$name" env TSAN_OPTIONS=halt_on_error=1 OMP_NUM_THREADS=3 tests/c/build/tsan_$name
done
stop_without "installation"
suite "%! tests of the installed package" sh tests/installed.sh "$work/installed" unit
for share in 1 2 3 4; do
  suite "accuracy of batcheig $share/4" sh tests/installed.sh "$work/installed" accuracy eig $share/4
  suite "accuracy of qr_block $share/4" sh tests/installed.sh "$work/installed" accuracy qr $share/4
done
suite "accuracy of gsvd_hz" sh tests/installed.sh "$work/installed" accuracy gsvd
suite "accuracy of spmv and eigs_lanczos" sh tests/installed.sh "$work/installed" accuracy sparse

#-------------------------------------------------------------------------------
# with the kernels; what measures time, alone
#-------------------------------------------------------------------------------

alone
step "build" $make build -j"$jobs"
stop_without "build"
if [ "$cuda" = yes ]; then
  step "C tests with CUDA build" $make -C tests/c -j"$jobs" all
  c_suites cuda_
fi
export GPULINALG_INSTALLED="$work/installed"
suite "package.bats" bats_suite tests/package.bats
suite "behaviour.bats" bats_suite tests/behaviour.bats
finish
