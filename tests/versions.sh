#!/bin/sh
# versions.sh: installs the archive in Debian releases and tests it there; writes tests/versions-record.txt
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: versions.sh [SYSTEM]...     {bullseye bookworm trixie sid: Octave 6, 7, 9 and 11}, as root; make
#                                    check-versions. tests/versions_job.sh says what runs there
#        versions.sh --whole [SYSTEM]...  make check and make check-all in each, without CUDA; writes no record
#        versions.sh --check [--strict]  checks that the record exists and has no failures; strict: and
#                                    that it is for this code
#
# debootstrap makes each system from the mirror that apt uses here, about 1 GB. The systems are kept in
# GPULINALG_VERSIONS {gpulinalg/versions in XDG_CACHE_HOME or ~/.cache}. Nothing remains mounted: only the
# processes in a system see its /proc.

set -eu
cd "$(dirname "$0")/.."
record=tests/versions-record.txt
cache=${GPULINALG_VERSIONS:-${XDG_CACHE_HOME:-$HOME/.cache}/gpulinalg/versions}
packages="make gcc g++ ccache octave libopenblas0-pthread octave-doctest octave-parallel bats git pkg-config \
  gnuplot-nox fontconfig fonts-freefont-otf procps"

fail () {
  echo "versions.sh: $*" >&2
  exit 1
}

# Of the sources of a package without CUDA.
digest () { sh tests/files.sh --new src oct inst | LC_ALL=C xargs sha256sum | sha256sum | cut -c 1-16; }

if [ "${1:-}" = --check ]; then
  [ -s "$record" ] || fail "there is no $record: run make check-versions as root"
  ! grep -q -E ' [1-9][0-9]* failed' "$record" || fail "$record has failures"
  grep -q ' 0 failed' "$record" || fail "$record has no results"
  [ "$(grep -c "code $(digest)," "$record")" -ge 4 ] && exit 0
  [ "${2:-}" != --strict ] || fail "$record is for other code: run make check-versions as root"
  echo "$record is for other code; make check-versions as root writes a new one"
  exit 0
fi

whole=
if [ "${1:-}" = --whole ]; then
  whole=yes
  shift
fi
for system in "$@"; do
  case $system in
    *[!a-z0-9]*) fail "\"$system\" is not the name of a Debian release" ;;
  esac
done
[ "$(id -u)" -eq 0 ] || fail "this needs root (debootstrap, chroot)"
for tool in debootstrap unshare apt-get; do
  command -v $tool >/dev/null 2>&1 || fail "$tool is needed (Debian and Ubuntu: debootstrap, util-linux)"
done
mirror=$(apt-get indextargets --format '$(SITE) $(LABEL)' 'Created-By: Packages' \
  | sed -n 's/ Debian$//p' | head -n 1)
[ -n "$mirror" ] || fail "apt uses no mirror of Debian here"

# in_system ROOT COMMAND: runs the command in that system, with a /proc that only its processes see.
in_system () {
  unshare --mount --pid --fork --kill-child sh -c \
    'mount --make-rprivate / && mount -t proc proc "$0/proc" &&
       { mount --rbind /dev/pts "$0/dev/pts"; mount -t tmpfs tmpfs "$0/dev/shm"; } 2>/dev/null; exec chroot "$0" env -i HOME=/root \
       CCACHE_DIR=/root/.ccache PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_PATH=/usr/bin CCACHE_NOHASHDIR=1 \
       LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "$1"' "$1" "$2"
}

# make_system ROOT RELEASE: the file "installed" marks a complete system and has the names of its packages. Check-Valid-Until is off because a
# mirror of sid may be older than its Release file allows.
make_system () {
  [ "$(cat "$1/installed" 2>/dev/null)" != "$packages" ] || return 0
  rm -rf "$1"
  debootstrap --variant=minbase "$2" "$1" "$mirror" >"$1.log" 2>&1 || {
    tail -n 5 "$1.log"
    return 1
  }
  echo 'Acquire::Check-Valid-Until "false";' >"$1/etc/apt/apt.conf.d/99old-mirror"
  in_system "$1" "set -e; apt-get -q update
    headers=octave-dev; [ -n \"\$(apt-cache show octave-dev 2>/dev/null)\" ] || headers=liboctave-dev
    apt-get -q -y --no-install-recommends install $packages \$headers" >"$1.log" 2>&1 || {
    tail -n 5 "$1.log"
    return 1
  }
  echo "$packages" >"$1/installed"
}

