#!/bin/sh
# gpu.sh: the tests that need a GPU; writes tests/gpu-record.txt. Run by make check-gpu
# SPDX-License-Identifier: GPL-3.0-or-later
#
# It builds nothing, so it also runs on a machine with a GPU but without a compiler.
# Environment:
#   GPULINALG_GPU_QUICK=1  fewer sizes and no compute-sanitizer, about a minute; the record is not changed
#   GPULINALG_GPU_PART=1/2 the first half of the suites, where time on the GPU is limited (2/2 the second; 1/3
#                          and so on). The part that is the last one to end writes the record; until then
#                          build/gpu-parts has the counts
#   GPULINALG_GPU_LABEL    the name of another build: runs the quick set and adds its counts to the record
#                          as one line. Of a build with GPULINALG_CUDA_ARCH=75-virtual, "PTX 75" gives
#                          "ptx-75: ..."; with 75:90, "compute 7.5 on 9.0" gives "compute-7.5-on-9.0: ...".
#                          The line ends with the date and the beginning of the digest of the code, because
#                          it stays in the record when later code has run
#   GPULINALG_BUILD        the folder with gpulinalg.oct, its plugin, PKG_ADD, test_device, test_sparse and test_pivots of a
#                          build {src, and tests/c/build for the programs}

set -u
cd "$(dirname "$0")/.." || exit 1
record=tests/gpu-record.txt
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

fail () {
  echo "gpu.sh: $*"
  exit 1
}

# count NAME: adds the counts in the last line of $log; without such a line the suite NAME has failed.
count () {
  line=$(LC_ALL=C sed -n -E 's/^(.*[^0-9])?([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\2 \3 \4/p' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    echo "FAILED $1: no line of counts"
    failed=$((failed + 1))
    return
  fi
  read -r p f s <<END
$line
END
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# run_job ARGUMENTS...: runs one job of tests/gpu_job.sh while no other job runs.
run_job () {
  sh tests/gpu_job.sh "$@" >"$log" 2>&1
  cat "$log"
  count "$*"
}

# run_in_parallel FILE: runs jobs; each line of the file has the arguments of one tests/gpu_job.sh. The output
# of each job is printed in one piece when it ends, so that a run that is cut off shows what it has done.
run_in_parallel () {
  nl -w 3 -n rz -s ' ' "$1" | RESULTS=$work xargs -P 16 -L 1 sh -c \
    'number=$1; shift; sh tests/gpu_job.sh "$@" >"$RESULTS/running-$number" 2>&1
     mv "$RESULTS/running-$number" "$RESULTS/job-$number"' job &
  while kill -0 $! 2>/dev/null || ls "$work"/job-* >/dev/null 2>&1; do
    for output in "$work"/job-*; do
      [ -e "$output" ] || continue
      mv "$output" "$log"
      cat "$log"
      count "$(head -n 1 "$log")"
    done
    sleep 0.2
  done
}

# shares PART n: the n shares of a part of tests/octave/gpu_suite.m.
shares () {
  for k in $(seq "$2"); do
    echo "accuracy $1 $k/$2"
  done
}

#-------------------------------------------------------------------------------
# options and checks
#-------------------------------------------------------------------------------

quick=${GPULINALG_GPU_QUICK:-0}
label=$(echo "${GPULINALG_GPU_LABEL:-}" | tr 'A-Z ' 'a-z-')
case $label in
  '') ;;
  date | gpu | driver | cuda | source-digest | passed | failed | skipped | *[!a-z0-9.-]*)
    fail "GPULINALG_GPU_LABEL cannot be \"$GPULINALG_GPU_LABEL\""
    ;;
  *) quick=1 ;;
esac

part=1 parts=1
case ${GPULINALG_GPU_PART:-} in
  '') ;;
  [1-9]/[1-9]) part=${GPULINALG_GPU_PART%/*} parts=${GPULINALG_GPU_PART#*/} ;;
  *) parts=0 ;;
esac
[ "$part" -le "$parts" ] || fail "GPULINALG_GPU_PART cannot be \"$GPULINALG_GPU_PART\""
[ "$parts" -eq 1 ] || [ "$quick" != 1 ] || fail "GPULINALG_GPU_PART is for the whole set, not for the quick one"

command -v nvidia-smi >/dev/null 2>&1 || fail "no nvidia-smi: this machine has no GPU"
for file in "${GPULINALG_BUILD:-src}/gpulinalg.oct" "${GPULINALG_BUILD:-src}/__gpulinalg_cuda__.oct" \
  "${GPULINALG_BUILD:-src}/PKG_ADD" \
  "${GPULINALG_BUILD:-tests/c/build}/test_device" "${GPULINALG_BUILD:-tests/c/build}/test_sparse" \
  "${GPULINALG_BUILD:-tests/c/build}/test_pivots"; do
  [ -s "$file" ] || fail "there is no $file: build with CUDA first"
