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
