#!/bin/sh
# busy.sh: times calls while other processes run; needs octave-cli and a built src/
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: sh bench/auto/busy.sh [--gpu] [FOLDER]...
#   --gpu    batcheig of 4000 complex pages of 64 x 64 on the GPU; else four functions on the CPU
#   FOLDER   a folder for Octave's path {src and inst of this repository}
#
# Every process makes a warm-up call, waits for the others, and calls for 0.6 s, at least five times. The number
# is the mean of these calls, and of several processes the mean of theirs: what all get done together. (Which
# of them gets more, and when, is the system's choice.) Burners are endless loops of the shell, one per
# processor. Without --gpu the calls are bound by arithmetic or have small arrays: where the arrays of four processes
# exceed the caches, memory makes every program slower, Octave's A + 1 as well as these calls.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
gpu=no
[ "${1:-}" != --gpu ] || { gpu=yes; shift; }
[ $# -gt 0 ] || set -- "$top/src" "$top/inst"
paths=
for folder in "$@"; do
  paths="$paths addpath ('$folder');"
done
work=$(mktemp -d) || exit 1
burning=
stop_burners () {
  [ -z "$burning" ] || kill $burning 2>/dev/null
  burning=
}
trap 'stop_burners; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# timed NUMBER: runs process NUMBER, which writes its mean in ms.
timed () {
  octave-cli --no-init-file --no-history --eval "$paths $setup f = @() $call; f ();
    fclose (fopen ('$work/ready$1', 'w'));
    while (! exist ('$work/go', 'file')) pause (0.005); end
    calls = 0; start = tic;
    while (toc (start) < 0.6 || calls < 5) f (); calls++; end
    f = fopen ('$work/ms$1', 'w'); fprintf (f, '%.3f\\n', 1e3 * toc (start) / calls); fclose (f);" \
    >"$work/log$1" 2>&1
}

# at_once COUNT: prints the mean of so many processes.
at_once () {
  rm -f "$work"/ready* "$work"/ms* "$work/go"
  pids=
  for k in $(seq "$1"); do
    timed "$k" &
    pids="$pids $!"
  done
  while [ "$(ls "$work" | grep -c '^ready')" -lt "$1" ]; do
    alive=
    for p in $pids; do
      kill -0 "$p" 2>/dev/null && alive=yes
    done
    [ -n "$alive" ] || { cat "$work"/log* >&2; exit 1; }
    sleep 0.02
  done
  : >"$work/go"
  wait $pids
  cat "$work"/ms* | awk '{ sum += $1 } END { printf "%.3f\n", sum / NR }'
}

# row NAME SETUP CALL: prints a line of the table.
row () {
  setup=$2 call=$3
  alone=$(at_once 1)
  four=$(at_once 4)
  for k in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    burning="$burning $!"
  done
  burners=$(at_once 1)
  stop_burners
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$alone" "$four" \
    "$(echo "$four $alone" | awk '{ printf "%.1f", $1 / $2 }')" "$burners" \
    "$(echo "$burners $alone" | awk '{ printf "%.1f", $1 / $2 }')"
}

printf 'call\talone_ms\tfour_ms\tfour_ratio\tburners_ms\tburners_ratio\n'
pages='A = randn (64, 64, P) + 1i * randn (64, 64, P); A = A + conj (permute (A, [2 1 3]));'
if [ "$gpu" = yes ]; then
  row "batcheig, 4000 complex pages 64 x 64, GPU" "P = 4000; $pages" "batcheig (A, 'device', 'gpu')"
else
  row "batcheig, 200 complex pages 64 x 64" "P = 200; $pages" "batcheig (A, 'device', 'cpu')"
  row "qr_block, 600 x 500" "A = randn (600, 500);" "qr_block (A, 0, 'device', 'cpu')"
  row "qr_block, 500 pages 16 x 16" "A = randn (16, 16, 500);" "qr_block (A, 0, 'device', 'cpu')"
  row "gsvd_hz, 250 x 250" "A = randn (250); B = randn (250);" "gsvd_hz (A, B, 'device', 'cpu')"
fi
