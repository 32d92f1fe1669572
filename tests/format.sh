#!/bin/sh
# format.sh: formats the C, C++ and CUDA sources; with --check it lists those that are not formatted
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Versions of clang-format give different results, so only version 14 is used: the system's, or that of
# PyPI, installed in build/tools. If neither is available, --check is skipped.

set -eu
cd "$(dirname "$0")/.."
version=14

is_right () { "$1" --version 2>/dev/null | grep -q "version $version\."; }

find_formatter () {
  for candidate in "clang-format-$version" clang-format build/tools/bin/clang-format; do
    if is_right "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  { python3 -m venv build/tools && build/tools/bin/pip install -q "clang-format==$version.*"; } >&2 || return 0
  is_right build/tools/bin/clang-format && echo build/tools/bin/clang-format
}

formatter=$(find_formatter)
files=$(sh tests/files.sh | grep -E '\.(c|h|cc|cu|cuh)$')
if [ "${1:-}" != --check ]; then
  [ -n "$formatter" ] || { echo "format.sh: there is no clang-format $version" >&2; exit 1; }
  # shellcheck disable=SC2086 # a list of files without blanks
  "$formatter" -i $files
elif [ -z "$formatter" ]; then
  echo "clang-format $version is missing, and Python's venv and pip could not install it"
  echo "formatting: 0 passed, 0 failed, 1 skipped"
# shellcheck disable=SC2086
elif "$formatter" --dry-run -Werror $files; then
  echo "formatting: 1 passed, 0 failed, 0 skipped"
else
  echo "formatting: 0 passed, 1 failed, 0 skipped"
  exit 1
fi
