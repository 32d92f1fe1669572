#!/usr/bin/env bats
# record.bats: the digest of the sources, the checks of the GPU record, and how gpu.sh writes it
# SPDX-License-Identifier: GPL-3.0-or-later

setup_file () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  export TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
}

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  # a copy, outside of git, of what make source-digest needs and of a few sources for it, because it is computed
  # a hundred times here; that it reads all code as the compiler does has a test of its own
  TREE=$BATS_TEST_TMPDIR/tree
  mkdir -p "$TREE/tests"
  cd "$TOP"
  cp --parents src/Makefile src/configure src/gpu_methods.sh src/batch/run.c src/cpu/eig/eig.c kernels/engine/engine.cu kernels/eig/eig_methods.cu \
    oct/pages/batcheig.* Makefile DESCRIPTION tests/*.sh tests/*.awk "$TREE"
  cd "$TREE"
}

digest () { make -s source-digest; }

@test "comments, blanks, help texts and tests do not change the digest; code does" {
  before=$(digest)
  [ ${#before} -eq 64 ]
  { echo; echo "/* a"; echo "   note */ // two"; } >>kernels/engine/engine.cu
  sed -i 's,^#include,  #include,; s, = ,  =  ,' src/batch/run.c
  echo '# a note' >>src/configure
  sed -i 's/@seealso/@b{new} @seealso/' oct/pages/batcheig.cc
  echo '%!assert (1)' >>oct/pages/batcheig.tst
  echo '// of the CPU' >>src/cpu/eig/eig.c && echo 'int of_the_cpu;' >>src/cpu/eig/eig.c
  [ "$(digest)" = "$before" ]
  for change in 'echo "int more;" >>src/batch/run.c' 'sed -i "s/0\.6/0.7/" kernels/eig/eig_methods.cu' \
    'echo "all: ;" >>src/Makefile' 'echo "int in_a_new_file;" >kernels/eig/new.cu' \
    'sed -i "s/batcheig: /batcheig:  /" oct/pages/batcheig.cc' 'mv kernels/engine/engine.cu kernels/engine/motor.cu'; do
    before=$(digest)
    eval "$change"
    [ "$(digest)" != "$before" ] || { echo "the digest does not see: $change"; false; }
  done
}

@test "a file that was deleted and is still in git's list does not count" {
  rm -rf src
  mkdir src
  echo 'int a;' >src/a.c
  echo 'int b;' >src/b.c
  git init -q .
  git add src
  rm src/b.c
  echo 'int c;' >src/c.c
  [ "$(sh tests/files.sh src)" = src/a.c ]
  [ "$(sh tests/files.sh --new src | tr '\n' ' ')" = "src/a.c src/c.c " ]
}

# one_line_each: takes blanks out of code and makes one line of each file, which begins with gla_next_file.
one_line_each () { tr -d ' \t\n' | sed 's/gla_next_file;/\n/g'; }

@test "the digest reads the same code as the compiler, with every awk" {
  cd "$TOP"
  files=$(sh tests/files.sh --new src kernels oct | grep -E '\.(c|h|cc|cu|cuh)$')
  [ "$(echo "$files" | wc -l)" -gt 500 ]
  # one call for all files; without the help texts, which the compiler keeps
  for f in $files; do
    printf '\ngla_next_file;\n'
    cat "$f"
  done >"$TREE/all.cc"
  gcc -fpreprocessed -dD -E -P -x c++ "$TREE/all.cc" 2>/dev/null | sed 's/\\$//' | one_line_each |
    sed -E 's/R"doc\(-\*-texinfo.*\)doc"/R"doc(/' >"$TREE/compiler"
  awk -f tests/code_only.awk $files >"$TREE/ours"
  sed 's/^== .*/gla_next_file;/' "$TREE/ours" | one_line_each >"$TREE/lines"
  [ "$(wc -l <"$TREE/lines")" -eq "$(echo "$files" | wc -l)" ]
  cmp "$TREE/compiler" "$TREE/lines" || {
    paste -d '\n' "$TREE/compiler" "$TREE/lines" |
      awk -v files="$files" 'BEGIN { split (files, name, "\n") } NR % 2 { one = $0; next } one != $0 { print name[NR / 2 - 1] }'
    false
  }
  for other in mawk gawk "gawk --posix" "busybox awk" original-awk; do
    ! command -v ${other%% *} >/dev/null || $other -f tests/code_only.awk $files | cmp - "$TREE/ours"
  done
}

