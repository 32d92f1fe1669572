#!/bin/sh
# files.sh: lists the files of the project, in order; run from its top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh tests/files.sh [--new] [folder]...
# With git: the tracked files; with --new also untracked files that git does not ignore. Without git, or
# in a repository without tracked files, as in an unpacked archive: all files except those that the
# build writes.

set -eu
which=--cached
if [ "${1:-}" = --new ]; then
  which="--cached --others --exclude-standard"
  shift
fi
[ $# -gt 0 ] || set -- .

if [ "$(git rev-parse --show-prefix 2>/dev/null || echo none)" = "" ] &&
  [ -n "$(git ls-files -- "$@" | head -n 1)" ]; then
  # shellcheck disable=SC2086 # several options
  git -c core.quotePath=false ls-files $which -- "$@" | while IFS= read -r file; do
    [ ! -e "$file" ] || echo "$file" # one that was deleted stays in git's list until that is added
  done
else
  find "$@" \( -name .git -o -path ./build -o -path '*/obj' \) -prune -o -type f \
    ! -name '*.o' ! -name '*.d' ! -name '*.a' ! -name '*.oct' ! -name '*.cc-tst' \
    ! -name '*.tar.gz' ! -name config.mk ! -name config.stamp ! -path '*src/PKG_ADD' ! -path '*src/PKG_DEL' ! -name fntests.log \
    ! -name octave-workspace ! -name '*~' -print | sed 's,^\./,,' |
    grep -vxF "$(sh src/gpu_methods.sh --list 2>/dev/null | sed 's,.*,inst/@gpuArray/&.m,')"
fi | LC_ALL=C sort
