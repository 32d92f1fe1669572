#!/bin/sh
# sizes.sh: looks for functions of more than 80 lines; run from the top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The format of the sources (.clang-format) shows where functions are: their braces are alone on their
# lines, with the same indentation. Those of classes and namespaces are, too; those of structs, loops
# and lambdas are not. A function is counted from its first line, which is the one behind a blank line,
# a comment, a semicolon or a brace. Prints each function that is longer and fails if there is one.

set -eu
sources=$(sh tests/files.sh --new src oct kernels tests/c bench examples | grep -E '\.(c|h|cc|cu|cuh)$')
# shellcheck disable=SC2086 # names without blanks
bad=$(awk '
  FNR == 1 { begin = 1; text = end = "" }
  /^ *\{$/ && end == "" && text !~ /^ *(namespace|class|extern) / {
    end = substr ($0, 1, length ($0) - 1) "}"
    first = begin
  }
  end != "" && $0 == end {
    if (FNR - first >= 80)
      print FILENAME ":" first ": " FNR - first + 1 " lines"
    end = ""
  }
  /^ *$|^ *\/\/|^#|[;{}]$|[;{}] *\/\// { begin = FNR + 1; text = ""; next }
  { text = text $0 " " }
' $sources)
[ -z "$bad" ] || { echo "functions that are too long:" && echo "$bad" && exit 1; }
