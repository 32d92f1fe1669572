#!/bin/sh
# record.sh: tells whether tests/gpu-record.txt is of this code and without failures
# SPDX-License-Identifier: GPL-3.0-or-later

cd "$(dirname "$0")/.." || exit 1
record=tests/gpu-record.txt
[ -s "$record" ] || { echo "there is no $record: run make check-gpu where there is a GPU"; exit 1; }
digest=$(make -s source-digest)
if [ -z "$digest" ] || ! grep -qx "source-digest: $digest" "$record"; then
  echo "$record is of other code: run make check-gpu where there is a GPU"
  echo "source-digest: $digest is that of this code"
  exit 1
fi
if ! grep -qx "failed: 0" "$record" || grep -q -E ', [1-9][0-9]* failed' "$record"; then
  echo "$record tells of failures"
  exit 1
fi
