% tests/octave/check_gpu_scripts.m: pieces of scripts as users of MATLAB and CuPy write them, with gpuArrays
% SPDX-License-Identifier: GPL-3.0-or-later
%
% [passed, failed] = check_gpu_scripts (). Each piece is a function of a 3 x 4 matrix. With a gpuArray it must give what
% it gives with an array of the host, as a gpuArray where that is an array of numbers; or, in the last list, end with
% the error gpulinalg:gather-needed. Octave's own functions in files are run unchanged.

function [passed, failed] = check_gpu_scripts ()
  warning ("off", "all", "local");
  passed = failed = 0;
  for x = {magic(4)(1:3,:), single(magic (4)(1:3,:))}
    for kind = {"arrays", "values", "refused"}
      for f = feval (kind{1})
        text = judged (kind{1}, f{1}, x{1});
        passed += isempty (text);
        failed += ! isempty (text);
        if (! isempty (text))
          printf ("FAILED %s of %s: %s\n", func2str (f{1}), class (x{1}), text);
        endif
      endfor
    endfor
  endfor
endfunction

% What is wrong, or nothing.
function text = judged (kind, f, x)
  text = "";
  try
    have = f (gpuArray (x));
    if (strcmp (kind, "refused"))
      text = "no error";
    elseif (! alike (f (x), on_host (have)))
      text = [disp(have)(1:end-1) " differs"];
    elseif (strcmp (kind, "arrays") != any_on_gpu (have))
      text = ["is of class " class(have)];
    endif
  catch err
    if (! strcmp (kind, "refused") || isempty (strfind (err.message, "gather")))
      text = [err.identifier ": " err.message];
    endif
  end_try_catch
endfunction

function v = on_host (v)
  if (iscell (v))
    v = cellfun (@on_host, v, "uniformoutput", false);
  elseif (isstruct (v))
    v = arrayfun (@(s) structfun (@on_host, s, "uniformoutput", false), v);
  else
    v = gather (v);
  endif
endfunction

function tf = any_on_gpu (v)
  if (iscell (v))
    tf = any (cellfun (@any_on_gpu, v(:)));
  elseif (isstruct (v))
    tf = any (arrayfun (@(s) any (structfun (@any_on_gpu, s)), v(:)));
  else
    tf = isgpuarray (v);
  endif
endfunction

% To 1e5 units of eps of the largest element.
function tf = alike (a, b)
  if (iscell (a))
    tf = iscell (b) && isequal (size (a), size (b)) && all (cellfun (@alike, a(:), b(:)));
    return;
  endif
  tf = strcmp (class (a), class (b)) && isequal (size (a), size (b));
  if (tf && isfloat (a) && ! isempty (a))
    same = a == b | (isnan (a) & isnan (b));
    tf = all ((same | abs (a - b) <= 1e5 * eps (class (a)) * max ([1; abs(a(isfinite (a)))(:)]))(:));
  elseif (tf)
    tf = isequal (a, b);
  endif
endfunction

%--------------------------------------------------------------------------------
% the pieces
%--------------------------------------------------------------------------------

