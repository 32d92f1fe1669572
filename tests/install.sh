#!/bin/sh
# install.sh: installs the package from its archive without nvcc in PATH, in an empty home folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: install.sh FOLDER [ARCHIVE]   absolute paths: HOME is FOLDER/home, packages go to FOLDER/packages, the
#                                      output of Octave to FOLDER/install.log. ARCHIVE {that of make dist}
# Variables that ask for CUDA or for instruction sets are not set, as a user has none: configure has to notice by itself
# that there is no CUDA. With GPULINALG_CUDA_ARCH it would use an nvcc outside of PATH.

set -eu
cd "$(dirname "$0")/.."
work=$1
mkdir -p "$work/home" "$work/packages" "$work/tools"
tarball=${2:-$(pwd)/$(sed -n 's/^Name: *//p' DESCRIPTION)-$(sed -n 's/^Version: *//p' DESCRIPTION).tar.gz}
[ -n "${2:-}" ] || make -s dist >/dev/null
for tool in sh cat sed grep awk uname mktemp rm cp mv mkdir touch tr cut head tail sort expr basename dirname ls \
  env printf test true make gcc g++ cc ar ranlib as ld tar gzip gunzip octave-cli mkoctfile octave-config nproc chmod find; do
  path=$(command -v $tool) && [ -x "$path" ] && ln -sf "$path" "$work/tools/$tool"
done
unset GPULINALG_CUDA GPULINALG_CUDA_ARCH GPULINALG_ISAS
cd "$work"
PATH=$work/tools CUDA_HOME=/nowhere HOME=$work/home octave-cli --no-init-file --no-history --eval "
  pkg ('prefix', '$work/packages', '$work/packages');
  pkg ('local_list', '$work/packages/list');
  pkg ('install', '-local', '$tarball');" >"$work/install.log" 2>&1 || status=$?
cat "$work/install.log"
exit "${status:-0}"
