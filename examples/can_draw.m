% examples/can_draw.m: tells whether Octave can draw a picture
% SPDX-License-Identifier: GPL-3.0-or-later
%
% True where axes can be made. Without fonts Octave cannot make them, and without a graphics toolkit no
% figure; then this says what is missing, and the result is false.

function yes = can_draw ()

  state = warning ();
  yes = false;
  fig = [];
  unwind_protect                        # Ctrl-C may come in between
    warning ("off", "all");             # Octave warns for each font that it tries
    try
      before = get (0, "currentfigure");
      fig = figure ("visible", "off");
      axes ("parent", fig);
      yes = true;
    catch err
      why = err.message;
    end
  unwind_protect_cleanup
    if (! isempty (fig))
      close (fig);
      if (! isempty (before))
        set (0, "currentfigure", before);
      end
    end
    warning (state);
  end_unwind_protect
  if (! yes && isempty (fig))
    printf ("no picture: Octave can make no figure (%s)\n", why);
  elseif (! yes)
    printf (["no picture: Octave finds no font that it can draw with (%s).\nInstall FreeSans, ", ...
             "in Debian and Ubuntu the package fonts-freefont-otf.\n"], why);
  end

end
