// ba_graph.cc: ba_graph for Octave, random graphs by the model of Barabasi and Albert
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/gla_octave.h"

#include <octave/quit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

typedef std::vector<octave_idx_type> index_vector;

//------------------------------------------------------------------------------
// the graph
//------------------------------------------------------------------------------

// A uniform random number from 0, 1, ..., below - 1. Not uniform_int_distribution: its numbers
// differ between C++ libraries, and a seed must give the same graph everywhere.
static octave_idx_type draw (std::mt19937_64 &bits, octave_idx_type below)
{
  uint64_t range = static_cast<uint64_t> (below);
  uint64_t unfair = (UINT64_MAX - range + 1) % range; // reject these, or small results are likelier
  uint64_t number;
  do
    number = bits ();
  while (number < unfair);
  return static_cast<octave_idx_type> (number % range);
}

// The nodes that each node links to: m ascending numbers for node m, m for node m+1, and so on.
// Node m links to all nodes before it. Each later node draws ends of existing edges until it has m
// different nodes, so the probability of a node is in proportion to its degree.
// Edge e joins the nodes m + e/m and targets[e].
static index_vector choose_targets (octave_idx_type n, octave_idx_type m, uint64_t seed)
{
  std::mt19937_64 bits (seed);
  index_vector targets ((n - m) * m);
  for (octave_idx_type t = 0; t < m; t++)
    targets[t] = t;
  index_vector chosen;
  chosen.reserve (m);
  unsigned drawn = 0;
  for (octave_idx_type v = m + 1; v < n; v++) {
    octave_idx_type edges = (v - m) * m;
    chosen.clear ();
    while (static_cast<octave_idx_type> (chosen.size ()) < m) {
      octave_idx_type end = draw (bits, 2 * edges), edge = end / 2;
      octave_idx_type node = end % 2 == 0 ? m + edge / m : targets[edge];
      auto place = std::lower_bound (chosen.begin (), chosen.end (), node);
      if (place == chosen.end () || *place != node)
        chosen.insert (place, node);
      if (++drawn % 4096 == 0)
        octave_quit ();
    }
    std::copy (chosen.begin (), chosen.end (), targets.begin () + edges);
  }
  return targets;
}

