// read_graph.cc: read_graph for Octave, edge lists and Matrix Market files
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/shared_call.h"
#include "matrix_market.h"

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static gla::graph_options read_options (const octave_value_list &args)
{
  gla::options opts ("read_graph", args, 1, {"directed", "undirected", "loops", "noloops"},
                     {"mpi"});
  opts.word ("mpi", {"rows"});
  gla::graph_options want;
  want.direction = opts.last_flag ({"directed", "undirected"});
  want.loops = opts.last_flag ({"loops", "noloops"});
  return want;
}

static std::string read_name (const octave_value_list &args, int nargout)
{
  gla::check_counts ("read_graph", args, 1, gla::any_number, nargout, 2);
  if (!gla::is_text (args (0)) || args (0).isempty ())
    error_with_id ("gpulinalg:bad-class",
                   "read_graph: FILE must be a string, not of class %s and size %s",
                   args (0).class_name ().c_str (), args (0).dims ().str ().c_str ());
  const std::string name = args (0).string_value ();
  if (name.find ('\0') != std::string::npos)
    error_with_id ("gpulinalg:bad-value",
                   "read_graph: FILE must be the name of a file, but it has a null character after "
                   "\"%s\"",
                   name.c_str ());
  return name;
}

std::string gla::read_graph_arguments (const octave_value_list &args, int nargout,
                                       graph_options &want)
{
  const std::string name = read_name (args, nargout);
  want = read_options (args);
  return name;
}

static octave_value_list read_graph_body (octave::interpreter &interp,
                                          const octave_value_list &args, int nargout)
{
  if (gla::wants_mpi (args))
    return gla::call_of_ranks ("read_graph", interp, args, nargout);
  gla::graph_options want;
  const std::string name = gla::read_graph_arguments (args, nargout, want);
  gla::graph_file file (name);
  return file.is_matrix_market () ? gla::read_matrix_market (file, want, nargout > 1)
                                  : gla::read_edge_list (file, want);
}

DEFMETHOD_DLD (read_graph, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{A} =} read_graph (@var{file})
 @deftypefnx {gpulinalg} {@var{A} =} read_graph (@var{file}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@var{A}, @var{ids}] =} read_graph (@dots{})
 @deftypefnx {gpulinalg} {[@dots{}] =} read_graph (@dots{}, "mpi", "rows")
Read a graph or a sparse matrix from a file.

@var{file} is the name of an edge list, such as those of the SNAP collection, or of a
Matrix Market file, which begins with @code{%%MatrixMarket} (blanks before it are
allowed).

