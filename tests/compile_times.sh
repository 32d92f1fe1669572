#!/bin/sh
# compile_times.sh: processor seconds of each object that a build compiles
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: make TIMED="sh $PWD/tests/compile_times.sh FILE"   adds a line with seconds and object to FILE for each one
#        sh tests/compile_times.sh --check FILE             prints sums, and fails where an object costs too much
# No object of C or C++ may take more than 8 % of all of them, which is 20 s where a build takes 250 s of processor
# time: a share, because machines differ by more than two. Objects that ccache has had do not count; with fewer than
# 60 others nothing is checked.

if [ "$1" = --check ]; then
  sort -rn "$2" | awk '
    $1 < 0.2 { next }
    { n++; sum += $1; at = $2; sub (/^obj\//, "", at); folder = at ~ /^cpu\// ? substr (at, 5) : at; sub (/\/.*/, "", folder)
      by[at ~ /^cpu\// ? "cpu/" folder : at ~ /\// ? folder : "src"] += $1
      if (n <= 5) printf "%6.1f s %s\n", $1, at
      if (n == 1) most = $1 }
    END {
      for (k in by) printf "%6.1f s in all of %s\n", by[k], k
      printf "%.0f s of processor time for %d objects\n", sum, n
      checked = n >= 60
      bad = checked && (most > 0.08 * sum)
      printf "compile times: %d passed, %d failed, %d skipped\n", checked && !bad, bad, !checked
      exit bad }'
  exit
fi

file=$1 object=
shift
for word in "$@"; do
  [ "$object" != -o ] || { object=$word && break; }
  [ "$word" != -o ] || object=-o
done
"$@"
status=$?
times >"$file.$$" # not behind a pipe, where it would count for another process
awk -v object="$object" 'NR == 2 { split ($1, a, "m"); split ($2, b, "m")
  printf "%.2f %s\n", 60 * (a[1] + b[1]) + a[2] + b[2], object }' "$file.$$" >>"$file"
rm -f "$file.$$"
exit $status
