#!/bin/sh
# platforms.sh: the C library for 64-bit ARM, run by QEMU, and its sources for musl, 32 bits, macOS and FreeBSD
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: platforms.sh [arm | musl | i686 | macos | freebsd]...   {all}; make check-platforms, make check-arm
#
# For ARM the library and quick tests are built and run. Debian's OpenBLAS for ARM is downloaded to build/arm and not
# installed. For the others all C sources are checked for types and syntax, because there is no BLAS to link them; with
# musl test_system runs, which needs none. For macOS and FreeBSD the headers are those of musl with the names of POSIX
# alone, and tests/data/other_systems.h has what these systems add.

set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
unset CFLAGS CPPFLAGS
. tests/jobs.sh

# check NAME COMMAND...: some lines of what fails.
check () {
  name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name"
    tail -n 20 "$work/log"
  fi
}

#-------------------------------------------------------------------------------
# 64-bit ARM
#-------------------------------------------------------------------------------

# Of each topic those that take few seconds under QEMU. test_bits and others start themselves, which needs more than QEMU.
arm_tests="system arrays factor_memory fft groups handed_back isa null pagediag pages retry states steps structs svd_arguments \
  team_calls yield"
arm_root=/usr/aarch64-linux-gnu

# Prints OpenBLAS for ARM, after apt-get has read lists of its own, as ARM is no architecture of this machine.
arm_blas () {
  folder=$PWD/build/arm
  if [ ! -d "$folder/root" ]; then
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" && : >"$folder/status"
    for action in update "download libopenblas0-serial"; do
      # shellcheck disable=SC2086 # words
      (cd "$folder" && apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$folder" \
        -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache" $action) >&2
    done
    dpkg -x "$folder"/libopenblas0-serial_*.deb "$folder/root" >&2
    rm -rf "$folder/lists" "$folder/cache"
  fi
  find "$folder/root" -name libopenblas.so.0
}

build_for_arm () (
  mkdir "$work/tree"
  sh tests/files.sh --new DESCRIPTION src tests/c | tar --create --files-from=- | tar --extract --directory="$work/tree"
  cd "$work/tree/src" || return
  GPULINALG_CUDA=no GPULINALG_MPI=no GPULINALG_WERROR=1 ./configure --library CC=aarch64-linux-gnu-gcc \
    AR=aarch64-linux-gnu-ar RANLIB=aarch64-linux-gnu-ranlib "LAPACK_LIBS=$blas" \
    && make --no-print-directory -j"$limit" -C ../tests/c $(printf 'build/test_%s ' $arm_tests)
)

arm () {
  has aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" && has qemu-aarch64 qemu-user || return
  blas=$(arm_blas 2>/dev/null)
  [ -n "$blas" ] && [ -e $arm_root/lib/libgfortran.so.5 ] || {
    skip "64-bit ARM needs its libgfortran (Debian: libgfortran5-arm64-cross) and OpenBLAS, which apt-get downloads"
    return
  }
  check "64-bit ARM: library and tests" build_for_arm
  for test in $arm_tests; do
    check "64-bit ARM: test_$test" timeout 120 qemu-aarch64 -L $arm_root \
      -E "LD_LIBRARY_PATH=$(dirname "$blas"):$arm_root/lib" "$work/tree/tests/c/build/test_$test"
  done
}

#-------------------------------------------------------------------------------
# types and syntax
#-------------------------------------------------------------------------------

# sources NAME COMMAND...: of all C sources, of those with types for doubles, real and complex.
sources () {
  name=$1
  shift
  cat >"$work/one" <<END
if $* -Wall -Wextra -Werror -Wno-psabi -fopenmp-simd -Isrc -DGLA_BLAS_INT=int32_t "-DGLA_INTERFACE=\"\"" -DGLA_ISA=base -DGLA_ISA_base \
  -DGLA_T=\$2 -fsyntax-only "\$1" >"$work/one.\$\$" 2>&1; then
  echo "good \$1"
else
  echo "FAILED \$1 (\$2) for $name"
  head -n 20 "$work/one.\$\$"
fi
END
  find src -name obj -prune -o -name '*.c' -print | sort | while read -r file; do
    case $file in
      *_types.c | *_kernels.c) printf '%s d\n%s z\n' "$file" "$file" ;;
      *) echo "$file d" ;;
    esac
  done | tee "$work/sources" | xargs -P "$limit" -L 1 sh "$work/one" >"$work/checked"
  grep -v '^good ' "$work/checked"
  good=$(grep -c '^good ' "$work/checked")
  passed=$((passed + good))
  failed=$((failed + $(wc -l <"$work/sources") - good))
}

musl () {
  has musl-gcc musl-tools || return
  sources musl musl-gcc -std=gnu11 -D_GNU_SOURCE -O1
  check "musl: linking test_system" musl-gcc -std=gnu11 -D_GNU_SOURCE -O1 -Isrc -Itests/c \
    tests/c/threads/test_system.c src/common/system_*.c -o "$work/test_system"
  check "musl: test_system" "$work/test_system"
}

i686 () {
  has i686-linux-gnu-gcc "gcc-i686-linux-gnu libc6-dev-i386-cross" || return
  sources "32 bits" i686-linux-gnu-gcc -msse2 -std=gnu11 -D_GNU_SOURCE -O1
}

# other_system NAME TARGET: clang warns of an attribute that only GCC has.
other_system () {
  has clang clang && has musl-gcc musl-tools || return
  mkdir -p "$work/headers/mach" "$work/headers/sys"
  : >"$work/headers/mach/mach.h"
  : >"$work/headers/sys/sysctl.h"
  sources "$1" clang "--target=$2" -std=c11 -D_XOPEN_SOURCE=700 -Wno-unknown-attributes -nostdlibinc \
    -isystem "$work/headers" -isystem "$(dirname "$(find /usr/include/*-linux-musl* -name pthread.h)")" \
    -include tests/data/other_systems.h
}
macos () { other_system macOS arm64-apple-macos11; }
freebsd () { other_system FreeBSD x86_64-unknown-freebsd; }

[ $# -gt 0 ] || set -- arm musl i686 macos freebsd
for platform in "$@"; do
  case $platform in
    arm | musl | i686 | macos | freebsd) $platform ;;
    *) echo "platforms.sh: arm, musl, i686, macos or freebsd, not \"$platform\"" >&2 && exit 2 ;;
  esac
done
echo "platforms: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
