#!/bin/sh
# run.sh: runs every benchmark that this machine can run; tables and pictures go to bench/results/
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh bench/run.sh [--quick] [--device-only] [name]      name {cpu or gpu, number of cores}
# Files in results/; those with "device" and "arrays" only with a GPU:
#   <name>.tsv, .png           batcheig from Octave arrays, and the loop over eig
#   <name>-device.tsv, .png    gla_batcheig on the GPU, and cuSOLVER
#   <name>-arrays.tsv          batcheig from Octave arrays, and the times of its kernels and copies
#   eig-large-<name>-device.tsv   gla_batcheig of single large matrices on the GPU, and cuSOLVER
#   qr-<name>.tsv, .png        qr_block from Octave arrays, and qr
#   qr-<name>-device.tsv, .png   gla_qr on the GPU, and cuSOLVER
#   gsvd-<name>.tsv, -sweeps.tsv, .png   gsvd_hz from Octave arrays, and gsvd; rotations in each sweep
#   gsvd-<name>-device.tsv     gla_gsvd on the GPU, and published times
#   eigs-<name>.tsv, .png      spmv and eigs_lanczos from Octave arrays, and A*x and eigs
#   pages-<name>.tsv           page functions from Octave arrays, and loops and NumPy
#   eig-<name>-peer.tsv        batcheig from Octave arrays, NumPy and the loop over eig
#   svd-<name>.tsv             batchsvd from Octave arrays, loops over svd and NumPy
#   pageeig-<name>.tsv         pageeig of general pages from Octave arrays, the loop over eig and NumPy
#   pairs-<name>.tsv           batcheig (A, B) from Octave arrays, and the loop over eig (A, B)
#   pairs-<name>-device.tsv    gla_batcheig_pairs on the GPU, and a composition of batched calls
#   pages-<name>-device.tsv    page functions on the GPU, and cuBLAS and cuSOLVER
#   least-squares-<name>.tsv   qr_block (A, b, "solve") from Octave arrays, and the loop over A \ b
#   pagefunm-<name>.tsv        pagefunm from Octave arrays, batcheig, and the loop over expm
#   spmv-<name>-device.tsv     sparse products on the GPU, and cuSPARSE
#   <name>-gpu-arrays.tsv, -peer.tsv   operations on gpuArrays; PyTorch, where python3 has it
#   <name>-gpu-arrays-calls.tsv   batcheig of gpuArrays, and gla_batcheig in <name>-device.tsv
# `make bench` builds the programs that this runs.

set -eu
cd "$(dirname "$0")"

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
octave="${OCTAVE:-octave-cli --no-history} --no-init-file --path ../src --path ../inst"

gpu=no
# With --sizes 0 the program only looks for a GPU.
if [ -x ./bench_batcheig ] && ./bench_batcheig --sizes 0 >/dev/null 2>&1; then gpu=yes; fi
if [ -z "$name" ]; then
  if [ $gpu = yes ]; then name=gpu; else name=cpu; fi
  name=$name-$(nproc)core
fi
mkdir -p results
status=0

# A table replaces the old one only after its run has ended.
if [ $gpu = yes ]; then
  echo "bench_batcheig: on the GPU, beside cuSOLVER"
  ./bench_batcheig $quick >"results/$name-device.tsv.new" || status=$?
  mv "results/$name-device.tsv.new" "results/$name-device.tsv"
  $octave eig/plot_bench.m "results/$name-device.tsv" "results/$name-device.png"
  [ $status -eq 0 ] || echo "bench_batcheig ended with status $status, see the notes in the table" >&2
  echo "bench_large: on the GPU, beside cuSOLVER"
  if { ./bench_large ${quick:+--sizes 2048,4096} && ./bench_large --values ${quick:+--sizes 2048,4096}; } >"results/eig-large-$name-device.tsv.new"; then
    mv "results/eig-large-$name-device.tsv.new" "results/eig-large-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_part: some eigenvectors on the GPU, beside all"
  if ./bench_part ${quick:+--sizes 64,128,512} >"results/part-$name-device.tsv.new"; then
    mv "results/part-$name-device.tsv.new" "results/part-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_qr: on the GPU, beside cuSOLVER"
  if ./bench_qr ${quick:+--shapes 1024x512,100000x128,32x32x1000} >"results/qr-$name-device.tsv.new"; then
    mv "results/qr-$name-device.tsv.new" "results/qr-$name-device.tsv"
    $octave qr/plot_qr.m "results/qr-$name-device.tsv" "results/qr-$name-device.png"
  else
    status=1
  fi
  echo "bench_gsvd: on the GPU, beside the published times"
  if ./bench_gsvd ${quick:+--sizes 512,16x5000} >"results/gsvd-$name-device.tsv.new"; then
    mv "results/gsvd-$name-device.tsv.new" "results/gsvd-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_pages: on the GPU, beside cuBLAS and cuSOLVER"
  if ./bench_pages $quick >"results/pages-$name-device.tsv.new"; then
    mv "results/pages-$name-device.tsv.new" "results/pages-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_pairs: on the GPU, beside cuSOLVER and cuBLAS"
  if ./bench_pairs $quick >"results/pairs-$name-device.tsv.new"; then
    mv "results/pairs-$name-device.tsv.new" "results/pairs-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_pagefun: on the GPU, beside batcheig"
  if ./bench_pagefun $quick >"results/pagefun-$name-device.tsv.new"; then
    mv "results/pagefun-$name-device.tsv.new" "results/pagefun-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_svd: on the GPU, beside cuSOLVER"
  if ./bench_svd $quick >"results/svd-$name-device.tsv.new"; then
    mv "results/svd-$name-device.tsv.new" "results/svd-$name-device.tsv"
  else
    status=1
  fi
  echo "bench_spmv: on the GPU, beside cuSPARSE"
  if ./bench_spmv ${quick:+--graphs ba-200k,grid-3d} >"results/spmv-$name-device.tsv.new"; then
    mv "results/spmv-$name-device.tsv.new" "results/spmv-$name-device.tsv"
  else
    status=1
  fi
