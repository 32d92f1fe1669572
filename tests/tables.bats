#!/usr/bin/env bats
# tables.bats: tables of measurements are those of bench/results, and documents keep their sizes
# SPDX-License-Identifier: GPL-3.0-or-later

# Makes a copy of documents and results, in which figures may be changed.
setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  cd "$BATS_TEST_TMPDIR"
  mkdir doc bench
  cp "$TOP/README.md" .
  cp "$TOP"/doc/*.md doc
  cp -r "$TOP/bench/tables" "$TOP/bench/common" "$TOP/bench/results" bench
}

tables () {
  octave-cli --no-init-file --no-history bench/tables/doc_tables.m "$@"
}

@test "a changed figure in bench/results and a changed table are noticed, and make doc-tables writes both" {
  rm doc/*.md
  tables --check
  sed -i '0,/\t41.5\t/s//\t51.5\t/' bench/results/cpu-2core.tsv
  run tables --check
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *"README.md: readme"* ]]
  cmp README.md "$TOP/README.md"
  tables
  grep -q "| 51.5 |" README.md
  cp "$TOP/bench/results/cpu-2core.tsv" bench/results
  sed -i 's/^| Call | On |.*/& more |/' README.md
  run tables --check
  [ "$status" -eq 1 ]
  tables
  cmp README.md "$TOP/README.md"
}

@test "an unknown table, and one without its end, are errors" {
  rm README.md doc/*.md
  printf '<!-- table nothing -->\n<!-- end -->\n' >doc/new.md
  run tables --check
  [ "$status" -ne 0 ]
  [[ "$output" == *"no table is named nothing"* ]]
  printf '<!-- table readme -->\n' >doc/new.md
  run tables --check
  [ "$status" -ne 0 ]
  [[ "$output" == *"a table without its end"* ]]
}

@test "README, performance.md, design.md and its glossary stay short" {
  [ "$(wc -l <README.md)" -le 150 ]
  [ "$(grep -v '^|' doc/performance.md | wc -w)" -le 1500 ]
  [ "$(wc -w <doc/design.md)" -le 3000 ]
  words=$(sed '1,/^## Glossary/d; /^## /,$d' doc/design.md | grep -c '^| [a-zA-Z]')
  echo "$words words"
  [ "$words" -gt 20 ] && [ "$words" -le 31 ] # with the line of titles
}

# short FILE WORDS: the file has at most so many words, and its lines but rows of tables at most 120 characters.
short () {
  echo "$1: $(wc -w <"$1") words"
  [ "$(wc -w <"$1")" -le "$2" ]
  ! grep -v '^|' "$1" | LC_ALL=C.UTF-8 grep -n '.\{121\}'
}

@test "README, the user guide and NEWS of this version are short" {
  short README.md 800
  short doc/user-guide.md 7000
  news=$(awk '/^Summary/ && ++n > 1 { exit } { print }' "$TOP/NEWS")
  echo "NEWS: $(echo "$news" | wc -l) lines"
  [ "$(echo "$news" | wc -l)" -le 50 ]
}
