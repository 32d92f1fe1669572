# tests/code_only.awk: prints C, C++ and CUDA sources without comments, help texts and redundant blanks
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: awk -f tests/code_only.awk FILE...     every awk prints the same bytes
# Each file begins with a line "== NAME". A blank remains between two words, between two operators that
# could join, and in preprocessor lines, which remain lines of their own. From other files (Makefile,
# configure) only empty lines and lines with nothing but a comment are removed.

FNR == 1 {
  end_line()
  print "== " FILENAME
  source = FILENAME ~ /\.(c|h|cc|cu|cuh)$/
  comment = raw = directive = pending = 0
  last = ""
}

!source {
  if ($0 !~ /^[ \t]*$/ && $0 !~ /^[ \t]*#([ \t]|$)/)
    print
  next
}

{
  text = $0
  sub (/[ \t\r]+$/, "", text)
  if (!comment && !raw && !directive && text ~ /^[ \t]*#/) {
    end_line()
    directive = 1
  }
  continued = sub (/\\$/, "", text)
  while (text != "")
    text = piece(text)
  if (raw)
    put_raw("\n")
  else
    pending = 1
  if (directive && !continued && !comment)
    end_line()
}

END { end_line() }

function end_line()
{
  if (last != "")
    printf "\n"
  last = ""
  directive = pending = 0
}

# Prints the first token of the text and returns the rest.
function piece(text,    c)
{
  if (comment) {
    if (!match (text, /\*\//))
      return ""
    comment = 0
    pending = 1
    return substr (text, RSTART + 2)
  }
  if (raw) {
    if ((c = index (text, raw_end)) == 0) {
      put_raw(text)
      return ""
    }
    put_raw(substr (text, 1, c + length (raw_end) - 1))
    raw = 0
    return substr (text, c + length (raw_end))
  }
  if (text ~ /^\/\//) {
    return ""
  }
  if (text ~ /^\/\*/) {
    comment = 1
    return substr (text, 3)
  }
  if (match (text, /^[ \t]+/)) {
    pending = 1
    return substr (text, RLENGTH + 1)
  }
  if (match (text, /^R"[A-Za-z_]*\(/)) {
    raw_end = ")" substr (text, 3, RLENGTH - 3) "\""
    raw = 1
    c = substr (text, 1, RLENGTH)
    text = substr (text, RLENGTH + 1)
    help = text ~ /^-\*- texinfo/
    put(c)
    return text
  }
  if (match (text, /^"([^"\\]|\\.)*"/) || match (text, /^[0-9]([A-Za-z0-9_.']|[eEpP][-+])*/) ||
      match (text, /^'([^'\\]|\\.)*'/) || match (text, /^[A-Za-z_][A-Za-z0-9_]*/) || match (text, /^./)) {
    put(substr (text, 1, RLENGTH))
    return substr (text, RLENGTH + 1)
  }
  return ""
}

# Prints part of a raw string, unless it is a help text.
function put_raw(text)
{
  if (!help || !raw)
    printf "%s", text
}

function put(text,    first)
{
  first = substr (text, 1, 1)
  if (pending && last != "" && (directive || (last ~ /[A-Za-z0-9_"']/ && first ~ /[A-Za-z0-9_"']/) ||
                                (last ~ /[-+*\/%&|<>=!^:#.~?]/ && first ~ /[-+*\/%&|<>=!^:#.~?]/)))
    printf " "
  printf "%s", text
  last = substr (text, length (text), 1)
  pending = 0
}
