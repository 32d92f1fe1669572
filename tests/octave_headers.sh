#!/bin/sh
# octave_headers.sh: checks the syntax of oct/ with the headers of another Octave than the one that is installed
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: octave_headers.sh VERSION            6 or 11: the oldest and the newest that the package is for
#        octave_headers.sh --write FOLDER...  writes the archive; a FOLDER is one like /usr/include/octave-6.2.0, of
#                                             Debian's liboctave-dev (11) and octave-dev (unstable)
# tests/data/octave-headers.tar.xz has the headers that oct/ includes, and those that these include. They are compiled
# with the C++ of the compiler in that Debian: C++14 with Octave 6, C++20 with Octave 11. The last line has the counts.

set -eu
cd "$(dirname "$0")/.."
archive=tests/data/octave-headers.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# flags_of FOLDER: FOLDER is .../octave-VERSION
flags_of () {
  case ${1##*/} in
    octave-6.*) standard=gnu++14 ;;
    *) standard=gnu++20 ;;
  esac
  echo "-std=$standard -fPIC -pthread -Wall -Wextra -Wno-cpp -I$1 -I$1/octave -Ioct -Isrc"
}

skip () {
  echo "$1"
  echo "oct/ with other headers: 0 passed, 0 failed, 1 skipped"
  exit
}

# Headers of the same name are beside each other, so that the archive has their common text once.
if [ "${1:-}" = --write ]; then
  shift
  for folder in "$@"; do
    # shellcheck disable=SC2046 # flags
    g++ $(flags_of "$folder") -M oct/*/*.cc | tr -s ' \\' '\n' | grep "^$folder/" | sort -u | while read -r header; do
      mkdir -p "$(dirname "$work/${header#"${folder%/*}"/}")"
      cp "$header" "$work/${header#"${folder%/*}"/}"
    done
  done
  (cd "$work" && find . -type f | awk -F / '{ print $NF " " $0 }' | LC_ALL=C sort | cut -d ' ' -f 2-) >"$work.list"
  tar --create --directory="$work" --files-from="$work.list" --format=ustar --mtime=@0 --mode=u=rw,go=r \
    --owner=0 --group=0 --numeric-owner | xz -9e >"$archive"
  rm "$work.list"
  exit
fi

version=$1
case $(octave-config --version 2>/dev/null) in
  "$version".*) skip "Octave $version is installed, and the package is built with its headers" ;;
esac
[ -e "$archive" ] || skip "there is no $archive here; it is in the repository"
command -v xz >/dev/null 2>&1 || skip "there is no xz here (Debian: xz-utils)"
xz -dc "$archive" | tar --extract --directory="$work"
set -- "$work"/octave-"$version".*
[ -d "$1" ] || { echo "$archive has no headers of Octave $version"; exit 1; }
flags=$(flags_of "$1")

# Headers take most of the time of a file, so those of all files are compiled once.
echo '#include "common/gla_octave.h"' >"$work/octave.h"
# shellcheck disable=SC2086 # flags
g++ $flags -x c++-header "$work/octave.h" -o "$work/octave.h.gch"
passed=0 failed=0
for file in $(make -s --no-print-directory -C src oct-files); do
  # shellcheck disable=SC2086
  if g++ $flags -include "$work/octave.h" -fsyntax-only "src/$file" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    grep -E -A 3 'error|No such file' "$work/log" | head -n 12
  fi
done
echo "oct/ with the headers of ${1##*/}: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
