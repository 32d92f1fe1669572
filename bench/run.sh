#!/bin/sh
# run.sh: runs every benchmark that this machine can run; tables go to bench/results/
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh bench/run.sh [--quick] [--device-only] [name]      name {cpu or gpu, number of cores}
# Each line `table` below is a table: its file in results/ without .tsv, what is run, and what is compared. Those with
# "device" and "arrays" only with a GPU. `make bench` builds the programs that this runs.

set -u
cd "$(dirname "$0")" || exit 1

quick=
octave_too=yes
name=
for arg in "$@"; do
  case $arg in
    --quick) quick=--quick ;;
    --device-only) octave_too=no ;;
    -*) echo "run.sh: unknown option $arg" >&2; exit 2 ;;
    *) name=$arg ;;
  esac
done

gpu=no
# With --sizes 0 the program only looks for a GPU.
if [ -x ./bench_batcheig ] && ./bench_batcheig --sizes 0 >/dev/null 2>&1; then gpu=yes; fi
if [ -z "$name" ]; then
  if [ $gpu = yes ]; then name=gpu; else name=cpu; fi
  name=$name-$(nproc)core
fi
mkdir -p results
status=0

# table FILE PROGRAM...: the table replaces the old one only if its run succeeds.
table () {
  file=results/$1.tsv
  shift
  echo "$*"
  if "$@" >"$file.new"; then mv "$file.new" "$file"; else status=1; fi
}

# m_file NAME.m...: the same from Octave arrays
m_file () {
  ${OCTAVE:-octave-cli --no-history} --no-init-file --path ../src --path ../inst "$@"
}

# Its notes say which pages are wrong, so the table stays then, too.
batches () {
  ./bench_batcheig $quick || status=$?
}

# Single large matrices on the GPU, and cuSOLVER; and their eigenvalues alone.
large () {
  ./bench_large ${quick:+--sizes 2048,4096} && ./bench_large --values ${quick:+--sizes 2048,4096}
}

if [ $gpu = yes ]; then
  table "$name-device" batches                                      # cuSOLVER
  table "eig-large-$name-device" large                              # cuSOLVER
  table "part-$name-device" ./bench_part ${quick:+--sizes 64,128,512}   # some eigenvectors, and all
  table "qr-$name-device" ./bench_qr ${quick:+--shapes 1024x512,100000x128,32x32x1000}   # cuSOLVER
  table "gsvd-$name-device" ./bench_gsvd ${quick:+--sizes 512,16x5000}   # published times
  table "pages-$name-device" ./bench_pages $quick                   # cuBLAS, cuSOLVER
  table "pairs-$name-device" ./bench_pairs $quick                   # a composition of calls of cuSOLVER and cuBLAS
  table "pagefun-$name-device" ./bench_pagefun $quick               # batcheig
  table "svd-$name-device" ./bench_svd $quick                       # cuSOLVER
  table "spmv-$name-device" ./bench_spmv ${quick:+--graphs ba-200k,grid-3d}   # cuSPARSE
fi
if [ $octave_too = yes ]; then
  table "$name" m_file eig/bench_batcheig.m $quick                  # the loop over eig
  if [ $gpu = yes ]; then
    table "$name-arrays" m_file eig/bench_batcheig.m --kernels "results/$name-device.tsv"   # its kernels and copies
    table "$name-gpu-arrays" m_file arrays/bench_gpu_arrays.m ${quick:+--megabytes 32}
    table "$name-gpu-arrays-calls" m_file arrays/bench_gpu_arrays.m --table "results/$name-device.tsv"   # gla_batcheig
    if python3 -c "import torch" 2>/dev/null; then
      table "$name-gpu-arrays-peer" python3 arrays/gpu_arrays_peer.py torch ${quick:+32}      # PyTorch
    fi
  fi
  table "qr-$name" m_file qr/bench_qr.m $quick                      # qr
  table "gsvd-$name" m_file gsvd/bench_gsvd.m $quick                # gsvd
  table "gsvd-$name-sweeps" m_file gsvd/bench_gsvd.m $quick --sweeps --device "$([ $gpu = yes ] && echo gpu || echo cpu)"
  table "eigs-$name" m_file lanczos/bench_eigs.m $quick             # A*x and eigs
  table "pages-$name" m_file pages/bench_pages.m $quick             # loops, NumPy
  table "eig-$name-peer" m_file eig/bench_batcheig.m --peer $quick         # NumPy, the loop over eig
  table "svd-$name" m_file svd/bench_svd.m $quick                   # loops over svd, NumPy
  table "pageeig-$name" m_file eig/bench_pageeig.m $quick          # the loop over eig, NumPy
  table "pairs-$name" m_file pairs/bench_pairs.m $quick             # the loop over eig (A, B)
  table "least-squares-$name" m_file qr/bench_qr.m --solve $quick   # the loop over A \ b
  table "pagefunm-$name" m_file fun/bench_pagefunm.m $quick         # batcheig, the loop over expm
fi
ls results
exit $status