done
# make has written these where it built, which may be another folder
for name in $(sh src/gpu_methods.sh --list); do
  sh src/gpu_methods.sh "inst/@gpuArray/$name.m" || fail "inst/@gpuArray/$name.m was not written"
done
digest=$(make -s source-digest)
[ -n "$digest" ] || fail "no source-digest: make source-digest fails"
if [ -n "$label" ] && [ ! -s "$record" ]; then
  fail "there is no $record: run make check-gpu without GPULINALG_GPU_LABEL first"
fi

# If a build has no code for this GPU, the driver compiles its PTX in each process; this cache avoids that.
CUDA_CACHE_PATH=${CUDA_CACHE_PATH:-${TMPDIR:-/tmp}/gpulinalg-cuda-$(id -u)}${label:+/$label}
mkdir -p "$CUDA_CACHE_PATH" || fail "CUDA_CACHE_PATH cannot be made"
export CUDA_CACHE_PATH CUDA_CACHE_DISABLE=0 CUDA_CACHE_MAXSIZE=4294967296
[ "$quick" != 1 ] || export QUICK=1

#-------------------------------------------------------------------------------
# the suites
#-------------------------------------------------------------------------------

# Jobs, one per line: parts of the accuracy suite, the longest first, the page functions on device arrays, and
# runs of compute-sanitizer, each with its tool and the variables of tests/octave/sanitizer_set.m. racecheck is a hundred times slower
# than the other tools, so it gets fewer sizes and few sweeps of block Jacobi. Its QR panels have one
# block, up to 96 rows: in larger ones blocks exchange words by relaxed stores and loads, which racecheck
# reports as races. Tall pages of batchsvd have at most 96 rows there, too.
device_pages="$(for type in z c d s; do echo "program test_device solves $type"; done)
program test_device gsvd
program test_device jacobi
program test_pivots
program test_device products
program test_device product-bits
program test_device product-repeats
program test_device qr
program test_device norms
program test_device diags
program test_device phases
program test_device parts dz
program test_device parts sc
program test_device intervals dz
program test_device intervals sc
program test_device funs
program test_device large-svds dz
program test_device large-svds sc
program test_device pairs dz
program test_device pairs sc
program test_device pair-intervals dz
program test_device pair-intervals sc
program test_device solve-bits dz
program test_device solve-bits sc"
svds="$(for type in z d c s; do echo "program test_device svds $type"; done)"
quick_suites="$svds
$device_pages
crowd 3
random 3 1 150
session
ends 12
$(shares failing 4)
$(shares eig 6)
$(shares qr 5)
$(shares sparse 2)
$(shares svd 3)
$(shares gsvd 3)
$(shares pages 2)
$(shares arrays 2)"
suites="$(for k in 2 13 14 12 4 9 10 3 1; do echo "accuracy eig $k/14"; done)
$svds
$(shares qr 32)
$(shares sparse 2)
$(shares arrays 6)
$(shares failing 6)
crowd 6
random 3 2 600
random 3 $(date -u +%Y%m%d) 300
session
ends 14
$device_pages
$(for k in 11 8 7 6 5; do echo "accuracy eig $k/14"; done)
$(shares svd 3)
$(shares gsvd 3)
$(shares pages 8)"
small=1,2,3,5,8,16,17,32,33,48,64,70,90,100,130
qr_sizes=1,2,3,4,5,6,8,9,12,13,16,17,24,25,31,32,33,48,49,64,65,100,130,270
page_sizes=1,2,3,4,7,8,12,16,17,24,32,33,48,64,65,100,130,150
qr_direct=2100,2,2100,65,300,131,600,257,130,40,2500,1601
runs="racecheck SIZES=33,64,70,90,130 METHODS=qr
racecheck SIZES=150,180 METHODS=qr
racecheck SIZES=86 METHODS=jacobi MAXIT=1
racecheck SIZES=2,3,8,12,17 METHODS=qr,jacobi
racecheck GSVD_SIZES=8,33
racecheck SPARSE=40
racecheck QR_SIZES=3,9,17,33
racecheck QR_DIRECT=2049,3,200,131
racecheck PAGE_SIZES=3,8,17,33
racecheck PAGE_SIZES=64,100
racecheck PAGE_SIZES=117
memcheck SIZES=$small METHODS=qr,jacobi
initcheck SIZES=$small METHODS=qr,jacobi
synccheck SIZES=$small METHODS=qr,jacobi
memcheck SIZES=150,180,260,330 METHODS=qr QR_SIZES=$qr_sizes QR_LARGE=yes
initcheck SIZES=150,180,260,330 METHODS=qr QR_SIZES=$qr_sizes QR_LARGE=yes
synccheck QR_SIZES=$qr_sizes QR_LARGE=yes
memcheck QR_FAILING=$qr_direct
memcheck SIZES=600 METHODS=qr
initcheck QR_FAILING=$qr_direct
synccheck QR_FAILING=$qr_direct
memcheck PAGE_SIZES=$page_sizes
initcheck PAGE_SIZES=$page_sizes
synccheck PAGE_SIZES=$page_sizes
racecheck SVD_SIZES=3,17,70
memcheck SVD_SIZES=2,8,17,32,40,64,70,130,260
initcheck SVD_SIZES=2,8,17,32,40,64,70,130,260
synccheck SVD_SIZES=2,8,17,32,40,64,70,130,260
memcheck SVD_ALONE=1030
initcheck SVD_ALONE=1030
synccheck SVD_ALONE=1030
memcheck GSVD_SIZES=1,2,8,16,31,33,64,100
initcheck GSVD_SIZES=1,2,8,16,31,33,64,100
synccheck GSVD_SIZES=1,2,8,16,31,33,64,100
memcheck SPARSE=40,700
initcheck SPARSE=40,700
synccheck SPARSE=40
memcheck ARRAYS=2,33,700,5000
racecheck ARRAYS=33,700"

