% numpy_process.m: NumPy in another process, to measure its functions on pages
% SPDX-License-Identifier: GPL-3.0-or-later
%
% peer = numpy_process ("start"): a struct; [] without python3 and NumPy. Prints the version as a comment of a table.
% text = numpy_process (peer, format, values, ...): the answer of numpy_peer.py to a line.
% numpy_process ("stop", peer): ends it.

function result = numpy_process (peer, varargin)
  if (isstruct (peer))
    fprintf (peer.in, varargin{:});
    fflush (peer.in);
    result = answer_of (peer);
  elseif (strcmp (peer, "start"))
    result = [];
    if (system ("python3 -c 'import numpy' 2>/dev/null") == 0)
      script = fullfile (fileparts (mfilename ("fullpath")), "numpy_peer.py");
      [result.in, result.out, result.process] = popen2 ("python3", {script});
      printf ("# NumPy %s\n", answer_of (result));
    else
      printf ("# no NumPy\n");
    end
  elseif (! isempty (varargin{1}))
    fclose (varargin{1}.in);
    fclose (varargin{1}.out);
    waitpid (varargin{1}.process);
  end
end

% The next line; reading does not wait for it.
function text = answer_of (peer)
  text = "";
  until_ = time () + 120;
  do
    part = fgets (peer.out);
    if (ischar (part))
      text = [text, part];
    else
      fclear (peer.out);
      pause (0.002);
    end
    if (time () > until_)
      error ("numpy_process: NumPy does not answer");
    end
  until (any (text == "\n"))
  text = strtrim (text);
end
