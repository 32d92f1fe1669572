% tests/octave/document_examples.m: runs the ```octave blocks of one document; prints one closing line
% SPDX-License-Identifier: GPL-3.0-or-later
%
% tests/examples.sh starts it in an empty folder; DOCUMENT is the name of the file. The blocks run one
% after the other in one session, as a reader would type them. The word after ```octave marks a block:
%   ```octave gpu      runs where there is a GPU
%   ```octave install  installs the package, and does not run
% Blocks that draw are skipped where Octave finds no font.
% What the document names must exist: targets of make, files for octave-cli and sh, files that it links to. A row behind
% an empty line belongs to no table.

1;  % a script, although it begins with functions

% A struct array of the fenced blocks: mark (what follows the ```), line (its number) and code.
function blocks = blocks_of (text)
  blocks = struct ("mark", {}, "line", {}, "code", {});
  lines = strsplit (text, "\n", "collapsedelimiters", false);
  fences = find (strncmp (lines, "```", 3));
  if (mod (numel (fences), 2))
    error ("line %d: this block has no end", fences(end));
  end
  for k = 1:2:numel (fences) - 1
    from = fences(k);
    blocks(end+1) = struct ("mark", strtrim (lines{from}(4:end)), "line", from, ...
                            "code", strjoin (lines(from+1:fences(k+1)-1), "\n"));
  end
end

% An empty string where the code runs, otherwise the error.
function message = run_block (code)
  message = "";
  if (isempty (pkg ("list", "gpulinalg")))  % the functions of the source tree are on the path
    code = regexprep (code, '^pkg load gpulinalg$', "", "lineanchors");
  end
  try
    evalc ("evalin (\"base\", code);");
  catch err
    message = err.message;
  end
end

% The lines of the blocks, and what stands in backquotes elsewhere, as cells.
function code = code_of (text, blocks)
  lines = strsplit (strjoin ({blocks.code}, "\n"), "\n");
  prose = regexprep (text, '^```.*?^```$', "", "lineanchors");
  spans = regexp (prose, '`([^`]+)`', "tokens");
  code = [lines, regexprep([{}, spans{:}], '\s+', " ")];
end

% The calls of make, and files for octave-cli and sh, that the document names; which of them do not exist.
function [missing, named] = missing_commands (code)
  top = fullfile (fileparts (mfilename ("fullpath")), "..", "..");
  missing = {};
  named = 0;
  for line = unique (code)
    call = regexp (line{1}, '^make (?:-C (?<folder>[\w/]+) )?(?<target>[a-z][\w-]*)', "names");
    file = regexp (line{1}, '^(?:octave-cli|sh) (?<name>[\w/.-]+\.(?:m|sh))', "names");
    if (! isempty (call))
      makefile = fullfile (top, call.folder, "Makefile");
      rule = ['^([\w-]+ )*', call.target, '( [\w-]+)*:'];
      exists = exist (makefile, "file") && ! isempty (regexp (fileread (makefile), rule, "once", "lineanchors"));
    elseif (! isempty (file))
      exists = exist (fullfile (top, file.name), "file");
    else
      continue;
    end
    named++;
    if (! exists)
      missing{end+1} = line{1};
    end
  end
end

% The links to other files, which are relative to the folder of the document.
function [missing, named] = missing_links (text, folder)
  links = regexp (text, '\]\(([^)#:\s]+)[^):]*\)', "tokens");
  links = unique ([{}, links{:}]);
  found = cellfun (@(link) exist (fullfile (folder, link)), links);
  missing = links(! found);
  named = numel (links);
end

% The numbers of the lines from | to | that neither follow such a line nor stand before a line of dashes.
function numbers = stray_rows (text)
  lines = strsplit (text, "\n", "collapsedelimiters", false);
  is_row = ! cellfun (@isempty, regexp (lines, '^\|.*\|$', "once"));
  begins = is_row & ! [false, is_row(1:end-1)];
  has_dashes = ! cellfun (@isempty, regexp ([lines(2:end), {""}], '^\|[ |:-]+\|$', "once"));
  numbers = find (begins & ! has_dashes);
end

function [passed, failed, skipped] = check_document (file)
  passed = failed = skipped = 0;
  text = fileread (file);
  blocks = blocks_of (text);
  has_gpu = drawing = [];
  for block = blocks
    words = strsplit (block.mark, " ");
    if (! strcmp (words{1}, "octave"))
      continue;
    end
    mark = strjoin (words(2:end), " ");
    if (strcmp (mark, "gpu") && isempty (has_gpu))
      has_gpu = ! isempty (gpulinalg_info ().devices);
    end
    draws = ! isempty (regexp (block.code, '^plot \(', "once", "lineanchors"));
    if (draws && isempty (drawing))
      drawing = can_draw ();
    end
    if ((draws && ! drawing) || strcmp (mark, "install") || (strcmp (mark, "gpu") && ! has_gpu))
      skipped++;
      continue;
    end
    message = run_block (block.code);
    if (! any (strcmp (mark, {"", "gpu"})))
      message = ["the mark is neither gpu nor install: ", mark];
    end
    passed += isempty (message);
    failed += ! isempty (message);
    if (! isempty (message))
      printf ("%s:%d: %s\n", file, block.line, message);
    end
  end
  [commands, count] = missing_commands (code_of (text, blocks));
  [links, count(2)] = missing_links (text, fileparts (file));
  missing = [commands, links];
  for line = stray_rows (text)
    printf ("%s:%d: this row belongs to no table\n", file, line);
    failed++;
  end
  cellfun (@(name) printf ("%s: there is no target or file for: %s\n", file, name), missing);
  passed += sum (count) - numel (missing);
  failed += numel (missing);
end

addpath (fullfile (fileparts (mfilename ("fullpath")), "..", "..", "examples"));  % can_draw
warning ("off", "Octave:gnuplot-graphics");
graphics_toolkit ("gnuplot");
set (0, "defaultfigurevisible", "off");
[passed__, failed__, skipped__] = check_document (getenv ("DOCUMENT"));
printf ("document: %d passed, %d failed, %d skipped\n", passed__, failed__, skipped__);
exit (failed__ > 0);