// Rows ascend in each column j without sorting: first the targets of node j, which ascend and are
// smaller than j, then the nodes that link to j, which are larger and appear in ascending order.
static SparseMatrix adjacency (octave_idx_type n, octave_idx_type m, const index_vector &targets)
{
  octave_idx_type edges = static_cast<octave_idx_type> (targets.size ());
  SparseMatrix A (n, n, 2 * edges);
  octave_idx_type *cidx = A.cidx (), *ridx = A.ridx ();
  std::fill (A.data (), A.data () + 2 * edges, 1.0);

  index_vector next (n, 0); // degrees first, then the place of the next entry of each column
  for (octave_idx_type e = 0; e < edges; e++) {
    next[targets[e]]++;
    next[m + e / m]++;
    if (e % 65536 == 0)
      octave_quit ();
  }
  cidx[0] = 0;
  for (octave_idx_type j = 0; j < n; j++) {
    cidx[j + 1] = cidx[j] + next[j];
    next[j] = cidx[j];
  }
  for (octave_idx_type e = 0; e < edges; e++) {
    ridx[next[m + e / m]++] = targets[e];
    ridx[next[targets[e]]++] = m + e / m;
    if (e % 65536 == 0)
      octave_quit ();
  }
  return A;
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

// An integer with lowest <= x <= highest.
static double whole (const char *name, const octave_value &v, double lowest, double highest)
{
  double x = NAN;
  if (v.isnumeric () && v.isreal () && v.numel () == 1)
    x = v.double_value ();
  if (!(x >= lowest && x <= highest && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value",
                   "ba_graph: %s must be a whole number from %.0f to %.16g%s", name, lowest,
                   highest, gla::not_this_number (v).c_str ());
  return x;
}

static octave_value_list ba_graph_body (const octave_value_list &args, int nargout)
{
  gla::check_counts ("ba_graph", args, 2, 3, nargout, 1);
  const double flintmax = 9007199254740992.0;
  double n = whole ("N", args (0), 2, flintmax);
  double m = whole ("M", args (1), 1, n - 1);
  double seed = args.length () > 2 ? whole ("SEED", args (2), 0, flintmax) : 0;
  if (2 * (n - m) * m > static_cast<double> (std::numeric_limits<octave_idx_type>::max ()) / 16.0)
    throw std::bad_alloc ();
  index_vector targets =
      choose_targets (static_cast<octave_idx_type> (n), static_cast<octave_idx_type> (m),
                      static_cast<uint64_t> (seed));
  return ovl (
      adjacency (static_cast<octave_idx_type> (n), static_cast<octave_idx_type> (m), targets));
}

DEFUN_DLD (ba_graph, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{A} =} ba_graph (@var{n}, @var{m})
 @deftypefnx {gpulinalg} {@var{A} =} ba_graph (@var{n}, @var{m}, @var{seed})
Make a random graph of @var{n} nodes that grew by preferential attachment, after
Barab@'asi and Albert.

@var{A} is the adjacency matrix: sparse, double, symmetric, @var{n}-by-@var{n}, ones
where two nodes are linked, zeros on the diagonal.  @var{n} is a whole number from 2
on, @var{m} one from 1 to @code{@var{n} - 1}.

The graph begins with node @var{m}+1 linked to the nodes 1 to @var{m}.  Each
later node is linked to @var{m} different ones before it, each chosen with a
probability in proportion to the number of its links so far.  So there are
@code{(@var{n} - @var{m}) * @var{m}} links and twice as many nonzeros, the graph is
connected, and the number of nodes with @var{d} links falls with the third power of
@var{d}.

@var{seed} is a whole number from 0 (default) to @code{flintmax ()}.  The same
@var{n}, @var{m} and @var{seed} give the same graph on every machine; Octave's
@code{rand} is not used.

@example
@group
A = ba_graph (200000, 3);
nnz (A)
   @result{} ans = 1199982

full (max (sum (A))) > 500
   @result{} ans = 1
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-value
@var{n}, @var{m} or @var{seed} is not a whole number in its range.
@item Octave:bad-alloc
The graph does not fit into the memory.
@end table

@subheading References
A.-L. Barab@'asi and R. Albert, Emergence of scaling in random networks, Science 286
(1999), 509--512.

@seealso{read_graph, eigs_lanczos, spmv}
@end deftypefn)doc")
{
  return gla::guarded ("ba_graph", [&] () { return ba_graph_body (args, nargout); });
}

/*
%!function check_graph (A, n, m)
%!  assert (size (A), [n, n]);
%!  assert (nnz (A), 2 * (n - m) * m);
%!  assert (nonzeros (A), ones (2 * (n - m) * m, 1));
%!  assert (issymmetric (A));
%!  assert (full (diag (A)), zeros (n, 1));
%!  ## each node from m+1 on has m links to smaller ones
%!  assert (full (sum (triu (A))), [zeros(1, m), m * ones(1, n - m)]);
%!  [i, j] = find (A);              # a valid matrix: rows ascend in each column
%!  assert (issorted (j));
%!  assert (all (diff (i)(diff (j) == 0) > 0));
%!endfunction

%!test
%! for nm = [2, 1; 3, 1; 3, 2; 10, 9; 10, 3; 1000, 1; 1000, 3; 300, 50].'
%!   for seed = [0, 1, 77]
%!     check_graph (ba_graph (nm(1), nm(2), seed), nm(1), nm(2));
%!   endfor
%! endfor

%!## a star is the only graph with n = m + 1; the default seed
%!test
%! assert (full (ba_graph (4, 3)), [0, 0, 0, 1; 0, 0, 0, 1; 0, 0, 0, 1; 1, 1, 1, 0]);
%! assert (ba_graph (50, 2), ba_graph (50, 2, 0));
%! assert (ba_graph (int8 (50), single (2), uint8 (5)), ba_graph (50, 2, 5));
%! assert (! isequal (ba_graph (50, 2, 1), ba_graph (50, 2, 2)));

%!## the same graph on every machine; the state of rand is not changed
%!test
%! rand ("twister", 3);
%! a = rand ();
%! rand ("twister", 3);
%! [i, j] = find (triu (ba_graph (12, 2, 2026)));
%! assert (rand (), a);
%! assert (j.', [3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12]);
%! assert (i.', [1, 2, 1, 3, 1, 3, 1, 3, 1, 6, 3, 4, 1, 3, 3, 4, 1, 3, 3, 4]);

%!## some degrees are large: without preference the largest of such a graph would be about 20
%!test
%! A = ba_graph (100000, 3, 4);
%! d = full (sum (A));
%! assert (max (d) > 300);
%! assert (mean (d == 3), 2 / 5, 0.02);   # 2 / (m + 2), the limit for large graphs
%! assert (mean (d == 4), 2 / 10, 0.02);  # 2 m (m + 1) / (d (d + 1) (d + 2))

%!error <Invalid call> ba_graph ()
%!error <Invalid call> ba_graph (5)
%!error <Invalid call> ba_graph (5, 2, 1, 1)
%!error <ba_graph: function called with too many outputs> [a, b] = ba_graph (5, 2)
%!error id=gpulinalg:bad-value ba_graph (1, 1)
%!error <N must be a whole number from 2 to> ba_graph (1, 1)
%!error <N must be a whole number from 2 to .*, not 2\.5$> ba_graph (2.5, 1)
%!error <N must be a whole number from 2 to .*, not "12"$> ba_graph ("12", 1)
%!error <N must be a whole number from 2 to .*, not of class double and size 1x2$> ba_graph ([3, 4], 1)
%!error <N must be a whole number from 2 to> ba_graph (NaN, 1)
%!error <M must be a whole number from 1 to 4, not 5$> ba_graph (5, 5)
%!error <M must be a whole number from 1 to 4> ba_graph (5, 0)
%!error <SEED must be a whole number from 0 to> ba_graph (5, 1, -1)
%!error <SEED must be a whole number from 0 to> ba_graph (5, 1, 1i)
%!error id=Octave:bad-alloc ba_graph (1e13, 2)

%!demo
%! ## The degrees of a graph that grew by preferential attachment: a line of slope -3.
%! d = full (sum (ba_graph (200000, 3)));
%! counts = accumarray (d.', 1);
%! printf ("largest degree: %d\n", max (d));
%! loglog (find (counts), nonzeros (counts) / numel (d), ".", ...
%!         3:300, 24 ./ (3:300) ./ (4:301) ./ (5:302), "linewidth", 2);
%! xlabel ("degree");
%! ylabel ("share of the nodes");
%! legend ("this graph", "24 / (d (d+1) (d+2))");
*/
