#!/usr/bin/env bats
# release.bats: versions, the checksum and the index entry of a release, commit messages
# SPDX-License-Identifier: GPL-3.0-or-later

setup () {
  . "$BATS_TEST_DIRNAME/bats_folders.sh"
  TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  TREE=$BATS_TEST_TMPDIR/tree
  mkdir -p "$TREE"
  cd "$TOP"
  cp --parents Makefile DESCRIPTION CITATION COPYING README.md doc/user-guide.md src/configure src/Makefile src/*.h \
    src/*.map tests/*.sh "$TREE"
  cd "$TREE"
}

# versions: the version and its numbers as the tree has them.
versions () {
  sed -n 's/^Version: *//p' DESCRIPTION
  sed -n 's/^#define GLA_VERSION_[A-Z]* \([0-9"].*\)/\1/p' src/gpulinalg.h | sed 's,  *//.*,,' | tr '\n' ' '
}

@test "make version sets the version of a release everywhere, and of the time before one where it is built" {
  make -s version VERSION=3.14.1
  [ "$(versions | tr '\n' ' ')" = '3.14.1 3 14 1 "" ' ]
  grep -qx "Date: $(date -u +%Y-%m-%d)" DESCRIPTION
  [ "$(grep -c 'version 3\.14\.1' CITATION)" -eq 2 ]
  [ "$(grep -ohE 'gpulinalg-[0-9.]*\.tar\.gz' README.md doc/user-guide.md | sort -u)" = gpulinalg-3.14.1.tar.gz ]
  before=$(cat CITATION doc/user-guide.md README.md)
  make -s version VERSION=3.15.0-dev
  [ "$(versions | tr '\n' ' ')" = '3.15.0-dev 3 15 0 "-dev" ' ]
  [ "$(cat CITATION doc/user-guide.md README.md)" = "$before" ]
  (cd src && ./configure --library >configured)
  grep -q '^gpulinalg 3\.15\.0-dev is configured' src/configured
  make -s version VERSION=3.15.0
  [ "$(versions | tr '\n' ' ')" = '3.15.0 3 15 0 "" ' ]
}

@test "what is no version is refused, and so is a header with another version than DESCRIPTION" {
  before=$(cat DESCRIPTION src/gpulinalg.h)
  for version in '' 1 1.2 1.2.3.4 1.2.3-rc1 01.2.3 1.2.100 '1.2.3 ' v1.2.3; do
    run make -s version VERSION="$version"
    [ "$status" -ne 0 ]
    [[ "$output" == *"\"$version\" is not X.Y.Z or X.Y.Z-dev"* ]]
  done
  [ "$(cat DESCRIPTION src/gpulinalg.h)" = "$before" ]
  make -s version VERSION=3.0.0
  sed -i 's/^Version: .*/Version: 3.0.0-dev/' DESCRIPTION
  cd src
  run ./configure --library
  [ "$status" -ne 0 ]
  [[ "$output" == *"gpulinalg.h has version 3.0.0, but ../DESCRIPTION has 3.0.0-dev"* ]]
}

@test "make release refuses a version between releases" {
  make -s version VERSION=0.3.0-dev
  run make -s release
  [ "$status" -ne 0 ]
  [[ "$output" == *"0.3.0-dev is no release"* ]]
}

@test "Octave's pkg takes 0.3.0-dev for newer than 0.2.0" {
  mkdir -p small/inst packages
  cd small
  sed 's/^Version: .*/Version: 0.3.0-dev/' "$TOP/DESCRIPTION" >DESCRIPTION
  cp "$TOP/COPYING" .
  echo 'function small_function (), end' >inst/small_function.m
  printf 'Linear Algebra\n small_function\n' >INDEX
  cd ..
  tar --create --gzip --file small.tar.gz small
  run env HOME="$TREE" octave-cli --no-init-file --no-history --eval "
    pkg ('prefix', '$TREE/packages', '$TREE/packages');
    pkg ('local_list', '$TREE/packages/list');
    pkg ('install', '-local', 'small.tar.gz');
    found = pkg ('list', 'gpulinalg'){1};
    printf ('%s %d\n', found.version, compare_versions (found.version, '0.2.0', '>'))"
  [ "$status" -eq 0 ]
  [[ "$output" == *"0.3.0-dev 1" ]]
}

