# present_tests.awk: leaves out the %! tests that name what this build does not have; for src/Makefile
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Other lines stay. names: words, of which one in a block of tests leaves the block out. A block goes from a line "%!test", "%!error" and
# so on to the line before the next one.

function flush ()
{
  if (block != "" && !absent)
    printf "%s", block
  block = ""
  absent = 0
}

BEGIN { count = split (names, word, " ") }
!/^%!/ {
  flush()
  print
  next
}
/^%!([a-z]|##)/ && !/^%!end/ { flush() }
{
  block = block $0 "\n"
  for (k = 1; k <= count; k++)
    if (index ($0, word[k]))
      absent = 1
}
END { flush() }
