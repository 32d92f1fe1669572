# autoload.awk: writes PKG_ADD and PKG_DEL: repeats the lines of PKG_ADD.in or PKG_DEL.in for each function
# SPDX-License-Identifier: GPL-3.0-or-later
#
# -v functions="..." -v older="...": the names, with blanks between them, for lines with @function@ and with @older@

function repeat (mark, names,   list, count, i, line) {
  count = split (names, list, " ")
  for (i = 1; i <= count; i++) {
    line = $0
    sub (mark, list[i], line)
    print line
  }
}

/@function@/ { repeat("@function@", functions); next }
/@older@/ { repeat("@older@", older); next }
{ print }
