#!/bin/sh
# gui.sh: progress, Ctrl-C, errors and plots in Octave's GUI and in a Jupyter notebook; run by make check-gui
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: gui.sh [window | notebook]...     {both}; after make build. What is not installed is named and counted as skipped;
#                                          tests/deps.sh gui installs it
#
# window: Octave's GUI on a display of Xvfb. Commands are typed by xdotool. A test looks at what the command window shows,
# which is selected and copied by keys, at the titles of windows, and at files that mark.m writes.
# notebook: octave_kernel from PyPI, in a virtual environment in build/notebook; tests/notebook.py has the cells.

set -u
cd "$(dirname "$0")/.." || exit 1
[ -e src/gpulinalg.oct ] || { echo "gui.sh: no src/gpulinalg.oct: run make build" >&2; exit 1; }
top=$PWD
work=$(mktemp -d)
server='' octave='' main='' # processes, and the number of a window
ended () { ! kill -0 "$1" 2>/dev/null; }

# stop: Octave's GUI does not end by a signal, but when its display has gone.
stop () {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
  if [ "$octave" ]; then
    until_true 10 ended "$octave" || kill -KILL "$octave" "$(ps -o pid= --ppid "$octave")"
    wait "$octave"
  fi 2>/dev/null
  octave='' server=''
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
. tests/jobs.sh

# check NAME COMMAND...: with what the command window shows, if the command fails.
check () {
  name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok      $name"
  else
    failed=$((failed + 1))
    echo "FAILED  $name"
    [ -z "$main" ] || { screen && tail -n 15 "$work/screen"; }
  fi
}

#-------------------------------------------------------------------------------
# keys and windows
#-------------------------------------------------------------------------------

# until_true SECONDS COMMAND...: repeats the command until it succeeds.
until_true () {
  end=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.2
  done
}

# window TITLE: prints its number; TITLE is a regular expression.
window () { xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1 | grep .; }

press () { xdotool key --clearmodifiers "$@"; }

# Ctrl-0 is the GUI's key for the command window. Figures may have the focus before.
focus () {
  xdotool windowfocus --sync "$main" && press ctrl+0
  sleep 0.3
}

# enter LINE: types a line at the prompt; returns at once.
enter () {
  until_true 60 prompt
  focus
  xdotool type --delay 10 "$1"
  press Return
}

# screen: what the command window shows, and what has moved out of it, to $work/screen; not while a command runs, because
# Ctrl-C copies only if something is selected. The next key that is typed ends the selection.
screen () {
  : | xclip -selection clipboard >/dev/null 2>&1
  focus
  press ctrl+a
  sleep 0.3
  press ctrl+c
  sleep 0.3
  timeout 5 xclip -o -selection clipboard 2>/dev/null | sed 's/ *$//' | grep . >"$work/screen"
}

# Lines of the window since the command that was typed last.
since () {
  screen
  awk '/^>> ./ { n = 0 } { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' "$work/screen"
}
shows () { since | grep -qx -- "$1"; }
count_lines () { since | grep -c -- "$1"; }

marked () { [ -e "$work/$1" ]; }

# start_gui: a display and Octave on it, each in a session of its own, so that Ctrl-C in the GUI does not end this script.
start_gui () {
  mkdir -p "$work/settings/octave" "$work/runtime" "$work/m"
  chmod 700 "$work/runtime"
  printf '[General]\n\n[news]\nallow_web_connection=false\n' >"$work/settings/octave/octave-gui.ini" # otherwise it asks
  cat >"$work/m/mark.m" <<'END'
% mark (NAME, X): writes the number X to the file NAME, which then exists at once with all of it
function mark (name, x = 1)
  f = fopen ([name, ".part"], "w");
  fprintf (f, "%.6f\n", x);
  fclose (f);
  rename ([name, ".part"], name);
endfunction
END
  cat >"$work/m/colours.m" <<'END'
% colours (NAME): the number of colours in a picture
function n = colours (name)
  x = imread (name);
  n = rows (unique (reshape (x, [], size (x, 3)), "rows"));
endfunction
END
  # Without -noreset the server begins anew, and refuses clients, when the last one has left.
  setsid Xvfb -displayfd 3 -screen 0 1280x1000x24 -nolisten tcp -noreset 3>"$work/display" >"$work/server" 2>&1 &
  server=$!
  until_true 30 test -s "$work/display" || return 1
  DISPLAY=:$(cat "$work/display")
  export DISPLAY
  (
    cd "$work" || exit
    export HOME="$work" XDG_CONFIG_HOME="$work/settings" XDG_RUNTIME_DIR="$work/runtime"
    exec setsid octave --gui --no-init-file --no-history --path "$top/src" --path "$top/inst" --path "$work/m"
  ) >"$work/log" 2>&1 &
  octave=$!
  until_true 120 main_window >/dev/null || return 1
  main=$(main_window)
  # Line ends are copied only after a click of the mouse. At this place the main window shows the command window.
  eval "$(xdotool getwindowgeometry --shell "$main" | grep -E '^(WIDTH|HEIGHT)=[0-9]*$')"
  xdotool mousemove --window "$main" $((WIDTH * 2 / 3)) $((HEIGHT / 2)) click 1
  until_true 60 prompt
}

# The number of the main window; dialogs, as one about a driver for the index of the documentation, are answered.
main_window () {
  ! dialog=$(window 'Welcome to GNU Octave|Octave Documentation') || xdotool windowfocus "$dialog" key Return
  window '^(GNU )?Octave$'
}
prompt () { screen && tail -n 1 "$work/screen" | grep -q '^>>'; }

#-------------------------------------------------------------------------------
# Octave's GUI
#-------------------------------------------------------------------------------

# One line that the meter rewrites, and nothing more.
progress () {
  enter 'A = rand (300, 300, 60); A += permute (A, [2, 1, 3]); d = batcheig (A, "progress", true); mark ("progress")'
  until_true 120 marked progress && shows 'batcheig: 60 of 60 pages, 100 %' && [ "$(count_lines ' of 60 pages')" -eq 1 ]
}

# The same without the option.
silent () {
  enter 'd = batcheig (A); mark ("silent")'
  until_true 120 marked silent && [ "$(count_lines ' of 60 pages')" -eq 0 ]
}

# interrupted NAME SETUP CALL: Ctrl-C, 1.5 s after CALL has begun, ends it within 5 s, and nothing behind it runs.
interrupted () {
  enter "$2; unwind_protect, mark ('$1-began'); $3; mark ('$1-whole'); unwind_protect_cleanup, mark ('$1-end', time ()); end"
  until_true 60 marked "$1-began" || return 1
  sleep 1.5
  ! marked "$1-end" || { echo "the call ended too early" && return 1; }
  sent=$(date +%s.%N)
  press ctrl+c
  until_true 120 marked "$1-end" && ! marked "$1-whole" || return 1
  awk -v sent="$sent" '{ print "  Ctrl-C ended the call after", $1 - sent, "s"; exit !($1 - sent < 5) }' "$work/$1-end"
}

right () { # right NAME: a command after that one
  enter "disp (batcheig ([2, 1; 1, 2])'), mark ('$1')"
  until_true 20 marked "$1" && shows '   1   3'
}

error_shown () {
  enter 'batcheig (ones (2, 3))'
  until_true 20 shows 'error: batcheig: the pages of A must be square, but A is 2x3' \
    && enter 'disp (nthargout (2, @lasterr))' && until_true 20 shows 'gpulinalg:bad-shape'
}

# The list of variables asks an array for its class and size.
gpu_array () {
  enter 'g = gpuArray (magic (4)); disp (gather (sum (g))), mark ("array", isgpuarray (g))'
  until_true 30 marked array && shows '   34   34   34   34' && grep -q '^1' "$work/array"
}

closed () { # closed NAME
  enter "close all; mark ('$1-closed')"
  until_true 20 marked "$1-closed" && until_true 10 eval '! window "^Figure" >/dev/null'
}

plot_shown () { # plot_shown NAME COMMAND
  closed "$1" && enter "$2; drawnow (); mark ('$1-drawn')"
  until_true 60 marked "$1-drawn" && until_true 20 window '^Figure 1$' >/dev/null
}

# printed NAME: a PNG with more than white and black. Each line of a plot has a colour.
printed () {
  enter "print ('$1.png', '-dpng'); mark ('$1-printed', colours ('$1.png'))"
  until_true 90 marked "$1-printed" && [ -s "$work/$1.png" ] && awk '{ exit !($1 > 20) }' "$work/$1-printed"
}

# Arrays and plans are alive at that time.
left () {
  enter 'p = spmv_plan (speye (4)); g, exit'
  until_true 30 ended "$octave" || return 1
  wait "$octave"
  status=$?
  octave=
  cat "$work/log"
  [ "$status" -eq 0 ] && ! grep -q -i -E 'error|fatal|panic|terminate|fault' "$work/log"
}

window_tests () {
  has Xvfb xvfb && has xdotool xdotool && has xclip xclip && has setsid util-linux || return
  program=$(octave-cli --no-init-file --no-history --eval 'disp (fullfile (__octave_config_info__ ("archlibdir"), "octave-gui"))')
  command -v octave >/dev/null 2>&1 && [ -x "$program" ] || { skip "this Octave has no GUI (Debian: octave)" && return; }
  start_gui
  started=$?
  check "the GUI starts" test $started -eq 0
  [ $started -eq 0 ] || { cat "$work/log" && stop && return; }
  check "progress in the command window: one line that ends with 100 %" progress
  check "no progress without the option" silent
  check "Ctrl-C ends batcheig of one page of order 4000" interrupted page 'B = rand (4000); B += transpose (B)' \
    '[V, D] = batcheig (B)'
  check "the next command is right" right after-page
  check "Ctrl-C ends batches with progress" interrupted batch 'disp ("begins")' \
    'for k = 1:1000, [V, D] = batcheig (A, "progress", true); end'
  check "the next command is right, too" right after-batch
  check "an error has its message and id" error_shown
  check "a gpuArray in the list of variables" gpu_array
  check "a plot of eigenvalues appears" plot_shown plot 'plot (squeeze (batcheig (A(1:20,1:20,:))))'
  check "it is printed as PNG" printed plot
  check "the demo of qr_block appears" plot_shown demo 'demo ("qr_block", 1)'
  check "it is printed as PNG, too" printed demo
  check "all figures are closed" closed last
  check "exit ends the GUI" left
  stop
}

#-------------------------------------------------------------------------------
# Jupyter
#-------------------------------------------------------------------------------

# find_kernel: sets $python to one that has octave_kernel.
find_kernel () {
  for python in python3 build/notebook/bin/python; do
    "$python" -c 'import octave_kernel, jupyter_client' >/dev/null 2>&1 && return
  done
  { python3 -m venv build/notebook && build/notebook/bin/pip install -q octave_kernel; } >"$work/pip" 2>&1
  "$python" -c 'import octave_kernel, jupyter_client' >/dev/null 2>&1
}

notebook_tests () {
  has python3 "python3 python3-venv" && has octave-cli octave || return
  find_kernel || { skip "there is no octave_kernel (PyPI: octave_kernel; Debian: python3-venv to install it)" && return; }
  mkdir -p "$work/notebook"
  : >"$work/notebook/.octaverc"
  (
    unset DISPLAY
    case $python in */*) python=$top/$python ;; esac
    cd "$work/notebook" || exit
    export HOME="$work/notebook" OCTAVE_EXECUTABLE=octave-cli
    export OCTAVE_CLI_OPTIONS="--no-history --path $top/src --path $top/inst"
    "$python" "$top/tests/notebook.py"
  ) >"$work/notebook.log" 2>"$work/notebook.err"
  status=$?
  cat "$work/notebook.log"
  # shellcheck disable=SC2046 # three words
  set -- $(sed -n 's/^notebook: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$work/notebook.log")
  passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1})) skipped=$((skipped + ${3:-0}))
  [ $status -eq 0 ] || cat "$work/notebook.err"
}

[ $# -gt 0 ] || set -- window notebook
for part in "$@"; do
  case $part in
    window | notebook) "${part}_tests" ;;
    *) echo "gui.sh: window or notebook, not \"$part\"" >&2 && exit 2 ;;
  esac
done
echo "gui: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
