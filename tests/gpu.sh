#!/bin/sh
# gpu.sh: the tests that need a GPU; writes tests/gpu-record.txt. Run by make check-gpu
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Uses what is built (src/gpulinalg.oct, tests/c/build/) and builds nothing, so that it also runs
# where there is a GPU but no compiler. GPULINALG_GPU_QUICK=1 leaves out compute-sanitizer.

set -u
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

# Adds the counts of a suite's closing line; a suite without one has failed.
count () {
  line=$(grep -E '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    echo "FAILED $1: no closing line"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + $(echo "$line" | sed -E 's/.* ([0-9]+) passed,.*/\1/')))
  failed=$((failed + $(echo "$line" | sed -E 's/.* ([0-9]+) failed,.*/\1/')))
  skipped=$((skipped + $(echo "$line" | sed -E 's/.* ([0-9]+) skipped$/\1/')))
}
suite () {
  name=$1
  shift
  echo "== $name"
  timeout 400 "$@" >"$log" 2>&1
  cat "$log"
  count "$name"
}
# compute-sanitizer over some sizes: sanitize TOOL SIZES METHODS MAXIT QR_SIZES QR_LARGE SPARSE
sanitize () {
  echo "== compute-sanitizer $1, sizes $2, $3; qr_block: ${5:-} ${6:+large}; sparse: ${7:-}"
  if SIZES=$2 METHODS=$3 MAXIT=$4 QR_SIZES=${5:-} QR_LARGE=${6:-} SPARSE=${7:-} timeout 150 compute-sanitizer --tool "$1" --error-exitcode 9 \
    --print-limit 3 --target-processes all $octave_run tests/octave/sanitizer_set.m >"$log" 2>&1 &&
    grep -q "sanitizer set done" "$log" && grep -q -E "SUMMARY: 0 (errors|hazards)" "$log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED compute-sanitizer $1 $2 $3"
    head -n 40 "$log"
  fi
  tail -n 2 "$log"
}
octave_run="octave-cli --no-init-file --no-history --path src --path inst"

command -v nvidia-smi >/dev/null 2>&1 || { echo "no nvidia-smi: there is no GPU here"; exit 1; }
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)

suite "C on the device" ./tests/c/build/test_device
suite "accuracy" $octave_run tests/octave/gpu_suite.m

if [ "${GPULINALG_GPU_QUICK:-0}" = 1 ] || ! command -v compute-sanitizer >/dev/null 2>&1; then
  echo "compute-sanitizer: skipped"
  skipped=$((skipped + 15))
else
  # racecheck is a hundred times slower than the others: fewer sizes, and few sweeps of block Jacobi
  sanitize memcheck "1 2 3 5 8 16 17 32 33 48 64 90 100 130" "qr jacobi" ""
  sanitize initcheck "1 2 3 5 8 16 17 32 33 48 64 90 100 130" "qr jacobi" ""
  sanitize synccheck "1 2 3 5 8 16 17 32 33 48 64 90 100 130" "qr jacobi" ""
  sanitize memcheck "180 260 330" "qr" "" "1 2 5 31 32 33 64 65 100 130 270" yes
  sanitize initcheck "180 330" "qr" "" "1 2 5 31 32 33 64 65 100 130 270" yes
  sanitize synccheck "" "" "" "1 2 5 31 32 33 64 65 100 130 270" yes
  sanitize racecheck "2 3 8 12 17" "qr jacobi" ""
  sanitize racecheck "33 64 90 130" "qr" ""
  sanitize racecheck "180" "qr" ""
  sanitize racecheck "86" "jacobi" 1
  sanitize memcheck "" "" "" "" "" "40 700"
  sanitize initcheck "" "" "" "" "" "40 700"
  sanitize synccheck "" "" "" "" "" "40"
  sanitize racecheck "" "" "" "" "" "40"
  # panels of several blocks send each other single words that are their own flags: relaxed stores
  # and loads, which racecheck takes for races; to 96 rows there is one block
  sanitize racecheck "" "" "" "3 17 33"
fi

cat >tests/gpu-record.txt <<EOF
date: $(date -u +%Y-%m-%d)
gpu: $gpu
driver: $driver
cuda: $(nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p')
source-digest: $(make -s source-digest)
passed: $passed
failed: $failed
skipped: $skipped
EOF
cat tests/gpu-record.txt
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
