#!/usr/bin/env bats
# package.bats: install, load, call, unload and uninstall the package; the tarball; lists of functions
# SPDX-License-Identifier: GPL-3.0-or-later

# GPULINALG_INSTALLED: a folder in which install.sh has installed the package; otherwise a test does.

setup_file () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  export TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  export WORK=$(mktemp -d)
  export USER_FOLDER=${GPULINALG_INSTALLED:-$WORK}
  make -s -C "$TOP" dist >/dev/null
  export TARBALL=$TOP/gpulinalg-$(sed -n 's/^Version: *//p' "$TOP/DESCRIPTION").tar.gz
}
teardown_file () {
  rm -rf "$WORK"
}

# Runs Octave code with a package folder of its own.
octave_pkg () {
  HOME=$USER_FOLDER/home octave-cli --no-init-file --no-history --eval "
    pkg ('prefix', '$USER_FOLDER/packages', '$USER_FOLDER/packages');
    pkg ('local_list', '$USER_FOLDER/packages/list');
    $1"
}

@test "install where nvcc is not on the path, load, call, unload, uninstall leave nothing behind" {
  cd "$WORK"
  [ -n "${GPULINALG_INSTALLED:-}" ] || sh "$TOP/tests/install.sh" "$WORK"
  [ -n "$(ls -d "$USER_FOLDER"/packages/gpulinalg*)" ]
  grep -qE '^gpulinalg: compiling for .*: [1-9][0-9]+ steps, (less than a|about a|about [0-9]+) minutes?$' "$USER_FOLDER/install.log"
  [ -z "$(grep doc_cache_create "$USER_FOLDER/install.log")" ]
  run octave_pkg "pkg load gpulinalg; lookfor Hermitian; gpulinalg"
  [ "$status" -eq 0 ]
  [[ "$output" == *"batcheig  "*"Eigenvalues and eigenvectors of many Hermitian"* ]]
  [[ "$output" == *"QR factorization and least squares"* ]]
  run octave_pkg "pkg load gpulinalg; disp (batcheig ([2 1; 1 2])'); disp (pageeig ([2 1; 1 2])'); disp (abs (qr_block ([4; 3], 0))); printf ('%.4f\n', gsvd_hz (3, 4), gevd_hz (6, 3)); P = spmv_plan (speye (2)); pkg unload gpulinalg; disp (class (P)); P, clear all; disp (exist ('qr_block')); disp (exist ('gsvd_hz')); disp (exist ('gevd_hz')); disp (exist ('batcheig'))"
  [ "$status" -eq 0 ]
  [ "$(echo "$output" | sed -n 1p | tr -s ' ')" = " 1 3" ]
  [ "$(echo "$output" | tail -n 9 | tr -d ' ' | tr '\n' ' ')" = "5 0.7500 4.0000 spmv_plan P=<spmv_plan:2x2double,2nonzeros,allequal,methodauto> 0 0 0 0 " ]
  run octave_pkg "pkg load gpulinalg; help batcheig; help gpulinalg_info; help pageeig; help qr_block; help gsvd_hz; help gevd_hz; help eigs_lanczos"
  [[ "$output" == *"batcheig (A)"* && "$output" == *"qr_block (A)"* && "$output" == *"pageeig (X)"* ]]
  [[ "$output" == *"gsvd_hz (A, B)"* && "$output" == *"gevd_hz (A, B)"* && "$output" == *"eigs_lanczos (FCN, N, ...)"* ]]
  run octave_pkg "pkg ('uninstall', '-local', 'gpulinalg'); pkg list"
  [ "$status" -eq 0 ]
  [ -z "$(ls -d "$USER_FOLDER"/packages/gpulinalg* 2>/dev/null)" ]
}

