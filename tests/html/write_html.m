% tests/html/write_html.m: writes the reference of all functions and the documents as HTML; make html
% SPDX-License-Identifier: GPL-3.0-or-later
%
% pandoc converts the documents, makeinfo the help texts, which are read from the sources: nothing has to be
% built. The pages lie in the folder HTML {build/html} as their sources lie in the repository, README.md as
% index.html. What a document links to besides documents becomes a page, too: a source file, or the list of
% the files of a folder. A link to what an archive leaves out becomes its text.
%
% With PICTURES=yes, and a package that is built in this tree, the examples run, and the pages of the functions show
% what they draw.

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
  source = glob (["oct/*/", name, ".cc"]);
  if (! isempty (source))
    text = regexp (fileread (source{1}), 'R"doc\(-\*- texinfo -\*-\n(.*?)\)doc"', "tokens", "once"){1};
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

% The body without links and pictures of files that an archive leaves out.
function body = without_dead_links (body, folder)
  [links, parts, between] = regexp (body, '<a [^>]*href="([^"#:]+)[^>]*>(.*?)</a>', "match", "tokens", "split");
  for k = 1:numel (links)
    path = normal_path ([folder, "/", parts{k}{1}]);
    if (! isempty (path) && ! exist (path))
      links{k} = parts{k}{2};
    end
  end
  body = strjoin (between, links);
  [pictures, between] = regexp (body, '<img [^>]*src="([^"#:]+)[^>]*>', "match", "split");
  there = cellfun (@(text) exist (normal_path ([folder, "/", regexp(text, 'src="([^"]+)', "tokens", "once"){1}])), pictures);
  pictures(! there) = {""};
  body = strjoin (between, pictures);
end

% Links of the body to files of the repository become links to their pages; paths are the files.
function [page, paths] = with_page_links (page)
  paths = {};
  folder = fileparts (page.path);
  if (exist (page.path, "dir"))
    folder = page.path;
  end
  if (! exist ("tests/check.sh", "file"))
    page.body = without_dead_links (page.body, folder);
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
% examples, index, search
%------------------------------------------------------------------------------

% The examples that draw: a struct array of path, text, title and picture, a file in OUT or "".
function examples = read_examples (out)
  examples = struct ("path", {}, "text", {}, "title", {}, "picture", {});
  for path = strsplit (strtrim (output_of ("sh tests/files.sh --new examples | grep '\\.m$'")), "\n")
    text = fileread (path{1});
    name = regexp (text, '^(?:picture|imwrite) \([^\n]*"(\w+\.png)"', "tokens", "once", "lineanchors");
    if (! isempty (name))
      title = regexp (text, '^% [^:\n]*: ([^\n]*)', "tokens", "once"){1};
      examples(end+1) = struct ("path", path{1}, "text", text, "title", title, "picture", drawn (path{1}, name{1}, out));
    end
  end
end

% What an example has drawn, moved to OUT, or "".
function file = drawn (path, name, out)
  file = "";
  if (! strcmp (getenv ("PICTURES"), "yes") || ! exist ("src/gpulinalg.oct", "file"))
    return;
  end
  folder = tempname ();
  mkdir (folder);
  call = "cd '%s' && octave-cli --no-init-file --no-history --path '%s/src' --path '%s/inst' --path '%s/examples' '%s/%s' >log 2>&1";
  system (sprintf (call, folder, pwd (), pwd (), pwd (), pwd (), path));
  if (exist ([folder, "/", name], "file"))
    file = ["examples/", name];
    output_of (sprintf ("mkdir -p '%s/examples' && mv '%s/%s' '%s/%s'", out, folder, name, out, file));
  else
    printf ("%s draws nothing here\n", path);
  end
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");
end

% What stands below a help text: the examples that call the function, those that call it most often first.
function html = example_list (name, examples)
  calls = cellfun (@(text) numel (regexp (text, ['\<', name, ' *\('])), {examples.text});
  [calls, order] = sort (calls, "descend");
  html = "";
  for example = examples(order(calls > 0))(1:min (end, 3))
    picture = "";
    if (! isempty (example.picture))
      picture = sprintf ('<img src="../%s" alt="" loading="lazy">', example.picture);
    end
    html = [html, sprintf('<figure>%s<figcaption><a href="../%s">%s</a>: %s</figcaption></figure>\n', ...
                          picture, page_of(example.path), example.path, escaped (example.title))];
  end
  if (! isempty (html))
    html = ["<h2>In use</h2>\n", html];
  end
end

