#!/usr/bin/env bats
# build.bats: make deps, configure, rebuilds, and folders whose names have blanks
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  WORK=$(mktemp -d)
}
teardown () {
  rm -rf "$WORK"
}

# system_with TOOL...: makes $WORK/bin, a PATH of a system with these tools. Its apt-get only writes the
# names of packages to $WORK/installed, and its archive has the packages in $PACKAGES. The folder is one
# without a formatter of its own.
system_with () {
  mkdir -p "$WORK/bin"
  cd "$WORK"
  for tool in sh grep sed echo cat "$@"; do
    ln -s "$(command -v "$tool")" "$WORK/bin/$tool"
  done
  printf '#!/bin/sh\n[ "$1" = update ] || echo "$@" >>%s\n' "$WORK/installed" >"$WORK/bin/apt-get"
  printf '#!/bin/sh\ncase " %s " in *" $2 "*) echo "Package: $2" ;; esac\n' "$PACKAGES" >"$WORK/bin/apt-cache"
  printf '#!/bin/sh\necho 0\n' >"$WORK/bin/id"
  chmod +x "$WORK/bin/apt-get" "$WORK/bin/apt-cache" "$WORK/bin/id"
}

@test "make deps installs the package that has Octave's headers in this release" {
  PACKAGES="liboctave-dev clang-format-14" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  grep -q ' octave .* liboctave-dev ' "$WORK/installed"
  grep -q ' clang-format-14$' "$WORK/installed"
  rm -r "$WORK/bin" "$WORK/installed"
  PACKAGES="octave-dev liboctave-dev octave-doctest octave-parallel" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  grep -q ' octave .* octave-dev ' "$WORK/installed"
  grep -q ' python3-venv$' "$WORK/installed"
  grep -q ' octave-doctest$' "$WORK/installed"
  grep -q ' octave-parallel$' "$WORK/installed"
  grep -q ' fonts-freefont-otf$' "$WORK/installed"
}

@test "deps.sh gui also installs a display, keys, the clipboard and what a notebook needs" {
  PACKAGES="octave-dev" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh" gui
  grep -q ' xvfb xdotool xclip .*ghostscript python3-venv' "$WORK/installed"
  rm "$WORK/installed"
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  ! grep -q -w -e xvfb -e ghostscript "$WORK/installed"
}

@test "what make demo needs has no test tools" {
  PACKAGES="octave-dev clang-format-14 octave-doctest" system_with
  PATH=$WORK/bin sh "$TOP/tests/deps.sh" demo
  grep -q ' octave .* gnuplot-nox' "$WORK/installed"
  ! grep -q -w -e bats -e ccache -e clang-format-14 -e octave-doctest "$WORK/installed"
}

@test "make deps fails where a needed package is not to be had, and not for an optional one" {
  PACKAGES="octave-dev octave-doctest" system_with
  printf '#!/bin/sh\ncase "$*" in *octave-doctest*) exit 100 ;; esac\n' >"$WORK/bin/apt-get"
  PATH=$WORK/bin sh "$TOP/tests/deps.sh"
  printf '#!/bin/sh\ncase "$*" in *octave-dev*) exit 100 ;; esac\n' >"$WORK/bin/apt-get"
  run env PATH="$WORK/bin" sh "$TOP/tests/deps.sh"
  [ "$status" -ne 0 ]
}

@test "format.sh does not use another version of clang-format" {
  PACKAGES= system_with
  ln -s "$(command -v dirname)" "$(command -v find)" "$(command -v sort)" "$(command -v head)" "$WORK/bin"
  printf '#!/bin/sh\necho "clang-format version 19.1.7"\nexit 1\n' >"$WORK/bin/clang-format"
  chmod +x "$WORK/bin/clang-format"
  mkdir "$WORK/tree" && cp -r "$TOP/tests" "$TOP/Makefile" "$WORK/tree/"
  PATH=$WORK/bin run sh "$WORK/tree/tests/format.sh" --check
  [ "$status" -eq 0 ]
  [[ "$output" == *"formatting: 0 passed, 0 failed, 1 skipped" ]]
}

