#!/usr/bin/env bats
# lists.bats: lists of functions, errors and licences agree; what the sources promise without being compiled
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
}

@test "PKG_ADD, PKG_DEL, INDEX, NEWS, oct and inst name the same functions" {
  cd "$TOP"
  oct=$(grep -lE '^DEF[A-Z]*_DLD' oct/*/*.cc | sed 's,.*/\(.*\)\.cc,\1,' | sort)
  [ "$(sed -n 's/.*autoload ("\([A-Za-z_]*\)".*/\1/p' src/PKG_ADD | sort)" = "$oct" ]
  cmp PKG_ADD src/PKG_ADD
  cmp PKG_DEL src/PKG_DEL
  [ "$(sed -n 's/.*autoload ("\([A-Za-z_]*\)", __gla_oct__, "remove").*/\1/p' src/PKG_DEL | sort)" = "$oct" ]
  oct=$(echo "$oct" | grep -v '^__') # those are internal
  all=$(printf '%s\n' $oct $(ls inst/*.m | sed 's,inst/\(.*\)\.m,\1,' | grep -v '^__') | sort)
  [ "$(sed -n 's/^ \([A-Za-z_]*\)$/\1/p' INDEX | sort)" = "$all" ]
  for f in $all; do grep -q "$f" NEWS; grep -q "$f" README.md; done
}

@test "the user guide has every id of errors and warnings" {
  cd "$TOP"
  ids=$({ grep -rhoE '"gpulinalg:[a-z-]+"' oct inst
          grep -rhoE '"device-(memory|failed)"' src --include=*.c | sed 's/"/"gpulinalg:/'; } | tr -d '"' | sort -u)
  [ "$(echo "$ids" | wc -l)" -ge 19 ]
  for id in $ids; do grep -qF "\`$id\`" doc/user-guide.md || { echo "$id"; false; }; done
}

@test "a C test calls every function without a context, and gives every struct a size that was not set" {
  cd "$TOP"
  cat tests/c/*/*.c | tr -s ' \n' ' ' >"$BATS_TEST_TMPDIR/tests"
  functions=$(grep -oE '^gla_status gla_[a-z_]+ \(gla_context \*' src/gpulinalg.h | sed 's/gla_status \(.*\) (.*/\1/')
  [ "$(echo "$functions" | wc -l)" -gt 50 ]
  for f in $functions; do grep -q "\<$f (NULL[,)]" "$BATS_TEST_TMPDIR/tests" || { echo "$f"; false; }; done
  structs=$(sed -n 's/.*size_t size;.*sizeof (\(gla_[a-z_]*\)).*/\1/p; s/^} \(gla_[a-z_]*_report\);/\1/p' src/gpulinalg.h | sort -u)
  [ "$(echo "$structs" | wc -l)" -ge 40 ]
  for s in $structs; do
    grep -qE "\<$s\>[^;]*\{\.(base\.)?size = (size|unset|0|3|offsetof)\>" "$BATS_TEST_TMPDIR/tests" || { echo "$s"; false; }
  done
}

@test "every help text has an example with a result, and the ids of its errors" {
  cd "$TOP"
  for f in $(sed -n 's/^ \([A-Za-z_]*\)$/\1/p' INDEX); do
    text=$(echo oct/*/$f.cc)
    [ -e "$text" ] || text=inst/$f.m
    grep -q '@result{}' "$text" || { echo "$f: no result"; false; }
    case $f in gpulinalg | gpulinalg_info) continue ;; esac # these take no arguments
    grep -q '@subheading Errors' "$text" || { echo "$f: no errors"; false; }
    for id in $(cat "$text" oct/*/$f.tst oct/*/$f-*.tst 2>/dev/null |
                sed -n '/deftypefn/,/end deftypefn/d; s/.*id=\(gpulinalg:[a-z-]*\).*/\1/p' | sort -u); do
      grep -qE "(@item |@code\{)$id" "$text" || { echo "$f: $id"; false; }
    done
  done
}

@test "git ignores the methods of gpuArrays that the build writes, and no others" {
  cd "$TOP"
  [ "$(sh src/gpu_methods.sh --list | wc -l)" -gt 30 ]
  diff <(sh src/gpu_methods.sh --list | sort) <(sed -n 's,^/inst/@gpuArray/\(.*\)\.m$,\1,p' .gitignore | sort)
  [ -z "$(sh src/gpu_methods.sh --list | sed 's,.*,inst/@gpuArray/&.m,' | grep -xFf <(git ls-files inst))" ]
  run sh src/gpu_methods.sh "$BATS_TEST_TMPDIR/cond.m" # has a body of its own
  [ "$status" -ne 0 ] && [ ! -e "$BATS_TEST_TMPDIR/cond.m" ]
}

@test "a changed header of oct/ compiles again the files that include it, and no others" {
  cd "$TOP/src"
  [ -s obj/oct/together_arrays.d ] || skip "the package is not built in this tree"
  make -n gpulinalg.oct >"$BATS_TEST_TMPDIR/commands"
  ! grep -q -e '-c .*oct/' "$BATS_TEST_TMPDIR/commands" || skip "this tree is not built as it is"
  make -n -W ../oct/arrays/gpu_value.h gpulinalg.oct >"$BATS_TEST_TMPDIR/commands"
  grep -q -e '-c obj/oct/together_arrays.cc ' "$BATS_TEST_TMPDIR/commands"
  grep -q -e '-c obj/oct/together_eig.cc ' "$BATS_TEST_TMPDIR/commands"
  run grep -e '-c obj/oct/together_graphs.cc ' "$BATS_TEST_TMPDIR/commands"
  [ "$status" -ne 0 ]
}

@test "every source has its licence on a line of its own" {
  cd "$TOP"
  files=$(sh tests/files.sh src kernels oct tests bench examples | grep -E '\.(c|h|cc|cu|cuh|sh|bats|awk|tst)$')
  with=$(awk 'FNR <= 4 && /^(\/\/|##?) SPDX-License-Identifier: GPL-3.0-or-later$/ { print FILENAME }' $files)
  [ "$(echo "$with" | wc -l)" -gt 1000 ]
  diff <(echo "$files") <(echo "$with")
}

@test "host code of the kernels throws only in files that catch everything" {
  cd "$TOP"
  # plain new and containers call these
  throwing='_Znwm|_Znam|__cxa_throw.*|_ZSt[0-9]+__throw_.*'
  files=$(grep -LE 'catch \(\.\.\.\)' $(sh tests/files.sh kernels | grep -E '\.cuh?$'))
  [ "$(echo "$files" | wc -l)" -gt 200 ]
  # a line == FILE comes before the code of each file
  found=$(awk -f tests/code_only.awk $files |
    grep -oE '^== .*|\bthrow\b|\bnew [^(]|std::(vector|string|map|set|list|deque|function|unordered)' | grep -B 1 -v '^== ') || true
  [ -z "$found" ] || { echo "$found"; false; }
  for f in $files; do
    for object in "src/obj/${f%.cu}.o" "src/obj/${f%_types.cu}"_[sdcz].o; do
      [ ! -e "$object" ] || ! nm -u "$object" | grep -E " ($throwing)$" || { echo "$object"; false; }
    done
  done
}

@test "instructions that GPUs before 8.0 or 9.0 lack are in files that ask for the capability" {
  newer='__reduce_[a-z]+_sync|cp\.async|mma\.sync|barrier\.cluster|mapa\.|mbarrier|ldmatrix'
  found=$(cd "$TOP/kernels" && grep -rlE "$newer" . | xargs grep -L __CUDA_ARCH__) || true
  [ -z "$found" ] || { echo "not behind __CUDA_ARCH__: $found"; false; }
}
