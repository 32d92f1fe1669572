#!/bin/sh
# gpu_job.sh: one of the jobs that tests/gpu.sh runs side by side
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh tests/gpu_job.sh accuracy PART              a part of tests/octave/gpu_suite.m
#        sh tests/gpu_job.sh TOOL NAME=VALUE...         compute-sanitizer, with the variables of
#                                                       tests/octave/sanitizer_set.m
# Prints what it found and a closing line "...: <n> passed, <n> failed, <n> skipped".

octave="octave-cli --no-init-file --no-history --path src --path inst"
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
if [ "$1" = accuracy ]; then
  echo "== accuracy $2"
  PART=$2 timeout 400 $octave tests/octave/gpu_suite.m
  exit 0
fi
tool=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "== compute-sanitizer $tool $*"
passed=0
if env "$@" timeout 400 compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 3 \
  --target-processes all $octave tests/octave/sanitizer_set.m >"$log" 2>&1 &&
  grep -q "sanitizer set done" "$log" && grep -q -E "SUMMARY: 0 (errors|hazards)" "$log"; then
  passed=1
else
  echo "FAILED compute-sanitizer $tool $*"
  head -n 40 "$log"
fi
tail -n 2 "$log"
echo "compute-sanitizer: $passed passed, $((1 - passed)) failed, 0 skipped"
