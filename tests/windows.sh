#!/bin/sh
# windows.sh: builds the package for Windows by MinGW-w64 and runs the C tests under Wine; run by make check-windows
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: windows.sh [all | speed]    all: also the C tests that take minutes under Wine; speed: instead of tests the times of
#                                    bench/windows/time_pages.c here and under Wine, after make build, to bench/results
#
# The C library and its tests are linked with OpenBLAS for Windows, a DLL in a wheel of PyPI, which is kept in build/windows;
# without it they are linked and not run. There is no Octave for Windows here, so gpulinalg.oct is linked with imports of the
# names that Octave's libraries have, and of BLAS and LAPACK: any other name that is missing fails.

set -u
cd "$(dirname "$0")/.." || exit 1
host=x86_64-w64-mingw32
command -v $host-g++-posix >/dev/null 2>&1 || {
  echo "skipped: there is no $host-g++-posix (Debian: g++-mingw-w64-x86-64-posix)"
  echo "windows: 0 passed, 0 failed, 1 skipped"
  exit 0
}
work=$(mktemp -d)
. tests/jobs.sh
# Wine ends its server a few seconds after the last program.
trap 'end_jobs; rm -rf "$work" 2>/dev/null || { sleep 5; rm -rf "$work"; }' EXIT
trap 'exit 1' HUP INT TERM
top=$PWD tree=$work/tree
export GPULINALG_CUDA=no
unset GPULINALG_ISAS CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
make="make --no-print-directory -j$limit"
if command -v ccache >/dev/null 2>&1; then
  mkdir "$work/compilers"
  for compiler in gcc g++; do ln -s "$(command -v ccache)" "$work/compilers/$host-$compiler-posix"; done
  export CCACHE_DIR="${CCACHE_DIR:-$PWD/build/ccache}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PATH="${CCACHE_PATH:-$PATH}"
  PATH=$work/compilers:$PATH
fi

#-------------------------------------------------------------------------------
# what is built with
#-------------------------------------------------------------------------------

# blas_dll: OpenBLAS for Windows; its names begin with scipy_.
blas_dll () {
  [ -e build/windows/libscipy_openblas.dll ] && return
  mkdir -p build/windows
  python3 -m pip download -q --platform win_amd64 --only-binary=:all: --no-deps -d "$work" scipy-openblas32==0.3.34.481.3 \
    && python3 -m zipfile -e "$work"/scipy_openblas32*.whl "$work" \
    && cp "$work/scipy_openblas32/lib/libscipy_openblas.dll" build/windows/
} >/dev/null 2>&1

# blas_imports: an import library of the names in blas.h and in tests.
blas_imports () {
  {
    echo "LIBRARY libscipy_openblas.dll"
    echo EXPORTS
    grep -hv '^//' src/common/blas.h tests/c/*/*.c | grep -oE '\b[sdcz]+[a-z0-9]+_\b' | sort -u | sed 's/.*/& == scipy_&/'
  } >"$work/blas.def"
  $host-dlltool -d "$work/blas.def" -l "$work/blas.a"
}

# What Octave's packaging for Windows has as mkoctfile, with the headers of this machine's Octave.
stand_in () {
  headers=$(mkoctfile -p INCFLAGS 2>/dev/null) || return
  cat >"$work/mkoctfile" <<END
#!/bin/sh
case "\$1 \${2:-}" in
  "-p CC") echo $host-gcc-posix ;;
  "-p CXX") echo $host-g++-posix ;;
  "-p INCFLAGS" | "-p ALL_CXXFLAGS") echo "$headers" ;;
  "-p OCTAVE_VERSION") echo $(mkoctfile -p OCTAVE_VERSION) ;;
  "-p LAPACK_LIBS") echo "$work/blas.a" ;;
  "-p "*) ;;
  *) eval "\$CXX"' -shared "\$@" "$work/octave.a"' ;;
esac
END
  chmod +x "$work/mkoctfile"
}

