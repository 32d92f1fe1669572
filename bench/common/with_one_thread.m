% with_one_thread.m: runs a function of these folders in another Octave with one BLAS thread
% SPDX-License-Identifier: GPL-3.0-or-later
%
% values = with_one_thread (call, count): the numbers that the call, a string, prints; an error if their
% number is not count.

function values = with_one_thread (call, count)
  folders = genpath (fileparts (fileparts (mfilename ("fullpath"))));
  [status, text] = system (sprintf (['OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 ' ...
    '"%s" --no-history --no-init-file --path "%s" --eval "%s"'], ...
    fullfile (OCTAVE_HOME (), "bin", "octave-cli"), folders, call));
  values = sscanf (text, "%g");
  if (status != 0 || numel (values) != count)
    error ("bench: %s with one BLAS thread failed: %s", call, text);
  end
end
