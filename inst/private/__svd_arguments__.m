## __svd_arguments__.m: reads the arguments of functions that are made of singular values of pages
## SPDX-License-Identifier: GPL-3.0-or-later
##
## [tol, o] = __svd_arguments__ (who, name, A, args, o): A must be a full floating point array, which errors
## call `name`. args may begin with a tolerance; then come names of fields of o, each with a value. tol is []
## where none was given. flags: words that the caller has read, for the list of valid options in errors.

function [tol, o] = __svd_arguments__ (who, name, A, args, o, flags = {})

  if (issparse (A))
    error ("gpulinalg:bad-class", "%s: %s must be a full array, not sparse; use full (%s)", who, name, name);
  elseif (! isfloat (A))
    error ("gpulinalg:bad-class", "%s: %s must be a single or double array, not %s", who, name, type_of (A));
  endif
  tol = [];
  if (numel (args) > 0 && ! ischar (args{1}))
    tol = args{1};
    args(1) = [];
    if (! (isnumeric (tol) && isreal (tol) && isscalar (tol) && tol >= 0))
      if (isnumeric (tol) && isreal (tol) && isscalar (tol))
        given = sprintf ("%g", gather (tol));
      else
        given = sprintf ("of class %s and size %s", class (tol), sprintf ("%dx", size (tol))(1:end-1));
      endif
      error ("gpulinalg:bad-value", "%s: tol must be a number that is not negative, not %s", who, given);
    endif
  endif
  names = fieldnames (o);
  valid = strjoin (strcat ("\"", [flags, names.'], "\""), ", ");
  for k = 1:2:numel (args)
    if (! ischar (args{k}))
      error ("gpulinalg:bad-option", "%s: the name of an option must be a string, not of class %s; valid options are %s",
             who, class (args{k}), valid);
    endif
    known = strcmpi (args{k}, names);
    if (! any (known))
      error ("gpulinalg:bad-option", "%s: unknown option \"%s\"; valid options are %s", who, args{k}, valid);
    elseif (k == numel (args))
      error ("gpulinalg:bad-option", "%s: option \"%s\" needs a value", who, args{k});
    endif
    o.(names{known}) = args{k+1};
  endfor

endfunction

## What an argument is: its class, or that of the elements of a gpuArray.
function type = type_of (A)

  type = class (A);
  if (isgpuarray (A))
    type = underlyingType (A);
  endif

endfunction