# The programs fill the device's memory and measure how soon a call stops, so no other job runs at the
# same time, and the driver compiles PTX before.
case $label in
  ptx-*)
    for name in test_device test_sparse; do
      sh tests/gpu_job.sh program $name >/dev/null 2>&1 &
    done
    wait
    ;;
esac
if [ "$part" -eq 1 ]; then
  run_job program test_device
  run_job program test_sparse
  if [ "$quick" != 1 ]; then
    run_job program test_device stops
    run_job program test_device teams
    run_job accuracy memory 1/1
  fi
fi
if [ "$quick" = 1 ]; then
  suites=$quick_suites runs=
elif ! command -v compute-sanitizer >/dev/null 2>&1; then
  echo "compute-sanitizer: skipped, because it is not installed"
  [ "$part" -ne 1 ] || skipped=$((skipped + $(echo "$runs" | wc -l)))
  runs=
fi
printf '%s\n%s\n' "$suites" "$runs" | sed '/^$/d' | awk "NR % $parts == $part % $parts" >"$work/list"
run_in_parallel "$work/list"

#-------------------------------------------------------------------------------
# the record
#-------------------------------------------------------------------------------

case $label in
  ptx-*)
    if [ -n "$(find "$CUDA_CACHE_PATH" -type f | head -n 1)" ]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "FAILED the driver has compiled nothing: this build already has code for this GPU"
    fi
    ;;
esac
# With parts, counts become those of all parts, once each has run on this code.
missing=
if [ "$parts" -gt 1 ]; then
  echo "this part: $passed passed, $failed failed, $skipped skipped"
  folder=build/gpu-parts
  mkdir -p "$folder"
  echo "$digest $passed $failed $skipped" >"$folder/$part-of-$parts"
  passed=0 failed=0 skipped=0
  for k in $(seq "$parts"); do
    if grep -q "^$digest " "$folder/$k-of-$parts" 2>/dev/null; then
      read -r _ p f s <"$folder/$k-of-$parts"
      passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    else
      missing="$missing $k/$parts"
    fi
  done
fi
counts="$passed passed, $failed failed, $skipped skipped"
if [ -n "$missing" ]; then
  echo "no record yet: GPULINALG_GPU_PART$missing must run, too"
elif [ -n "$label" ]; then
  {
    grep -v "^$label: " "$record"
    echo "$label: $counts, $(date -u +%Y-%m-%d), code $(echo "$digest" | cut -c 1-8)"
  } >"$work/record"
  cp "$work/record" "$record"
elif [ "$quick" != 1 ]; then
  # lines of other builds remain; they say for which code they are
  others=$(grep -E '^[^ ]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped, ' "$record" 2>/dev/null)
  cat >"$work/record" <<END
date: $(date -u +%Y-%m-%d)
gpu: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
cuda: $(nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p')
source-digest: $digest
passed: $passed
failed: $failed
skipped: $skipped
END
  [ -z "$others" ] || echo "$others" >>"$work/record"
  cp "$work/record" "$record"
fi
[ "$quick" = 1 ] && [ -z "$label" ] || [ -n "$missing" ] || cat "$record"
echo "$counts"
[ "$failed" -eq 0 ]
