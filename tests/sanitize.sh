#!/bin/sh
# sanitize.sh: one run of compute-sanitizer, for tests/gpu.sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh tests/sanitize.sh TOOL NAME=VALUE...    the variables of tests/octave/sanitizer_set.m
# Prints what it found and a closing line "<n> passed, <n> failed, 0 skipped".

tool=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
if env "$@" timeout 400 compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 3 \
  --target-processes all octave-cli --no-init-file --no-history --path src --path inst \
  tests/octave/sanitizer_set.m >"$log" 2>&1 &&
  grep -q "sanitizer set done" "$log" && grep -q -E "SUMMARY: 0 (errors|hazards)" "$log"; then
  passed=1
fi
echo "compute-sanitizer $tool $*"
if [ $passed -eq 0 ]; then
  echo "FAILED compute-sanitizer $tool $*"
  head -n 40 "$log"
fi
tail -n 2 "$log"
echo "$passed passed, $((1 - passed)) failed, 0 skipped"
