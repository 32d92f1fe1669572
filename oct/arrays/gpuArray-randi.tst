## gpuArray-randi.tst: randi of gpuArrays, and Octave's own beside it
## SPDX-License-Identifier: GPL-3.0-or-later

%!test
%! G = gpuArray (single (1));
%! R = randi (5, 2, 3, "gpuArray");
%! assert ({class(R), underlyingType(R), size(R)}, {"gpuArray", "double", [2, 3]});
%! R = gather (randi ([-3, 3], [1, 2000], "single", "gpuArray"));
%! assert (class (R), "single");
%! assert (unique (R), single (-3:3));
%! R = randi (4, 3, 2, "like", G);
%! assert ({class(R), underlyingType(R), size(R)}, {"gpuArray", "single", [3, 2]});
%! assert (size (randi (gpuArray (4), gpuArray (3))), [3, 3]);

%!test # by a handle
%! G = gpuArray (1);
%! r = @randi;
%! assert (class (r (5, "gpuArray")), "gpuArray");
%! assert (class (cellfun (r, {4, 5})), "double");

%!test # all else is Octave's own
%! G = gpuArray (1);
%! assert (class (randi (9, 2, "int8")), "int8");
%! a = randi ([2, 7], 4, 500);
%! assert (unique (a)(:)', 2:7);

%!error <Invalid call> randi ()
%!error randi (0)
%!error randi (3, "int7")
%!error id=gpulinalg:bad-class gpuArray (1); randi (3, 2, "int8", "gpuArray")
%!error id=gpulinalg:bad-class randi (3, 2, "like", gpuArray (true))
%!error gpuArray (1); randi (-1, "gpuArray")
