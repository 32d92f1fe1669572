#!/bin/sh
# installed.sh: installs the package in a folder, and tests what is installed there
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: installed.sh FOLDER install [ARCHIVE]       without nvcc in PATH, in an empty home folder
#        installed.sh FOLDER unit                    the %! tests, by pkg test
#        installed.sh FOLDER accuracy [PART [k/n]]   tests/octave/cpu_suite.m, or a share of a part of it
#        installed.sh FOLDER run SCRIPT              that script
#        installed.sh FILE counts                    the counts of the tests in what pkg test has printed
#        installed.sh FOLDER remove                  loads, unloads and uninstalls it, and looks for what is left
# FOLDER is an absolute path: HOME is FOLDER/home, packages go to FOLDER/packages, the output of Octave to
# FOLDER/install.log. ARCHIVE {that of make dist} is an absolute path, too.

set -eu
tests=$(cd "$(dirname "$0")" && pwd)
work=$1

# Variables that ask for CUDA or for instruction sets are not set, as a user has none: configure has to notice by itself
# that there is no CUDA. With GPULINALG_CUDA_ARCH it would use an nvcc outside of PATH.
install () {
  cd "$tests/.."
  mkdir -p "$work/home" "$work/packages" "$work/tools"
  tarball=${1:-$(pwd)/$(sed -n 's/^Name: *//p' DESCRIPTION)-$(sed -n 's/^Version: *//p' DESCRIPTION).tar.gz}
  [ -n "${1:-}" ] || make -s dist >/dev/null
  for tool in sh cat sed grep awk uname mktemp rm cp mv mkdir touch tr cut head tail sort expr basename dirname ls \
    env printf test true make gcc g++ cc ar ranlib as ld tar gzip gunzip octave-cli mkoctfile octave-config nproc chmod find; do
    path=$(command -v $tool) && [ -x "$path" ] && ln -sf "$path" "$work/tools/$tool"
  done
  unset GPULINALG_CUDA GPULINALG_CUDA_ARCH GPULINALG_ISAS
  cd "$work"
  PATH=$work/tools CUDA_HOME=/nowhere HOME=$work/home octave-cli --no-init-file --no-history --eval "
    pkg ('prefix', '$work/packages', '$work/packages');
    pkg ('local_list', '$work/packages/list');
    pkg ('install', '-local', '$tarball');" >"$work/install.log" 2>&1 || status=$?
  cat "$work/install.log"
  return "${status:-0}"
}

octave_pkg () {
  HOME=$work/home octave-cli --no-init-file --no-history --eval "
    pkg ('prefix', '$work/packages', '$work/packages');
    pkg ('local_list', '$work/packages/list');
    pkg ('load', 'gpulinalg');
    $1"
}

# Lines of the summary are indented by two blanks; those of single files, which repeat the same failures, are not read. A
# summary without passed tests is a failure.
counts () {
  awk '/^  (PASS|FAIL|REGRESSION|XFAIL|SKIP) / { count[$1] += $NF }
       END { failed = count["FAIL"] + count["REGRESSION"] + (count["PASS"] == 0)
             printf "%d passed, %d failed, %d skipped\n", count["PASS"], failed, count["SKIP"] + count["XFAIL"] }' "$1"
}

if [ "$2" = install ]; then
  install "${3:-}"
  exit
fi
if [ "$2" = counts ]; then
  counts "$1"
  exit
fi
if [ "$2" = accuracy ]; then
  PART=${3:-} SHARE=${4:-} octave_pkg "source ('$tests/octave/cpu_suite.m');"
  exit
fi
if [ "$2" = run ]; then
  octave_pkg "source ('$3');"
  exit
fi
if [ "$2" = remove ]; then
  octave_pkg "
    version = pkg ('list', 'gpulinalg'){1}.version;
    assert (version, gpulinalg_info ().version);
    assert (batcheig ([2 1; 1 2]), [1; 3], eps (16));
    pkg ('unload', 'gpulinalg');
    assert (exist ('batcheig'), 0);
    pkg ('uninstall', '-local', 'gpulinalg');
    assert (isempty (pkg ('list', 'gpulinalg')));
    printf ('version %s is removed\n', version);"
  left=$(find "$work/packages" -name '*gpulinalg*')
  [ -z "$left" ] || { echo "$left is left"; exit 1; }
  exit
fi
cd "$work"
octave_pkg "pkg ('test', 'gpulinalg');" >out 2>&1 || { cat out; exit 1; }
# of the log the tests that failed, each with its code before it
awk '/^[*]{5}/ { code = "" } { code = code $0 "\n" } /^!!!!! test failed/ { printf "%s", code; shown = 1; next }
     /^(>>>>>|[*]{5})/ { shown = 0 } shown' fntests.log
found=$(counts out)
echo "installed: $found"
case $found in *", 0 failed,"*) ;; *) exit 1 ;; esac
