#!/usr/bin/env bats
# examples.bats: an example that fails in a help text or in a document is counted as a failure
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
}

# document: examples.sh for the document on standard input.
document () {
  cat >document.md
  run sh "$TOP/tests/examples.sh" documents document.md
  echo "$output"
}

# help_of NAME EXAMPLE: examples.sh for a function with this example.
help_of () {
  cat >"$1.m" <<END
## -*- texinfo -*-
## @deftypefn {} {} $1 ()
## A function.
## $2
## @end deftypefn
function $1 ()
endfunction
END
  run sh "$TOP/tests/examples.sh" help "$PWD/$1.m"
  echo "$output"
}

@test "a document whose blocks run one after the other passes" {
  document <<'END'
```octave
x = 2;
function y = twice (x)
  y = 2 * x;
endfunction
```
Text, and `make check`, `make -C bench tune`, `sh tests/check.sh`.
```octave
assert (twice (x), 4)
```
```
anything
```
END
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "documents: 5 passed, 0 failed, 0 skipped" ]
}

@test "a block that fails is a failure, and so is one without an end" {
  document <<'END'
```octave
x = 2;
```
```octave
x + not_defined_anywhere
```
END
  [ "$status" -ne 0 ]
  [[ "$output" == *"document.md:4: 'not_defined_anywhere' undefined"* ]]
  [ "${lines[-1]}" = "documents: 1 passed, 1 failed, 0 skipped" ]
  document <<'END'
```octave
x = 2;
END
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "documents: 0 passed, 1 failed, 0 skipped" ]
}

@test "a document that ends Octave early is a failure" {
  document <<'END'
```octave
exit (0);
```
END
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "documents: 0 passed, 1 failed, 0 skipped" ]
}

@test "a block marked install does not run; an unknown mark is a failure" {
  document <<'END'
```octave install
error ("this runs")
```
```octave
x = 1;
```
END
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "documents: 1 passed, 0 failed, 1 skipped" ]
  document <<'END'
```octave sometimes
x = 1;
```
END
  [ "$status" -ne 0 ]
  [[ "$output" == *"mark"*"sometimes"* ]]
}

@test "a link to a file that does not exist is a failure" {
  document <<'END'
[This](document.md#here), [that](no_such_document.md), [section](#section), ![picture](no.png) and
[elsewhere](https://www.octave.org).
END
  [ "$status" -ne 0 ]
  [[ "$output" == *"no.png"*"no_such_document.md"* ]]
  [ "${lines[-1]}" = "documents: 1 passed, 2 failed, 0 skipped" ]
}

@test "a target of make and a file that do not exist are failures" {
  document <<'END'
```
make no-such-target   # comment
```
Text with `make -C bench no-such-target` and `octave-cli
examples/no_such_file.m`, and `make` alone.
END
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "documents: 0 passed, 3 failed, 0 skipped" ]
}

@test "a row of a table behind an empty line is a failure" {
  document <<'END'
| a | b |
| --- | --- |
| 1 | 2 |

| 3 | 4 |
END
  [ "$status" -ne 0 ]
  [[ "$output" == *"document.md:5: this row belongs to no table"* ]]
  [ "${lines[-1]}" = "documents: 0 passed, 1 failed, 0 skipped" ]
}

@test "an example of a help text passes or fails with its result" {
  octave-cli --no-init-file --no-history --eval "pkg load doctest" 2>/dev/null || skip "octave-doctest is not installed here"
  help_of fine "@example
## 1 + 1
##   @result{} ans = 2
## @end example"
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "help texts: 1 passed, 0 failed, 0 skipped" ]
  help_of wrong "@example
## 1 + 1
##   @result{} ans = 3
## @end example"
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = "help texts: 0 passed, 1 failed, 0 skipped" ]
}

@test "a help text without a result, with two names for one, with broken Texinfo or with a file left behind is a failure" {
  octave-cli --no-init-file --no-history --eval "pkg load doctest" 2>/dev/null || skip "octave-doctest is not installed here"
  help_of silent "@example
## x = 1 + 1;
## @end example"
  [ "$status" -ne 0 ]
  [[ "$output" == *"no example with a result"* ]]
  help_of twice "@var{x} and @var{X}
## @example
## 1 + 1
##   @result{} ans = 2
## @end example"
  [ "$status" -ne 0 ]
  [[ "$output" == *"help shows two different names as X"* ]]
  help_of broken "@code{1}} + @example
## 1 + 1
##   @result{} ans = 2
## @end example"
  [ "$status" -ne 0 ]
  [[ "$output" == *"no valid Texinfo"* ]]
  help_of untidy "@example
## name = tempname ();
## fclose (fopen (name, \"w\"))
##   @result{} ans = 0
## @end example"
  [ "$status" -ne 0 ]
  [[ "$output" == *"leaves the file"* ]]
}
