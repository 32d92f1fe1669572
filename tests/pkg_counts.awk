# tests/pkg_counts.awk: counts the tests in the summary that pkg test prints
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: awk -f tests/pkg_counts.awk FILE     prints "N passed, N failed, N skipped"
# Lines of the summary are indented by two blanks; those of single files, which repeat the same failures,
# are not read. A summary without passed tests is a failure.

/^  (PASS|FAIL|REGRESSION|XFAIL|SKIP) / { count[$1] += $NF }

END {
  failed = count["FAIL"] + count["REGRESSION"] + (count["PASS"] == 0)
  printf "%d passed, %d failed, %d skipped\n", count["PASS"], failed, count["SKIP"] + count["XFAIL"]
}
