#!/usr/bin/env bats
# record.bats: what the digest of the sources counts, and that a record of other code fails
# SPDX-License-Identifier: GPL-3.0-or-later

setup_file () {
  export TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
}

setup () {
  # a copy of what the digest needs, outside of git
  TREE=$BATS_TEST_TMPDIR/tree
  mkdir -p "$TREE/tests"
  cp -r "$TOP/src" "$TOP/kernels" "$TOP/oct" "$TOP/Makefile" "$TOP/DESCRIPTION" "$TREE"
  cp "$TOP"/tests/*.sh "$TOP"/tests/*.awk "$TREE/tests"
  cd "$TREE"
}

digest () { make -s source-digest; }

@test "comments, blanks, help texts and tests leave the digest; code changes it" {
  before=$(digest)
  [ ${#before} -eq 64 ]
  { echo; echo "/* a"; echo "   note */ // two"; } >>kernels/engine.cu
  sed -i 's,^#include,  #include,; s, = ,  =  ,' src/run.c
  echo '# a note' >>src/configure
  sed -i 's/@seealso/@b{new} @seealso/' oct/batcheig.cc
  echo '%!assert (1)' >>oct/batcheig.tst
  echo '// of the CPU' >>src/cpu/eig.c && echo 'int of_the_cpu;' >>src/cpu/eig.c
  [ "$(digest)" = "$before" ]
  for change in 'echo "int more;" >>src/run.c' 'sed -i "s/warpSize/32/; s/0\.6/0.7/" kernels/eig_engine.cu' \
    'echo "all: ;" >>src/Makefile' 'echo "int in_a_new_file;" >kernels/new.cu' \
    'sed -i "s/batcheig: /batcheig:  /" oct/batcheig.cc' 'mv kernels/engine.cu kernels/motor.cu'; do
    before=$(digest)
    eval "$change"
    [ "$(digest)" != "$before" ] || { echo "the digest does not see: $change"; false; }
  done
}

@test "what the digest keeps is what the compiler keeps, whatever awk reads it" {
  files=$(find src kernels oct -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh')
  for f in $files; do
    # blanks away in both; the help texts, which the compiler keeps, too
    gcc -fpreprocessed -dD -E -P -x c++ "$f" 2>/dev/null | sed 's/\\$//' | tr -d ' \t\n' |
      sed -E 's/R"doc\(-\*-texinfo.*\)doc"/R"doc(/' >compiler
    awk -f tests/code_only.awk "$f" | sed 1d | tr -d ' \t\n' >ours
    cmp compiler ours || { echo "$f"; false; }
  done
  awk -f tests/code_only.awk $files >ours
  for other in mawk gawk "gawk --posix" "busybox awk" original-awk; do
    ! command -v ${other%% *} >/dev/null || $other -f tests/code_only.awk $files | cmp - ours
  done
}

@test "a record that is missing, of other code, or with failures fails" {
  record () { printf 'gpu: none\nsource-digest: %s\npassed: 3\nfailed: %s\n%s\n' "$@" >tests/gpu-record.txt; }
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"there is no tests/gpu-record.txt"* ]]
  record "$(digest)" 0 "ptx-75: 3 passed, 0 failed, 0 skipped"
  sh tests/record.sh
  record "$(digest)" 1 ""
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  record "$(digest)" 0 "ptx-75: 3 passed, 20 failed, 0 skipped"
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  record "$(digest)" 0 ""
  echo "int more;" >>kernels/engine.cu
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"of other code"* ]]
}
