#!/bin/sh
# demo.sh: installs what is missing, builds, and draws a band structure; run by make demo
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One line and the time of each step; their output is in build/demo.log, and shown where a step fails.

set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
log=build/demo.log
: >"$log"

# step NAME COMMAND...
step () {
  name=$1 began=$(date +%s)
  shift
  printf '%s ...' "$name"
  if ! "$@" >>"$log" 2>&1; then
    printf ' failed\n'
    tail -n 20 "$log"
    echo "all of it is in $log"
    exit 1
  fi
  echo " $(($(date +%s) - began)) s"
}

echo "the output of each step goes to $log"
step "packages" sh tests/deps.sh demo
step "build, minutes" make --no-print-directory build
began=$(date +%s)
${OCTAVE:-octave-cli --no-history} --no-init-file --path src --path inst --path examples --eval graphene_bands || exit
echo "band structure: $(($(date +%s) - began)) s"
