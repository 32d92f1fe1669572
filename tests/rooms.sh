#!/bin/sh
# rooms.sh: looks for an #include that crosses a border between folders; run from the top folder
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A topic has one name: its folders are src/<topic>, src/cpu/<topic> and kernels/<topic>, and one that needs no backend
# of its own, or has nothing above it, lacks some of them.
# A file of kernels/<topic> or src/cpu/<topic> may include its own folder, common/ and, in kernels/, engine/. Of src/ it
# may include row.h, gpulinalg.h, common/, threads/, src/<topic>/ and the job.h of any topic. Files of kernels/common, src/cpu/common and
# kernels/engine include no topic; those of src/cpu itself list all topics. Only kernels/engine and src/cpu itself include
# backend.h.
# Of src/, the files of no folder are the frame: they include each other, auto/, common/ and threads/. common/ and
# threads/ include only these two. All other folders of src/ may include each other and the frame, and nothing of cpu/.
# mpi/ includes ranks/transport.h of src/ alone.
# ranks/ and arrays/ are wings, which a build may leave out: src/ and other folders of kernels/ include nothing of them,
# but for arrays/job.h, whose row has the memory of a GPU.
# A file of oct/ is in a folder and may include that, gpulinalg.h and common/gla_octave.h. This one also includes
# common/host_memory.h of src/: how Octave's arrays get their memory is no matter of the C interface. pages/ and sparse/
# may include common/shared_call.h and what arrays/ has for arguments on a GPU. ranks/ is a wing here, too: it may
# include pages/, sparse/ and arrays/gpu_pages.h, and nothing outside of it includes ranks/. Three files of common/ and two
# of arrays/ include more, each a single header, which is below.
# common/system*.[ch] of src/ are the border to the operating system, which oct/ may include, too. No other file includes
# a header of POSIX or Windows but pthread.h, asks which system it is, or starts threads, naps and reads the clock by
# itself (but for pthread_cond_timedwait, whose clock is CLOCK_REALTIME); mpi/ is a plugin and sees none of this.
# Prints each include that is not allowed and fails if there is one.

bad=$(grep -rn '^ *# *include "' --include='*.[ch]' --include='*.cu' --include='*.cuh' \
  --include='*.cc' kernels src oct mpi | while IFS=: read -r file line include; do
  name=${include#*\"} name=${name%%\"*}
  topic=${file#kernels/} topic=${topic#src/cpu/} topic=${topic%%/*}
  folder=${file%/*}
  case $file:$name in
    *:gpulinalg.h) continue ;;
    mpi/*:ranks/transport.h | src/ranks/*:ranks/* | src/arrays/*:arrays/* | src/obj/*) continue ;;
    oct/*/*:common/system.h | oct/common/gla_octave.h:common/host_memory.h | oct/*/*:common/gla_octave.h) continue ;;
    oct/pages/*:common/shared_call.h | oct/sparse/*:common/shared_call.h | oct/ranks/*:common/shared_call.h) continue ;;
    oct/ranks/*:pages/* | oct/ranks/*:sparse/* | oct/ranks/*:arrays/gpu_pages.h) continue ;;
    oct/pages/*:arrays/gpu_pages.h | oct/pages/*:arrays/gpu_steps.h | oct/pages/*:arrays/gpu_value.h) continue ;;
    oct/sparse/*:arrays/gpu_pages.h | oct/sparse/*:arrays/gpu_device.h | oct/sparse/*:arrays/gpu_value.h) continue ;;
    oct/common/call.cc:arrays/gpu_value.h | oct/common/options.cc:arrays/gpu_value.h) continue ;;
    oct/common/no_arrays.cc:arrays/gpu_pages.h | oct/common/no_arrays.cc:arrays/gpu_steps.h) continue ;;
    oct/arrays/gpu_array.cc:sparse/plan_value.h | oct/arrays/gpu_functions.cc:pages/batchsvd.h) continue ;;
    src/*:arrays/job.h) continue ;;
    oct/*:*/* | mpi/* | src/*:ranks/* | src/*:arrays/*) ;;
    kernels/*:row.h | kernels/*:*/job.h | src/cpu/*:row.h | src/cpu/*:*/job.h | *:common/* | *:threads/*) continue ;;
    kernels/engine/*:backend.h | kernels/engine/plugin.c:plugin.h | src/cpu/backend.c:backend.h) continue ;;
    kernels/common/*:engine/*) ;;
    kernels/*:engine/* | kernels/*:"$topic"/*) continue ;;
    src/cpu/*:cpu/common/* | src/cpu/*:cpu/"$topic"/* | src/cpu/*:"$topic"/* | src/cpu/*:cpu/engine.h) continue ;;
    src/cpu/"$topic":cpu/*) continue ;;
    kernels/*:*/* | src/cpu/*:*/* | src/*:cpu/*) ;;
    kernels/* | src/cpu/* | oct/* | src/common/* | src/threads/*) [ ! -f "$folder/$name" ] || continue ;;
    *) case $folder:$name in src:auto/*) continue ;; src:*/*) ;; *) continue ;; esac ;;
  esac
  echo "$file:$line: $name"
done)
[ -z "$bad" ] || { echo "includes that cross a border:" && echo "$bad" && exit 1; }

headers='unistd|dlfcn|sched|signal|fcntl|io|process|windows|psapi|sys/[a-z_]*|mach/[a-z_]*'
calls='pthread_(create|atfork|sigmask|attr_init)|nanosleep|sched_yield|CLOCK_MONOTONIC|dl(open|sym|addr)|aligned_alloc|posix_memalign'
systems='__linux__|__APPLE__|__FreeBSD__|_WIN32|__unix__'
bad=$(grep -rnE "^ *# *include *<($headers)\.h>|^ *# *(el)?if.*($systems)|^ *# *if.*def.*($systems)|\<($calls)\>" --include='*.[ch]' --include='*.cu' \
  --include='*.cuh' --include='*.cc' kernels src oct | grep -v -e '^src/common/system[a-z_]*\.[ch]:' -e '^src/obj/')
[ -z "$bad" ] || { echo "calls of the system outside of src/common/system.h:" && echo "$bad" && exit 1; }