@test "the index entry has the fields that the index demands, and the checksum of the archive" {
  make -s version VERSION=0.9.1
  echo archive >gpulinalg-0.9.1.tar.gz
  sum=$(sha256sum <gpulinalg-0.9.1.tar.gz | cut -d ' ' -f 1)
  sh tests/release.sh index gpulinalg-0.9.1.tar.gz https://forge.example/g/
  sha256sum --check gpulinalg-0.9.1.tar.gz.sha256
  [ "$(sed -n '1p;$p' gpulinalg.yaml | tr '\n' ' ')" = "--- --- " ]
  [ "$(sed -n 's/^\([a-z]*\):.*/\1/p' gpulinalg.yaml | tr '\n' ' ')" = "layout permalink description icon links maintainers versions " ]
  [ "$(sed -n '/^versions:/,$s/^[- ] \([a-z0-9]*\):.*/\1/p' gpulinalg.yaml | tr '\n' ' ')" = "id date sha256 url depends " ]
  grep -qx -e "- id: \"0.9.1\"" gpulinalg.yaml
  grep -qx "  sha256: \"$sum\"" gpulinalg.yaml
  grep -qx '  url: "https://forge.example/g/releases/download/v0.9.1/gpulinalg-0.9.1.tar.gz"' gpulinalg.yaml
  grep -qx -e '  - "octave (>= 6.1.0)"' gpulinalg.yaml
  [ "$(grep -v 'url: ' gpulinalg.yaml | awk 'length > 80 || / $/ || /\t/' | wc -l)" -eq 0 ]
  if python3 -c 'import yaml' 2>/dev/null; then
    python3 -c 'import yaml; e = next (yaml.safe_load_all (open ("gpulinalg.yaml"))); assert e["description"].startswith ("Matrix") and e["versions"][0]["depends"][1] == "pkg"'
  fi
  run sh tests/release.sh index gpulinalg-0.9.1.tar.gz
  [[ "$output" == *"URL is not given"* ]]
  echo old >gpulinalg-0.9.0.tar.gz
  for archive in gpulinalg-0.9.0.tar.gz gpulinalg-0.9.2.tar.gz; do
    run sh tests/release.sh index "$archive"
    [ "$status" -ne 0 ]
  done
}

# message WORDS...: what the hook says about a message of these lines.
message () {
  printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/message"
  run sh "$TOP/.githooks/commit-msg" "$BATS_TEST_TMPDIR/message"
}

@test "the hook for commit messages takes good ones, and says what is wrong with others" {
  [ -d "$TOP/.githooks" ] || skip "an archive has no hooks"
  long=$(printf 'Add %069d' 0)
  for good in "Mend sums" "Speed up sums" "${long%0}" "Größe × 2: mend ${long#Add 0000000000000000}"; do
    message "$good" "" "They were wrong."
    [ "$status" -eq 0 ] || { echo "$good: $output"; false; }
  done
  for alone in "Record of the GPU tests" "Merge branch 'x'" "Set version 0.2.0" "fixup! Mend sums"; do
    message "$alone"
    [ "$status" -eq 0 ] || { echo "$alone: $output"; false; }
  done
  bad () { # bad TEXT LINE...
    text=$1
    shift
    message "$@"
    [ "$status" -ne 0 ] && [[ "$output" == *"$text"* ]] || { echo "$*: $output"; false; }
  }
  bad "73 characters" "$long" "" "They were wrong."
  bad "ends with a full stop" "Mend sums." "" "They were wrong."
  bad "second line is not empty" "Mend sums" "They were wrong."
  bad "there is no body" "Mend sums"
  bad "there is no body" "Mend sums" "" "# a comment" "Signed-off-by: A <a@b.c>"
  bad "not with a verb in the imperative" "Mended sums" "" "They were wrong."
  bad "not with a verb in the imperative" "The sums" "" "They were wrong."
  bad "first line is empty" "" "" "They were wrong."
}

@test "git calls the hook where core.hooksPath is set as CONTRIBUTING.md says" {
  [ -d "$TOP/.githooks" ] || skip "an archive has no hooks"
  git init -q repository
  cd repository
  cp -r "$TOP/.githooks" .
  git config user.name a
  git config user.email a@b.c
  command=$(grep -oE 'git config core\.hooksPath [.a-z]+' "$TOP/CONTRIBUTING.md")
  $command
  git add .
  run git commit -q -m "Sums."
  [ "$status" -ne 0 ]
  git commit -q -m "Mend sums" -m "They were wrong."
  [ "$(git log --format=%s)" = "Mend sums" ]
}