@strong{Edge lists.}  Each line holds the numbers of two nodes, with blanks or tabs
between them; what follows in the line is ignored.  (So a file of METIS, where a line
has all neighbours of a node, is misread: it is no edge list.)  Empty lines, and lines that
begin with @code{#} or @code{%}, are ignored; but a banner @code{MatrixMarket} among
those before the first edge, misplaced or misspelt, is an error: any such comment with the
word @code{matrix}, and @code{coordinate} or @code{array}.  Lines end as on any system.  The
numbers are any integers of 64 bits.  @var{ids} is an @code{int64} column of those
that occur, in ascending order, and row and column @var{k} of @var{A} belong to node
@code{@var{ids}(@var{k})}.  @var{A} is the adjacency matrix, sparse and double: 1
where there is an edge, however often the file has it.

@table @asis
@item @qcode{"undirected"} (default)
Each edge counts in both directions: @var{A} is symmetric.
@item @qcode{"directed"}
@code{@var{A}(i,j)} is 1 where there is a line with i, then j.
@item @qcode{"noloops"} (default)
Edges from a node to itself are left out; the node is not.
@item @qcode{"loops"}
They are ones on the diagonal of @var{A}.
@end table

@strong{Matrix Market files.}  Matrices in coordinate format are read: real, integer,
unsigned-integer, complex or pattern (all values are 1); general, symmetric, skew-symmetric or
Hermitian, where the file has the entries of one triangle and @var{A} gets both.
Entries that occur more than once are added; in a pattern they count once.  A symmetric file that holds both
an entry and its mirror image is an error, because they may mean one entry or the
sum of two (in a pattern both count once, too).  So are numbers that double precision
does not hold, and fractions where the file says that it holds integers.
@code{@var{ids}} is @code{int64 (1:rows (@var{A})).'}.  The diagonal is kept unless
@qcode{"noloops"} is given.  The file itself says whether it is symmetric, so
@qcode{"directed"} and @qcode{"undirected"} are errors.

@example
@group
name = tempname ();
fdisp (f = fopen (name, "w"), [3, 17; 17, 4]);
fclose (f);
[A, ids] = read_graph (name);
unlink (name);
full (A)
   @result{} ans =

        0   0   1
        0   0   1
        1   1   0

ids.'
   @result{} ans =

         3   4  17
@end group
@end example

@subheading Parts of the file on several processes
With the option @qcode{"mpi"} and the value @qcode{"rows"}, each rank reads an equal
part of the bytes of @var{file}, cut at ends of lines, and @var{A} and @var{ids} are
rows @code{floor (n * rank / ranks) + 1} to @code{floor (n * (rank + 1) / ranks)} of
what the whole file gives, to the bit, where @var{n} is the number of all rows; see
@code{gpulinalg_mpi}.  They are what @code{spmv} and @code{eigs_lanczos} with this
option take.  No rank holds the whole file or matrix, so that together they read a
graph that is too large for one computer; a rank needs 50 to 75 bytes for each entry of
its rows while it reads, and a number for each column of @var{A}.

All ranks make the same call, and must reach the same regular file, or copies of it.
What breaks the format is an error on all ranks, with the number of the line in the
whole file.

@verbatim
A = read_graph ("web.txt", "mpi", "rows");
d = eigs_lanczos (A, 6, "la", "mpi", "rows");
@end verbatim

@subheading Errors
@table @code
@item gpulinalg:bad-file
The file breaks its format, and the message has the number of the line; or it is
compressed.
@item gpulinalg:no-file
The file cannot be opened or read, or is a directory or a device.
@item gpulinalg:bad-class
@var{file} is not a string.
@item gpulinalg:bad-value
@var{file} holds a character 0.
@item gpulinalg:bad-option
The flag is unknown, or is @qcode{"directed"} or @qcode{"undirected"} with a Matrix
Market file.
@item Octave:bad-alloc
The matrix does not fit into the memory that is free.
@item gpulinalg:no-mpi
@itemx gpulinalg:mpi-mismatch
@itemx gpulinalg:mpi-failed
With @qcode{"mpi"}: see @code{gpulinalg_mpi}.  All errors of one rank but that of memory
have @code{gpulinalg:mpi-mismatch}.
@end table

@seealso{ba_graph, eigs_lanczos, spmv, gpulinalg_mpi}
@end deftypefn)doc")
{
  return gla::guarded ("read_graph", [&] () { return read_graph_body (interp, args, nargout); });
}

/*
%!function name = file_with (text)
%!  name = [tempname(), ".txt"];
%!  f = fopen (name, "w");
%!  fwrite (f, text);
%!  fclose (f);
%!endfunction

%!function [A, ids] = parse (text, varargin)
%!  name = file_with (text);
%!  unwind_protect
%!    [A, ids] = read_graph (name, varargin{:});
%!  unwind_protect_cleanup
%!    unlink (name);
%!  end_unwind_protect
%!endfunction

%!function check_bad (text, pattern, id = "gpulinalg:bad-file")
%!  err.message = err.identifier = "nothing";
%!  try
%!    parse (text);
%!  catch err
%!  end_try_catch
%!  assert (err.identifier, id);
%!  assert (! isempty (regexp (err.message, pattern)), "%s", err.message);
%!endfunction

%!## edge lists
%!test
%! text = "# a graph\n# of four\n3\t17\n17 4\n\n 4   17 \n% more\n-5 3 {'weight': 2}\n3 3";
%! [A, ids] = parse (text);
%! assert (ids, int64 ([-5; 3; 4; 17]));
%! wanted = [0, 1, 0, 0; 1, 0, 0, 1; 0, 0, 0, 1; 0, 1, 1, 0];
%! assert (issparse (A));
%! assert (full (A), wanted);
%! assert (parse (strrep (text, "\n", "\r\n")), A);
%! assert (parse (text, "Undirected", "noloops"), A);
%! assert (full (parse (text, "loops")), wanted + diag ([0, 1, 0, 0]));
%! directed = zeros (4);
%! directed(2,4) = directed(4,3) = directed(3,4) = directed(1,2) = 1;
%! assert (full (parse (text, "directed")), directed);
%! assert (full (parse (text, "directed", "loops")), directed + diag ([0, 1, 0, 0]));
%! assert (parse (text, "directed", "undirected", "loops", "noloops"), A);

%!## ids far apart, the extremes of 64 bits, a node with only a loop, an empty file
%!test
%! [A, ids] = parse ("9223372036854775807 -9223372036854775808\n0 +1\n");
%! assert (ids, [intmin("int64"); 0; 1; intmax("int64")]);
%! assert (full (A), [0, 0, 0, 1; 0, 0, 1, 0; 0, 1, 0, 0; 1, 0, 0, 0]);
%! [A, ids] = parse ("7 7\n");
%! assert ({full(A), ids}, {0, int64(7)});
%! for text = {"", "\n\n", "# nothing\n", "# nothing"}
%!   [A, ids] = parse (text{1});
%!   assert ({size(A), size(ids)}, {[0, 0], [0, 1]});
%! endfor

%!## many edges against accumarray, close together and far apart
%!test
%! rand ("twister", 5);
%! ij = floor (200 * rand (3000, 2));
%! for factor = [1, 1e9]
%!   [A, ids] = parse (sprintf ("%d %d\n", factor * ij.'));
%!   nodes = unique (ij);
%!   assert (ids, int64 (factor * nodes));
%!   B = sparse (ij(:,1) + 1, ij(:,2) + 1, 1, 200, 200)(nodes + 1,nodes + 1);
%!   assert (A, double ((B + B.' > 0) & ! speye (numel (nodes))));
%! endfor

%!## Matrix Market: fields and symmetries
%!test
%! [A, ids] = parse (["%%MatrixMarket matrix coordinate real general\n% made by hand\n\n" ...
%!                    "2 3 4\n1 1 -1.5e1\n2 3 +.25\n\n% more\n 1\t2 7.\n2 3 1\n"]);
%! assert (A, sparse ([-15, 7, 0; 0, 0, 1.25]));
%! assert (ids, int64 ([1; 2]));
%!test
%! head = "%%matrixmarket MATRIX Coordinate ";
%! assert (full (parse ([head, "integer symmetric\n3 3 3\n1 1 4\n3 1 -2\n3 2 5\n"])), [4, 0, -2; 0, 0, 5; -2, 5, 0]);
%! assert (full (parse ([head, "integer symmetric\n3 3 3\n1 1 4\n3 1 -2\n3 2 5\n"], "noloops")), [0, 0, -2; 0, 0, 5; -2, 5, 0]);
%! assert (full (parse ([head, "real skew-symmetric\n2 2 1\n2 1 3\n"])), [0, -3; 3, 0]);
%! assert (full (parse ([head, "pattern symmetric\n3 3 3\n1 1\n2 1\n2 1\n"])), [1, 1, 0; 1, 0, 0; 0, 0, 0]);
%! assert (full (parse ([head, "pattern general\r\n2 2 1\r\n1 2\r\n"])), [0, 1; 0, 0]);
%! assert (full (parse ([head, "complex hermitian\n2 2 2\n1 1 4 0\n2 1 1 -2\n"])), [4, 1+2i; 1-2i, 0]);
%! assert (full (parse ([head, "complex symmetric\n2 2 2\n1 1 4 1\n2 1 1 -2\n"])), [4+1i, 1-2i; 1-2i, 0]);
%! assert (full (parse ([head, "complex skew-symmetric\n2 2 1\n2 1 1 -2\n"])), [0, -1+2i; 1-2i, 0]);
%! assert (parse ([head, "real general\n0 0 0\n"]), sparse (0, 0));
%! assert (parse ([head, "real general\n3 2 0"]), sparse (3, 2));
%! assert (full (parse ([head, "real general\n1 2 2\n1 1 1\n1 1 -1\n"])), [0, 0]);
%! assert (full (parse ([head, "real general\n1 2 2\n1 1 NaN\n1 2 -inf\n"])), [NaN, -Inf]);

%!## line ends of Unix, Windows and old Macintosh, also mixed; the byte order mark of UTF-8
%!test
%! A = parse ("1 2\n2 3\n\n3 4\n");
%! for ends = {"\r\n", "\r"}
%!   assert (parse (strrep ("# x\n1 2\n2 3\n\n3 4\n", "\n", ends{1})), A);
%!   assert (parse (strrep ("1 2\n2 3\n3 4", "\n", ends{1})), A);
%! endfor
%! assert (parse ("1 2\r2 3\n3 4\r\n\r"), A);
%! assert (parse (["\xef\xbb\xbf" "1 2\n2 3\n3 4\n"]), A);
%! check_bad ("1 2\r\r3 4\rx 5\r", "line 4: the first node id must be an integer, not \"x\"");
%! check_bad ("1 2\r\n\r\n3 4\r\nx 5\r\n", "line 4: the first node id must be an integer, not \"x\"");
%! M = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 1 6\n";
%! for head = {"", " ", "\t ", "\n", "\r\n \n", "\xef\xbb\xbf"}
%!   for ends = {"\n", "\r\n", "\r"}
%!     assert (full (parse ([head{1}, strrep(M, "\n", ends{1})])), [5, 0; 6, 0]);
%!   endfor
%! endfor
%! check_bad (["\n\n", strrep(M, "6", "y")], "line 6: the value must be a number, not \"y\"");

%!## both triangles of a symmetric matrix
%!test
%! head = "%%MatrixMarket matrix coordinate ";
%! pair = "3 3 4\n1 1 4\n2 1 -2\n3 2 5\n1 2 -2\n";
%! text = ", line 6: the entries \\(2,1\\) and \\(1,2\\) are both in the file; a symmetric matrix must be given by one triangle";
%! check_bad ([head, "real symmetric\n", pair], text);
%! check_bad ([head, "integer symmetric\n", pair], text);
%! check_bad ([head, "real skew-symmetric\n3 3 2\n2 1 5\n1 2 -5\n"], "line 4: .* a skew-symmetric matrix");
%! check_bad ([head, "complex hermitian\n3 3 3\n2 1 5 1\n3 1 5 1\n1 2 5 -1\n"], "line 5: .* a hermitian matrix");
%! A = [4, -2, 0; -2, 0, 5; 0, 5, 0];
%! for text = {"1 1 4\n2 1 -2\n3 2 5\n", "1 1 4\n1 2 -2\n2 3 5\n", "1 1 4\n2 1 -2\n2 3 5\n"}
%!   n = sum (text{1} == "\n");
%!   assert (full (parse ([head, sprintf("real symmetric\n3 3 %d\n", n), text{1}])), A);
%! endfor
%! assert (full (parse ([head, "pattern symmetric\n2 2 2\n2 1\n1 2\n"])), [0, 1; 1, 0]);

%!## numbers beyond double precision, and fractions in an integer field
%!test
%! head = "%%MatrixMarket matrix coordinate ";
%! for x = {"1e999", "-1e999", "1e309"}
%!   check_bad ([head, "real general\n1 1 1\n1 1 ", x{1}, "\n"], [", line 3: the value ", x{1}, " is too large for double precision"]);
%! endfor
%! check_bad ([head, "real general\n1 1 1\n1 1 -1e-999\n"], "line 3: the value -1e-999 is too small for double precision");
%! check_bad ([head, "complex general\n1 1 1\n1 1 0 1e400\n"], "line 3: the imaginary part 1e400 is too large");
%! check_bad ([head, "integer general\n1 1 1\n1 1 3.5\n"], "line 3: the value must be an integer, as the first line says, not \"3.5\"");
%! check_bad ([head, "integer general\n1 1 1\n1 1 NaN\n"], "line 3: the value must be an integer");
%! check_bad ([head, "integer general\n1 1 1\n1 1 inf\n"], "line 3: the value inf is beyond 2\\^53");
%! check_bad ([head, "integer general\n1 1 1\n1 1 9007199254740994\n"], "line 3: the value 9007199254740994 is beyond 2\\^53");
%! assert (full (parse ([head, "integer general\n1 3 3\n1 1 3.0\n1 2 9007199254740992\n1 3 -1e5\n"])), [3, 2^53, -1e5]);
%! assert (full (parse ([head, "real general\n1 3 3\n1 1 4e-320\n1 2 0e-999\n1 3 1.7976931348623157e308\n"])), [4e-320, 0, realmax]);

%!## integers as they are written, which strtod would round
%!test
%! head = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";
%! for x = {"9007199254740993", "-9007199254740993", "9007199254740992.0e1", "1e16", "90071992547409920000000000000000001"}
%!   check_bad ([head, x{1}, "\n"], ["line 3: the value ", x{1}, " is beyond 2\\^53"]);
%! endfor
%! for x = {"0.99999999999999999999", "4503599627370496.1", "-3.00000000000000000001", "1000000000000000000001e-20", "9007199254740992.5"}
%!   check_bad ([head, x{1}, "\n"], ["line 3: the value must be an integer, as the first line says, not \"", x{1}, "\""]);
%! endfor
%! texts = {"9007199254740992", "-9007199254740992.000000", "0000000000000000000000012", "1200000000000000000000e-20", "0.0000000000000000000012e22", "-0.00000000000000000000"};
%! values = [2^53, -2^53, 12, 12, 12, 0];
%! for k = 1:numel (texts)
%!   assert (full (parse ([head, texts{k}, "\n"])), values(k));
%! endfor

%!## as SciPy writes matrices of unsigned integers
%!assert (full (parse ("%%MatrixMarket matrix coordinate unsigned-integer general\n%\n2 2 2\n1 1 4294967295\n2 1 3\n")), [4294967295, 0; 3, 0])

%!## sizes that do not fit into memory, and large ones that do
%!test
%! head = "%%MatrixMarket matrix coordinate pattern general\n";
%! for n = {"2305843009213693952", "1152921504606846976", "9223372036854775806", "1000000000000"}
%!   check_bad ([head, n{1}, " ", n{1}, " 1\n1 1\n"], ["out of memory: a sparse matrix of size ", n{1}, "x", n{1}, " needs .* GB of memory, but only"], "Octave:bad-alloc");
%!   check_bad ([head, "2 ", n{1}, " 1\n1 1\n"], "out of memory", "Octave:bad-alloc");
%!   check_bad ([head, n{1}, " 2 1\n1 1\n"], "out of memory", "Octave:bad-alloc"); # the ids do not fit
%! endfor
%! name = file_with ([head, "2305843009213693952 2 2\n2305843009213693951 2\n7 1\n"]);
%! A = read_graph (name);
%! unlink (name);
%! [i, j] = find (A);
%! assert ({i, j, size(A)}, {[7; 2305843009213693951], [1; 2], [2305843009213693952, 2]});

%!## bad edge lists
%!test
%! check_bad ("1 2\n3\n", ", line 2: the second node id is missing$");
%! check_bad ("# c\n1 2\n\n3", ", line 4: the second node id is missing$");
%! check_bad ("1 2\nab 3\n", "line 2: the first node id must be an integer, not \"ab\"");
%! check_bad ("1 2.5\n", "line 1: the second node id must be an integer, not \"2.5\"");
%! check_bad ("1,2\n", "line 1: the first node id must be an integer, not \"1,2\"");
%! check_bad ("1 -\n", "line 1: the second node id must be an integer, not \"-\"");
%! check_bad ("1 9223372036854775808\n", "line 1: the second node id 9223372036854775808 does not fit into 64 bits");
%! check_bad ("1 2\n3 4\n-9223372036854775809 1\n", "line 3: the first node id -9223372036854775809 does not fit");
%! check_bad ("99999999999999999999999999 1\n", "line 1: .* does not fit into 64 bits");
%! check_bad (["1 2\n", char([0, 1, 2, 200]), " 5\n"], "line 2: the first node id must be an integer, not \"\\?\\?\\?\\?\"");
%! check_bad (["1 2\n", repmat("x", 1, 500), " 5\n"], "line 2: .*, not \"x{40}\"$");
%! check_bad ([char([31, 139]), "abc"], "is compressed; use gunzip");

%!## a banner that is misspelt or misplaced; comments that only speak of the format
%!test
%! rest = "MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n";
%! text = ": the banner of a Matrix Market file must be its first line, and begin with %%MatrixMarket$";
%! for wrong = {"%", "% ", "#", "%%%", "%% ", " % %"}
%!   check_bad ([wrong{1}, rest], ["line 1", text]);
%!   check_bad ([wrong{1}, strrep(lower (rest), "\n", "\r\n")], ["line 1", text]);
%! endfor
%! check_bad (["% hello\n%%", rest], ["line 2", text]);
%! check_bad (["\xef\xbb\xbf# a\n\n# b\r\n\t%%", upper(rest)], ["line 4", text]);
%! check_bad ("% MatrixMarket", ["line 1", text]);
%! text = "line 1: this comment looks like a misspelt banner";
%! for wrong = {"%%Matrix Market", "%%Matrix-Market", "%%MatrixMarkt", "%%__BadBanner", "#"}
%!   check_bad ([wrong{1}, strrep(rest, "MatrixMarket", "")], text);
%!   check_bad ([wrong{1}, " Matrix ARRAY real general\n2 1\n1 2\n"], text);
%! endfor
%! A = parse ("1 2\n2 3\n");
%! assert (parse ("# a matrix\n# with coordinates\n# in coordinate format\n1 2\n2 3\n"), A);
%! assert (parse ("1 2\n%%MatrixMarket\n2 3\n"), A);
%! assert (parse ("# from MatrixMarket\n# MatrixMarkets\n%\n#\n1 2\n2 3\n"), A);

%!## bad Matrix Market files
%!test
%! bad = @(head, rest, pattern) check_bad (["%%MatrixMarket ", head, "\n", rest], pattern);
%! bad ("", "", "line 1: the object must be \"matrix\", not \"\"");
%! bad ("vector coordinate real general", "", "line 1: the object must be \"matrix\", not \"vector\"");
%! bad ("matrix array real general", "2 2\n1\n2\n3\n4\n", "line 1: a dense matrix in array format; read_graph reads the coordinate");
%! bad ("matrix coordinate quaternion general", "", "line 1: the field must be .*\"pattern\", not \"quaternion\"");
%! bad ("matrix coordinate real general foo", "1 1 0\n", "line 1: unexpected \"foo\" at the end of the line");
%! bad ("matrix coordinate pattern symmetric", "%64 64 2\n2 1\n3 1\n", ...
%!      "line 3: the number of entries is missing; the first line that is no comment must have the numbers of rows, columns and entries");
%! bad ("matrix coordinate real", "", "line 1: the symmetry must be .*, not \"\"");
%! bad ("matrix coordinate real hermitian", "", "line 1: a matrix cannot be real and hermitian");
%! bad ("matrix coordinate pattern skew-symmetric", "", "line 1: a matrix cannot be pattern and skew-symmetric");
%! bad ("matrix coordinate real general", "", "line 1: the file ends before the numbers of rows, columns and entries");
%! bad ("matrix coordinate real general", "% c\n2 2\n", "line 3: the number of entries is missing");
%! bad ("matrix coordinate real general", "2 2 1 1\n", "line 2: unexpected \"1\" at the end of the line");
%! bad ("matrix coordinate real general", "-2 2 1\n", "line 2: the number of rows cannot be -2");
%! bad ("matrix coordinate real symmetric", "2 3 1\n", "line 2: a symmetric matrix must be square, not 2x3");
%! bad ("matrix coordinate real general", "2 2 9223372036854775808\n", "line 2: the number of entries .* does not fit into 64 bits");
%! bad ("matrix coordinate real general", "2 2 2\n1 1 1\n", "line 3: the file ends after 1 of 2 entries");
%! bad ("matrix coordinate real general", "2 2 9000000000000000000\n1 1 1\n", "line 3: the file ends after 1 of 9000000000000000000 entries");
%! bad ("matrix coordinate real general", "2 2 1\n1 1 1\n2 2 1\n", "line 4: there are more than 1 entries");
%! bad ("matrix coordinate real general", "2 2 1\n3 1 1\n", "line 3: the row must be from 1 to 2, not 3");
%! bad ("matrix coordinate real general", "2 2 1\n1 0 1\n", "line 3: the column must be from 1 to 2, not 0");
%! bad ("matrix coordinate real general", "2 2 1\n1 1\n", "line 3: the value is missing");
%! bad ("matrix coordinate real general", "2 2 1\n1 1 0x10\n", "line 3: the value must be a number, not \"0x10\"");
%! bad ("matrix coordinate real general", "2 2 1\n1 1 1.0D0\n", "line 3: the value must be a number, not \"1.0D0\"");
%! bad ("matrix coordinate real general", "2 2 1\n1 1 1 5\n", "line 3: unexpected \"5\" at the end of the line");
%! bad ("matrix coordinate complex general", "2 2 1\n1 1 1\n", "line 3: the imaginary part is missing");
%! bad ("matrix coordinate complex hermitian", "2 2 1\n1 1 1 1\n", "line 3: the diagonal of a Hermitian matrix must be real");
%! bad ("matrix coordinate real skew-symmetric", "2 2 1\n1 1 1\n", "line 3: the diagonal of a skew-symmetric matrix must be zero");
%! check_bad ("%%MatrixMarket matrix coordinate real general\n1 1000000000000000 0\n", "out of memory", "Octave:bad-alloc");

%!test
%! name = file_with ("%%MatrixMarket matrix coordinate pattern general\n2 2 0\n");
%! err.message = err.identifier = "";
%! try
%!   read_graph (name, "directed");
%! catch err
%! end_try_catch
%! unlink (name);
%! assert (err.identifier, "gpulinalg:bad-option");
%! assert (! isempty (strfind (err.message, '"directed" is an option for edge lists')));

%!error <Invalid call> read_graph ()
%!error <read_graph: function called with too many outputs> [a, b, c] = read_graph ("x")
%!error id=gpulinalg:bad-class read_graph (5)
%!error <FILE must be a string, not of class cell> read_graph ({"a"})
%!error <FILE must be a string> read_graph (["ab"; "cd"])
%!error <FILE must be a string> read_graph ("")
%!error <FILE must be a string, not of class char and size 1x3x2> read_graph (reshape ("abcdef", [1, 3, 2]))
%!error <FILE must be the name of a file, but it has a null character after "ab"> read_graph ("ab\0cd")
%!error <argument 2 must be the name of an option, not of class char of size 1x4x2> ...
%! read_graph ("x", reshape ("directed", [1, 4, 2]))
%!error id=gpulinalg:no-file read_graph ("/no/such/file")
%!error </no/such/file cannot be opened: > read_graph ("/no/such/file")
%!error id=gpulinalg:no-file read_graph ("/")
%!error </ cannot be read: it is a directory> read_graph ("/")
%!testif ; exist ("/dev/zero")
%! fail ("read_graph ('/dev/zero')", "/dev/zero cannot be read: it is a device, not a regular file or a pipe");
%!testif ; exist ("/dev/null")
%! assert (read_graph ("/dev/null"), sparse (0, 0));
%!error <unknown option "weighted"; valid options are "directed", "undirected", "loops", "noloops" or "mpi"> ...
%! read_graph ("x", "weighted")

%!demo
%! ## An edge list, and the distances of its nodes from the first one.
%! name = tempname ();
%! fid = fopen (name, "w");
%! fprintf (fid, "# two rings that share a node\n");
%! fprintf (fid, "%d %d\n", [1:12, 12:22; 2:12, 1, 13:22, 12]);
%! fclose (fid);
%! [A, ids] = read_graph (name);
%! unlink (name);
%! printf ("%d nodes, %d edges\n", rows (A), nnz (A) / 2);
%! near = ids == 1;
%! distance = zeros (rows (A), 1);
%! while (! all (near))
%!   distance(! near)++;
%!   near = near | A * near > 0;
%! endwhile
%! bar (double (ids), distance);
%! axis ([0, 23, 0, 7]);
%! xlabel ("node");
%! ylabel ("edges from node 1");
%! title ("distances in a graph from a file");
*/
