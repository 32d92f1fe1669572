#!/bin/sh
# blas.sh: right results, no hang and no spinning threads with other BLAS than this machine's
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: blas.sh [NAME]...     {all below}; after make build, on Debian or Ubuntu; make check-blas
#
# The packages are downloaded and unpacked, not installed, so this machine keeps its BLAS. LAPACK is that of
# the package, or the reference where it has none. Two threads of the library, and of the BLAS.

set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
octave="${OCTAVE:-octave-cli --no-history} --no-init-file --path $PWD/src --path $PWD/inst"
[ -e src/gpulinalg.oct ] || { echo "blas.sh: no src/gpulinalg.oct: run make build" >&2; exit 1; }

count () { # count RESULT WHAT
  case $1 in
    pass) passed=$((passed + 1)) ;;
    skip) skipped=$((skipped + 1)) && echo "skipped: $2" ;;
    *) failed=$((failed + 1)) && echo "FAILED $2" ;;
  esac
}

# unpack PACKAGE...: into $work/PACKAGE.
unpack () {
  for package in "$@"; do
    [ ! -d "$work/$package" ] || continue
    (mkdir "$work/deb" && cd "$work/deb" && apt-get -q download "$package" && dpkg -x ./*.deb "$work/$package") >"$work/log" 2>&1
    status=$?
    rm -rf "$work/deb"
    [ $status -eq 0 ] || { rm -rf "$work/$package"; return 1; }
  done
}

# folders PACKAGE...: those that have libraries, separated by colons.
folders () {
  for package in "$@"; do
    find "$work/$package" -name '*.so.*' -exec dirname {} \;
  done | awk '!seen[$0]++' | paste -s -d : -
}

# with_blas FOLDERS: the test program; prints its lines.
with_blas () {
  LD_LIBRARY_PATH=$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OMP_NUM_THREADS=2 timeout -k 5 120 $octave tests/octave/check_blas.m >"$work/out" 2>&1
  status=$?
  cat "$work/out"
  [ $status -eq 0 ] && grep -q '^processor ' "$work/out"
}
seconds () { sed -n 's/^processor //p' "$work/out"; }

# other NAME PACKAGE...: residuals; for OpenMP builds also processor time beside the default BLAS.
other () {
  name=$1
  shift
  [ -z "$wanted" ] || case " $wanted " in *" $name "*) ;; *) return ;; esac
  unpack "$@" || { count skip "$name: $* cannot be downloaded"; return; }
  echo "$name:"
  with_blas "$(folders "$@")"
  count "$([ $status -eq 0 ] && echo pass)" "$name ends and is right (status $status)"
  grep -q "^loaded $work/" "$work/out"
  count "$([ $? -eq 0 ] && echo pass)" "$name is the BLAS that was loaded"
  case $name in
    *openmp)
      ours=$(seconds)
      with_blas "" >/dev/null # in turn, as the machine's load changes
      awk -v a="${ours:-1e9}" -v b="$(seconds)" 'BEGIN { print "  processor time beside the default:", a / b; exit !(a <= 1.2 * b) }'
      count "$([ $? -eq 0 ] && echo pass)" "$name: $ours s of processor time, at most 1.2 times those of the default"
      ;;
  esac
}

wanted=$*
echo "default:"
with_blas ""
count "$([ $status -eq 0 ] && echo pass)" "the default BLAS (status $status)"
other openblas-openmp libopenblas0-openmp libgomp1
other blis-openmp libblis4-openmp liblapack3 libgomp1
other blis-pthread libblis4-pthread liblapack3
other openblas-serial libopenblas0-serial
other reference libblas3 liblapack3
other atlas libatlas3-base
echo "blas: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