# nvcc here is a script that lists architectures and compiles nothing.
@test "GPULINALG_CUDA_ARCH takes the words of CMake: 75-virtual is portable code alone" {
  mkdir "$WORK/src" && cp "$TOP/src/configure" "$TOP/src/gpulinalg.h" "$WORK/src/"
  cp "$TOP/DESCRIPTION" "$WORK/"
  mkdir -p "$WORK/cuda home/bin" "$WORK/cuda home/lib64"
  printf '#!/bin/sh\n[ "$1" != --list-gpu-arch ] || printf "compute_%%s\\n" 75 80 90\n' >"$WORK/cuda home/bin/nvcc"
  chmod +x "$WORK/cuda home/bin/nvcc"
  : >"$WORK/cuda home/lib64/libcudart_static.a"
  cd "$WORK/src"
  export NVCC="$WORK/cuda home/bin/nvcc" GPULINALG_CUDA=yes
  GPULINALG_CUDA_ARCH=75-virtual ./configure
  grep -qx 'GENCODE = -gencode=arch=compute_75,code=compute_75' config.mk
  # paths with blanks are quoted
  grep -qx "NVCC = '$NVCC'" config.mk
  grep -qx "CUDART = '$WORK/cuda home/lib64/libcudart_static.a'" config.mk
  GPULINALG_CUDA_ARCH="80 90-real 90-virtual" ./configure
  grep -qx 'GENCODE = -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90' config.mk
  GPULINALG_CUDA_ARCH=75:90 ./configure
  grep -qx 'GENCODE = -gencode=arch=compute_75,code=sm_90' config.mk
  for unknown in 70-virtual 70:90 75:91; do
    run env GPULINALG_CUDA_ARCH=$unknown ./configure
    [ "$status" -ne 0 ]
  done
  run env GPULINALG_CUDA_ARCH=75-ptx ./configure
  [ "$status" -ne 0 ]
  [[ "$output" == *75-virtual* ]]
}

# nvcc here compiles nothing, either. A file of dependencies that says "read" stops make.
@test "make reads which headers the objects depend on, those of the kernels, too" {
  cd "$TOP"
  sh tests/files.sh --new DESCRIPTION src oct kernels tests/files.sh | tar --create --files-from=- | tar --extract --directory="$WORK"
  mkdir -p "$WORK/cuda/bin" "$WORK/cuda/lib64"
  printf '#!/bin/sh\n[ "$1" != --list-gpu-arch ] || echo compute_90\n' >"$WORK/cuda/bin/nvcc"
  chmod +x "$WORK/cuda/bin/nvcc"
  : >"$WORK/cuda/lib64/libcudart_static.a"
  cd "$WORK/src"
  NVCC=$WORK/cuda/bin/nvcc GPULINALG_CUDA=yes GPULINALG_CUDA_ARCH=90 GPULINALG_ISAS=base ./configure
  make -n libgpulinalg.a kernels >/dev/null
  for object in context cpu/qr/qr_kernels_d_base oct/together_eig kernels/engine/plugin kernels/eig/few kernels/solve/solve_page_d; do
    mkdir -p "obj/${object%/*}"
    echo '$(error read)' >"obj/$object.d"
    run make -n libgpulinalg.a
    echo "$object"
    [ "$status" -ne 0 ]
    [[ "$output" == *read* ]]
    rm "obj/$object.d"
  done
}

