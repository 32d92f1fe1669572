#!/usr/bin/env bats
# package.bats: install, load, call, unload and uninstall the package; the tarball
# SPDX-License-Identifier: GPL-3.0-or-later

# GPULINALG_INSTALLED: a folder in which installed.sh has installed the package; otherwise a test does.

setup_file () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  export TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  export WORK=$(mktemp -d)
  export USER_FOLDER=${GPULINALG_INSTALLED:-$WORK}
  make -s -C "$TOP" dist >/dev/null
  export TARBALL=$TOP/gpulinalg-$(sed -n 's/^Version: *//p' "$TOP/DESCRIPTION").tar.gz
}
setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
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
  [ -n "${GPULINALG_INSTALLED:-}" ] || sh "$TOP/tests/installed.sh" "$WORK" install
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

@test "gpulinalg_info says which plugin for GPUs is there, or why there is none" {
  mkdir "$BATS_TEST_TMPDIR/package" "$BATS_TEST_TMPDIR/data"
  cp "$TOP/src/gpulinalg.oct" "$TOP/src/PKG_ADD" "$TOP/src/PKG_DEL" "$BATS_TEST_TMPDIR/package"
  cd "$BATS_TEST_TMPDIR"
  # cuda and backend of gpulinalg_info on one line, then that the CPU works
  about () {
    env XDG_DATA_HOME="$BATS_TEST_TMPDIR/data" "$@" octave-cli --no-init-file --no-history --path package --path "$TOP/inst" --eval \
      "s = gpulinalg_info (); printf ('%d %s; ', s.cuda, s.backend); printf ('%g ', batcheig ([2 1; 1 2])); disp ('')" 2>&1
  }
  # compile FILE INTERFACE
  compile () {
    printf '%s\n' '#include "plugin.h"' '#include <stdio.h>' \
      'static int count (char *why, size_t room) { snprintf (why, room, "it is a test"); return 0; }' \
      'static const gla_backend backend = {.name = "test", .device_count = count};' \
      "static const gla_plugin plugin = {\"$2\", &backend};" \
      'const gla_plugin *gla_plugin_cuda (const gla_host *host) { return host != NULL ? &plugin : NULL; }' >plugin.c
    gcc -std=gnu11 -shared -fPIC -I"$TOP/src" plugin.c -o "$1"
  }
  [[ "$(about)" == "0 cpu only (no plugin for GPUs: "*"/package/__gpulinalg_cuda__.oct is not there); 1 3 " ]]
  [[ "$(about GPULINALG_CUDA_PLUGIN=/nowhere/x)" == "0 cpu only (no plugin for GPUs: /nowhere/x is not there); 1 3 " ]]
  echo text >words.oct
  [[ "$(about GPULINALG_CUDA_PLUGIN=./words.oct)" == "0 cpu only (the plugin for GPUs cannot be opened: "*"words.oct"*"); 1 3 " ]]
  gcc -shared -fPIC -x c /dev/null -o empty.oct
  [[ "$(about GPULINALG_CUDA_PLUGIN=./empty.oct)" == "0 cpu only (./empty.oct is no plugin of gpulinalg for GPUs); 1 3 " ]]
  compile old.oct 0.0.1
  old=$(about GPULINALG_CUDA_PLUGIN=./old.oct)
  [[ "$old" == "0 cpu only (the plugin for GPUs, ./old.oct, is of gpulinalg 0.0.1, and this is "*"); 1 3 " ]]
  # one of this version, beside the package, in the user's folder, and named
  interface=${old##*this is }
  compile right.oct "${interface%%)*}"
  mkdir data/gpulinalg && cp right.oct data/gpulinalg/__gpulinalg_cuda__.oct
  [ "$(about)" = "1 cpu only (it is a test); 1 3 " ]
  mv data/gpulinalg/__gpulinalg_cuda__.oct package
  [ "$(about)" = "1 cpu only (it is a test); 1 3 " ]
  [ "$(about GPULINALG_CUDA_PLUGIN=./right.oct)" = "1 cpu only (it is a test); 1 3 " ]
  [[ "$(about GPULINALG_CUDA_PLUGIN=./old.oct)" == "0 cpu only (the plugin for GPUs, ./old.oct, is of gpulinalg 0.0.1"* ]]
}

@test "the tarball has the same bytes each time" {
  cp "$TARBALL" "$WORK/first.tar.gz"
  sleep 1
  make -s -C "$TOP" dist >/dev/null
  cmp "$TARBALL" "$WORK/first.tar.gz"
}

@test "the archive is small, and an unpacked one says what needs the repository" {
  [ "$(wc -c <"$TARBALL")" -le 1600000 ]
  tar -tzf "$TARBALL" | cut -d / -f 2- >"$WORK/files"
  for f in README.md COPYING INDEX src/configure oct/pages/batcheig.cc kernels/eig/small.cu examples/graphene_bands.m doc/user-guide.md; do
    grep -qx "$f" "$WORK/files" || { echo "missing: $f"; false; }
  done
  run grep -E '^(bench|doc/notebook|tests/c|tests/data)/|^\.' "$WORK/files"
  [ "$status" -ne 0 ]
  mkdir "$WORK/unpacked" && tar -xzf "$TARBALL" -C "$WORK/unpacked" --strip-components=1
  run make -C "$WORK/unpacked" bench
  [ "$status" -ne 0 ]
  [[ "$output" == *"bench: this needs the repository"* ]]
  make -s -C "$WORK/unpacked" dist # an archive makes one of the same files
  tar -tzf "$WORK/unpacked/$(basename "$TARBALL")" | cut -d / -f 2- | cmp - "$WORK/files"
  run make -n -C "$WORK/unpacked" check
  [[ "$output" == *"sh tests/archive.sh check"* ]]
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
