#!/usr/bin/env bats
# clibrary.bats: the C library as programs meet it: built without Octave, installed, linked, removed
# SPDX-License-Identifier: GPL-3.0-or-later

# One build serves all tests: a copy of the tree, and a path without Octave, for the base
# instruction set and without optimization, because nothing is measured here.
setup_file () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  export TOP="$(cd "$BATS_TEST_DIRNAME/.." && pwd)"
  export TREE="$BATS_FILE_TMPDIR/tree" PREFIX="$BATS_FILE_TMPDIR/prefix" TOOLS="$BATS_FILE_TMPDIR/tools"
  mkdir -p "$TREE" "$TOOLS"
  cd "$TOP"
  sh tests/files.sh --new | grep -v '^bench/results/' | tar -cf - -T - | tar -xf - -C "$TREE"
  for folder in $(echo "$PATH" | tr : ' '); do
    for tool in "$folder"/*; do
      case ${tool##*/} in
        *octave* | *mkoctfile* | nvcc) ;;
        *) [ -L "$TOOLS/${tool##*/}" ] || ln -s "$tool" "$TOOLS/" ;;
      esac
    done
  done
  export CCACHE_PATH="$PATH"
  # GCC warns at -O0 of loops that it does not unroll
  unset GPULINALG_WERROR
  # the flags of build.bats, so that ccache has the objects of the first of the two for the second
  export PATH="$TOOLS" GPULINALG_CUDA=no GPULINALG_ISAS=base CFLAGS=-O0
  cd "$TREE"
  make lib >"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log"; return 1; }
  make install-c PREFIX="$PREFIX"
  export PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig"
}
setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
}

# The names of the functions that the header declares, in order.
functions_of_header () {
  gcc -E -P -xc "$TREE/src/gpulinalg.h" | tr '\n' ' ' | tr ';' '\n' \
    | grep -oE '^[^({]*\bgla_[a-z_]+ \(' | grep -v typedef | grep -oE 'gla_[a-z_]+ \($' | tr -d ' (' | sort -u
}

@test "configure --library needs neither octave nor mkoctfile" {
  run command -v mkoctfile
  [ "$status" -ne 0 ]
  grep -qx 'WITH_OCTAVE = no' "$TREE/src/config.mk"
}

@test "configure says how to build the library alone where there is no mkoctfile" {
  mkdir -p "$BATS_TEST_TMPDIR/src"
  cp "$TREE/src/configure" "$TREE/src/gpulinalg.h" "$BATS_TEST_TMPDIR/src/" && cp "$TREE/DESCRIPTION" "$BATS_TEST_TMPDIR/"
  run "$BATS_TEST_TMPDIR/src/configure"
  [ "$status" -ne 0 ]
  [[ "$output" == *--library* ]]
  sed -i 's/^Version: .*/Version: 9.9.9/' "$BATS_TEST_TMPDIR/DESCRIPTION"
  run "$BATS_TEST_TMPDIR/src/configure" --library
  [ "$status" -ne 0 ]
  [[ "$output" == *9.9.9* ]]
}

@test "the shared library exports the functions of the header and no others" {
  functions_of_header >"$BATS_TEST_TMPDIR/declared"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -gt 30 ]
  nm -D --defined-only "$PREFIX/lib/libgpulinalg.so" | awk '{ print $NF }' | sort >"$BATS_TEST_TMPDIR/exported"
  diff "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/exported"
}

@test "doc/c-api.md describes each function of the header and no others" {
  functions_of_header >"$BATS_TEST_TMPDIR/declared"
  grep -oE '`gla_[a-z_]+ \(' "$TREE/doc/c-api.md" | tr -d '` (' | sort -u >"$BATS_TEST_TMPDIR/described"
  diff "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/described"
}

@test "a program is compiled with pkg-config, with the shared and with the static library" {
  cd "$BATS_TEST_TMPDIR"
  [ "$(pkg-config --modversion gpulinalg)" = "$(sed -n 's/^Version: *//p' "$TREE/DESCRIPTION")" ]
  gcc -Wall -Werror "$TREE/examples/eig_pages.c" $(pkg-config --cflags --libs gpulinalg) -o shared
  ldd_before=$(LD_LIBRARY_PATH="$PREFIX/lib" ldd shared)
  [[ "$ldd_before" == *libgpulinalg.so.* ]]
  [ "$(LD_LIBRARY_PATH="$PREFIX/lib" ./shared)" = "page 7: 6.0000000000 8.0000000000" ]
  gcc -Wall -Werror "$TREE/examples/eig_pages.c" \
    $(pkg-config --static --cflags --libs gpulinalg | sed 's/-lgpulinalg/-l:libgpulinalg.a/') -o static
  [[ "$(ldd static)" != *libgpulinalg* ]]
  [ "$(./static)" = "page 7: 6.0000000000 8.0000000000" ]
}

@test "a C++ program includes the header" {
  cd "$BATS_TEST_TMPDIR"
  cat >program.cc <<'END'
#include <gpulinalg.h>
int main ()
{
  gla_eig_options options = {};
  options.size = sizeof options;
  gla_context *ctx = nullptr;
  if (gla_context_create (&ctx) != GLA_OK)
    return 1;
  gla_context_destroy (ctx);
  return options.method != GLA_EIG_METHOD_AUTO;
}
END
  g++ -std=c++11 -Wall -Wextra -pedantic -Werror program.cc $(pkg-config --cflags --libs gpulinalg) -o program
  LD_LIBRARY_PATH="$PREFIX/lib" ./program
}

@test "DESTDIR comes before PREFIX, and uninstall-c removes what install-c wrote" {
  cd "$TREE"
  make install-c PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root"
  grep -qx 'prefix=/usr' "$BATS_TEST_TMPDIR/root/usr/lib/pkgconfig/gpulinalg.pc"
  files=6
  ! grep -qx "MPI = yes" src/config.mk || files=7 # the plugin
  [ "$(find "$BATS_TEST_TMPDIR/root" ! -type d | wc -l)" -eq $files ]
  make uninstall-c PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root"
  [ "$(find "$BATS_TEST_TMPDIR/root" ! -type d | wc -l)" -eq 0 ]
}