@test "a build with CUDA loads and works without a driver" {
  [ "$(sed -n 's/^CUDA = //p' "$TOP/src/config.mk")" = yes ] || skip "this build has no CUDA"
  command -v nvidia-smi >/dev/null && skip "this machine has a driver"
  run octave-cli --no-init-file --no-history --path "$TOP/src" --path "$TOP/inst" --eval "
    s = gpulinalg_info (); disp (s.cuda); disp (numel (s.devices)); disp (batcheig ([2 1; 1 2])')
    try, batcheig (1, 'device', 'gpu'); catch err, disp (err.identifier); end"
  [ "$status" -eq 0 ]
  [[ "$output" == *"gpulinalg:no-device"* ]]
}

@test "the tarball has the same bytes each time" {
  cp "$TARBALL" "$WORK/first.tar.gz"
  sleep 1
  make -s -C "$TOP" dist >/dev/null
  cmp "$TARBALL" "$WORK/first.tar.gz"
}

@test "PKG_ADD, PKG_DEL, INDEX, NEWS, oct and inst name the same functions" {
  cd "$TOP"
  oct=$(grep -lE '^DEF[A-Z]*_DLD' oct/*.cc | sed 's,oct/\(.*\)\.cc,\1,' | sort)
  [ "$(sed -n 's/.*autoload ("\([A-Za-z_]*\)".*/\1/p' PKG_ADD | sort)" = "$oct" ]
  [ "$(sed -n 's/.*autoload ("\([A-Za-z_]*\)", __gla_oct__, "remove").*/\1/p' PKG_DEL | sort)" = "$oct" ]
  oct=$(echo "$oct" | grep -v '^__') # those are internal
  all=$(printf '%s\n' $oct $(ls inst/*.m | sed 's,inst/\(.*\)\.m,\1,' | grep -v '^__') | sort)
  [ "$(sed -n 's/^ \([A-Za-z_]*\)$/\1/p' INDEX | sort)" = "$all" ]
  for f in $all; do grep -q "$f" NEWS; grep -q "$f" README.md; done
}

@test "the user guide has every id of errors and warnings" {
  cd "$TOP"
  ids=$({ grep -rhoE '"gpulinalg:[a-z-]+"' oct/*.cc oct/*.h inst
          grep -rhoE '"device-(memory|failed)"' src --include=*.c | sed 's/"/"gpulinalg:/'; } | tr -d '"' | sort -u)
  [ "$(echo "$ids" | wc -l)" -ge 19 ]
  for id in $ids; do grep -qF "\`$id\`" doc/user-guide.md || { echo "$id"; false; }; done
}

@test "every help text has an example with a result, and the ids of its errors" {
  cd "$TOP"
  for f in $(sed -n 's/^ \([A-Za-z_]*\)$/\1/p' INDEX); do
    text=oct/$f.cc
    [ -e "$text" ] || text=inst/$f.m
    grep -q '@result{}' "$text" || { echo "$f: no result"; false; }
    case $f in gpulinalg | gpulinalg_info) continue ;; esac # these take no arguments
    grep -q '@subheading Errors' "$text" || { echo "$f: no errors"; false; }
    for id in $(cat "$text" oct/$f.tst oct/$f-*.tst 2>/dev/null |
                sed -n '/deftypefn/,/end deftypefn/d; s/.*id=\(gpulinalg:[a-z-]*\).*/\1/p' | sort -u); do
      grep -qE "(@item |@code\{)$id" "$text" || { echo "$f: $id"; false; }
    done
  done
}

@test "a changed header of oct/ compiles again the files that include it, and no others" {
  cd "$TOP/src"
  [ -s obj/oct/gpu_value.d ] || skip "the package is not built in this tree"
  make -n gpulinalg.oct >"$BATS_TEST_TMPDIR/commands"
  ! grep -q -e '-c ../oct/' "$BATS_TEST_TMPDIR/commands" || skip "this tree is not built as it is"
  make -n -W ../oct/gpu_value.h gpulinalg.oct >"$BATS_TEST_TMPDIR/commands"
  grep -q -e '-c ../oct/gpu_slices.cc ' "$BATS_TEST_TMPDIR/commands"
  grep -q -e '-c ../oct/batcheig.cc ' "$BATS_TEST_TMPDIR/commands"
  run grep -e '-c ../oct/read_graph.cc ' "$BATS_TEST_TMPDIR/commands"
  [ "$status" -ne 0 ]
}

@test "every source has its licence on a line of its own" {
  cd "$TOP"
  for f in $(sh tests/files.sh src kernels oct tests bench examples | grep -E '\.(c|h|cc|cu|cuh|sh|bats|awk|tst)$'); do
    head -n 4 "$f" | grep -qE '^(//|##?) SPDX-License-Identifier: GPL-3.0-or-later$' || { echo "$f"; false; }
  done
}

@test "host code of the kernels throws only in files that catch everything" {
  cd "$TOP"
  # plain new and containers call these
  throwing='_Znwm|_Znam|__cxa_throw.*|_ZSt[0-9]+__throw_.*'
  for f in $(sh tests/files.sh kernels | grep -E '\.cuh?$'); do
    ! grep -qE 'catch \(\.\.\.\)' "$f" || continue
    ! awk -f tests/code_only.awk "$f" | grep -E '\bthrow\b|\bnew [^(]|std::(vector|string|map|set|list|deque|function|unordered)' || { echo "$f"; false; }
    object=src/obj/${f%.cu}.o
    [ ! -e "$object" ] || ! nm -u "$object" | grep -E " ($throwing)$" || { echo "$object"; false; }
  done
}

@test "instructions that GPUs before 8.0 or 9.0 lack are in files that ask for the capability" {
  newer='__reduce_[a-z]+_sync|cp\.async|mma\.sync|barrier\.cluster|mapa\.|mbarrier|ldmatrix'
  found=$(cd "$TOP/kernels" && grep -rlE "$newer" . | xargs grep -L __CUDA_ARCH__) || true
  [ -z "$found" ] || { echo "not behind __CUDA_ARCH__: $found"; false; }
}

@test "configure rejects unknown values" {
  mkdir "$WORK/src" && cp "$TOP/src/configure" "$TOP/src/gpulinalg.h" "$WORK/src/" && cp "$TOP/DESCRIPTION" "$WORK/" && cd "$WORK/src"
  run env GPULINALG_CUDA=maybe ./configure
  [ "$status" -ne 0 ]
  [[ "$output" == *"yes, no or auto"* ]]
  run env GPULINALG_CUDA_COMPRESS=maybe ./configure
  [ "$status" -ne 0 ]
  [[ "$output" == *"GPULINALG_CUDA_COMPRESS must be yes or no"* ]]
  run env GPULINALG_CUDA_ARCH=fast ./configure
  [ "$status" -ne 0 ]
}