# The system and all instruction sets are found without running a program.
configured () {
  cd "$tree/src" || return
  if [ -x "$work/mkoctfile" ]; then
    MKOCTFILE=$work/mkoctfile ./configure --host=$host
  else
    LAPACK_LIBS=$work/blas.a ./configure --host=$host --library
  fi || return
  for line in "SYSTEM = windows" "MOVE_FLAGS = -Wa,-muse-unaligned-vector-move" "ISAS = base avx2 avx512" "MPI = no" "CUDA = no"; do
    grep -qxF "$line" config.mk || { echo "config.mk has not: $line" && return 1; }
  done
}

#-------------------------------------------------------------------------------
# what is built
#-------------------------------------------------------------------------------

# kernels [-v]: the kernels that the tests call, those of the widest instruction set of this processor and the ones of
# test_isa; with -v the others.
kernels () {
  widest=base
  ! grep -q ' avx2 ' /proc/cpuinfo || widest=avx2
  ! grep -q ' avx512dq .* avx512vl ' /proc/cpuinfo || widest=avx512
  # shellcheck disable=SC2086 # nothing, or an option
  for source in cpu/*/*_kernels.c; do
    for type in s d c z; do
      for isa in base avx2 avx512; do echo "obj/${source%.c}_${type}_$isa.o"; done
    done
  done | grep ${1:-} -e "_$widest\.o" -e eig/eig_kernels_d_
}

# Kernels that no test calls have -O0, which takes a tenth of the time; GCC 12 for Windows crashes with it on those of spmv.
library () {
  cd "$tree/src" || return
  # shellcheck disable=SC2046 # lists
  $make WERROR=0 CFLAGS=-O1 $(kernels -v | grep spmv) && $make WERROR=0 CFLAGS=-O0 $(kernels -v) && $make libgpulinalg.a
}

# moves FILE...: instructions that load or store 32 or 64 bytes at an address that must be aligned to that.
moves () {
  for file in "$@"; do $host-objdump -d --no-show-raw-insn "$file"; done | grep -E 'vmov(ap[sd]|dqa(32|64)?) .*%[yz]mm' | grep -c '('
}

# The stack of Windows is aligned to 16 bytes. Debian's GCC has a patch for that, which leaves moves with a mask; others need
# the flag of configure for all. So it is also tried with two such moves.
unaligned () {
  cd "$tree/src" || return
  flag=$(sed -n 's/^MOVE_FLAGS = //p' config.mk)
  echo '__asm__ ("vmovaps %ymm0, (%rsp); vmovdqa64 64(%rsp), %zmm1");' >"$work/moves.c"
  $host-gcc-posix -c "$work/moves.c" -o "$work/without.o" || return
  $host-gcc-posix "$flag" -c "$work/moves.c" -o "$work/with.o" || return
  # shellcheck disable=SC2046 # a list
  set -- $(moves "$work/without.o") $(moves "$work/with.o") $(moves $(find obj/cpu -name '*_avx2.o' -o -name '*_avx512.o'))
  echo "two aligned moves: $1, with the flag $2; in all kernels $3"
  [ "$*" = "2 0 0" ]
}

# Names of C++ as in a source; a long of Linux has 64 bits, on Windows a long long.
readable () { c++filt | sed 's/long long/long/g'; }

# The names that oct/ lacks and Octave's libraries have, with an import library for them.
octave_imports () {
  libraries=$(mkoctfile -p OCTLIBDIR)
  nm -D --defined-only "$libraries/liboctave.so" "$libraries/liboctinterp.so" | awk 'NF == 3 { print $3 }' | readable >"$work/octave"
  $host-nm -u obj/oct/*.o | awk 'NF == 2 { sub ("^__imp_", "", $2); print $2 }' | sort -u \
    | grep -vE '^_ZN?K?S' >"$work/undefined" # not those of the C++ library, of which Octave's have some
  readable <"$work/undefined" | paste - "$work/undefined" \
    | awk -F '\t' 'NR == FNR { has[$1]; next } $1 in has { print $2 }' "$work/octave" - >"$work/imports"
  echo "$(wc -l <"$work/imports") names of Octave"
  { printf 'LIBRARY liboctave.dll\nEXPORTS\n' && cat "$work/imports"; } >"$work/octave.def"
  $host-dlltool -d "$work/octave.def" -l "$work/octave.a"
}

# gpulinalg.oct, PKG_ADD and PKG_DEL, and no other file that pkg would install.
functions () {
  cd "$tree/src" || return
  # shellcheck disable=SC2046 # a list
  $make OCT_LIGHT=-O0 $(make -n gpulinalg.oct | grep -oE 'obj/oct/[A-Za-z_0-9]*\.o' | sort -u) && octave_imports \
    && $make OCT_LIGHT=-O0 all || return
  found=$(find . -maxdepth 1 \( -type l -o -name '*.oct' -o -name '*.so*' -o -name '*.dll*' \) | sort | tr '\n' ' ')
  echo "$found"
  [ "$found" = "./gpulinalg.oct " ] && grep -q gpulinalg PKG_DEL && grep -q 'autoload ("batcheig"' PKG_ADD \
    && $host-objdump -p gpulinalg.oct | grep -q 'Gbatcheig$'
}

# The plugin for GPUs, which nvcc can build with MSVC alone: its C sources, and the headers of src/ in its C++. Anonymous
# structs are an extension that MSVC has, too.
rules_of_msvc () {
  (cd kernels && grep -hoE '#include "[^"]*"' ./*/*) | sort -u | while read -r line; do
    header=${line#*\"}
    [ ! -e "src/${header%\"}" ] || echo "$line"
  done >"$work/headers.cc"
  [ "$(wc -l <"$work/headers.cc")" -ge 20 ] || return
  set -- --target=$host -fms-compatibility -fms-extensions -fgnuc-version=4.2.1 -Isrc -Ikernels '-DGLA_INTERFACE=""' \
    -Wall -Wextra -Wgnu -pedantic -Werror -Wno-gnu-anonymous-struct -Wno-nested-anon-types -fsyntax-only
  for file in kernels/*/*.c src/backends.c src/common/orderings.c; do clang "$@" -std=c11 "$file" || return; done
  clang "$@" -x c++ -std=c++17 "$work/headers.cc"
}

#-------------------------------------------------------------------------------
# what runs
#-------------------------------------------------------------------------------

# Tests that fork, ask for affinity or the system's pages, or map more memory than there is; and those that take minutes.
posix="auto far_columns fork fork_blas limits memory parallel"
long="eigs_rows lanes rows rows_gpus rows_shared sparse_rows sparse_rows_gpus svd"
[ "${1:-}" != all ] || long=
# shellcheck disable=SC2086 # lists
names=$(for source in tests/c/*/test_*.c; do basename "$source" .c | cut -c 6-; done | sort | grep -vxF "$(printf '%s\n' $posix $long)")

