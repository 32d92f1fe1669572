#!/bin/sh
# windows.sh: the C sources for Windows by MinGW-w64, and the border to the system under Wine; run by make check-windows
# SPDX-License-Identifier: GPL-3.0-or-later
#
# All C sources of the library are checked for types and syntax, and not linked, because that needs a BLAS for Windows. Those
# behind src/common/system.h need none: they are linked with their test, which runs.

set -u
cd "$(dirname "$0")/.." || exit 1
cc=x86_64-w64-mingw32-gcc-posix
command -v "$cc" >/dev/null 2>&1 || {
  echo "skipped: there is no $cc (Debian: gcc-mingw-w64-x86-64-posix)"
  echo "windows: 0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
flags="-std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Wno-psabi -fopenmp-simd -Isrc -Itests/c -DGLA_BLAS_INT=int32_t"

# check NAME COMMAND...: one line for what fails.
check () {
  name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not for Windows: $name"
    head -n 20 "$work/log"
  fi
}

for file in $(find src -name '*.c' ! -path 'src/obj/*' | sort); do
  case $file in
    *_types.c | *_kernels.c) types="d z" ;;
    *) types=none ;;
  esac
  for type in $types; do
    typed=
    [ "$type" = none ] || typed="-DGLA_T=$type -DGLA_ISA=base"
    # shellcheck disable=SC2086 # lists of flags
    check "$file ($type)" "$cc" $flags -fsyntax-only -DGLA_ISA_base $typed "$file"
  done
done

# shellcheck disable=SC2086
check "linking test_system" "$cc" $flags tests/c/threads/test_system.c src/common/system_clock.c src/common/system_plain.c \
  src/common/system_windows.c -static -lpthread -o "$work/test_system.exe"
wine=$(command -v wine64 || command -v wine) || wine=
if [ "$wine" ]; then
  export WINEPREFIX="$work/wine" WINEDEBUG=-all
  check "test_system under Wine" "$wine" "$work/test_system.exe"
else
  skipped=$((skipped + 1))
  echo "skipped: there is no wine to run test_system (Debian: wine64)"
fi
echo "windows: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
