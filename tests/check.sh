#!/bin/sh
# check.sh: builds, runs every test, prints a table of times and a line of totals
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: check.sh [quick]      run by make check and by make check-quick
#
# Jobs run in parallel, as many as there are processors. If the build has CUDA, nvcc compiles while the
# CPU tests run: these use a library without kernels, and the package as it is installed without CUDA.
# `quick` builds and tests without CUDA and for this processor, unless the tree is already built with CUDA.

set -u
cd "$(dirname "$0")/.." || exit 1
quick=${1:-}
work=$(mktemp -d)
. tests/jobs.sh
trap 'end_jobs; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
jobs=$limit
began=$(date +%s)

# bats_suite FILE...: runs bats and counts the lines of its TAP output.
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

# c_suites PREFIX [NAME=VALUE]...: runs tests/c/build/PREFIXapi and so on, one for each tests/c/test_*.c.
c_suites () {
  prefix=$1
  shift
  for source in tests/c/test_*.c; do
    program=${source#tests/c/test_}
    suite "$prefix${program%.c}" env "$@" "tests/c/build/$prefix${program%.c}"
  done
}

# Tests of where work runs, of several threads and processes, and of memory. The others compute on the CPU
# where there is no GPU, with the objects that test_* have too.
places="api auto driver fork groups handed_back limits memory null parallel ranks staging states"

finish () {
  await_all
  table
  echo "$(($(date +%s) - began)) s in all"
  [ "$quick" ] || sh tests/record.sh | grep '^NOT RUN'
  [ "$quick" ] || sh tests/versions.sh --check 2>/dev/null | grep 'is for other code'
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}

# stop_without NAME: waits for that job and ends if it failed, because the other tests need its result.
stop_without () {
  await "$1" || finish
}

# With ccache, the installation of the package reuses the objects of the repository's build. With CCACHE_DEPEND
# it does not preprocess each file before the compiler does. nvcc calls the compiler without ccache, because
# kernels are compiled only once.
if command -v ccache >/dev/null 2>&1; then
  mkdir "$work/compilers"
  for compiler in gcc g++ clang; do
    ! command -v "$compiler" >/dev/null 2>&1 || ln -s "$(command -v ccache)" "$work/compilers/$compiler"
  done
  export CCACHE_DIR="${CCACHE_DIR:-$work/ccache}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PATH="$PATH"
  NVCC_PREPEND_FLAGS="-ccbin $(command -v g++)"
  export NVCC_PREPEND_FLAGS
  PATH=$work/compilers:$PATH
fi

make="make --no-print-directory"
build="$make build"
if [ "$quick" ] && grep -qx "CUDA = yes" src/config.mk 2>/dev/null; then
  build="$make -C src" # keeps the configuration of the tree
else
  [ -z "$quick" ] || export GPULINALG_CUDA=no
  [ "$quick" ] || export GPULINALG_ISAS="${GPULINALG_ISAS:-all}" GPULINALG_CUDA_COMPRESS=no # tests read it
  (cd src && ./configure) || exit 1
fi
cuda=$(sed -n 's/^CUDA = //p' src/config.mk)
half=$jobs
[ "$cuda" = no ] || [ "$quick" ] || half=$(((jobs + 1) / 2))

#-------------------------------------------------------------------------------
# the quick set
#-------------------------------------------------------------------------------

suite "formatting" $make check-format
step "includes cross no border" sh tests/rooms.sh
step "no function is too large" sh tests/sizes.sh
step "tables in documents" octave-cli --no-init-file --no-history bench/doc_tables.m --check
if [ "$quick" ]; then
  limit=1
  step "build" $build -j"$jobs"
  stop_without "build"
  step "C tests build" $make -C tests/c -j"$jobs" cpu
  stop_without "C tests build"
  limit=$jobs
  suite "%! tests" octave-cli --no-init-file --no-history --path src --path inst tests/octave/unit_tests.m
  suite "examples of the help texts" sh tests/examples.sh help
  suite "code blocks of the documents" sh tests/examples.sh documents
  c_suites test_
  finish
fi

#-------------------------------------------------------------------------------
# in parallel
#-------------------------------------------------------------------------------

suite "GPU record" sh tests/record.sh
step "record of other Debian releases" sh tests/versions.sh --check
suite "record.bats, suites.bats and tables.bats" bats_suite tests/record.bats tests/suites.bats tests/tables.bats
suite "examples.bats" bats_suite tests/examples.bats
suite "build.bats and clibrary.bats" bats_suite tests/build.bats tests/clibrary.bats # one builds what both need
suite "HTML" sh tests/html.sh
suite "64-bit ARM" sh tests/aarch64.sh
suite "clang" sh tests/clang.sh
suite "BLAS with 64-bit integers" sh tests/ilp64.sh
[ "$cuda" = no ] || step "kernels" $make -C src -j"$half" kernels
await "formatting"
step "library and tests for the CPU" $make -C tests/c -j"$jobs" cpu # all else waits for it
stop_without "library and tests for the CPU"

step "sanitized library and tests" $make -C tests/c -j"$half" sanitize
threaded="driver parallel ranks rank_faults rows sparse_rows eigs_rows"
step "tests for ThreadSanitizer" $make -C tests/c -j"$half" tsan_names="$threaded" tsan
step "installation" sh tests/install.sh "$work/installed"
c_suites test_
# the AVX2 kernels, which a processor with AVX-512 does not choose by itself
if grep -qw avx512vl /proc/cpuinfo 2>/dev/null; then
  for name in lanes qr svd gsvd geev spmv; do
    suite "test_$name, avx2" env GPULINALG_ISA=avx2 "tests/c/build/test_$name"
  done
fi
# reads behind an array, also by the BLAS
for name in eigs eigs_ways geev gsvd_ways pagesolve_kinds pair_ways svd; do
  suite "guarded_$name" env LD_PRELOAD="$(pwd)/tests/c/build/guarded.so" "tests/c/build/test_$name"
done
step "the C example prints the eigenvalues" sh -c 'tests/c/build/eig_pages | grep -qx "page 7: 6.0000000000 8.0000000000"'
step "the C example with strides" sh -c 'tests/c/build/strides | grep -qx "A\*V = V\*D to rounding"'
step "the C example with a stop callback" sh -c 'tests/c/build/stop | grep -qxE "stopped: lambda is undefined|ok"'
await "sanitized library and tests"
c_suites strict_ OMP_NUM_THREADS=1
await "tests for ThreadSanitizer"
for name in $threaded; do
  suite "tsan_$name" env TSAN_OPTIONS=halt_on_error=1 OMP_NUM_THREADS=3 tests/c/build/tsan_$name
done
stop_without "installation"
suite "%! tests of the installed package" sh tests/installed.sh "$work/installed" unit
suite "examples of the help texts" sh tests/examples.sh --installed "$work/installed" help
suite "code blocks of the documents" sh tests/examples.sh --installed "$work/installed" documents
for share in 1 2 3 4; do
  suite "accuracy of batcheig $share/4" sh tests/installed.sh "$work/installed" accuracy eig $share/4
  suite "accuracy of qr_block $share/4" sh tests/installed.sh "$work/installed" accuracy qr $share/4
done
suite "accuracy of batchsvd" sh tests/installed.sh "$work/installed" accuracy svd
suite "accuracy of gsvd_hz" sh tests/installed.sh "$work/installed" accuracy gsvd
suite "gpuArrays" sh tests/installed.sh "$work/installed" accuracy arrays
suite "accuracy of spmv and eigs_lanczos" sh tests/installed.sh "$work/installed" accuracy sparse

#-------------------------------------------------------------------------------
# the build with the kernels, what needs it, and one by one the tests that measure time
#-------------------------------------------------------------------------------

one_by_one
step "build" $make build -j"$jobs"
stop_without "build"
if [ "$cuda" = yes ]; then
  gpu=$(nvidia-smi -L 2>/dev/null) || gpu=
  [ -z "$gpu" ] || places=$(ls tests/c/test_*.c | sed 's/.*test_\(.*\)\.c/\1/')
  step "C tests with CUDA build" $make -C tests/c -j"$jobs" cuda_names="$(echo $places)" all
  await "C tests with CUDA build"
  limit=$jobs
  suite "GPU calls on a stand-in" tests/c/build/gpu_calls # the longest first
  suite "benchmarks compile" sh tests/bench.sh "$half"
  for name in $places; do
    suite "cuda_$name" "tests/c/build/cuda_$name"
  done
  suite "ranks with GPUs on a stand-in" tests/c/build/rank_calls
  suite "gpuArrays on two stand-ins" env OMP_NUM_THREADS=8 GPULINALG_FAKE_TRACE="$work/trace" octave-cli --no-init-file --no-history \
    --path tests/c/build/octave --path inst tests/octave/check_stand_in.m
  suite "memory of gpuArrays on a stand-in" octave-cli --no-init-file --no-history \
    --path tests/c/build/octave --path inst --path tests/octave --eval "check_gpu_session ()"
fi
limit=$jobs
export GPULINALG_INSTALLED="$work/installed"
suite "behaviour.bats" bats_suite tests/behaviour.bats # the longest first
suite "package.bats" bats_suite tests/package.bats
suite "prompt.bats" bats_suite tests/prompt.bats
one_by_one
if [ "$cuda" = yes ]; then
  if [ "$gpu" ]; then
    for name in rows rows_pairs sparse_rows eigs_rows; do
      suite "cuda_$name on GPUs" "tests/c/build/cuda_$name" gpu
    done
    step "the C example with arrays on a GPU" sh -c 'tests/c/build/device_arrays | grep -qx "page 7: 8.0000000000 15.0000000000"'
  fi
  suite "NCCL between ranks on a stand-in" tests/c/build/link_calls
fi
suite "interrupts.bats" bats_suite tests/interrupts.bats
suite "mpi.bats" bats_suite tests/mpi.bats
finish
