% examples/picture.m: begins and writes the picture of an example, with gnuplot
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [fig, blue, red] = picture () begins a figure that no window shows, and gives two colours. fig is []
% where Octave finds no font to draw with; then the missing package has been named.
% picture (fig, file, size) writes the file.

function [fig, blue, red] = picture (fig, file, size)

  blue = [0.12, 0.35, 0.65];
  red = [0.85, 0.15, 0.1];
  if (nargin > 0)
    warning ("off", "print:nogs", "local");
    warning ("off", "Octave:gnuplot-graphics", "local");
    % gnuplot's distance between an axis and its numbers does not follow "-F"
    set (findall (fig, "type", "axes", "-or", "type", "text"), "fontsize", 5);
    print (fig, file, "-dpngcairo", ["-S", size]);
    printf ("wrote %s\n", file);
    return;
  end
  fig = [];
  warning ("off", "Octave:gnuplot-graphics");
  graphics_toolkit ("gnuplot");
  if (can_draw ())
    fig = figure ("visible", "off");
  end

end
