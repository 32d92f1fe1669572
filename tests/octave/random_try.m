% tests/octave/random_try.m: makes a call of random_call and checks what must hold of it
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [texts, digest] = random_try (c): texts say what is wrong, {} if nothing is; digest is that of the bits of the outputs.

function [texts, digest] = random_try (c)
  for id = {"pages-failed", "rank-deficient", "singular-pencil", "not-converged", "device-memory"}
    warning ("off", ["gpulinalg:", id{1}], "local");
  endfor
  lastwarn ("");
  before = bits_of (c.args);
  [out, err] = attempt (c.name, c.args, c.nout);
  texts = {};
  if (! isempty (err.message))
    digest = err.identifier;
    texts = told (! strcmp (c.refused, "no"), "the call failed");
    texts = [texts, told(valid_id (err.identifier), "the error has no id of its own")];
    if (! isempty (texts))
      texts{end} = sprintf ("%s: [%s] %s", texts{end}, err.identifier, err.message);
    endif
    [~, again] = attempt (c.name, c.args, c.nout);
    texts = [texts, told(isequal (err, again), "another run has another error")];
  else
    digest = merge (c.steady, bits_of (out), "");
    texts = [texts, told(! strcmp (c.refused, "must"), "the call did not fail")];
    again = out;
    if (c.steady)
      again = attempt (c.name, c.args, c.nout);
    endif
    texts = [texts, told(! c.steady || strcmp (bits_of (again), digest), "another run has other bits")];
    [warned, id] = lastwarn ();  # in Octave 11 also of a warning that is off
    off = ! isempty (id) && strcmp (warning ("query", id).state, "off");
    texts = [texts, told(isempty (warned) || off, ["the warning ", warned])];
    special = cellfun (@is_special, c.args);
    if (any (special))
      c.args(special) = cellfun (@full, c.args(special), "uniformoutput", false);
      before = bits_of (c.args);
      [again, err] = attempt (c.name, c.args, c.nout);
      texts = [texts, told(strcmp (bits_of (again), digest), "the full matrix has other bits")];
    endif
    texts = [texts, some_pages(c, out)];
    if (! strcmp (c.refused, "must"))
      texts = [texts, c.check(c, out)];
    endif
  endif
  texts = [texts, told(strcmp (before, bits_of (c.args)), "the arguments have changed")];
  texts = texts(! cellfun (@isempty, texts));
  if (! isempty (texts))
    texts{1} = [c.name, ", ", c.note, ": ", texts{1}];
  endif
endfunction

function texts = told (ok, text)
  texts = {text}(! ok);
endfunction

function [out, err] = attempt (name, args, nout)
  out = cell (1, nout);
  err = struct ("identifier", "", "message", "");
  try
    [out{:}] = feval (name, args{:});
  catch e
    err = struct ("identifier", e.identifier, "message", e.message);
  end_try_catch
endfunction

function ok = valid_id (id)
  ok = (strncmp (id, "gpulinalg:", 10) || strncmp (id, "Octave:", 7)) && ! strcmp (id, "gpulinalg:internal");
endfunction

% Whether x is a range, a diagonal or a permutation matrix, which are numbers in another form.
function is = is_special (x)
  is = isnumeric (x) && ! isgpuarray (x) && ! isempty (regexp (typeinfo (x), "range|diagonal|permutation"));
endfunction

%-------------------------------------------------------------------------------
% pages
%-------------------------------------------------------------------------------

% One page alone, all in another order, or some of them several times: the same bits.
function texts = some_pages (c, out)
  texts = {};
  if (isempty (c.paged) || c.pages == 0)
    return;
  endif
  switch (randi (3))
    case 1
      some = randi (c.pages);
    case 2
      some = randperm (c.pages);
    otherwise
      some = randi (c.pages, 1, randi (min (2 * c.pages, 40)));
  endswitch
  args = c.args;
  for a = c.paged
    args{a} = taken (args{a}, some);
  endfor
  for a = c.each
    args{a} = args{a}(some);
  endfor
  [part, err] = attempt (c.name, args, c.nout);
  texts = told (isempty (err.message), ["pages ", num2str(some), " fail: ", err.message]);
  if (isempty (texts))
    for k = 1:c.nout
      texts = [texts, told(same_part (part{k}, out{k}, c.kinds(k), some, c.pages), ...
                           sprintf ("output %d: pages %s alone have other bits", k, num2str (some)))];
    endfor
  endif
endfunction

% Some pages of an argument. Octave makes a complex array real where no imaginary part is left.
function X = taken (X, some)
  was = iscomplex (X);
  X = X(:,:,some);
  if (was)
    X = complex (X);
  endif
endfunction

function same = same_part (part, all_, kind, some, pages)
  switch (kind)
    case "p"
      all_ = reshape (all_, rows (all_), columns (all_), pages)(:,:,some);
      part = part(:,:,:);
      # results of a part of the spectrum have as many columns as the page with the most
      n = max (size (part)(1:2), size (all_)(1:2));
      same = isequaln (widened (part, n), widened (all_, n));
    case "c"
      same = isequaln (part(:), all_(:)(some(:)));
    case "s"
      same = true;
      for [value, field] = all_
        if (isnumeric (value) && isvector (value) && numel (value) == pages && ! any (strcmp (field, {"seconds", "rotations", "device"})))
          same &= isequaln (part.(field)(:), value(:)(some(:)));
        endif
      endfor
    otherwise
      same = true;
  endswitch
endfunction

function X = widened (X, n)
  X(end+1:n(1),:,:) = NaN;
  X(:,end+1:n(2),:) = NaN;
endfunction

%-------------------------------------------------------------------------------
% bits
%-------------------------------------------------------------------------------

% A digest of all that x holds. All NaN are one, and times do not count.
function text = bits_of (x)
  if (isgpuarray (x))
    x = gather (x);
  endif
  if (iscell (x))
    text = hash ("md5", [sprintf("%d,", size (x)), cellfun(@bits_of, x(:).', "uniformoutput", false){:}]);
  elseif (isstruct (x))
    x = rmfield (x, intersect (fieldnames (x), {"seconds"}));
    text = bits_of ([fieldnames(x); struct2cell(x)(:)]);
  elseif (issparse (x))
    [i, j, v] = find (x);
    text = bits_of ({size(x), i, j, v});
  elseif (isnumeric (x) || ischar (x) || islogical (x))
    x = full (x);
    if (isfloat (x))
      x(isnan (x)) = NaN;
    endif
    text = hash ("md5", [class(x), sprintf("%d,", iscomplex (x), size (x)), bytes(real (x)), bytes(imag (x))]);
  else
    text = class (x);
  endif
endfunction

function b = bytes (x)
  if (islogical (x) || ischar (x))
    x = uint8 (x);
  endif
  b = char (typecast (x(:).', "uint8"));
endfunction
