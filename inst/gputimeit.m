## -*- texinfo -*-
## @c gputimeit.m: the seconds that a function takes on a GPU
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {@var{t} =} gputimeit (@var{f})
## The seconds that a function of gpuArrays takes.
##
## @var{f} is a function handle without arguments.  It is called often enough to
## take a twentieth of a second or more, and the GPU is waited for before the clock is
## read; the result is the median of five such times, for one call.
##
## @example
## @group
## G = gpuArray (rand (100));
## t = gputimeit (@@() G + 1);
## t > 0
##    @result{} ans = 1
## @end group
## @end example
##
## @subheading Errors
## @table @code
## @item gpulinalg:bad-value
## @var{f} is not a function handle.
## @end table
##
## @seealso{gpuDevice, gpuArray}
## @end deftypefn

function t = gputimeit (f)

  if (nargin != 1)
    print_usage ();
  endif
  if (! is_function_handle (f))
    error ("gpulinalg:bad-value", "gputimeit: F must be a function handle, not of class %s", class (f));
  endif
  device = gpuDevice ();
  calls = 1;
  do
    seconds = time_of (f, calls, device);
    enough = seconds > 0.04 || calls >= 1e6;
    calls *= 2 ^ ! enough;
  until (enough)
  t = median (arrayfun (@(k) time_of (f, calls, device), 1:5)) / calls;

endfunction

function seconds = time_of (f, calls, device)

  wait (device);
  start = tic ();
  for k = 1:calls
    f ();
  endfor
  wait (device);
  seconds = toc (start);

endfunction

%!test
%! t = gputimeit (@() gpuArray (1) + 1);
%! assert (t > 0 && t < 1);
%!error <Invalid call> gputimeit ()
%!error id=gpulinalg:bad-value gputimeit (5)
