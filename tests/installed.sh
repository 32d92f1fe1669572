#!/bin/sh
# installed.sh: tests a package that tests/install.sh has installed
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: installed.sh FOLDER unit                    the %! tests, by pkg test
#        installed.sh FOLDER accuracy [PART [k/n]]   tests/octave/cpu_suite.m, or a share of a part of it
# FOLDER is that of install.sh, an absolute path.

set -eu
tests=$(cd "$(dirname "$0")" && pwd)
work=$1

octave_pkg () {
  HOME=$work/home octave-cli --no-init-file --no-history --eval "
    pkg ('prefix', '$work/packages', '$work/packages');
    pkg ('local_list', '$work/packages/list');
    pkg ('load', 'gpulinalg');
    $1"
}

if [ "$2" = accuracy ]; then
  PART=${3:-} SHARE=${4:-} octave_pkg "source ('$tests/octave/cpu_suite.m');"
  exit
fi
cd "$work"
octave_pkg "pkg ('test', 'gpulinalg');" >out 2>&1 || { cat out; exit 1; }
cat fntests.log
good=$(grep -a -oE 'PASS +[0-9]+' out | awk '{n += $2} END {print n + 0}')
bad=$(grep -a -oE 'FAIL +[0-9]+' out | awk '{n += $2} END {print n + 0}')
skip=$(grep -a -oE 'SKIP(PED)? +[0-9]+' out | awk '{n += $2} END {print n + 0}')
# a summary without any test is a failure
[ "$good" -gt 0 ] || bad=$((bad + 1))
tail -n 15 out
echo "installed: $good passed, $bad failed, $skip skipped"
[ "$bad" -eq 0 ]
