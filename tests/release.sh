#!/bin/sh
# release.sh: sets the version of the tree; writes the checksum and the package index's entry of an archive
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: release.sh version X.Y.Z[-dev]   in DESCRIPTION and the header; of a release also its date, and the
#                                         version in CITATION, README.md and the guide
#        release.sh index ARCHIVE [URL]   writes ARCHIVE.sha256 and NAME.yaml, the entry of Octave's package index
#                                         (https://github.com/gnu-octave/packages), beside it. URL is the address
#                                         of the repository, which has the archive as a file of release vX.Y.Z.

set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
fail () {
  echo "release.sh: $*" >&2
  exit 1
}
field () { sed -n "s/^$1: *//p" "$here/DESCRIPTION"; }

# set_version X.Y.Z[-dev]
set_version () {
  number=${1%-dev}
  echo "$number" | grep -qxE '(0|[1-9][0-9]?)(\.(0|[1-9][0-9]?)){2}' || fail "\"$1\" is not X.Y.Z or X.Y.Z-dev"
  cd "$here"
  sed -i "s/^Version: .*/Version: $1/" DESCRIPTION
  rest=${number#*.}
  sed -i "s/^\(#define GLA_VERSION_MAJOR\) .*/\1 ${number%%.*}/; s/^\(#define GLA_VERSION_MINOR\) .*/\1 ${rest%.*}/
    s/^\(#define GLA_VERSION_PATCH\) .*/\1 ${rest#*.}/; s/^\(#define GLA_VERSION_SUFFIX\) \"[^\"]*\"/\1 \"${1#"$number"}\"/" \
    src/gpulinalg.h
  [ "$number" = "$1" ] || return 0 # the documents name the last release
  sed -i "s/^Date: .*/Date: $(date -u +%Y-%m-%d)/" DESCRIPTION
  sed -i "s/version [0-9][0-9.]*[0-9]/version $1/" CITATION
  sed -i "s/gpulinalg-[0-9][0-9.]*[0-9]\.tar\.gz/gpulinalg-$1.tar.gz/g" README.md doc/user-guide.md
}

# index_entry CHECKSUM ARCHIVE URL: the fields and their order are those that the tests of the index demand.
index_entry () {
  version=$(field Version)
  cat <<END
---
layout: "package"
permalink: "$(field Name)/"
description: >-
$(sed -n '/^Description: /,/^Categories: /{ s/^Description: //; /^Categories: /d; s/^ *//; p; }' "$here/DESCRIPTION" |
    tr '\n' ' ' | fold -s -w 76 | sed 's/^/  /; s/ *$//')
icon:
links:
- icon: "far fa-copyright"
  label: "GPL-3.0-or-later"
  url: "$3/blob/v$version/COPYING"
- icon: "fas fa-rss"
  label: "news"
  url: "$3/blob/v$version/NEWS"
- icon: "fas fa-code-branch"
  label: "repository"
  url: "$3"
- icon: "fas fa-book"
  label: "package documentation"
  url: "$3/blob/v$version/doc/user-guide.md"
- icon: "fas fa-bug"
  label: "report a problem"
  url: "$3/issues"
maintainers:
- name: "$(field Maintainer | sed 's/ *<.*//')"
  contact:$(field Maintainer | sed -n 's/.*<\(.*\)>.*/ "\1"/p')
versions:
- id: "$version"
  date: "$(field Date)"
  sha256: "$1"
  url: "$3/releases/download/v$version/$2"
  depends:
  - "$(field Depends)"
  - "pkg"
---
END
}

# index ARCHIVE [URL]
index () {
  [ -s "$1" ] || fail "there is no $1"
  archive=${1##*/}
  [ "$archive" = "$(field Name)-$(field Version).tar.gz" ] || fail "$archive is not of version $(field Version)"
  url=${2:-https://example.org/$(field Name)}
  [ -n "${2:-}" ] || echo "release.sh: URL is not given, so $(field Name).yaml has $url"
  cd "$(dirname "$1")"
  sha256sum "$archive" >"$archive.sha256"
  index_entry "$(cut -d ' ' -f 1 "$archive.sha256")" "$archive" "${url%/}" >"$(field Name).yaml"
  cat "$archive.sha256"
}

case ${1:-}-$# in
  version-2) set_version "$2" ;;
  index-[23]) index "$2" "${3:-}" ;;
  *) fail "version X.Y.Z[-dev], or index ARCHIVE [URL]" ;;
esac
