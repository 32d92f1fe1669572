#!/bin/sh
# installed.sh: installs the tarball and runs the %! tests; usage: installed.sh FOLDER, an absolute path
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What was installed stays in FOLDER/installed.

set -eu
work=$1/installed
mkdir -p "$work"
sh "$(dirname "$0")/install.sh" "$work" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
cd "$work"
HOME=$work/home octave-cli --no-init-file --no-history --eval "
  pkg ('prefix', '$work/packages', '$work/packages');
  pkg ('local_list', '$work/packages/list');
  pkg ('load', 'gpulinalg');
  pkg ('test', 'gpulinalg');" >out 2>&1 || { cat out; exit 1; }
cat fntests.log
good=$(grep -a -oE 'PASS +[0-9]+' out | awk '{n += $2} END {print n + 0}')
bad=$(grep -a -oE 'FAIL +[0-9]+' out | awk '{n += $2} END {print n + 0}')
skip=$(grep -a -oE 'SKIP(PED)? +[0-9]+' out | awk '{n += $2} END {print n + 0}')
# a summary without any test is a failure
[ "$good" -gt 0 ] || bad=$((bad + 1))
tail -n 15 out
echo "installed: $good passed, $bad failed, $skip skipped"
[ "$bad" -eq 0 ]
