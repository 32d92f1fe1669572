#!/bin/sh
# record.sh: checks that tests/gpu-record.txt is for this code and has no failures
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: record.sh             fails if the record is missing or has failures; if it is for other code,
#                              the check counts as skipped, and the first line says so
#        record.sh --strict    for a release: a record for other code fails, too
# The last line has the counts.

cd "$(dirname "$0")/.." || exit 1
record=tests/gpu-record.txt

# close PASSED FAILED SKIPPED TEXT
close () {
  echo "$4"
  echo "GPU record: $1 passed, $2 failed, $3 skipped"
  exit "$2"
}

[ -s "$record" ] || close 0 1 0 "there is no $record: run make check-gpu on a machine with a GPU"
if ! grep -qx "failed: 0" "$record" || grep -q -E ', [1-9][0-9]* failed' "$record"; then
  close 0 1 0 "$record has failures"
fi
digest=$(make -s source-digest)
[ -n "$digest" ] || close 0 1 0 "make source-digest fails"
grep -qx "source-digest: $digest" "$record" && close 1 0 0 "$record is for this code"
text="NOT RUN ON A GPU: $record is for other code; run make check-gpu on a machine with a GPU"
[ "${1:-}" = --strict ] && close 0 1 0 "$text"
close 0 0 1 "$text"
