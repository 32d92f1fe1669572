#!/bin/sh
# versions_job.sh: what tests/versions.sh runs in each system, with the counts of all of it in the last line
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: versions_job.sh FOLDER ARCHIVE
# As the tests of Octave's package index do: installs exactly that archive by pkg, loads it, runs its tests and the
# examples of its help texts by doctest, unloads and removes it. In between the suite of gpuArrays and the tests by BATS,
# which have found most of what differs between versions of Octave, LAPACK and BATS.

set -u
cd "$(dirname "$0")/.." || exit 1
work=$1
archive=$2
passed=0 failed=0 skipped=0

# add PASSED FAILED SKIPPED
add () { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3)); }

# suite COMMAND...: runs it and adds the counts of the last line that has some. Without any, or where it fails in
# spite of them, that is one more failure.
suite () {
  echo "== $*"
  "$@" >"$work/suite" 2>&1
  status=$?
  cat "$work/suite"
  counts=$(sed -n -E 's/.*[^0-9]([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' "$work/suite" | tail -n 1)
  before=$failed
  # shellcheck disable=SC2086 # three numbers
  add ${counts:-0 1 0}
  [ "$status" -eq 0 ] || [ "$failed" -gt "$before" ] || add 0 1 0
  [ "$failed" -eq "$before" ] || echo "FAILED $*: status $status"
}

# step COMMAND...: runs it; only its status counts.
step () {
  echo "== $*"
  if "$@"; then add 1 0 0; else echo "FAILED $*"; add 0 1 0; fi
}

# bats_suite FILE: the lines of its TAP output, which must be as many as it says.
bats_suite () {
  bats --tap "$1" >"$work/tap" 2>&1
  cat "$work/tap"
  skip=$(grep -c -E '^ok .*# skip' "$work/tap")
  good=$(($(grep -c '^ok ' "$work/tap") - skip))
  bad=$(grep -c '^not ok ' "$work/tap")
  [ $((good + bad + skip)) -eq "$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/tap" | head -n 1)" ] || bad=$((bad + 1))
  echo "bats: $good passed, $bad failed, $skip skipped"
  [ "$bad" -eq 0 ]
}

# a repository, as developers have it
git init -q . && git add -A && git -c user.name=a -c user.email=a@b.c commit -q -m "Record the tree"

step sh tests/installed.sh "$work" install "$archive"
suite sh tests/installed.sh "$work" unit
suite sh tests/examples.sh --installed "$work" help
suite sh tests/installed.sh "$work" accuracy arrays
step sh tests/installed.sh "$work" remove
step env GPULINALG_CUDA=no make build -j"$(nproc)"
for file in suites record release tables prompt build clibrary examples behaviour; do
  suite bats_suite "tests/$file.bats"
done
echo "versions_job: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
