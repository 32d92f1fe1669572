#!/bin/sh
# record.sh: tells whether tests/gpu-record.txt is of this code and without failures
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: record.sh             a record that is missing or tells of failures fails; one of other code
#                              is a check that was skipped, and the first line says so
#        record.sh --strict    for a release: one of other code fails, too
# Closes with a line of counts.

cd "$(dirname "$0")/.." || exit 1
record=tests/gpu-record.txt

# close PASSED FAILED SKIPPED TEXT
close () {
  echo "$4"
  echo "GPU record: $1 passed, $2 failed, $3 skipped"
  exit "$2"
}

[ -s "$record" ] || close 0 1 0 "there is no $record: run make check-gpu where there is a GPU"
if ! grep -qx "failed: 0" "$record" || grep -q -E ', [1-9][0-9]* failed' "$record"; then
  close 0 1 0 "$record tells of failures"
fi
digest=$(make -s source-digest)
[ -n "$digest" ] || close 0 1 0 "make source-digest fails"
grep -qx "source-digest: $digest" "$record" && close 1 0 0 "$record is of this code"
text="NOT RUN ON A GPU: $record is of other code; run make check-gpu where there is a GPU"
[ "${1:-}" = --strict ] && close 0 1 0 "$text"
close 0 0 1 "$text"
