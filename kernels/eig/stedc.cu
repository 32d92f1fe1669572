// stedc.cu: divide and conquer for many tridiagonal matrices: memory and the order of the kernels
// SPDX-License-Identifier: GPL-3.0-or-later

#include "stedc.cuh"

namespace
{

template <class R> R *take (char *&memory, int64_t count)
{
  R *piece = reinterpret_cast<R *> (memory);
  memory += (count * sizeof (R) + 15) / 16 * 16;
  return piece;
}

} // namespace

template <class T> int64_t eig_stedc_bytes (int n, int64_t pages)
{
  typedef real_t<T> R;
  stedc_tree tree = stedc_tree_of (n);
  int64_t page = (int64_t)n * (7 * sizeof (R) + 3 * sizeof (int)) +
                 (int64_t)tree.leaves * sizeof (stedc_counts);
  int64_t far = (int64_t)stedc_far_bytes<R> (tree);
  return pages * (page + far) + 11 * 16; // eleven arrays, each rounded up
}

template <class T> stedc_level<real_t<T>> stedc_begin (const eig_args<T> &a)
{
  typedef real_t<T> R;
  int n = a.n;
  stedc_tree tree = stedc_tree_of (n);
  stedc_level<R> s = {};
  char *memory = static_cast<char *> (a.stedc);
  s.tree = tree;
  s.pages = a.pages;
  s.vectors = a.vectors;
  s.multiprocessors = a.multiprocessors;
  s.maxit = a.maxit;
  s.tol = a.tol > limits<R>::eps ? a.tol : limits<R>::eps; // less would leave poles too near
  s.d = a.d;
  s.e = a.e;
  s.info = a.info;
  s.edge = take<R> (memory, a.pages * 2 * n);
  s.pole = take<R> (memory, a.pages * n);
  s.z = take<R> (memory, a.pages * n);
  s.origin = take<R> (memory, a.pages * n);
  s.tau = take<R> (memory, a.pages * n);
  s.scale = take<R> (memory, a.pages * n);
  s.column = take<int> (memory, a.pages * n);
  s.upper = take<int> (memory, a.pages * n);
  s.lower = take<int> (memory, a.pages * n);
  s.counts = take<stedc_counts> (memory, a.pages * tree.leaves);
  s.far = stedc_far_bytes<R> (tree) > 0 ? reinterpret_cast<unsigned char *> (memory) : nullptr;
  stedc_rise (a, 0, &s);
  return s;
}

// The two matrices of eigenvectors that alternate are Z and the caller's V, which nothing else
// needs before the back-transform. The last level ends in Z.
template <class T> void stedc_rise (const eig_args<T> &a, int level, stedc_level<real_t<T>> *s)
{
  typedef real_t<T> R;
  const int reals = is_complex_v<T> ? 2 : 1;
  R *Z[2] = {static_cast<R *> (a.Z), reinterpret_cast<R *> (a.V)};
  int64_t ld[2] = {a.n, a.ldv * reals}, step[2] = {(int64_t)a.n * a.n, a.page_v * reals};
  int to = (stedc_levels (s->tree) - level) % 2, from = level > 0 ? 1 - to : to;
  s->level = level;
  s->Z = Z[from];
  s->ldz = ld[from];
  s->page_z = step[from];
  s->merged = Z[to];
  s->ld_merged = ld[to];
  s->page_merged = step[to];
}

// Of a part of V the last product waits until the eigenvalues are in order.
template <class T> bool eig_stedc_gathers (int n)
{
  int levels = stedc_levels (stedc_tree_of (n));
  return levels > 1 || (levels == 1 && !stedc_joins_leaves<real_t<T>>);
}

template <class T> cudaError_t eig_stedc_part (const eig_args<T> &a)
{
  typedef real_t<T> R;
  stedc_level<R> s = stedc_begin (a);
  stedc_rise (a, stedc_levels (s.tree), &s);
  s.picked = a.rank;
  s.columns = a.wanted;
  return a.wanted > 0 ? stedc_update (s, 0, stedc_update_blocks (s), a.stream) : cudaSuccess;
}

// (d, e) -> d and, with vectors, Z.
template <class T> cudaError_t eig_stedc (const eig_args<T> &a)
{
  typedef real_t<T> R;
  stedc_level<R> s = stedc_begin (a);
  if (!a.vectors && a.n <= STEDC_VALUES_MAX)
    return stedc_values (s, a.stream);
  cudaError_t status = stedc_leaves (s, a.stream);
  for (int level = 1; level <= stedc_levels (s.tree) && status == cudaSuccess; level++) {
    stedc_rise (a, level, &s);
    status = stedc_merge (s, a.stream);
    bool later = level == stedc_levels (s.tree) && eig_in_part (a);
    if (status == cudaSuccess && a.vectors && !stedc_joins (s) && !later)
      status = stedc_update (s, 0, stedc_update_blocks (s), a.stream);
  }
  return status;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t eig_stedc_bytes<T> (int, int64_t);                                              \
  template stedc_level<real_t<T>> stedc_begin (const eig_args<T> &);                               \
  template void stedc_rise (const eig_args<T> &, int, stedc_level<real_t<T>> *);                   \
  template cudaError_t eig_stedc (const eig_args<T> &);                                            \
  template bool eig_stedc_gathers<T> (int);                                                        \
  template cudaError_t eig_stedc_part (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
