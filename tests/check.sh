#!/bin/sh
# check.sh: builds and tests in minutes, prints a table of times and a line of totals; run by make check
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Without CUDA, unless the tree is already built with CUDA. make check-all runs what is not here.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/check_common.sh

build="$make build"
if grep -qx "CUDA = yes" src/config.mk 2>/dev/null; then
  build="$make -C src" # keeps the configuration of the tree
else
  export GPULINALG_CUDA=no
  (cd src && ./configure) || exit 1
fi
before=$(digest)

step "includes cross no border" sh tests/rooms.sh
step "no function is too large" sh tests/sizes.sh
step "tables in documents" $octave bench/tables/doc_tables.m --check
suite "formatting" $make check-format
await_all
limit=1
step "build" $build -j"$jobs" TIMED="sh $PWD/tests/compile_times.sh $work/objects"
stop_without "build"
suite "processor time of each object" sh tests/compile_times.sh --check "$work/objects"
step "C tests build" $make -C tests/c -j"$jobs"
stop_without "C tests build"

limit=$jobs
suite "random calls" random_calls 60 # the longest first
suite "%! tests" $octave --path src --path inst tests/octave/unit_tests.m
for name in $(all_tests); do
  release_test "$name" "test_$name"
done
for version in 6 11; do
  suite "oct/ with the headers of Octave $version" sh tests/octave_headers.sh $version
done
suite "lists.bats and tables.bats" bats_suite tests/lists.bats tests/tables.bats
suite "examples of the help texts" sh tests/examples.sh help
suite "code blocks of the documents" sh tests/examples.sh documents
step "the C example prints the eigenvalues" sh -c 'tests/c/build/eig_pages | grep -qx "page 7: 6.0000000000 8.0000000000"'
step "the C example with strides" sh -c 'tests/c/build/strides | grep -qx "A\*V = V\*D to rounding"'
step "the C example with a stop callback" sh -c 'tests/c/build/stop | grep -qxE "stopped: lambda is undefined|ok"'
await_all
mkdir -p build
if [ "$failed" -eq 0 ] && [ "$(digest)" = "$before" ]; then echo "$before" >build/checked; else rm -f build/checked; fi
finish