# test_system ROOT: runs tests/versions_job.sh there with the archive, and with a copy of the tree as its repository.
test_system () {
  rm -rf "$1/tmp/gpulinalg" "$1/tmp/work"
  mkdir -p "$1/tmp/gpulinalg" "$1/tmp/work"
  cp "$tarball" "$1/tmp/work/"
  sh tests/files.sh --new | tar --create --files-from=- | tar --extract --directory="$1/tmp/gpulinalg"
  in_system "$1" "sh /tmp/gpulinalg/tests/versions_job.sh /tmp/work '/tmp/work/${tarball##*/}'" >"$1.log" 2>&1 || true
  rm -rf "$1/tmp/gpulinalg" "$1/tmp/work"
}

# whole_system ROOT: the whole check as a developer runs it. The two lines of counts are added.
whole_system () {
  rm -rf "$1/root/gpulinalg"
  mkdir -p "$1/root/gpulinalg"
  sh tests/files.sh --new | tar --create --files-from=- | tar --extract --directory="$1/root/gpulinalg"
  in_system "$1" "cd /root/gpulinalg && export GPULINALG_CUDA=no && make check && make check-all" >"$1.log" 2>&1 \
    && ended=0 || ended=1
  sed -n 's/^\([0-9]* passed, [0-9]* failed, [0-9]* skipped\)$/\1/p' "$1.log" | tr -dc '0-9 \n' \
    | awk -v ended=$ended '{ p += $1; f += $2; s += $3 }
        END { print "versions_job: " p + 0 " passed, " (f > 0 ? f : ended) " failed, " s + 0 " skipped" }' >>"$1.log"
  rm -rf "$1/root/gpulinalg"
}

mkdir -p "$cache"
make -s dist >/dev/null
tarball=$(sed -n 's/^Name: *//p' DESCRIPTION)-$(sed -n 's/^Version: *//p' DESCRIPTION).tar.gz
new=$(mktemp)
trap 'rm -f "$new"' EXIT
passed=0 failed=0 skipped=0
[ $# -gt 0 ] || set -- bullseye bookworm trixie sid
for system in "$@"; do
  root=$cache/$system
  began=$(date +%s)
  if make_system "$root" "$system"; then
    if [ "$whole" ]; then whole_system "$root"; else test_system "$root"; fi
    what=$(in_system "$root" 'octave-cli --version | sed -n "1s/.*version /Octave /p"; gcc --version | head -n 1; uname -m' \
      | paste -s -d ',' - | sed 's/,/, /g')
    counts=$(sed -n 's/^versions_job: \(.* skipped\)$/\1/p' "$root.log" | tail -n 1)
  else
    what="not made" counts=
  fi
  if [ -z "$counts" ]; then
    counts="0 passed, 1 failed, 0 skipped"
    tail -n 20 "$root.log"
  fi
  line="$system: $(date -u +%Y-%m-%d), code $(digest), $what: $counts"
  echo "$line ($(($(date +%s) - began)) s)"
  if [ -z "$whole" ]; then
    { grep -v "^$system:" "$record" 2>/dev/null || true; echo "$line"; } | sort >"$new"
    cp "$new" "$record"
  fi
  # shellcheck disable=SC2046,SC2086 # three numbers
  set_counts () { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3)); }
  set_counts $(echo "$counts" | tr -dc '0-9 ')
  [ "$failed" -eq 0 ] || grep -a -E -B2 -A12 '!!!!!|rror|^not ok|^FAILED' "$root.log" | head -n 60
done
echo "versions: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
