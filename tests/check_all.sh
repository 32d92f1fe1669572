#!/bin/sh
# check_all.sh: everything that needs no GPU; prints a table of times and a line of totals; run by make check-all
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Begins with make check, unless that has just passed for these files, and runs what it leaves out. If the build
# has CUDA, nvcc compiles the plugin while the CPU tests run: these do without it, and use the package as it is
# installed without CUDA.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/check_common.sh
records=yes

if [ "$(cat build/checked 2>/dev/null)" = "$(digest)" ]; then
  echo "make check has passed for these files"
else
  sh tests/check.sh || exit 1
fi

# All instruction sets. The objects that make check has compiled come from ccache.
export GPULINALG_ISAS=all GPULINALG_CUDA_COMPRESS=no # the stand-in reads the GPU code
(cd src && ./configure) || exit 1
cuda=$(sed -n 's/^CUDA = //p' src/config.mk)
half=$jobs
[ "$cuda" = no ] || half=$(((jobs + 1) / 2))

#-------------------------------------------------------------------------------
# in parallel
#-------------------------------------------------------------------------------

suite "GPU record" sh tests/record.sh
step "record of other Debian releases" sh tests/versions.sh --check
[ "$cuda" = no ] || step "kernels" $make -C src -j"$half" kernels
suite "record.bats, release.bats and suites.bats" bats_suite tests/record.bats tests/release.bats tests/suites.bats
suite "examples.bats" bats_suite tests/examples.bats
suite "build.bats and clibrary.bats" bats_suite tests/build.bats tests/clibrary.bats # one builds what both need
suite "HTML" sh tests/html.sh
suite "Windows" sh tests/windows.sh
suite "other platforms" sh tests/platforms.sh
suite "clang" sh tests/compilers.sh clang
suite "BLAS with 64-bit integers" sh tests/compilers.sh ilp64
suite "the core without gpuArrays and ranks" sh tests/wings.sh
step "library and tests for the CPU" $make -C tests/c -j"$half"
step "sanitized library and tests" $make -C tests/c -j"$half" sanitize
threaded=$(echo $(tests_also tsan))
step "tests for ThreadSanitizer" $make -C tests/c -j"$half" tsan_names="$threaded" tsan
step "installation" sh tests/installed.sh "$work/installed" install

stop_without "library and tests for the CPU"
suite "test_isa, all instruction sets" tests/c/build/test_isa
# the AVX2 kernels, which a processor with AVX-512 does not choose by itself
if grep -qw avx512vl /proc/cpuinfo 2>/dev/null; then
  for name in $(tests_also avx2); do
    release_test "$name" "test_$name, avx2" GPULINALG_ISA=avx2
  done
fi
await "sanitized library and tests"
for name in $(all_tests); do
  suite "strict_$name" env OMP_NUM_THREADS=1 "tests/c/build/strict_$name"
done
await "tests for ThreadSanitizer"
for name in $threaded; do
  suite "tsan_$name" env TSAN_OPTIONS=halt_on_error=1 OMP_NUM_THREADS=3 "tests/c/build/tsan_$name"
done
stop_without "installation"
suite "%! tests of the installed package" sh tests/installed.sh "$work/installed" unit
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
  # the others compute on the CPU where there is no GPU
  with_cuda=$(tests_also cuda)
  [ -z "$gpu" ] || with_cuda=$(all_tests)
  plugin=$PWD/src/__gpulinalg_cuda__.oct
  step "C tests with CUDA build" $make -C tests/c -j"$jobs" cuda
  await "C tests with CUDA build"
  limit=$jobs
  suite "GPU calls on a stand-in" tests/c/build/gpu_calls # the longest first
  suite "benchmarks compile" sh tests/bench.sh "$half"
  for name in $with_cuda; do
    suite "test_$name, plugin" env GPULINALG_CUDA_PLUGIN="$plugin" "tests/c/build/test_$name"
  done
  suite "arrays on a stand-in" tests/c/build/array_calls
  suite "ranks with GPUs on a stand-in" tests/c/build/rank_calls
  stand_in=$PWD/tests/c/build/octave/__gpulinalg_cuda__.oct
  suite "gpuArrays on two stand-ins" env OMP_NUM_THREADS=8 GPULINALG_CUDA_PLUGIN="$stand_in" \
    GPULINALG_FAKE_TRACE="$work/trace" $octave --path src --path inst tests/octave/check_stand_in.m
  suite "memory of gpuArrays on a stand-in" env GPULINALG_CUDA_PLUGIN="$stand_in" $octave \
    --path src --path inst --path tests/octave --eval "check_gpu_session ()"
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
      suite "test_$name on GPUs" env GPULINALG_CUDA_PLUGIN="$plugin" "tests/c/build/test_$name" gpu
    done
    step "the C example with arrays on a GPU" sh -c 'GPULINALG_CUDA_PLUGIN=$PWD/src/__gpulinalg_cuda__.oct tests/c/build/device_arrays | grep -qx "page 7: 8.0000000000 15.0000000000"'
  fi
  suite "NCCL between ranks on a stand-in" tests/c/build/link_calls
fi
suite "interrupts.bats" bats_suite tests/interrupts.bats
suite "mpi.bats" bats_suite tests/mpi.bats
finish