programs () {
  # shellcheck disable=SC2046,SC2086 # a list
  $make -C "$tree/tests/c" "LAPACK_LIBS=$work/blas.a -static" $(printf 'build/test_%s ' $names)
}

# Lines of Windows end with \r\n. A program that begins while Wine's server ends cannot run, and is begun again.
under_wine () {
  for turn in 1 2 3; do
    "$wine" "$1" >"$1.log" 2>&1
    status=$?
    grep -q '^wine client error' "$1.log" || break
  done
  tr -d '\r' <"$1.log"
  return $status
}

# fastest SIDE: adds the lines of a run to those before, each with the smaller number.
fastest () {
  tr -d '\r' | cat - "$work/$1" 2>/dev/null | awk -F '\t' -v OFS='\t' '
    { key = $1 OFS $2 OFS $3 }
    !(key in least) { order[++lines] = key; least[key] = $4 }
    $4 + 0 < least[key] + 0 { least[key] = $4 }
    END { for (k = 1; k <= lines; k++) print order[k], least[order[k]] }' >"$work/both"
  mv "$work/both" "$work/$1"
}

# One thread, five turns; seconds here and under Wine, and their ratio.
speed () {
  [ -e src/libgpulinalg.a ] || { echo "no src/libgpulinalg.a: run make build" && return 1; }
  wanted="-O2 -std=gnu11 bench/windows/time_pages.c"
  # shellcheck disable=SC2046,SC2086 # lists
  cc $wanted -Isrc src/libgpulinalg.a $(mkoctfile -p LAPACK_LIBS) $(mkoctfile -p BLAS_LIBS) -lpthread -ldl -lm -o "$work/time_pages" \
    && $host-gcc-posix $wanted -I"$tree/src" "$tree/src/libgpulinalg.a" "$work/blas.a" \
      $(sed -n 's/^SYSTEM_LIBS = //p' "$tree/src/config.mk") -static -o "$tree/tests/c/build/time_pages.exe" || return
  for turn in 1 2 3 4 5; do
    OMP_NUM_THREADS=1 "$work/time_pages" | fastest here
    OMP_NUM_THREADS=1 "$wine" "$tree/tests/c/build/time_pages.exe" | fastest wine
  done
  echo "# gpulinalg $(sed -n 's/^Version: *//p' DESCRIPTION); $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1); $(date +%Y-%m-%d); one thread"
  echo "# $($host-gcc-posix --version | head -n 1), $("$wine" --version), and $(cc --version | head -n 1)"
  echo "# the least of five processes in turns, and in each of half a second of calls"
  printf 'function\ttype\torder\tLinux\tWine\tratio\n'
  paste "$work/here" "$work/wine" | awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $4, $8, sprintf ("%.2f", $8 / $4) }'
}