@test "a record that is missing or with failures fails; for other code it is skipped, and fails a release" {
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
  [[ "$(sh tests/record.sh --strict)" == *"1 passed, 0 failed, 0 skipped" ]]
  echo "int more;" >>kernels/engine/engine.cu
  run sh tests/record.sh
  [ "$status" -eq 0 ]
  [[ "$output" == "NOT RUN ON A GPU"*"0 passed, 0 failed, 1 skipped" ]]
  run sh tests/record.sh --strict
  [ "$status" -ne 0 ]
  [[ "$output" == *"for other code"* ]]
}

# Fakes a GPU, a build and jobs; each job reports two checks that passed and one that was skipped.
fake_gpu () {
  mkdir -p bin tests/c/build
  printf '#!/bin/sh\ncase $* in *name*) echo "a GPU" ;; *driver*) echo 1.2 ;; *) echo "CUDA Version: 9.9" ;; esac\n' >bin/nvidia-smi
  printf '#!/bin/sh\n' >bin/compute-sanitizer
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
  for file in src/gpulinalg.oct src/__gpulinalg_cuda__.oct src/PKG_ADD tests/c/build/test_device tests/c/build/test_sparse tests/c/build/test_pivots; do echo x >$file; done
  cat >tests/gpu_job.sh <<'END'
echo "== $* build=${GPULINALG_BUILD:-} quick=${QUICK:-}"
[ -n "${COLD:-}" ] || touch "$CUDA_CACHE_PATH/kernel"
echo "job: 2 passed, ${FAULTS:-0} failed, 1 skipped"
END
  export TMPDIR=$BATS_TEST_TMPDIR
}
field () { sed -n "s/^$1: //p" tests/gpu-record.txt; }

