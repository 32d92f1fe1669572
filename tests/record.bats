#!/usr/bin/env bats
# record.bats: what the digest of the sources counts, what fails of a GPU record, and how gpu.sh writes it
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

@test "a record that is missing or with failures fails; of other code it is skipped, and fails a release" {
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
  echo "int more;" >>kernels/engine.cu
  run sh tests/record.sh
  [ "$status" -eq 0 ]
  [[ "$output" == "NOT RUN ON A GPU"*"0 passed, 0 failed, 1 skipped" ]]
  run sh tests/record.sh --strict
  [ "$status" -ne 0 ]
  [[ "$output" == *"of other code"* ]]
}

# A GPU, a build and jobs that are none: each job tells of two checks that passed and one that was skipped.
stand_ins () {
  mkdir -p bin tests/c/build
  printf '#!/bin/sh\ncase $* in *name*) echo "a GPU" ;; *driver*) echo 1.2 ;; *) echo "CUDA Version: 9.9" ;; esac\n' >bin/nvidia-smi
  printf '#!/bin/sh\n' >bin/compute-sanitizer
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
  for file in src/gpulinalg.oct src/PKG_ADD tests/c/build/test_device tests/c/build/test_sparse; do echo x >$file; done
  cat >tests/gpu_job.sh <<'END'
echo "== $* build=${GPULINALG_BUILD:-} quick=${QUICK:-}"
[ -n "${COLD:-}" ] || touch "$CUDA_CACHE_PATH/kernel"
echo "job: 2 passed, ${FAULTS:-0} failed, 1 skipped"
END
  export TMPDIR=$BATS_TEST_TMPDIR
}
field () { sed -n "s/^$1: //p" tests/gpu-record.txt; }

@test "gpu.sh writes the record; the quick set does not, another build adds a line" {
  stand_ins
  GPULINALG_GPU_QUICK=1 run sh tests/gpu.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [ ! -e tests/gpu-record.txt ]
  [[ "$output" == *"quick=1"* && "$output" != *"racecheck"* ]]
  GPULINALG_GPU_LABEL="PTX 75" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"not of this code"* ]]

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

  mkdir other && cp src/gpulinalg.oct src/PKG_ADD tests/c/build/* other
  GPULINALG_BUILD=other GPULINALG_GPU_LABEL="PTX 75" run sh tests/gpu.sh
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"build=other quick=1"* && "$output" != *"racecheck"* ]]
  [[ "$(field ptx-75)" =~ ^[0-9]+" passed, 0 failed, "[0-9]+" skipped"$ ]]
  grep -v '^ptx-75: ' tests/gpu-record.txt | cmp - first
  sh tests/record.sh

  # another time, and another name; a full run of the same code keeps both, of other code none
  FAULTS=1 GPULINALG_GPU_LABEL="ptx-75" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [ "$(grep -c '^ptx-75: ' tests/gpu-record.txt)" -eq 1 ]
  run sh tests/record.sh
  [ "$status" -ne 0 ]
  GPULINALG_GPU_LABEL="PTX 75" sh tests/gpu.sh >/dev/null
  GPULINALG_GPU_LABEL="PTX 80" sh tests/gpu.sh >/dev/null
  sh tests/gpu.sh >/dev/null
  [ "$(grep -c '^ptx-[0-9]*: [0-9]* passed, 0 failed' tests/gpu-record.txt)" -eq 2 ]
  echo "int more;" >>kernels/engine.cu
  sh tests/gpu.sh >/dev/null
  [ "$(grep -c '^ptx-' tests/gpu-record.txt)" -eq 0 ]
  sh tests/record.sh --strict
}

@test "gpu.sh: jobs that fail or do not count, code that was not compiled, builds that are not there" {
  stand_ins
  FAULTS=3 run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [ "$(field failed)" -gt 100 ]
  sh tests/gpu.sh >/dev/null
  COLD=1 GPULINALG_GPU_LABEL="PTX 89" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"the driver has compiled nothing"* ]]
  echo 'echo nothing' >tests/gpu_job.sh
  run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"no closing line"* ]]
  GPULINALG_BUILD=nowhere run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  [[ "$output" == *"there is no nowhere/gpulinalg.oct"* ]]
  GPULINALG_GPU_LABEL="failed" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
  GPULINALG_GPU_LABEL="a:b" run sh tests/gpu.sh
  [ "$status" -ne 0 ]
}
