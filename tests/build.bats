#!/usr/bin/env bats
# build.bats: what the build installs, asks, rebuilds and leaves alone
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  WORK=$(mktemp -d)
}
teardown () {
  rm -rf "$WORK"
}

# A folder of programs: those that are named, and an apt-get that writes down what it shall install,
# of a system whose archive has the packages $PACKAGES.
system_with () {
  mkdir -p "$WORK/bin"
  for tool in sh grep sed echo cat "$@"; do
    ln -s "$(command -v "$tool")" "$WORK/bin/$tool"
  done
  printf '#!/bin/sh\n[ "$1" = update ] || echo "$@" >>%s\n' "$WORK/installed" >"$WORK/bin/apt-get"
  printf '#!/bin/sh\ncase " %s " in *" $2 "*) echo "Package: $2" ;; esac\n' "$PACKAGES" >"$WORK/bin/apt-cache"
  printf '#!/bin/sh\necho 0\n' >"$WORK/bin/id"
  chmod +x "$WORK/bin/apt-get" "$WORK/bin/apt-cache" "$WORK/bin/id"
}

@test "make deps takes the package that has Octave's headers" {
  PACKAGES="liboctave-dev clang-format-14" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  grep -q ' octave .* liboctave-dev .* clang-format-14$' "$WORK/installed"
  rm -r "$WORK/bin" "$WORK/installed"
  PACKAGES="octave-dev liboctave-dev" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  grep -q ' octave .* octave-dev .* python3-venv$' "$WORK/installed"
}

@test "formatting does not depend on the version of clang-format that is here" {
  PACKAGES= system_with
  ln -s "$(command -v dirname)" "$(command -v find)" "$(command -v sort)" "$(command -v head)" "$WORK/bin"
  printf '#!/bin/sh\necho "clang-format version 19.1.7"\nexit 1\n' >"$WORK/bin/clang-format"
  chmod +x "$WORK/bin/clang-format"
  mkdir "$WORK/tree" && cp -r "$TOP/tests" "$TOP/Makefile" "$WORK/tree/"
  PATH=$WORK/bin run sh "$WORK/tree/tests/format.sh" --check
  [ "$status" -eq 0 ]
  [[ "$output" == *"formatting: 0 passed, 0 failed, 1 skipped" ]]
}

# The words of GPULINALG_CUDA_ARCH as nvcc gets them, from a configure whose nvcc only answers.
@test "GPULINALG_CUDA_ARCH takes the words of CMake: 75-virtual is portable code alone" {
  cp -r "$TOP/src" "$WORK/src" 2>/dev/null || true
  cp "$TOP/DESCRIPTION" "$WORK/"
  mkdir -p "$WORK/cuda home/bin" "$WORK/cuda home/lib64"
  printf '#!/bin/sh\n[ "$1" != --list-gpu-arch ] || printf "compute_%%s\\n" 75 80 90\n' >"$WORK/cuda home/bin/nvcc"
  chmod +x "$WORK/cuda home/bin/nvcc"
  : >"$WORK/cuda home/lib64/libcudart_static.a"
  cd "$WORK/src"
  export NVCC="$WORK/cuda home/bin/nvcc" GPULINALG_CUDA=yes
  GPULINALG_CUDA_ARCH=75-virtual ./configure
  grep -qx 'GENCODE = -gencode=arch=compute_75,code=compute_75' config.mk
  # blanks in these paths arrive quoted
  grep -qx "NVCC = '$NVCC'" config.mk
  grep -qx "CUDART = '$WORK/cuda home/lib64/libcudart_static.a'" config.mk
  GPULINALG_CUDA_ARCH="80 90-real 90-virtual" ./configure
  grep -qx 'GENCODE = -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90' config.mk
  run env GPULINALG_CUDA_ARCH=70-virtual ./configure
  [ "$status" -ne 0 ]
  run env GPULINALG_CUDA_ARCH=75-ptx ./configure
  [ "$status" -ne 0 ]
  [[ "$output" == *75-virtual* ]]
}

@test "configure changes nothing where nothing changed, and takes an mkoctfile in a folder with blanks" {
  mkdir -p "$WORK/tree/src" "$WORK/with blank"
  cp "$TOP/src/configure" "$TOP/src/Makefile" "$WORK/tree/src/" && cp "$TOP/DESCRIPTION" "$WORK/tree/"
  ln -s "$(command -v mkoctfile)" "$WORK/with blank/mkoctfile"
  cd "$WORK/tree/src"
  export GPULINALG_CUDA=no
  # pkg quotes in its own way, a user may not at all
  MKOCTFILE="$(echo "$WORK/with blank/mkoctfile" | sed 's/ /\\ /g') --verbose" ./configure
  export MKOCTFILE="$WORK/with blank/mkoctfile"
  ./configure
  grep -qx "MKOCTFILE = '$WORK/with blank/mkoctfile'" config.mk
  touch -d '1 hour ago' config.mk config.stamp
  before=$(stat -c %Y config.mk)
  sed -i 's/^Date:.*/Date: 2001-01-01/' ../DESCRIPTION
  make config.mk
  [ "$(stat -c %Y config.mk)" = "$before" ]
  make -q config.stamp
}
