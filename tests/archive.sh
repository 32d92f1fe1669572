#!/bin/sh
# archive.sh: lists the files of the archive that make dist writes; make check in an unpacked one
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: archive.sh list     names of files on standard output
#        archive.sh check    builds, runs the %! tests and the examples of the help texts, and says what is left out
#
# The archive has what pkg install, make demo, make install-c and make html need, and the documents for users. The
# benchmarks and their results, most tests, the notebook and the documents about the inside are in the repository alone.

set -u
cd "$(dirname "$0")/.." || exit 1

if [ "${1:-}" = list ]; then
  sh tests/files.sh | awk '
    /^tests\/(archive|demo|deps[a-z_]*|files|jobs|html|examples)\.sh$/ || /^tests\/html\// { print }
    /^tests\/octave\/(unit_tests|help_examples|check_links)\.m$/ { print }
    /^doc\// && !/^doc\/((user-guide|accuracy|c-api)\.md|times\.svg)$/ { next }
    !/^(\.|tests\/|bench\/)/ { print }'
  exit
fi

work=$(mktemp -d)
. tests/jobs.sh
trap 'end_jobs; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
step "build" make --no-print-directory build -j"$limit"
await "build" || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
suite "%! tests" octave-cli --no-init-file --no-history --path src --path inst tests/octave/unit_tests.m
suite "examples of the help texts" sh tests/examples.sh help
suite "HTML" sh tests/html.sh
await_all
for left_out in "C tests and sanitizers" "accuracy of all functions on hard matrices" "tests of the build, the package and its documents"; do
  echo "skipped $left_out: in the repository, not in this archive"
  skipped=$((skipped + 1))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