@test "gpu.sh writes the record; the quick set does not, another build adds a line" {
  fake_gpu
  GPULINALG_GPU_QUICK=1 run sh tests/gpu.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [ ! -e tests/gpu-record.txt ]
  [[ "$output" == *"quick=1"* && "$output" != *"racecheck"* ]]
  GPULINALG_GPU_LABEL="PTX 75" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"there is no tests/gpu-record.txt"* ]]

  run sh tests/gpu.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"racecheck"* && "$output" != *"quick=1"* ]]
  jobs=$(echo "$output" | grep -c '^== ')
  [ "$jobs" -gt 40 ]
  [ "$(field passed) $(field failed) $(field skipped)" = "$((2 * jobs)) 0 $jobs" ]
  [ "$(field source-digest)" = "$(digest)" ]
  [ "$(field gpu), $(field cuda)" = "a GPU, 9.9" ]
  sh tests/record.sh --strict
  cp tests/gpu-record.txt first

  mkdir other && cp src/*gpulinalg*.oct src/PKG_ADD tests/c/build/* other
  GPULINALG_BUILD=other GPULINALG_GPU_LABEL="PTX 75" run sh tests/gpu.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"build=other quick=1"* && "$output" != *"racecheck"* ]]
  of_this_code=", $(date -u +%Y-%m-%d), code $(digest | cut -c 1-8)"
  [[ "$(field ptx-75)" =~ ^[0-9]+" passed, 0 failed, "[0-9]+" skipped$of_this_code"$ ]]
  grep -v '^ptx-75: ' tests/gpu-record.txt | cmp - first
  sh tests/record.sh

  # the same name again, and another name; a full run keeps both lines, which say for which code they are
  FAULTS=1 GPULINALG_GPU_LABEL="ptx-75" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [ "$(grep -c '^ptx-75: ' tests/gpu-record.txt)" -eq 1 ]
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  GPULINALG_GPU_LABEL="PTX 75" sh tests/gpu.sh >/dev/null
  GPULINALG_GPU_LABEL="PTX 80" sh tests/gpu.sh >/dev/null
  sh tests/gpu.sh >/dev/null
  [ "$(grep -c '^ptx-[0-9]*: [0-9]* passed, 0 failed' tests/gpu-record.txt)" -eq 2 ]
  echo "int more;" >>kernels/engine/engine.cu
  [ "$(digest | cut -c 1-8)" != "${of_this_code##* }" ]
  sh tests/gpu.sh >/dev/null
  [ "$(grep -c "^ptx-.*$of_this_code\$" tests/gpu-record.txt)" -eq 2 ]
  GPULINALG_GPU_LABEL="PTX 80" sh tests/gpu.sh >/dev/null
  [ "$(grep -c "^ptx-.*$of_this_code\$" tests/gpu-record.txt)" -eq 1 ]
  [ "$(grep -c "^ptx-.* code $(digest | cut -c 1-8)\$" tests/gpu-record.txt)" -eq 1 ]
  sh tests/record.sh --strict
}

@test "gpu.sh runs in parts; the last of them writes the record" {
  fake_gpu
  run sh tests/gpu.sh
  all=$(echo "$output" | grep '^== ' | sort)
  counts="$(field passed) $(field failed) $(field skipped)"
  rm tests/gpu-record.txt
  for part in 3/3 1/3 2/3; do
    [ ! -e tests/gpu-record.txt ]
    GPULINALG_GPU_PART=$part run sh tests/gpu.sh
    [ "$status" -eq 0 ]
    echo "$output" | grep '^== ' >>ran
  done
  [ "$(sort ran)" = "$all" ]
  [ "$(field passed) $(field failed) $(field skipped)" = "$counts" ]
  sh tests/record.sh --strict
  # runs that are skipped count once
  rm bin/compute-sanitizer
  sh tests/gpu.sh >/dev/null
  counts="$(field passed) $(field failed) $(field skipped)"
  for part in 1/2 2/2; do
    GPULINALG_GPU_PART=$part sh tests/gpu.sh >/dev/null
  done
  [ "$(field passed) $(field failed) $(field skipped)" = "$counts" ]
  # parts of other code do not count, and failures of one part are those of the record
  echo "int more;" >>kernels/engine/engine.cu
  GPULINALG_GPU_PART=1/3 run sh tests/gpu.sh
  [[ "$output" == *"no record yet: GPULINALG_GPU_PART 2/3 3/3 must run, too"* ]]
  [ "$(field source-digest)" != "$(digest)" ]
  FAULTS=1 GPULINALG_GPU_PART=2/3 run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  GPULINALG_GPU_PART=3/3 run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [ "$(field failed)" -gt 0 ] && [ "$(field source-digest)" = "$(digest)" ]
  for part in 0/2 3/2 1/ x; do
    GPULINALG_GPU_PART=$part run sh tests/gpu.sh
    [[ "$status" -ne 0 && "$output" == *"GPULINALG_GPU_PART cannot be"* ]]
  done
}

@test "gpu.sh fails for jobs that fail or have no counts, for PTX that was not compiled, and without a build" {
  fake_gpu
  FAULTS=3 run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [ "$(field failed)" -gt 100 ]
  sh tests/gpu.sh >/dev/null
  # code that was compiled for this GPU before needs no driver's compiler
  COLD=1 GPULINALG_GPU_LABEL="compute 8.0 on 9.0" sh tests/gpu.sh >/dev/null
  [[ "$(field compute-8.0-on-9.0)" =~ ^[0-9]+" passed, 0 failed, "[0-9]+" skipped, " ]]
  COLD=1 GPULINALG_GPU_LABEL="PTX 89" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"the driver has compiled nothing"* ]]
  echo 'echo nothing' >tests/gpu_job.sh
  run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"no line of counts"* ]]
  GPULINALG_BUILD=nowhere run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"there is no nowhere/gpulinalg.oct"* ]]
  GPULINALG_GPU_LABEL="failed" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  GPULINALG_GPU_LABEL="a:b" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
}

@test "versions.sh refuses what is not the name of a Debian release, and leaves its record as it is" {
  echo "sid: kept" >tests/versions-record.txt
  for word in --help ../sid "sid trixie"; do
    run sh tests/versions.sh "$word"
    [ "$status" -ne 0 ]
    [[ "$output" == *"\"$word\" is not the name of a Debian release"* ]]
  done
  [ "$(cat tests/versions-record.txt)" = "sid: kept" ]
}