% All functions, options and ids of errors in order, each with the functions that know it.
function page = index_page (pages)
  names = functions = {};
  for page = pages
    here = regexp (page.body, '<dt[^>]*>(?:<span>)?((?:<code>.*?</code>(?:, )?)+)', "tokens");
    here = [{}, here{:}];
    terms = cellfun (@(text) regexp (text, '<code>((?:&quot;|gpulinalg:)[^<]*)</code>', "tokens"), here, "uniformoutput", false);
    terms = [{}, terms{:}];
    terms = unique ([{}, terms{:}, page.title]);
    names = [names, terms];
    functions = [functions, repmat({page.title}, 1, numel (terms))];
  end
  [terms, ~, at] = unique (names);
  [~, order] = sort (lower (strrep (terms, "&quot;", "")));
  body = "<h1>Index</h1>\n<p>Functions, options and ids of errors, and the functions that have them.</p>\n<table>\n";
  for k = order(:).'
    links = sprintf ('<a href="%s.html"><code>%s</code></a>, ', [functions(at == k); functions(at == k)]{:});
    body = [body, sprintf("<tr><td><code>%s</code></td><td>%s</td></tr>\n", terms{k}, links(1:end-2))];
  end
  page = struct ("path", "", "file", "reference/names.html", "title", "Index", "body", [body, "</table>\n"]);
end

% Text of HTML: without tags and entities, in one line.
function text = plain (html)
  text = regexprep (html, {'<[^>]*>', '&quot;', '&lt;', '&gt;', '&amp;', '&\w+;|&#\d+;', '\s+'}, {" ", '"', "<", ">", "&", " ", " "});
end

% The script that search.js loads: title, file, summary and different words of each page.
function text = search_index (pages)
  rows = cell (1, numel (pages));
  for k = 1:numel (pages)
    body = plain (pages(k).body);
    summary = regexp (plain (regexprep (pages(k).body, '^.*?(?=<p>)', "", "once")), '^ *(.{1,160}?[.:](?= |$))', "tokens", "once");
    words = strjoin (unique (regexp (lower (body), '[\w:]{2,}', "match")), " ");
    quoted = strrep (strrep ({pages(k).title, pages(k).file, [summary, {""}]{1}, [" ", words]}, '\', '\\'), '"', '\"');
    rows{k} = sprintf ('["%s", "%s", "%s", "%s"]', quoted{:});
  end
  text = ["window.search_pages = [\n", strjoin(rows, ",\n"), "\n];\n"];
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

function pages = reference_pages (categories, examples)
  pages = struct ("path", {}, "file", {}, "title", {}, "body", {});
  functions = [categories.functions];
  list = "<h1>All functions</h1>\n";
  for category = categories
    list = [list, "<h2>", category.title, "</h2>\n<table>\n"];
    for name = category.functions
      [body, first] = function_page (name{1}, functions);
      body = [body, example_list(name{1}, examples)];
      file = ["reference/", name{1}, ".html"];
      pages(end+1) = struct ("path", "", "file", file, "title", name{1}, "body", body);
      list = [list, sprintf('<tr><td><code>%s</code></td><td>%s</td></tr>\n', name{1}, first)];
    end
    list = [list, "</table>\n"];
  end
  pages(end+1) = index_page (pages);
  pages(end+1) = struct ("path", "", "file", "reference/index.html", "title", "All functions", "body", list);
end

% The documents, and what they link to, and what that links to. Pictures are copied.
function [documents, others] = document_pages (out, more)
  paths = strsplit (strtrim (output_of ("sh tests/files.sh --new | grep '\\.md$'")), "\n");
  first = {"README.md", "doc/user-guide.md"};
  paths = [first, setdiff(paths, first)];
  documents = others = struct ("path", {}, "file", {}, "title", {}, "body", {});
  to_do = [paths, more];
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
  examples = read_examples (out);
  reference = reference_pages (categories, examples);
  [documents, others] = document_pages (out, {examples.path});
  documents = [documents, reference(end-1:end)];
  template = fileread ("tests/html/page.html");
  for page = [documents, others, reference(1:end-2)]
    root = root_of (page.file);
    html = strrep (template, "@TITLE@", page.title);
    html = strrep (html, "@NAVIGATION@", navigation (documents, categories, page.file));
    html = strrep (html, "@ROOT@", root);
    body = with_function_links (page.body, functions, root, page.title);
    write_file ([out, "/", page.file], strrep (html, "@BODY@", body));
  end
  searched = documents(! strncmp ({documents.file}, "doc/notebook", 12));
  write_file ([out, "/search_index.js"], search_index ([reference(1:end-2), searched]));
  copyfile ("tests/html/style.css", [out, "/style.css"]);
  copyfile ("tests/html/search.js", [out, "/search.js"]);
  printf ("%d pages in %s\n", numel (documents) + numel (others) + numel (reference) - 2, out);
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