fi
if [ $octave_too = yes ]; then
  echo "bench_batcheig.m: from Octave arrays, beside the loop over eig"
  $octave eig/bench_batcheig.m $quick >"results/$name.tsv.new"
  mv "results/$name.tsv.new" "results/$name.tsv"
  $octave eig/plot_bench.m "results/$name.tsv" "results/$name.png"
  if [ $gpu = yes ]; then
    echo "bench_arrays.m: from Octave arrays, beside kernels and copies"
    $octave eig/bench_arrays.m --table "results/$name-device.tsv" >"results/$name-arrays.tsv.new"
    mv "results/$name-arrays.tsv.new" "results/$name-arrays.tsv"
    echo "bench_gpu_arrays.m: operations on gpuArrays, beside PyTorch"
    $octave arrays/bench_gpu_arrays.m ${quick:+--megabytes 32} >"results/$name-gpu-arrays.tsv.new"
    mv "results/$name-gpu-arrays.tsv.new" "results/$name-gpu-arrays.tsv"
    $octave arrays/bench_gpu_arrays.m --table "results/$name-device.tsv" >"results/$name-gpu-arrays-calls.tsv.new"
    mv "results/$name-gpu-arrays-calls.tsv.new" "results/$name-gpu-arrays-calls.tsv"
    if python3 -c "import torch" 2>/dev/null; then
      python3 arrays/gpu_arrays_peer.py ${quick:+32} >"results/$name-gpu-arrays-peer.tsv.new"
      mv "results/$name-gpu-arrays-peer.tsv.new" "results/$name-gpu-arrays-peer.tsv"
    fi
  fi
  echo "bench_qr.m: from Octave arrays, beside qr"
  $octave qr/bench_qr.m $quick >"results/qr-$name.tsv.new"
  mv "results/qr-$name.tsv.new" "results/qr-$name.tsv"
  $octave qr/plot_qr.m "results/qr-$name.tsv" "results/qr-$name.png"
  echo "bench_gsvd.m: from Octave arrays, beside gsvd"
  $octave gsvd/bench_gsvd.m $quick >"results/gsvd-$name.tsv.new"
  $octave gsvd/bench_gsvd.m $quick --sweeps --device "$([ $gpu = yes ] && echo gpu || echo cpu)" \
    >"results/gsvd-$name-sweeps.tsv.new"
  mv "results/gsvd-$name.tsv.new" "results/gsvd-$name.tsv"
  mv "results/gsvd-$name-sweeps.tsv.new" "results/gsvd-$name-sweeps.tsv"
  $octave gsvd/plot_gsvd.m "results/gsvd-$name.tsv" "results/gsvd-$name-sweeps.tsv" "results/gsvd-$name.png"
  echo "bench_eigs.m: from Octave arrays, beside A*x and eigs"
  $octave lanczos/bench_eigs.m $quick >"results/eigs-$name.tsv.new"
  mv "results/eigs-$name.tsv.new" "results/eigs-$name.tsv"
  $octave lanczos/plot_eigs.m "results/eigs-$name.tsv" "results/eigs-$name.png"
  echo "bench_pages.m: page functions from Octave arrays, beside loops and NumPy"
  $octave pages/bench_pages.m $quick >"results/pages-$name.tsv.new"
  mv "results/pages-$name.tsv.new" "results/pages-$name.tsv"
  echo "bench_eig_peer.m: batcheig on the CPU from Octave arrays, beside NumPy and the loop over eig"
  $octave eig/bench_eig_peer.m $quick >"results/eig-$name-peer.tsv.new"
  mv "results/eig-$name-peer.tsv.new" "results/eig-$name-peer.tsv"
  echo "bench_svd.m: batchsvd from Octave arrays, beside loops over svd and NumPy"
  $octave svd/bench_svd.m $quick >"results/svd-$name.tsv.new"
  mv "results/svd-$name.tsv.new" "results/svd-$name.tsv"
  echo "bench_pageeig.m: pageeig of general pages from Octave arrays, beside the loop over eig and NumPy"
  $octave geev/bench_pageeig.m $quick >"results/pageeig-$name.tsv.new"
  mv "results/pageeig-$name.tsv.new" "results/pageeig-$name.tsv"
  echo "bench_pairs.m: batcheig (A, B) from Octave arrays, beside the loop over eig (A, B)"
  $octave pairs/bench_pairs.m $quick >"results/pairs-$name.tsv.new"
  mv "results/pairs-$name.tsv.new" "results/pairs-$name.tsv"
  echo "bench_least_squares.m: least squares of pages from Octave arrays, beside the loop"
  $octave qr/bench_least_squares.m $quick >"results/least-squares-$name.tsv.new"
  mv "results/least-squares-$name.tsv.new" "results/least-squares-$name.tsv"
  echo "bench_pagefunm.m: pagefunm from Octave arrays, beside batcheig and the loop over expm"
  $octave fun/bench_pagefunm.m $quick >"results/pagefunm-$name.tsv.new"
  mv "results/pagefunm-$name.tsv.new" "results/pagefunm-$name.tsv"
fi
ls results
exit $status
