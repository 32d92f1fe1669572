#!/bin/sh
# examples.sh: runs the examples of the help texts, or the code blocks of the documents
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: examples.sh [--installed FOLDER] help [FUNCTION|FILE]...   {all functions; FILE with a slash}
#        examples.sh [--installed FOLDER] documents [FILE]...       {every *.md}
# With FOLDER, that of tests/installed.sh, the package that is installed there; otherwise this tree, built.
# Each document has an Octave of its own, which starts in an empty folder.

set -u
top=$(cd "$(dirname "$0")/.." && pwd)
installed=
if [ "${1:-}" = --installed ]; then
  installed=$2
  shift 2
fi
what=${1:-}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# in_octave SCRIPT: its output, and as status that of Octave.
in_octave () {
  mkdir "$work/empty"
  (
    cd "$work/empty" || exit 1
    export TMPDIR="$work/empty"
    if [ -n "$installed" ]; then
      sh "$top/tests/installed.sh" "$installed" run "$1"
    else
      octave-cli --no-init-file --no-history --path "$top/src" --path "$top/inst" "$1"
    fi
  )
  status=$?
  rm -rf "$work/empty"
  return $status
}

# Adds the counts of the last line of $work/log; a document without them has failed.
count () {
  counts=$(sed -n 's/^document: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$work/log")
  [ -n "$counts" ] || counts="0 1 0"
  # shellcheck disable=SC2086 # three numbers
  set -- $counts
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

case $what in
  help)
    export HELP_OF="$*"
    in_octave "$top/tests/octave/help_examples.m"
    exit
    ;;
  documents)
    if [ $# -eq 0 ]; then
      # shellcheck disable=SC2046 # names without blanks
      set -- $(cd "$top" && sh tests/files.sh --new | grep '\.md$' | sed "s,^,$top/,")
    fi
    passed=0 failed=0 skipped=0
    for file in "$@"; do
      case $file in /*) ;; *) file=$(pwd)/$file ;; esac
      DOCUMENT=$file in_octave "$top/tests/octave/document_examples.m" >"$work/log" 2>&1
      echo "${file#"$top"/}: $(tail -n 1 "$work/log")"
      grep -v '^document: ' "$work/log"
      count
    done
    echo "documents: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
    ;;
esac
echo "examples.sh: help or documents, not '$what'" >&2
exit 2
