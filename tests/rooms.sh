#!/bin/sh
# rooms.sh: looks for an #include that crosses a border between folders; run from the top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A topic has the same name in src/<topic>, src/cpu/<topic> and kernels/<topic>; a backend has those that it needs.
# A file of kernels/<topic> or src/cpu/<topic> may include its own folder, common/ and, in kernels/,
# engine/. Of src/ it may include backend.h, gpulinalg.h, src/common/ and src/<topic>/, which has what both
# backends of a topic share. Files of a folder common/ include no topic, nor do those of kernels/engine/, but for
# rank_link.h, which declares what ranks/rank_link.h describes; those of src/cpu itself list all topics. oct/ may include
# itself and gpulinalg.h, and gla_octave.h also common/host_memory.h: how Octave's arrays get their memory is no matter
# of the C interface. Other files of src/ include nothing of cpu/, but for src/fun, which calls the kernels of cpu/fun/
# directly. mpi/ includes ranks/transport.h of src/ alone.
# Prints each include that is not allowed and fails if there is one.

bad=$(grep -rn '^ *# *include "' --include='*.[ch]' --include='*.cu' --include='*.cuh' \
  --include='*.cc' kernels src oct mpi | while IFS=: read -r file line include; do
  name=${include#*\"} name=${name%%\"*}
  topic=${file#kernels/} topic=${topic#src/cpu/} topic=${topic%%/*}
  case $file:$name in
    src/fun/*:cpu/fun/fun.h | *:gpulinalg.h | oct/gla_octave.h:common/host_memory.h) continue ;;
    mpi/*:ranks/transport.h | kernels/engine/rank_link.h:ranks/rank_link.h) continue ;;
    oct/*:*/* | mpi/*) ;;
    kernels/*:backend.h | src/cpu/*:backend.h | kernels/*:common/* | src/cpu/*:common/*) continue ;;
    kernels/common/*:engine/*) ;;
    kernels/*:engine/* | kernels/*:"$topic"/*) continue ;;
    src/cpu/*:cpu/common/* | src/cpu/*:cpu/"$topic"/* | src/cpu/*:cpu/engine.h | src/cpu/*:"$topic"/*) continue ;;
    src/cpu/"$topic":cpu/*) continue ;;
    kernels/*:*/* | src/cpu/*:*/* | src/*:cpu/*) ;;
    kernels/* | src/cpu/* | oct/*) [ ! -f "${file%/*}/$name" ] || continue ;;
    src/*) continue ;;
  esac
  echo "$file:$line: $name"
done)
[ -z "$bad" ] || { echo "includes that cross a border:" && echo "$bad" && exit 1; }
