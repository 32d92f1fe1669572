// read_graph.cc: read_graph for Octave, edge lists and Matrix Market files
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"
#include "graph_file.h"

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static gla::graph_options read_options (const octave_value_list &args)
{
  gla::options opts ("read_graph", args, 1, {"directed", "undirected", "loops", "noloops"}, {});
  gla::graph_options want;
  want.direction = opts.last_flag ({"directed", "undirected"});
  want.loops = opts.last_flag ({"loops", "noloops"});
  return want;
}

static octave_value_list read_graph_body (const octave_value_list &args, int nargout)
{
  if (args.length () < 1 || nargout > 2)
    print_usage ();
  if (!args (0).is_string () || args (0).rows () != 1)
    error_with_id ("gpulinalg:bad-class", "read_graph: FILE must be a string, not of class %s",
                   args (0).class_name ().c_str ());
  gla::graph_options want = read_options (args);
  gla::graph_file file (args (0).string_value ());
  return file.is_matrix_market () ? gla::read_matrix_market (file, want)
                                  : gla::read_edge_list (file, want);
}

DEFUN_DLD (read_graph, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{A} =} read_graph (@var{file})
 @deftypefnx {gpulinalg} {@var{A} =} read_graph (@var{file}, @var{flag}, @dots{})
 @deftypefnx {gpulinalg} {[@var{A}, @var{ids}] =} read_graph (@dots{})
Read a graph or a sparse matrix from a file.

@var{file} is the name of an edge list, as the SNAP collection has them, or of a
Matrix Market file, which begins with @code{%%MatrixMarket}.

@strong{Edge lists.}  Each line holds the numbers of two nodes, with blanks or tabs
between them; what follows in the line is ignored.  Empty lines, and lines that
begin with @code{#} or @code{%}, are ignored.  The numbers are any integers of 64
bits.  @var{ids} has those that occur, as @code{int64} in ascending order, and row
and column @var{k} of @var{A} belong to node @code{@var{ids}(@var{k})}.  @var{A} is
the adjacency matrix: 1 where there is an edge, however often it stands in the
file.

@table @asis
@item @qcode{"undirected"} (default)
Each edge stands for both directions: @var{A} is symmetric.
@item @qcode{"directed"}
@code{@var{A}(i,j)} is 1 where there is a line with i, then j.
@item @qcode{"noloops"} (default)
Edges from a node to itself are left out; the node is not.
@item @qcode{"loops"}
They are ones on the diagonal of @var{A}.
@end table

@strong{Matrix Market files.}  Matrices in coordinate format are read: real, integer,
complex or pattern (all values are 1), general, symmetric, skew-symmetric or
Hermitian, where the entries of one triangle are in the file and @var{A} gets both.
Entries that occur more than once are added.  @code{@var{ids}} is
@code{int64 (1:rows (@var{A})).'}.  The diagonal is kept unless
@qcode{"noloops"} is given.  The file says itself whether it is symmetric, and
@qcode{"directed"} and @qcode{"undirected"} are errors.

A file that breaks its format is an error with the id @code{gpulinalg:bad-file} and
the number of the line; a file that cannot be read is one with the id
@code{gpulinalg:no-file}.

@example
@group
name = tempname ();
fdisp (f = fopen (name, "w"), [3, 17; 17, 4]);
fclose (f);
[A, ids] = read_graph (name);
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

@seealso{ba_graph, eigs_lanczos, spmv}
@end deftypefn)doc")
{
  return gla::guarded ("read_graph", [&] () { return read_graph_body (args, nargout); });
}

/*
@TESTS@
*/
