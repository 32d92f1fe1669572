#!/usr/bin/env bats
# prompt.bats: the functions of the package in a session at the prompt, where Octave looks for changed files between lines
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  folder=$(mktemp -d)
}

teardown () {
  rm -rf "$folder"
}

# The functions that PKG_ADD registers, but for the overview.
registered () {
  sed -n 's/^ *autoload ("\([a-zA-Z][a-zA-Z_]*\)".*/\1/p' "$TOP/src/PKG_ADD" | grep -vx gpulinalg
}

# A function that has no line of its own is called with a page.
lines () {
  own_lines
  for name in $(registered); do
    own_lines | grep -q "\<$name (" || echo "$name ([2, 1; 1, 2])"
  done
}

# A line that shows nothing has a semicolon.
own_lines () {
  cat <<'END'
gpuDevice ();
size (randi (5, 2, 3))
randi ([7, 7], 1, 2)
gather (randi ([7, 7], 1, 2, "gpuArray"))
batcheig ([2, 1; 1, 2])
batchsvd ([3, 0; 0, 4])
pageeig ([1, 2; 0, 3])
pagesvd ([3, 0; 0, 4])
pageinv ([2, 0; 0, 4])
pagemtimes ([1, 2], [3; 4])
pagemldivide ([2, 0; 0, 4], [2; 4])
pagemrdivide ([2, 4], [2, 0; 0, 4])
pagefunm ([4, 0; 0, 9], "sqrt")
pagepinv ([2, 0; 0, 4])
pagerank ([2, 0; 0, 4])
pagecond ([2, 0; 0, 4])
pagetranspose ([2, 4])
pagectranspose ([2, 4i])
pagelsqminnorm ([2, 0; 0, 4], [2; 4])
abs (qr_block ([3; 4]))
gsvd_hz ([2, 0; 0, 2], eye (2))
gevd_hz ([2, 0; 0, 2], eye (2))
eigs_lanczos (speye (40), 1)
spmv (speye (2), [1; 2])
class (spmv_plan (speye (2)))
nnz (ba_graph (10, 1)) > 0
x = read_graph (file)
gather (gpuArray ([1, 2]) + 1)
isgpuarray (gpuArray (1))
underlyingType (gpuArray (1))
existsOnGPU (gpuArray (1));
gpuDeviceCount ();
class (gpulinalg_info ())
gpulinalg_device ();
gpulinalg_release ();
gpulinalg_mpi ();
gather (zeros (1, 2, "gpuArray") + ones (1, 2, "like", gpuArray (1)))
gather (eye (2, "gpuArray") + sum (gpuArray ([1, 2])))
size (rand (2, 3)), size (linspace (0, 1, 5))
reshape (1:4, 2, gpuArray (2))
gather (mean (gpuArray ([1, 2, 3])) + median (gpuArray ([1, 2, 3])))
gather (repmat (gpuArray (1), 1, 2))
gather (cellfun (@(x) sum (x), {gpuArray([1, 2])}))
gather (arrayfun (@(x) x + 1, gpuArray ([1, 2])))
END
}

mark () {
  echo "disp (''), disp ('--- $1')" # the first line begins with a prompt
}

# round NAME: the same lines again, behind a line that says which time it is
round () {
  mark "$1"
  echo "file = '$folder/path.txt';"
  lines
}

session () {
  (cd "$folder" && octave-cli --interactive --no-init-file --no-history 2>&1)
}

@test "at the prompt all functions give the same each time, also after cd, addpath and clear all" {
  printf '1 2\n2 3\n' >"$folder/path.txt"
  mkdir "$folder/other" "$folder/more"
  {
    echo "PS1 (''); page_screen_output (false);"
    echo "randi (5); rand (2); linspace (0, 1, 3); size (1); repmat (1, 2);" # before there is a package
    echo "addpath ('$TOP/src'); addpath ('$TOP/inst');"
    round "first"
    round "second"
    echo "cd ('$folder/other');"
    round "third"
    echo "addpath ('$folder/more');"
    round "fourth"
    echo "rmpath ('$folder/more');"
    round "fifth"
    echo "clear all"
    round "sixth"
    mark "end"
  } | session >"$folder/out"
  cat "$folder/out"
  [ -z "$(grep -n error "$folder/out" | grep -v 'the plugin for MPI cannot be opened')" ]
  awk -v folder="$folder" '/^--- / { file = folder "/round" ++count ; next } file != "" { print > file }' "$folder/out"
  [ "$(wc -l <"$folder/round1")" -gt 60 ]
  for k in 2 3 4 5 6; do
    diff "$folder/round1" "$folder/round$k"
  done
}

@test "the lines of this file call every function that PKG_ADD registers" {
  [ "$(registered | wc -l)" -gt 30 ]
  for name in $(registered); do
    echo "$name"
    lines | grep -q "\<$name ("
  done
}

@test "loading changes no function of Octave, the first gpuArray those of the guide's list, and unloading puts all back" {
  cd "$folder"
  run octave-cli --no-init-file --no-history --path "$TOP/tests/octave" --eval "check_loading ('$TOP')"
  echo "$output"
  [[ "$output" == *"check_loading: 29 passed, 0 failed"* ]]
}

@test "a function that is called again after another copy was put on the path says so" {
  mkdir "$folder/copy"
  cp "$TOP/src/gpulinalg.oct" "$TOP/src/PKG_ADD" "$TOP/src/PKG_DEL" "$folder/copy"
  {
    echo "addpath ('$TOP/src'); addpath ('$TOP/inst');"
    echo "batcheig (1); gpulinalg_info (); gpulinalg_release ();"
    echo "addpath ('$folder/copy');"
    for call in "batcheig (1)" "d = gpulinalg_info ()" "gpulinalg_info ()" "gpulinalg_release"; do
      echo "lasterror ('reset');"
      echo "$call"
      echo "printf ('id %s\n', lasterror ().identifier);"
    done
    echo "pageinv (4)"
  } | session >"$folder/out"
  cat "$folder/out"
  [ "$(grep -c 'id gpulinalg:two-copies$' "$folder/out")" -eq 4 ]
  grep -q 'ans = 0.2500' "$folder/out"
}