mkdir "$tree"
sh tests/files.sh --new DESCRIPTION src oct kernels mpi tests/c PKG_ADD PKG_DEL inst | tar --create --files-from=- | tar --extract --directory="$tree"
stand_in
step "configure" eval "blas_imports && configured"
await_all
step "C library" library
await "C library" || { echo "windows: $passed passed, $failed failed, $skipped skipped" && exit 1; }
if [ "${1:-}" = speed ]; then
  wine=$(command -v wine64 || command -v wine) && blas_dll || exit 1
  mkdir -p "$tree/tests/c/build"
  cp build/windows/libscipy_openblas.dll "$tree/tests/c/build/"
  export WINEPREFIX="$work/wine_prefix" WINEDEBUG=-all
  speed >bench/results/wine-1core.tsv.new && mv bench/results/wine-1core.tsv.new bench/results/wine-1core.tsv
  exit
fi
step "no aligned moves of AVX registers" unaligned
step "C tests, linked" programs
await_all
if [ -x "$work/mkoctfile" ]; then
  step "gpulinalg.oct" functions
  await_all
else
  skip "there is no mkoctfile, so gpulinalg.oct is not linked (Debian: octave-dev)"
fi

if command -v clang >/dev/null 2>&1; then
  step "the plugin for GPUs by the rules of MSVC" rules_of_msvc
  await_all
else
  skip "there is no clang to look at the plugin with the rules of MSVC (Debian: clang)"
fi

wine=$(command -v wine64 || command -v wine) || wine=
if [ -z "$wine" ]; then
  skip "there is no wine to run the C tests (Debian: wine wine64)"
elif ! blas_dll; then
  names=system
  skip "there is no BLAS for Windows here, so of the C tests only test_system runs (PyPI: scipy-openblas32)"
fi
if [ "$wine" ]; then
  [ ! -e build/windows/libscipy_openblas.dll ] || ln -s "$top/build/windows/libscipy_openblas.dll" "$tree/tests/c/build/"
  export WINEPREFIX="$work/wine" WINEDEBUG=-all OMP_NUM_THREADS=2
  mkdir "$work/a folder"
  cp "$tree/tests/c/build/test_system.exe" "$work/a folder/"
  "$wine" "$work/a folder/test_system.exe" >/dev/null 2>&1 # Wine makes its own folders
  suite "test_system in a folder with a blank" under_wine "$work/a folder/test_system.exe"
  for name in $names; do suite "test_$name under Wine" under_wine "$tree/tests/c/build/test_$name.exe"; done
  await_all
fi
table
echo "windows: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