% The results are gpuArrays, or cells that hold some.
function list = arrays ()
  list = {@(x) x + 1, @(x) std(x), @(x) std(x, 1, 2), @(x) var(x), @(x) var(x, 0, 2), @(x) cov(x), @(x) mean(x(:)), @(x) median(x), @(x) range(x), ...
          @(x) bsxfun(@plus, x, x(1,:)), @(x) bsxfun(@minus, x, mean (x)), @(x) interp1(1:4, double(x(1,:)), [1.5 2.5]), @(x) cumprod(x), @(x) cumsum(x, 2), ...
          @(x) cumtrapz(x), @(x) trapz(x), @(x) mod(x, 5), @(x) rem(x, 5), @(x) xor(x > 3, x < 8), @(x) cellfun(@(y) y * 2, {x, x}, "uniformoutput", false), ...
          @(x) mat2cell(x, [1 2], [2 2]), @(x) find(x > 5), @(x) nthargout(1:2, @find, x > 5), @(x) nthargout(1:3, @find, x), @(x) find(x > 5, 2), @(x) any(x > 15), ...
          @(x) all(x > 0), @(x) all(all (x > 0)), @(x) nnz(x > 4), @(x) x(:)', @(x) x(end), @(x) x(end-1,end), @grown, @masked, @(x) zeros_like(size (x), x), ...
          @filled, @structs, @(x) nthargout(1:2, @max, x, [], 2), @newton, @halved, @repeated, @in_cells, @swapped, @compound, @from_file, @negated_mask, ...
          @(x) setfield(x, {":"}, 1:numel (x)), @bordered, @pages, @(x) triu(x), @(x) tril(x, -1), ...
          @(x) trace(x(:,1:3)), @(x) inv(x(:,1:3) + 20 * eye (3)), @(x) rot90(x), @(x) flipud(x), @(x) fliplr(x), @(x) circshift(x, 1, 2), @(x) repmat(x, 2, 2), ...
          @(x) kron(x, [1 2]), @(x) toeplitz(x(1,:)), @(x) reshape(x, 2, []), @(x) permute(x, [2 1]), @(x) isequal(x, x), @(x) isequal(x, gather (x)), @(x) squeeze(reshape (x, 3, 1, 4)), @(x) vec(x), @(x) horzcat(x, x), @(x) cat(3, x, x), ...
          @(x) nthargout(1:2, @meshgrid, x(1,:), x(:,1)), @(x) nthargout(1:2, @ndgrid, x(1,:), x(:,1)), @(x) linspace(x(1), x(2), 5), @(x) diff(x), @(x) sort(x), ...
          @(x) nthargout(1:2, @sort, x, 2, "descend"), @(x) unique(mod (x, 3)), @(x) polyval([1 2 3], x), @(x) cross(x(:,1), x(:,2)), @(x) dot(x(:,1), x(:,2)), ...
          @(x) norm(x), @(x) norm(x, 1), @(x) norm(x, "fro"), @(x) max(x, 5), @(x) max(x(:)), @(x) nthargout(1:2, @min, x), @(x) min(max (x, 2), 9), @(x) cummax(x), ...
          @(x) prod(x), @(x) sumsq(x), @(x) sum(x(:)), @(x) sum(x, "double"), @(x) hypot(x, 1), @(x) atan2(x, 2), @(x) x .^ 2, @(x) x(:,1:3) ^ 2, @(x) sqrt(-x), ...
          @(x) log(x), @(x) nthroot(x, 3), @(x) cbrt(x), @(x) sign(x - 5), @(x) round(x / 3), @(x) erf(x / 10), @(x) sin(pi * x), @(x) imag(x * 1i), @(x) angle(x * 1i), ...
          @(x) complex(x, x), @(x) isnan(x), @(x) x + NaN(size (x)), @(x) abs(fft (x)), @(x) real(ifft (fft (x))), @(x) fftshift(x), @(x) arrayfun(@(t) t ^ 2 + 1, x), ...
          @(x) feval(@plus, x, 1), @(x) feval("plus", x, 1), @(x) merge(x > 4, x, 2 * x), @(x) rank(x), @(x) svd(x), @(x) eig(x * x'), @(x) pinv(x), ...
          @(x) (x(:,1:3) + 20 * eye(3)) \ x, @(x) x' \ x', @(x) cond(x(:,1:2)), @(x) cast(x, "single"), @(x) cast_like(int8 (3), x), @of_columns, ...
          @(x) {x, -x}{1 + (x(1) > 0)}, @(x) !(x > 3), @(x) -x + +x, @(x) x', @(x) double(x), @(x) single(x), @(x) logical(x), @(x) x(logical ([1 0 1]),:), ...
          @(x) postpad(x, 5), @(x) prepad(x, 5), @(x) resize(x, 2, 2), @(x) zscore(x), @(x) center(x), @(x) x([end, 1:end-1],:), @(x) x(:,[3 1 2 4]), @removed};
endfunction

% The results are on the host: sizes, answers, text, arrays of the host.
function list = values ()
  list = {@(x) nthargout(1:2, @ind2sub, [3 4], find (x > 3)), @(x) cellfun("isempty", {x}), @(x) cellfun(@numel, {x, x'}), @(x) num2str(x), @(x) num2str(x(1)), @(x) mat2str(x), ...
          @(x) sprintf("%g ", x), @(x) int2str(x), @(x) disp(x), @(x) evalc("x"), @(x) evalc("fprintf ('%g,', x)"), @(x) size(x), @(x) size(x, 1), @(x) nthargout(1:2, @size, x), ...
          @(x) numel(x), @(x) ndims(x), @(x) length(x), @(x) columns(x), @(x) isa(x, "float"), @(x) isreal(x), @(x) isnumeric(x), @(x) isvector(x(1,:)), @(x) isscalar(x(1)), ...
          @(x) ismatrix(x), @(x) issquare(x), @(x) isempty(x), @(x) isrow(x(1,:)), @(x) iscolumn(x(:)), @(x) isfloat(x), @(x) islogical(x > 1), @(x) size_equal(x, x), ...
          @(x) numel(x, 1, ":"), @(x) (1:20)(x), @(x) "abcdefghijklmnopqrst"(x), @(x) isstruct(x), @(x) iscell(x), @(x) ischar(x), @(x) x(1) > 0 && x(2) > 0, ...
          @(x) x(1) < 0 || x(2) > 0, @(x) strcmp(x, "a"), @chosen, @named, @failed, @(x) gather(x), @(x) count_arguments(x, x), @written, @(x) ones(2, class (gather (x)))};
endfunction

function list = refused ()
  list = {@(x) accumarray([1; 2; 1], x(:,1)), @(x) int32(x), @(x) uint8(x), @(x) char(x), @(x) bitand(x, 3), @(x) bitshift(x, 1), @(x) num2cell(x), @(x) det(x(:,1:3)), ...
          @(x) sortrows(x), @(x) nthargout(1:3, @unique, x), @(x) ismember(3, x), @(x) histc(x(:), 0:4:16), @(x) conv(x(1,:), [1 1]), @(x) conv2(x, ones (2)), ...
          @(x) filter(1, [1 .5], x), @(x) norm(x, 2, "cols"), @(x) expm(x(:,1:3)), @(x) sqrtm(x(:,1:3)), @(x) gamma(x), @(x) gcd(x, 4), @(x) lcm(x, 4), ...
          @(x) besselj(0, x), @(x) arrayfun(@(t) {t}, x, "uniformoutput", false), @(x) lookup(1:5, x), @(x) chol(x * x'), @(x) lu(x), @(x) qr(x), @(x) typecast(x(1), "uint64"), ...
          @(x) sparse(x), @(x) issorted(x(1,:)), @(x) setfield(1:20, {1}, x(1)), @(x) cast(x, "int8"), @(x) nth_element(x(:), 2), @(x) gmres(x(:,1:3), x(:,1))};
endfunction

%--------------------------------------------------------------------------------
% pieces of several lines
%--------------------------------------------------------------------------------

function y = grown (x)
  y = x(1);
  for k = 2:6
    y(end+1) = x(k);
  endfor
endfunction
function y = masked (x)
  y = x;
  y(y > 5) = [];
  y(y < 3) = 0;
endfunction
function y = filled (x)
  y = zeros (3, 4, class (gather (x)));
  y = cast_like (y, x);
  for k = 1:4
    y(:,k) = x(:,k) * k;
  endfor
endfunction
% Arrays of the host know "like" from Octave 7 on.
function y = zeros_like (sizes, x)
  if (isa (x, "gpuArray"))
    y = zeros (sizes, "like", x);
  else
    y = zeros (sizes, class (x));
  endif
endfunction
function y = cast_like (y, x)
  if (isa (x, "gpuArray"))
    y = cast (y, "like", x);
  else
    y = cast (y, class (x));
  endif
endfunction
function y = structs (x)
  s.a = x;
  s.b(2).c = x(1,:);
  s.a(2,:) = 7;
  y = {s.a, s.b(2).c};
endfunction
function y = newton (x)
  y = x;
  for k = 1:5
    y -= (y .^ 2 - x) ./ (2 * y);
  endfor
endfunction
function y = halved (x)
  y = x;
  while (max (abs (y(:))) > 1)
    y /= 2;
  endwhile
endfunction
function y = repeated (x)
  k = 0;
  do
    k++;
    y = x * k;
  until (any (y(:) > 40))
endfunction
function y = in_cells (x)
  c = cell (1, columns (x));
  for k = 1:columns (x)
    c{k} = x(:,k);
  endfor
  c{1}(2) = x(1);
  y = cat (1, c{:});
endfunction
function x = swapped (x)
  [x(1), x(2)] = deal (x(2), x(1));
endfunction
function y = compound (x)
  y = x;
  y += 1;
  y -= 2;
  y *= 3;
  y /= 2;
  y .^= 2;
  y(1) += 5;
  y(:,1) *= 2;
  y++;
endfunction
function y = from_file (x)
  name = tempname ();
  save ("-binary", name, "x");
  unwind_protect
    y = load (name).x;
  unwind_protect_cleanup
    unlink (name);
  end_unwind_protect
endfunction
function y = negated_mask (x)
  y = x;
  m = x > 8;
  y(m) = -x(m);
endfunction
function x = bordered (x)
  x(end+1,:) = 0;
  x(:,end+1) = 1;
endfunction
function y = pages (x)
  y = repmat (x, [1 1 3]);
  y(:,:,2) = [];
  y(:,:,end+1) = x;
endfunction
function y = of_columns (x)
  y = 0;
  for column = x
    y += sum (column);
  endfor
endfunction
function x = removed (x)
  x(1,:) = [];
endfunction
function y = chosen (x)
  switch (x(1))
    case 1
      y = "one";
    case 16
      y = "sixteen";
    otherwise
      y = "other";
  endswitch
endfunction
function y = named (x)
  y = name_of (x);
endfunction
function y = name_of (x)
  y = inputname (1);
endfunction
function y = failed (x)
  try
    y = x(:,99);
  catch
    y = "an error";
  end_try_catch
endfunction
function n = count_arguments (varargin)
  n = nargin;
endfunction
function y = written (x)
  name = tempname ();
  unwind_protect
    dlmwrite (name, x);
    y = dlmread (name);
  unwind_protect_cleanup
    unlink (name);
  end_unwind_protect
endfunction
