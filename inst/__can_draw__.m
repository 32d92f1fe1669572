## -*- texinfo -*-
## @c __can_draw__.m: tells whether Octave can draw a picture, for demos and examples
## @c SPDX-License-Identifier: GPL-3.0-or-later
## @deftypefn {gpulinalg} {@var{yes} =} __can_draw__ ()
## True where axes can be made.  Without fonts Octave cannot make them; then this
## says which package is missing, and the result is false.
## @end deftypefn

function yes = __can_draw__ ()

  before = get (0, "currentfigure");
  state = warning ();
  yes = true;
  why = "";
  warning ("off", "all");               # Octave warns for each font that it tries
  fig = figure ("visible", "off");
  try
    axes ("parent", fig);
  catch err
    yes = false;
    why = err.message;
  end_try_catch
  close (fig);
  warning (state);
  if (! isempty (before))
    set (0, "currentfigure", before);
  endif
  if (! yes)
    printf (["no picture: Octave finds no font that it can draw with (%s).\nInstall FreeSans, ", ...
             "in Debian and Ubuntu the package fonts-freefont-otf.\n"], why);
  endif

endfunction

%!assert (islogical (__can_draw__ ()))
%!error <called with too many inputs> __can_draw__ (1)
