## merge.m: merge of gpuArrays
## SPDX-License-Identifier: GPL-3.0-or-later

function y = merge (mask, t, f)
  if (nargin != 3)
    print_usage ();
  elseif (! islogical (mask))
    error ("gpulinalg:bad-class", "merge: first argument MASK must be logical");
  endif
  if (isscalar (mask))
    y = __gpu_array__ ("merge", mask, t, f);  # also in a function that arrayfun calls
    return;
  endif
  for value = {t, f}
    if (! isscalar (value{1}) && ! isequal (size (value{1}), size (mask)))
      error ("gpulinalg:bad-shape", "merge: MASK, TVAL, and FVAL dimensions must match");
    endif
  endfor
  y = gpuArray (f);
  if (isscalar (y))
    y = repmat (y, size (mask));
  endif
  if (! strcmp (underlyingType (t), underlyingType (f)))
    error ("gpulinalg:bad-class", "merge: cannot merge %s with %s with array mask", underlyingType (t), underlyingType (f));
  endif
  if (iscomplex (t) && isreal (y))
    y = complex (y, 0);
  endif
  if (isscalar (t))
    y(mask) = t;
  else
    y(mask) = t(mask);
  endif
endfunction
