% tests/octave/random_call.m: call number k of a run of random_calls
% SPDX-License-Identifier: GPL-3.0-or-later
%
% c = random_call (TOPIC, SEED, K) has the fields name, args and nout: [out{1:c.nout}] = feval (c.name, c.args{:}) is
% the call. Others are for random_try:
%   paged, pages  the numbers of the arguments that have so many pages; none where a part of them is not to be tried
%   each          the numbers of those with an element for each page
%   kinds         a letter for each output: "p" pages, "c" a column or row with an element for each page, "s" a struct
%                 of such columns, "-" neither
%   refused       "no": the call must work; "may", "must": it may or must end with an error
%   steady        false where the results are other ones in each run
%   check         check (c, out) returns a cell of texts that say what is wrong with the outputs
%   note          what was drawn
% Each call has its own seeds, of TOPIC, SEED and K, and so does not depend on other calls. random_call () returns the
% topics.

function c = random_call (topic, seed, k)
  groups = {@random_eig, {"batcheig", "batcheig pairs", "pageeig", "pagefunm"}; ...
            @random_svd, {"batchsvd", "pagesvd", "pagecond", "pagerank", "pagepinv", "pagelsqminnorm"}; ...
            @random_qr, {"qr_block", "qr_block solve"}; ...
            @random_gsvd, {"gsvd_hz", "gevd_hz"}; ...
            @random_products, {"pagemtimes", "pagenorm", "pagediag", "pagetrace", "pagetranspose", "pagectranspose"}; ...
            @random_systems, {"pagemldivide", "pagemrdivide", "pageinv"}; ...
            @random_sparse, {"eigs_lanczos", "spmv", "spmv_plan"}; ...
            @random_graph, {"ba_graph", "read_graph"}; ...
            @random_arrays, {"gpuArray functions", "gpuArray elements", "gpuArray pages", "gather", "isgpuarray", "existsOnGPU", ...
                             "underlyingType", "gpuDevice", "gpuDeviceCount", "gputimeit", "gpulinalg", ...
                             "gpulinalg_info", "gpulinalg_mpi", "gpulinalg_device", "gpulinalg_release"}};
  if (nargin == 0)
    c = [groups{:,2}];
    return;
  endif
  at = find (cellfun (@(names) any (strcmp (names, topic)), groups(:,2)));
  if (isempty (at))
    error ("random_call: there is no topic \"%s\"", topic);
  endif
  start = mod ([double(topic), seed, k], 2 ^ 32).';
  rand ("twister", start);
  randn ("twister", [start; 1]);
  c = struct ("name", topic, "args", {{}}, "nout", 1, "paged", [], "each", [], "pages", 0, "kinds", "", "refused", "no", ...
              "check", @(c, out) {}, "note", "", "wrong", {{}}, "steady", true);
  c = groups{at,1} (c, topic);
  if (rand () < 0.05)
    c = in_another_form (c);
  endif
  if (! isempty (c.wrong) && rand () < 0.1)
    c = spoilt (c);
  endif
endfunction

% A first argument that is one matrix of class double becomes a diagonal matrix, or a range where it is a row.
function c = in_another_form (c)
  if (isempty (c.args) || ! isa (c.args{1}, "double") || issparse (c.args{1}) || ndims (c.args{1}) > 2 || ! isequal (c.paged, 1))
    return;
  endif
  [m, n] = size (c.args{1});
  if (m == 1 && n > 1)
    c.args{1} = (1:n) * 0.5;
  elseif (rand () < 0.5)
    c.args{1} = eye (m, n);
  else
    c.args{1} = diag (rand (min (m, n), 1), m, n);
  endif
  c.check = @(c, out) {};
  c.note = [c.note, ", in another form"];
endfunction

% The call with one thing wrong. Choices that concern options are in c.wrong, as cells of arguments to append.
function c = spoilt (c)
  c.refused = "must";
  c.paged = c.each = [];
  wrong = {{"NoSuchOption", 1}, {"device"}, {"device", "gpus"}, {"device", -1}, {"device", 1.5}, {"device", {}}, ...
           {"device", NaN}, {"device", 1000}, {{}}, {@sin}, {struct()}};
  wrong = [wrong, c.wrong];
  if (strcmp (c.name, "eigs_lanczos"))  # which takes options in a struct
    wrong(cellfun (@(w) isstruct (w{1}), wrong)) = [];
  endif
  choice = randi (8);
  if (isempty (c.args))
    choice = 3;
  endif
  switch (choice)
    case 7
      c.nout = 12;
      c.note = [c.note, ", too many outputs"];
    case 1
      bad = {int8(7), uint64([1, 2; 3, 4]), true, [true, false; false, true], sparse([1, 2; 2, 3]), {1}, struct("a", 1), "text", ...
             @sin, sparse(1i), int32(ones (2, 2, 2)), {}};
      if (any (strcmp (c.name, {"spmv", "spmv_plan", "eigs_lanczos"})))
        bad(cellfun (@issparse, bad)) = [];
      endif
      c.args{1} = bad{randi (numel (bad))};
      c.note = [c.note, ", an argument of a wrong class"];
    case 2
      c.args = {};
      c.note = [c.note, ", no arguments"];
    otherwise
      c.args = [c.args, wrong{randi(numel (wrong))}];
      c.note = [c.note, ", a wrong option"];
  endswitch
endfunction
