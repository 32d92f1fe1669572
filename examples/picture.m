% examples/picture.m: what the examples draw with: gnuplot, into a file, where there are fonts
% SPDX-License-Identifier: GPL-3.0-or-later
%
% fig = picture () begins a figure that no window shows; it is [] where nothing can be drawn, and
% the package that is missing has been named. picture (fig, file, size) writes it.

function fig = picture (fig, file, size)

  if (nargin > 0)
    warning ("off", "print:nogs", "local");
    warning ("off", "Octave:gnuplot-graphics", "local");
    print (fig, file, "-dpngcairo", ["-S", size], "-F:5");
    printf ("wrote %s\n", file);
    return;
  end
  fig = [];
  warning ("off", "Octave:gnuplot-graphics");
  graphics_toolkit ("gnuplot");
  if (__can_draw__ ())
    fig = figure ("visible", "off");
  end

end
