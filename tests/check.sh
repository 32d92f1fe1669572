#!/bin/sh
# check.sh: builds, runs every test, closes with one line of totals; run by make check
# SPDX-License-Identifier: GPL-3.0-or-later

set -u
cd "$(dirname "$0")/.." || exit 1
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
passed=0 failed=0 skipped=0
jobs=$(nproc 2>/dev/null || echo 2)
# threads that wait for others would otherwise spin, minutes long where other programs run beside
export OMP_WAIT_POLICY=passive

# heading NAME: begins a part, and says how long the one before took.
began=$(date +%s)
heading () {
  now=$(date +%s)
  [ -z "${part:-}" ] || echo "($part: $((now - began)) s)"
  part=$1 began=$now
  echo "== $1"
}

# The seconds since `start`, where they are worth a word.
took () {
  seconds=$(($(date +%s) - start))
  [ "$seconds" -lt 10 ] || echo " ($seconds s)"
}

# step NAME COMMAND...: one check that passes or fails as a whole.
step () {
  name=$1 start=$(date +%s)
  shift
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    echo "ok      $name$(took)"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    tail -n 40 "$log"
  fi
}

# suite NAME COMMAND...: a program that counts for itself on its last line "N passed, N failed, N skipped".
suite () {
  name=$1 start=$(date +%s)
  shift
  "$@" >"$log" 2>&1
  status=$?
  line=$(grep -E '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    failed=$((failed + 1))
    echo "FAILED  $name ended with status $status and no counts"
    tail -n 40 "$log"
    return
  fi
  p=$(echo "$line" | sed -E 's/.* ([0-9]+) passed,.*/\1/')
  f=$(echo "$line" | sed -E 's/.* ([0-9]+) failed,.*/\1/')
  s=$(echo "$line" | sed -E 's/.* ([0-9]+) skipped$/\1/')
  [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  if [ "$f" -gt 0 ]; then
    echo "FAILED  $line"
    grep -v '^ok ' "$log" | head -n 60
  else
    echo "ok      $line$(took)"
  fi
}

# bats in TAP, counted.
bats_suite () {
  bats --tap "$@" >"$work/tap" 2>&1
  cat "$work/tap"
  skip=$(grep -c -E '^ok .*# skip' "$work/tap")
  good=$(($(grep -c '^ok ' "$work/tap") - skip))
  bad=$(grep -c '^not ok ' "$work/tap")
  planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/tap" | head -n 1)
  [ $((good + bad + skip)) -eq "${planned:--1}" ] || bad=$((bad + 1))
  echo "bats: $good passed, $bad failed, $skip skipped"
  [ "$bad" -eq 0 ]
}

# What the repository's build has compiled is not compiled again when the package is installed. The
# kernels are compiled once only: nvcc's own calls of the compiler would be kept for nothing.
if command -v ccache >/dev/null 2>&1; then
  mkdir "$work/compilers"
  for compiler in gcc g++; do
    ln -s "$(command -v ccache)" "$work/compilers/$compiler"
  done
  export CCACHE_DIR="$work/ccache" CCACHE_NOHASHDIR=1 CCACHE_PATH="$PATH"
  NVCC_PREPEND_FLAGS="-ccbin $(command -v g++)"
  export NVCC_PREPEND_FLAGS
  PATH=$work/compilers:$PATH
fi

octave_here="octave-cli --no-init-file --no-history --path src --path inst"

heading build
if ! make --no-print-directory build >"$log" 2>&1; then
  tail -n 60 "$log"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
sed -n '/^gpulinalg/,$p' "$log" | grep -v -E '^ *(CC|NVCC|OCT|LINK|AR) ' | head -n 12

heading C
step "C tests build" make --no-print-directory -C tests/c
suite "interface" ./tests/c/build/test_api
suite "memory" ./tests/c/build/test_memory
suite "pages in lanes" ./tests/c/build/test_lanes
suite "QR" ./tests/c/build/test_qr
suite "GSVD" ./tests/c/build/test_gsvd
suite "ways of the GSVD" ./tests/c/build/test_gsvd_ways
suite "sparse products" ./tests/c/build/test_spmv
suite "Lanczos" ./tests/c/build/test_eigs
suite "ways of Lanczos" ./tests/c/build/test_eigs_ways
suite "driver" ./tests/c/build/test_driver
suite "what \"auto\" measures" ./tests/c/build/test_costs
step "the C example prints the eigenvalues" sh -c './tests/c/build/eig_pages | grep -qx "page 7: 6.0000000000 8.0000000000"'
step "sanitized tests build" make --no-print-directory -j"$jobs" -C tests/c sanitize
suite "interface, sanitized" ./tests/c/build/strict_api
suite "memory, sanitized" ./tests/c/build/strict_memory
suite "pages in lanes, sanitized" ./tests/c/build/strict_lanes
suite "QR, sanitized" ./tests/c/build/strict_qr
suite "GSVD, sanitized" ./tests/c/build/strict_gsvd
suite "ways of the GSVD, sanitized" ./tests/c/build/strict_gsvd_ways
suite "sparse products, sanitized" ./tests/c/build/strict_spmv
suite "Lanczos, sanitized" ./tests/c/build/strict_eigs
suite "ways of Lanczos, sanitized" ./tests/c/build/strict_eigs_ways
suite "driver, sanitized" ./tests/c/build/strict_driver
suite "what \"auto\" measures, sanitized" ./tests/c/build/strict_costs

heading accuracy
suite "accuracy on the CPU" $octave_here tests/octave/cpu_suite.m

heading package
suite "%! tests of the installed package" sh tests/installed.sh "$work"
GPULINALG_INSTALLED=$work/installed
export GPULINALG_INSTALLED
suite "bats" bats_suite tests/package.bats tests/behaviour.bats

heading style
step "formatting" make --no-print-directory check-format
if [ -s tests/gpu-record.txt ]; then
  step "the GPU record is of this code" sh -c 'grep -qF "source-digest: $(make -s source-digest)" tests/gpu-record.txt && grep -qx "failed: 0" tests/gpu-record.txt'
fi
cd "$top" || exit 1

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
