% tests/html/write_html.m: writes the reference of all functions and the documents as HTML; make html
% SPDX-License-Identifier: GPL-3.0-or-later
%
% pandoc converts the documents, makeinfo the help texts, which are read from the sources: nothing has to be
% built. The pages lie in the folder HTML {build/html} as their sources lie in the repository, README.md as
% index.html. What a document links to besides documents becomes a page, too: a source file, or the list of
% the files of a folder.

1;  % a script, although it begins with functions

%------------------------------------------------------------------------------
% files and programs
%------------------------------------------------------------------------------

function need (program, package)
  if (system (["command -v ", program, " >/dev/null 2>&1"]) != 0)
    printf ("make html needs %s (Debian and Ubuntu: the package %s)\n", program, package);
    exit (1);
  end
end

% What a command prints; an error where it fails.
function text = output_of (command)
  [status, text] = system (command);
  if (status != 0)
    error ("write_html: failed: %s", command);
  end
end

function write_file (name, text)
  folder = fileparts (name);
  if (! exist (folder, "dir"))
    output_of (["mkdir -p '", folder, "'"]);
  end
  fid = fopen (name, "w");
  fputs (fid, text);
  fclose (fid);
end

function text = escaped (text)
  text = strrep (strrep (strrep (text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
end

% "doc/../README.md" is "README.md"; the top folder is "".
function path = normal_path (path)
  parts = {};
  for part = strsplit (path, "/")
    if (strcmp (part{1}, "..") && ! isempty (parts))
      parts(end) = [];
    elseif (! any (strcmp (part{1}, {"", "."})))
      parts{end+1} = part{1};
    end
  end
  path = strjoin (parts, "/");
end

%------------------------------------------------------------------------------
% help texts
%------------------------------------------------------------------------------

% The categories of INDEX: a struct array of title and functions.
function categories = read_index ()
  categories = struct ("title", {}, "functions", {});
  for line = strsplit (fileread ("INDEX"), "\n")(2:end)
    if (isempty (line{1}))
      continue;
    elseif (line{1}(1) != " ")
      categories(end+1) = struct ("title", line{1}, "functions", {{}});
    else
      categories(end).functions{end+1} = strtrim (line{1});
    end
  end
end

function text = help_text (name)
  source = ["oct/", name, ".cc"];
  if (exist (source, "file"))
    text = regexp (fileread (source), 'R"doc\(-\*- texinfo -\*-\n(.*?)\)doc"', "tokens", "once"){1};
  else
    lines = strsplit (fileread (["inst/", name, ".m"]), "\n");
    from = find (strcmp (lines, "## -*- texinfo -*-"), 1) + 1;
    to = from + find (! strncmp (lines(from:end), "##", 2), 1) - 2;
    text = strjoin (regexprep (lines(from:to), '^## ?', ""), "\n");
  end
end

% Octave's macro @seealso, with links to the functions of this package.
function text = with_links (text, functions)
  list = regexp (text, '@seealso\{([^}]*)\}', "tokens", "once");
  if (isempty (list))
    return;
  end
  names = strtrim (strsplit (list{1}, ","));
  for k = 1:numel (names)
    if (any (strcmp (names{k}, functions)))
      names{k} = sprintf ("@url{%s.html, %s}", names{k}, names{k});
    else
      names{k} = sprintf ("@code{%s}", names{k});
    end
  end
  text = regexprep (text, '@seealso\{[^}]*\}', ["@strong{See also:} ", strjoin(names, ", "), "."]);
end

% The body of the page of a function, and the first sentence of its help text.
function [body, first] = function_page (name, functions)
  text = regexprep (help_text (name), '(@deftypefnx? +)\{gpulinalg\}', "$1{}");
  folder = tempname ();
  text = ["\\input texinfo\n", fileread(texi_macros_file ()), "@node Top\n@top ", name, "\n", ...
          with_links(text, functions), "\n@bye\n"];
  write_file ([folder, "/in.texi"], text);
  output_of (sprintf ("makeinfo --html --no-split --no-headers -o '%s/out.html' '%s/in.texi'", folder, folder));
  page = fileread ([folder, "/out.html"]);
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");
  body = regexp (page, '<body[^>]*>(.*)</body>', "tokens", "once"){1};
  first = regexp (body, '<dd><p>(.*?\.)(?:\s|</p>)', "tokens", "once"){1};
end

%------------------------------------------------------------------------------
% pages: structs of path in the repository, file of the page, title and body
%------------------------------------------------------------------------------

% The page of a file or a folder of the repository.
function file = page_of (path)
  [folder, name, extension] = fileparts (path);
  if (exist (path, "dir") || isempty (path))
    file = normal_path ([path, "/index.html"]);
  elseif (strcmp ([name, extension], "README.md"))
    file = normal_path ([folder, "/index.html"]);
  elseif (strcmp (extension, ".md"))
    file = regexprep (path, '\.md$', ".html");
  elseif (any (strcmp (extension, {".png", ".html", ".svg"})))
    file = path;
  else
    file = [path, ".html"];
  end
end

function page = document_page (path)
  body = output_of (["pandoc --from=gfm --to=html --wrap=none '", path, "'"]);
  heading = regexp (fileread (path), '^# +(.*?)$', "tokens", "once", "lineanchors");
  if (isempty (heading))
    heading = {path};
  end
  page = struct ("path", path, "file", page_of (path), "title", strrep (heading{1}, "`", ""), "body", body);
end

% A source file, or a folder without a README.md.
function page = other_page (path)
  if (exist (path, "dir"))
    files = strsplit (strtrim (output_of (["sh tests/files.sh --new '", path, "'"])), "\n");
    files = strrep (files, [path, "/"], "");
    body = ["<ul>\n", sprintf('<li><a href="%s">%s</a></li>\n', [files; files]{:}), "</ul>\n"];
  else
    body = ["<pre>", escaped(fileread (path)), "</pre>\n"];
  end
  page = struct ("path", path, "file", page_of (path), "title", path, "body", ["<h1>", path, "</h1>\n", body]);
end

% Links of the body to files of the repository become links to their pages; paths are the files.
function [page, paths] = with_page_links (page)
  paths = {};
  folder = fileparts (page.path);
  if (exist (page.path, "dir"))
    folder = page.path;
  end
  [links, between] = regexp (page.body, '(?:href|src)="[^"#:]+(?:#[^"]*)?"', "match", "split");
  for k = 1:numel (links)
    parts = regexp (links{k}, '^(\w+)="([^"#]+)(.*)"$', "tokens", "once");
    path = normal_path ([folder, "/", parts{2}]);
    if (! isempty (path) && ! exist (path))
      error ("write_html: %s links to %s, which does not exist", page.path, parts{2});
    end
    paths{end+1} = path;
    target = page_of (path);
    links{k} = sprintf ('%s="%s%s%s"', parts{1}, root_of (page.file), target, parts{3});
  end
  page.body = strjoin (between, links);
end

% The way from a page to the top folder.
function root = root_of (file)
  root = repmat ("../", 1, sum (file == "/"));
end

% Names of functions in <code> become links, but for those in headings and links.
function body = with_function_links (body, functions, root, own)
  names = strjoin (setdiff (functions, own), "|");
  link = ['$1<a href="', root, 'reference/$2.html"><code>$2</code></a>'];
  body = regexprep (body, ['([^>]|<(?:td|li|p|dt)[^>]*>|</strong> )<code[^>]*>(', names, ')</code>'], link);
end

%------------------------------------------------------------------------------
% navigation
%------------------------------------------------------------------------------

function html = list_of (title, files, titles, root, own)
  html = ["<h2>", title, "</h2>\n<ul>\n"];
  for k = 1:numel (files)
    class = {"", ' class="here"'}{1 + strcmp(files{k}, own)};
    html = [html, sprintf('<li><a href="%s%s"%s>%s</a></li>\n', root, files{k}, class, titles{k})];
  end
  html = [html, "</ul>\n"];
end

% The title of a page for the list: "QR: what it computes" is "QR", "Notebook: QR" in the notebook, too.
function titles = short_titles (titles)
  titles = regexprep (titles, '^Notebook: ', "");
  titles = regexprep (titles, ':.*', "");
end

% The documents of some folders.
function html = document_list (title, documents, folders, own)
  mine = documents(ismember (cellfun (@fileparts, {documents.path}, "uniformoutput", false), folders));
  html = "";
  if (! isempty (mine))
    html = list_of (title, {mine.file}, short_titles ({mine.title}), root_of (own), own);
  end
end

% Documents, functions by category, and the documents that fewer people look for.
function html = navigation (documents, categories, own)
  html = document_list ("Documents", documents, {"", "doc", "examples"}, own);
  for category = categories
    files = strcat ("reference/", category.functions, ".html");
    html = [html, list_of(category.title, files, category.functions, root_of (own), own)];
  end
  html = [html, document_list("Methods", documents, {"doc/methods"}, own), ...
          document_list("Notebook", documents, {"doc/notebook"}, own)];
end

%------------------------------------------------------------------------------
% all pages
%------------------------------------------------------------------------------

function pages = reference_pages (categories)
  pages = struct ("path", {}, "file", {}, "title", {}, "body", {});
  functions = [categories.functions];
  list = "<h1>All functions</h1>\n";
  for category = categories
    list = [list, "<h2>", category.title, "</h2>\n<table>\n"];
    for name = category.functions
      [body, first] = function_page (name{1}, functions);
      file = ["reference/", name{1}, ".html"];
      pages(end+1) = struct ("path", "", "file", file, "title", name{1}, "body", body);
      list = [list, sprintf('<tr><td><code>%s</code></td><td>%s</td></tr>\n', name{1}, first)];
    end
    list = [list, "</table>\n"];
  end
  pages(end+1) = struct ("path", "", "file", "reference/index.html", "title", "All functions", "body", list);
end

% The documents, and what they link to, and what that links to. Pictures are copied.
function [documents, others] = document_pages (out)
  paths = strsplit (strtrim (output_of ("sh tests/files.sh --new | grep '\\.md$'")), "\n");
  first = {"README.md", "doc/user-guide.md"};
  paths = [first, setdiff(paths, first)];
  documents = others = struct ("path", {}, "file", {}, "title", {}, "body", {});
  to_do = paths;
  done = {};
  while (! isempty (to_do))
    path = to_do{1};
    to_do(1) = [];
    if (any (strcmp (page_of (path), done)))
      continue;
    end
    done{end+1} = page_of (path);
    if (strcmp (page_of (path), path))
      output_of (sprintf ("mkdir -p '%s' && cp '%s' '%s'", fileparts ([out, "/", path]), path, [out, "/", path]));
    elseif (any (strcmp (path, paths)))
      [documents(end+1), linked] = with_page_links (document_page (path));
      to_do = [to_do, linked];
    else
      [others(end+1), linked] = with_page_links (other_page (path));
      to_do = [to_do, linked];
    end
  end
end

function write_pages (out)
  categories = read_index ();
  functions = [categories.functions];
  reference = reference_pages (categories);
  [documents, others] = document_pages (out);
  documents(end+1) = reference(end);
  template = fileread ("tests/html/page.html");
  for page = [documents, others, reference(1:end-1)]
    root = root_of (page.file);
    html = strrep (template, "@TITLE@", page.title);
    html = strrep (html, "@NAVIGATION@", navigation (documents, categories, page.file));
    html = strrep (html, "@ROOT@", root);
    body = with_function_links (page.body, functions, root, page.title);
    write_file ([out, "/", page.file], strrep (html, "@BODY@", body));
  end
  copyfile ("tests/html/style.css", [out, "/style.css"]);
  printf ("%d pages in %s\n", numel (documents) + numel (others) + numel (reference) - 1, out);
end

need ("pandoc", "pandoc");
need ("makeinfo", "texinfo");
cd (fullfile (fileparts (mfilename ("fullpath")), "..", ".."));
out = getenv ("HTML");
if (isempty (out))
  out = "build/html";
end
output_of (["rm -rf '", out, "'"]);
write_pages (out);