@test "GPULINALG_ISAS chooses instruction sets: by default that of this processor, and another word is an error" {
  unset GPULINALG_ISAS
  mkdir -p "$WORK/tree/src"
  cp "$TOP/src/configure" "$TOP/src/gpulinalg.h" "$WORK/tree/src/" && cp "$TOP/DESCRIPTION" "$WORK/tree/"
  cd "$WORK/tree/src"
  export GPULINALG_CUDA=no
  unset GPULINALG_ISAS
  GPULINALG_ISAS=all ./configure
  all=$(sed -n 's/^ISAS = //p' config.mk)
  [ "$all" = "base avx2 avx512" ] || [ "$all" = base ]
  ./configure
  here=$(sed -n 's/^ISAS = //p' config.mk)
  widest=base
  ! { [[ $all == *avx2* ]] && grep -qw avx2 /proc/cpuinfo; } || widest=avx2
  ! { [[ $all == *avx512* ]] && grep -qw avx512vl /proc/cpuinfo; } || widest=avx512
  [ "$here" = "$widest" ]
  GPULINALG_ISAS=native ./configure
  grep -qx "ISAS = $here" config.mk
  GPULINALG_ISAS=base ./configure
  grep -qx 'ISAS = base' config.mk
  run env GPULINALG_ISAS=avx3 ./configure
  [ "$status" -ne 0 ]
  [[ "$output" == *'not "avx3"'* ]]
}

@test "configure does not touch an unchanged config.mk, and accepts an mkoctfile in a folder with blanks" {
  mkdir -p "$WORK/tree/src" "$WORK/with blank"
  cp "$TOP/src/configure" "$TOP/src/Makefile" "$TOP/src/gpulinalg.h" "$TOP/src/sources.mk" "$WORK/tree/src/" && cp "$TOP/DESCRIPTION" "$WORK/tree/"
  ln -s "$(command -v mkoctfile)" "$WORK/with blank/mkoctfile"
  cd "$WORK/tree/src"
  export GPULINALG_CUDA=no
  # pkg puts a backslash before blanks, a user may quote nothing
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

@test "the links for lookfor may be missing: a file system need not have links" {
  mkdir -p "$WORK/tree/src" "$WORK/bin"
  cp "$TOP/src/configure" "$TOP/src/Makefile" "$TOP/src/gpulinalg.h" "$TOP/src/sources.mk" "$TOP/src/plan.awk" "$WORK/tree/src/"
  cp "$TOP/DESCRIPTION" "$WORK/tree/"
  mkdir -p "$WORK/tree/oct/sparse" && cp "$TOP/oct/sparse/spmv.cc" "$WORK/tree/oct/sparse/"
  cd "$WORK/tree/src"
  GPULINALG_CUDA=no ./configure
  touch gpulinalg.oct
  make -o gpulinalg.oct spmv.oct
  [ "$(readlink spmv.oct)" = gpulinalg.oct ]
  rm spmv.oct
  printf '#!/bin/sh\necho "ln: Operation not permitted" >&2\nexit 1\n' >"$WORK/bin/ln"
  chmod +x "$WORK/bin/ln"
  PATH=$WORK/bin:$PATH make -o gpulinalg.oct spmv.oct
  [ ! -e spmv.oct ]
}

# With little optimization and one instruction set: what is tested is the commands, not the code. The flags are
# those of clibrary.bats.
@test "the library builds in a folder whose path has blanks, and runs" {
  mkdir "$WORK/a tree"
  cd "$TOP"
  sh tests/files.sh --new DESCRIPTION src oct kernels examples tests/files.sh \
    | tar --create --files-from=- | tar --extract --directory="$WORK/a tree"
  cd "$WORK/a tree/src"
  unset GPULINALG_WERROR # GCC warns at -O0 of loops that it does not unroll
  GPULINALG_CUDA=no GPULINALG_ISAS=base CFLAGS=-O0 ./configure
  make -j"$(nproc)" libgpulinalg.a PKG_ADD batcheig.cc-tst
  eval "$(sed -n 's/^CC = /CC="/p' config.mk)\""
  libs=$(sed -n 's/^LAPACK_LIBS = //p' config.mk)
  $CC -I. ../examples/eig_pages.c libgpulinalg.a $libs -lm -ldl -lpthread -o "$WORK/eig_pages"
  "$WORK/eig_pages" | grep -qx "page 7: 6.0000000000 8.0000000000"
}
