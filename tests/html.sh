#!/bin/sh
# html.sh: writes the documents and the reference as HTML into a folder of its own, and checks the links
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: html.sh [FOLDER]      {a temporary folder}; make html takes build/html

set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
  for program in pandoc makeinfo; do
    command -v $program >/dev/null 2>&1 && continue
    echo "there is no $program here (Debian and Ubuntu: pandoc, texinfo)"
    echo "HTML: 0 passed, 0 failed, 1 skipped"
    exit
  done
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  set -- "$work/html"
fi
export HTML="$1"
octave-cli --no-init-file --no-history tests/html/write_html.m
octave-cli --no-init-file --no-history tests/octave/check_links.m
