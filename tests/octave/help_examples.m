% tests/octave/help_examples.m: runs the examples of the help texts with the package doctest; prints one closing line
% SPDX-License-Identifier: GPL-3.0-or-later
%
% tests/examples.sh starts it in an empty folder. HELP_OF holds names of functions, or of their files with a
% slash, between blanks; where it is empty, all functions in INDEX are tested.
% Each function needs an example with a result, and its example must leave no file behind. Names of arguments must not
% differ in case alone, because help shows all of them in capitals.

1;  % a script, although it begins with functions

function names = functions_of_index ()
  top = fullfile (fileparts (mfilename ("fullpath")), "..", "..");
  names = regexp (fileread (fullfile (top, "INDEX")), '^ (\w+)$', "tokens", "lineanchors");
  names = [names{:}];
  if (compare_versions (version (), "8.0.0", ">="))
    names = setdiff (names, {"pagetranspose", "pagectranspose"}, "stable");  % Octave's own, which PKG_ADD leaves alone
  end
end

% The first of the names in @var{} that another one in the same text repeats in other letters, or "".
function name = twice_in_capitals (text)
  names = regexp (text, '@var\{([^}]*)\}', "tokens");
  names = unique ([{}, names{:}]);
  [~, first] = unique (upper (names), "first");
  again = setdiff (1:numel (names), first);
  name = [names(again), {""}]{1};
end

function [passed, failed] = run_examples (name)
  [folder, name] = fileparts (name);
  if (! isempty (folder))
    addpath (folder);
  end
  [passed, tests, summary] = doctest (name, "-quiet");
  failed = tests - passed;
  if (summary.num_targets_with_extraction_errors > 0)
    failed++;
    printf ("%s: there is no such function, or its help text is no valid Texinfo\n", name);
  elseif (tests == 0)
    failed++;
    printf ("%s: the help text has no example with a result\n", name);
  elseif (failed > 0)
    doctest (name, "-verbose");
  end
  again = twice_in_capitals (get_help_text (name));
  if (! isempty (again))
    failed++;
    printf ("%s: help shows two different names as %s\n", name, upper (again));
  end
  left = setdiff ({dir(pwd ()).name}, {".", ".."});
  if (! isempty (left))
    failed++;
    printf ("%s: the example leaves the file %s\n", name, left{1});
    cellfun (@delete, left);
  end
end

if (numel (dir (pwd ())) > 2)  # what an example leaves is deleted
  error ("help_examples: %s is not an empty folder; sh tests/examples.sh help makes one", pwd ());
end

try
  pkg load doctest
catch
  puts ("the package doctest is not installed here (Debian and Ubuntu: octave-doctest)\n");
  puts ("help texts: 0 passed, 0 failed, 1 skipped\n");
  exit (0);
end
names = strsplit (getenv ("HELP_OF"), " ", "collapsedelimiters", true);
if (isempty ([names{:}]))
  names = functions_of_index ();
end
passed = failed = 0;
for name = names
  [p, f] = run_examples (name{1});
  passed += p;
  failed += f;
end
printf ("help texts: %d passed, %d failed, 0 skipped\n", passed, failed);
exit (failed > 0 || passed == 0);
