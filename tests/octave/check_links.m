% tests/octave/check_links.m: whether each link within the pages of a folder leads somewhere; prints one closing line
% SPDX-License-Identifier: GPL-3.0-or-later
%
% HTML is the folder. Links to other sites are not followed.

1;  % a script, although it begins with functions

function names = pages_in (folder)
  names = {};
  for entry = dir (folder).'
    name = fullfile (folder, entry.name);
    if (entry.isdir && entry.name(1) != ".")
      names = [names, pages_in(name)];
    elseif (regexp (name, '\.html$'))
      names{end+1} = name;
    end
  end
end

function all_ = matches (text, pattern)
  all_ = regexp (text, pattern, "tokens");
  all_ = [all_{:}];
end

folder = getenv ("HTML");
pages = pages_in (folder);
texts = cellfun (@fileread, pages, "uniformoutput", false);
anchors = cellfun (@(text) matches (text, '\s(?:id|name)="([^"]*)"'), texts, "uniformoutput", false);
files = cellfun (@canonicalize_file_name, pages, "uniformoutput", false);
passed = failed = 0;
for k = 1:numel (pages)
  for link = unique (matches (texts{k}, '\s(?:href|src)="([^"]*)"'))
    if (! isempty (regexp (link{1}, '^(https?|mailto):', "once")))
      continue;
    end
    parts = [strsplit(link{1}, "#"), {""}];
    target = files{k};
    if (! isempty (parts{1}))
      target = canonicalize_file_name (fullfile (fileparts (pages{k}), parts{1}));
    end
    at = find (strcmp (target, files));
    good = ! isempty (target) && ! isfolder (target);
    if (good && ! isempty (parts{2}))
      good = ! isempty (at) && any (strcmp (parts{2}, anchors{at}));
    end
    passed += good;
    failed += ! good;
    if (! good)
      printf ("%s: the link %s leads nowhere\n", pages{k}, link{1});
    end
  end
end
printf ("links: %d passed, %d failed, 0 skipped\n", passed, failed);
exit (failed > 0 || passed == 0);
