// gpulinalg.cc: gpulinalg for Octave, an overview of the package
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

DEFMETHOD_DLD (gpulinalg, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {} gpulinalg ()
Show the functions of the package gpulinalg: decompositions of many matrices at
once, of large ones and of sparse ones, on a GPU or on the CPU.

@table @code
@item batcheig
Eigenvalues and eigenvectors of many Hermitian matrices.

@item pageeig
The same with the interface of @sc{matlab}.

@item batchsvd
Singular value decompositions of many matrices; @code{pagesvd} with the interface of
@sc{matlab}.

@item pagepinv
Pseudo-inverses; @code{pagelsqminnorm} gives least squares solutions of least norm.

@item pagerank
Numerical ranks; @code{pagecond} gives condition numbers.

@item qr_block
QR factorization and least squares: large matrices, tall ones and many at once.

@item gsvd_hz
Generalized singular value decomposition of one pair of matrices or of many.

@item gevd_hz
Eigenvalues and eigenvectors of @code{(@var{A}' * @var{A}, @var{B}' * @var{B})}.

@item pagefunm
Functions of many Hermitian matrices: exponentials, roots, logarithms, powers, projectors.

@item pagemtimes
Products of the pages of two arrays.

@item pagemldivide
Systems of equations with the pages of two arrays; @code{pagemrdivide} from the right.

@item pageinv
Inverses of pages.

@item pagenorm
Norms of pages.

@item eigs_lanczos
A few eigenvalues of a large sparse Hermitian matrix.

@item spmv
Sparse matrix times vectors; @code{spmv_plan} prepares the matrix once.

@item ba_graph
Random graphs; @code{read_graph} reads graphs from files.

@item gpuArray
Arrays that stay on the GPU; @code{gather} copies them back.

@item gpulinalg_info
What was built, and the GPUs that can be used; @code{gpulinalg_release} gives back
the memory that is kept on them; @code{gpulinalg_device} sets the place of all calls.

@item gpulinalg_mpi
The number of a process under @code{mpirun}: @code{qr_block}, @code{gsvd_hz},
@code{gevd_hz}, @code{spmv} and @code{eigs_lanczos} treat the rows of all processes as one
matrix.
@end table

@code{pkg describe -verbose gpulinalg} lists all functions; @code{help batcheig} and so
on have the details.  Functions run on the GPU where
there is one and where it is faster; nothing has to be configured.

@example
@group
A = rand (4, 4, 1000);
A = A + permute (A, [2, 1, 3]);
[V, D] = batcheig (A);
size (D)
   @result{} ans =

         4      4   1000
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:two-copies
Arguments were given, or another copy of this package was used before in this
session.  Octave calls this function where a function of one copy, such as
@code{batcheig}, is called again after another copy was put on the path.  Start
Octave again, with one copy.
@end table

@seealso{batcheig, batchsvd, qr_block, gsvd_hz, pagemtimes, pagemldivide, eigs_lanczos, gpulinalg_info}
@end deftypefn)doc")
{
  // If Octave loads another copy's file for a function that it already knows, it calls the function
  // that has the name of the file. Most such calls have arguments.
  if (args.length () > 0 || nargout > 0 || gla::another_copy_was_used (interp))
    error_with_id ("gpulinalg:two-copies",
                   "gpulinalg: this function has no arguments and no results; if you have called "
                   "another function, two copies of this package have met in this session, such as "
                   "its version before an update; start Octave again");
  return gla::feval (interp, "help", ovl ("gpulinalg"), 0);
}

/*
%!test
%! text = evalc ("gpulinalg");
%! for name = {"batcheig", "pageeig", "batchsvd", "pagesvd", "qr_block", "gsvd_hz", "gevd_hz", "eigs_lanczos", "spmv", ...
%!             "spmv_plan", "ba_graph", "read_graph", "gpulinalg_info"}
%!   assert (any (strfind (text, name{1})), true, name{1});
%! endfor
%!error id=gpulinalg:two-copies gpulinalg (1)
%!error id=gpulinalg:two-copies x = gpulinalg ();
*/
