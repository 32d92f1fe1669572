% tests/octave/part_of_suite.m: the part of an accuracy suite that the environment selects
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [wanted, mine, first] = part_of_suite (). PART: the only part to run {all}; SHARE=k/n: every n-th of its
% cases from the k-th on {1/1}. wanted (part) is true if a part is to be run, mine (cases) are the cases of
% this share, and first is true for the share that also runs the cases that are not divided.

function [wanted, mine, first] = part_of_suite ()
  share = sscanf (["1/1 ", getenv("SHARE")], "%d/%d")(end-1:end);
  wanted = @(part) any (strcmp (getenv ("PART"), {"", part}));
  mine = @(cases) cases(share(1):share(2):end);
  first = share(1) == 1;
endfunction
