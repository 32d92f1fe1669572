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
  return pages * page + 10 * 16; // ten arrays, each rounded up
}

// (d, e) -> d and, with vectors, Z. The two matrices of eigenvectors that alternate are Z and the
// caller's V, which nothing else needs before the back-transform.
template <class T> cudaError_t eig_stedc (const eig_args<T> &a)
{
  typedef real_t<T> R;
  const int reals = is_complex_v<T> ? 2 : 1;
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

  if (!a.vectors && n <= STEDC_VALUES_MAX)
    return stedc_values (s, a.stream);
  int levels = 0;
  while (1 << levels < tree.leaves)
    levels++;
  R *Z[2] = {static_cast<R *> (a.Z), reinterpret_cast<R *> (a.V)};
  int64_t ld[2] = {n, a.ldv * reals}, step[2] = {(int64_t)n * n, a.page_v * reals};
  int from = levels % 2; // the last level ends in a.Z
  s.Z = Z[from];
  s.ldz = ld[from];
  s.page_z = step[from];
  cudaError_t status = stedc_leaves (s, a.stream);
  for (s.level = 1; s.level <= levels && status == cudaSuccess; s.level++) {
    s.Z = Z[from];
    s.ldz = ld[from];
    s.page_z = step[from];
    from = 1 - from;
    s.merged = Z[from];
    s.ld_merged = ld[from];
    s.page_merged = step[from];
    status = stedc_merge (s, a.stream);
    if (status == cudaSuccess && a.vectors && !stedc_joins (s))
      status = stedc_update (s, a.stream);
  }
  return status;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template int64_t eig_stedc_bytes<T> (int, int64_t);                                              \
  template cudaError_t eig_stedc (const eig_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
