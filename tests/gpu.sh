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

# One of gpu_job.sh's jobs, by itself.
suite () {
  sh tests/gpu_job.sh "$@" >"$log" 2>&1
  cat "$log"
  count "$2"
}

command -v nvidia-smi >/dev/null 2>&1 || { echo "no nvidia-smi: there is no GPU here"; exit 1; }
digest=$(make -s source-digest)
[ -n "$digest" ] || { echo "no source-digest: make source-digest fails"; exit 1; }
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)

# They fill the device's memory, and time how soon a wish to stop is heard.
suite program test_device
suite program test_sparse

# Jobs, a line each: parts of the accuracy suite, and runs of compute-sanitizer with the tool and
# variables of tests/octave/sanitizer_set.m, commas for blanks. racecheck is a hundred times slower
# than the others: fewer sizes, and few sweeps of block Jacobi. Panels of several blocks send each
# other single words that are their own flags, relaxed stores and loads, which racecheck takes for
# races; to 96 rows there is one block.
small=1,2,3,5,8,16,17,32,33,48,64,70,90,100,130
qr_sizes=1,2,5,31,32,33,64,65,100,130,270
qr_direct=2100,2,2100,65,300,131,600,257,130,40,2500,1601
# The suites come in the order of their times, the longest first.
suites="$(for k in 1 2 3 4 5 6 7 8; do echo "accuracy qr $k/8"; done)
accuracy sparse 1/1
$(for k in 11 9 4 2 1 10 8 7 6 5 3; do echo "accuracy eig $k/11"; done)
$(for k in 1 2 3; do echo "accuracy gsvd $k/3"; done)"
runs="racecheck SIZES=33,64,70,90,130 METHODS=qr
racecheck SIZES=150,180 METHODS=qr
racecheck SIZES=86 METHODS=jacobi MAXIT=1
racecheck SIZES=2,3,8,12,17 METHODS=qr,jacobi
racecheck GSVD_SIZES=8,33
racecheck SPARSE=40
racecheck QR_SIZES=3,17,33
racecheck QR_DIRECT=2049,3,200,131
memcheck SIZES=$small METHODS=qr,jacobi
initcheck SIZES=$small METHODS=qr,jacobi
synccheck SIZES=$small METHODS=qr,jacobi
memcheck SIZES=150,180,260,330 METHODS=qr QR_SIZES=$qr_sizes QR_LARGE=yes
initcheck SIZES=150,180,260,330 METHODS=qr QR_SIZES=$qr_sizes QR_LARGE=yes
synccheck QR_SIZES=$qr_sizes QR_LARGE=yes
memcheck QR_FAILING=$qr_direct
initcheck QR_FAILING=$qr_direct
synccheck QR_FAILING=$qr_direct
memcheck GSVD_SIZES=1,2,8,16,31,33,64,100
initcheck GSVD_SIZES=1,2,8,16,31,33,64,100
synccheck GSVD_SIZES=1,2,8,16,31,33,64,100
memcheck SPARSE=40,700
initcheck SPARSE=40,700
synccheck SPARSE=40"
if [ "${GPULINALG_GPU_QUICK:-0}" = 1 ] || ! command -v compute-sanitizer >/dev/null 2>&1; then
  echo "compute-sanitizer: skipped"
  skipped=$((skipped + $(echo "$runs" | wc -l)))
  runs=
fi
# side by side; the lines of each come together, in the end
results=$(mktemp -d)
{ echo "$suites"; echo "$runs"; } | sed '/^$/d' | nl -w 2 -s ' ' | xargs -P 16 -L 1 sh -c \
  'number=$1; shift; sh tests/gpu_job.sh "$@" >'"$results"'/$number.txt 2>&1' job
for part in "$results"/*.txt; do
  cp "$part" "$log"
  cat "$log"
  count "$(head -n 1 "$log")"
done
rm -rf "$results"

cat >tests/gpu-record.txt <<EOF
date: $(date -u +%Y-%m-%d)
gpu: $gpu
driver: $driver
cuda: $(nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p')
source-digest: $digest
passed: $passed
failed: $failed
skipped: $skipped
EOF
cat tests/gpu-record.txt
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
