#!/bin/sh
# sizes.sh: looks for functions of more than 80 lines or 8 parameters; run from the top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The format of the sources (.clang-format) shows where functions are: their braces are alone on their
# lines, with the same indentation, or on one line. Those of classes and namespaces are, too; those of
# structs, loops and lambdas are not. A function is counted from its first line, which is the one behind a
# blank line, a comment, a semicolon or a brace. Prints each function that is too large and fails if there
# is one. Exceptions are below, each with its reason.

set -eu
sources=$(sh tests/files.sh --new src oct kernels mpi tests/c bench examples | grep -E '\.(c|h|cc|cu|cuh)$')
# shellcheck disable=SC2086 # names without blanks
bad=$(awk '
  BEGIN {
    # Products of matrices, in the order of the BLAS, and their tiles, which live in registers.
    allow("gemm gpu_gemm gemm_batched multiply times_block product_tile product_low_rows columns_product")
    allow("cross_products cross_tile project_tile project_columns")
    allow("subtract subtract_wide subtract_product subtract_adjoint subtract_tile subtract_columns")
    # A struct for their parameters changes which copies GCC makes of them, and so the last bits.
    allow("panel_column rows_apply rows_apply_once rows_factor_of rows_multiply")
    # Their parameters are those of the CUDA runtime, the driver, cuFFT and the BLAS.
    allow("__cudaRegisterFunction cuTensorMapEncodeTiled cufftMakePlanMany64 dgemm_ dtrmm_")
  }
  function allow (names,   list, i) {
    split (names, list, " ")
    for (i in list)
      allowed[list[i]] = 1
  }

  # Looks at a head: what is before the name, the name, and the parameters in the first parentheses
  # behind a name.
  function check_parameters (head,   name, i, c, depth, count) {
    gsub (/__(launch_bounds__|attribute__) *\(([^()]|\([^()]*\))*\)/, "", head)
    i = index (head, "(")
    name = substr (head, 1, i - 1)
    sub (/ *$/, "", name)
    sub (/.*[ *&]/, "", name)
    for (count = 1; i <= length (head); i++) {
      c = substr (head, i, 1)
      depth += c ~ /[(<{[]/ ? 1 : c ~ /[])>}]/ ? -1 : 0
      count += c == "," && depth == 1
      if (depth == 0)
        break
    }
    if (count > 8 && !(name in allowed))
      print FILENAME ":" begin ": " name " has " count " parameters"
  }

  FNR == 1 { begin = 1; text = end = "" }
  /^ *\{$/ && end == "" && text !~ /^ *(namespace|class|extern) / {
    end = substr ($0, 1, length ($0) - 1) "}"
    first = begin
    check_parameters(text)
  }
  /\) *(const *)?\{ .*\}$/ && text $0 !~ /=[^(]*\{/ { check_parameters(text substr ($0, 1, index ($0, "{"))) }
  end != "" && $0 == end {
    if (FNR - first >= 80)
      print FILENAME ":" first ": " FNR - first + 1 " lines"
    end = ""
  }
  /^ *$|^ *\/\/|^#|[;{}]$|[;{}] *\/\// { begin = FNR + 1; text = ""; next }
  { text = text $0 " " }
' $sources)
[ -z "$bad" ] || { echo "functions that are too large:" && echo "$bad" && exit 1; }
