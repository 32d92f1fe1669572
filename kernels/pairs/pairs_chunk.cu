// pairs_chunk.cu: the products of gla_batcheig_pairs on a chunk of pages
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine/product_pieces.cuh"
#include "pairs_chunk.cuh"

namespace
{

// Returns one matrix of each page of work, from row and column on.
template <class T> page_operand<T> part_of (const T *from, int n, int row, int column, int step = 1)
{
  return {from + row + (int64_t)column * n, n, step * (int64_t)n * n, nullptr};
}

// C = op (A)*op (B).
template <class T> gla_status multiply (const pencil_work<T> &w, const product_args<T, T> &p)
{
  return product_in_pieces (w.e, w.slot, p, true);
}

// Describes products of m x k times k x n. C is packed in pages of a.n rows and columns.
template <class T>
product_args<T, T> product_of_parts (const pencil_work<T> &w, page_operand<T> A, page_operand<T> B,
                                     T *C, int64_t pages)
{
  product_args<T, T> p = {};
  p.A = A;
  p.B = B;
  p.C = C;
  p.ldc = w.a.n;
  p.page = (int64_t)w.a.n * w.a.n;
  p.pages = pages;
  p.m = p.n = p.k = w.a.n;
  return p;
}

//------------------------------------------------------------------------------
// products with a triangular factor
//------------------------------------------------------------------------------

// A lower triangular matrix of each page of B, or its adjoint.
template <class T> struct triangular_factor {
  const T *data;
  bool adjoint;
};

// Calls f (at, size) for strips of rows or columns: strips leave out the zeros of a triangular
// factor in large pages.
template <class T, class F> gla_status for_strips (int n, F f)
{
  enum { STRIPS = 4, UNIT = 64 };
  const int from = std::is_same_v<T, cx<double>> ? 128 : 256; // as measured
  const int size = n < from ? n : (n / STRIPS + UNIT - 1) / UNIT * UNIT;
  for (int at = 0; at < n; at += size)
    GLA_TRY (f (at, n - at < size ? n - at : size));
  return GLA_OK;
}

// Computes rows at .. at+size-1 of these columns of C = factor*B.
template <class T>
gla_status multiply_rows (const pencil_work<T> &w, const triangular_factor<T> &factor,
                          const page_operand<T> &B, const page_matrix<T> &C, int at, int size,
                          const pencil_columns &columns)
{
  const int n = w.a.n, first = factor.adjoint ? at : 0;
  product_args<T, T> p = product_of_parts<T> (w, part_of<T> (factor.data, n, at, first, w.a.b_step),
                                              B, C.data + at + columns.first * C.ld, w.a.pages);
  p.B.data += first + (int64_t)columns.first * n;
  p.m = size;
  p.n = columns.count;
  p.k = factor.adjoint ? n - at : at + size;
  p.transpose_a = p.conjugate_a = factor.adjoint;
  p.ldc = C.ld;
  p.page = C.page;
  return multiply (w, p);
}

// Computes columns at .. at+size-1 of the lower triangle of C = W*factor'.
template <class T>
gla_status multiply_columns (const pencil_work<T> &w, const triangular_factor<T> &factor, int at,
                             int size)
{
  const pencil_args<T> &a = w.a;
  const int n = a.n, first = factor.adjoint ? at : 0;
  product_args<T, T> p = product_of_parts<T> (w, part_of<T> (a.W, n, at, first),
                                              part_of<T> (factor.data, n, at, first, a.b_step),
                                              a.C + at + (int64_t)at * n, a.pages);
  p.m = n - at;
  p.n = size;
  p.k = factor.adjoint ? n - at : at + size;
  p.transpose_b = p.conjugate_b = !factor.adjoint;
  p.hermitian = size == n;
  return multiply (w, p);
}

// Returns the order of the squares on the diagonal of larger pages.
template <class T> int square_of (const pencil_args<T> &a)
{
  int size = 128;
  while (size > 8 && !pencil_factor_fits<T> (size, a.smem_limit))
    size /= 2;
  return size;
}

// Writes -L of the columns from `at` on, below their square, to M.
template <class T> gla_status factor_column (const pencil_work<T> &w, int at, int size)
{
  const pencil_args<T> &a = w.a;
  const int n = a.n, next = at + size, rows = n - next;
  if (at > 0) { // subtract the previous columns
    product_args<T, T> p =
        product_of_parts<T> (w, part_of<T> (a.M, n, at, 0), part_of<T> (a.M, n, at, 0),
                             a.W + at + (int64_t)at * n, a.b_pages);
    p.m = n - at;
    p.n = size;
    p.k = at;
    p.transpose_b = p.conjugate_b = true;
    GLA_TRY (multiply (w, p));
  }
  GLA_TRY (pencil_subtract (a, at, size));
  GLA_TRY (pencil_factor (a, at, size, false));
  if (rows == 0)
    return GLA_OK;
  product_args<T, T> p =
      product_of_parts<T> (w, part_of<T> (a.L, n, next, at), part_of<T> (a.M, n, at, at),
                           a.M + next + (int64_t)at * n, a.b_pages);
  p.m = rows;
  p.n = p.k = size;
  p.transpose_b = p.conjugate_b = true;
  return multiply (w, p);
}

// Computes columns of M from `at` on, below their square, from those to the right and -L.
template <class T> gla_status invert_column (const pencil_work<T> &w, int at, int size)
{
  const pencil_args<T> &a = w.a;
  const int n = a.n, next = at + size;
  const int64_t below = next + (int64_t)at * n;
  product_args<T, T> p = product_of_parts<T> (
      w, part_of<T> (a.M, n, next, next), part_of<T> (a.M, n, next, at), a.W + below, a.b_pages);
  p.m = p.k = n - next;
  p.n = size;
  GLA_TRY (multiply (w, p));
  p.A = part_of<T> (a.W, n, next, at);
  p.B = part_of<T> (a.M, n, at, at);
  p.C = a.M + below;
  p.k = size;
  return multiply (w, p);
}

} // namespace

template <class T> gla_status pencil_factor_pages (const pencil_work<T> &w)
{
  const pencil_args<T> &a = w.a;
  const int n = a.n;
  if (pencil_factor_fits<T> (n, a.smem_limit))
    return engine_status (pencil_factor (a, 0, n, true));
  const int size = square_of (a), last = (n - 1) / size * size;
  GLA_TRY (cudaMemsetAsync (a.M, 0, (size_t)a.b_pages * n * n * sizeof (T), a.stream));
  for (int at = 0; at < n; at += size)
    GLA_TRY (factor_column (w, at, n - at < size ? n - at : size));
  if (a.product)
    GLA_TRY (pencil_keep (a, size));
  for (int at = last - size; at >= 0; at -= size)
    GLA_TRY (invert_column (w, at, size));
  return engine_status (pencil_unscale (a));
}

template <class T> gla_status pencil_reduce (const pencil_work<T> &w)
{
  const pencil_args<T> &a = w.a;
  const int n = a.n;
  const triangular_factor<T> factor = {a.product ? a.L : a.M, a.product};
  const page_matrix<T> W = {a.W, n, (int64_t)n * n};
  GLA_TRY (for_strips<T> (n, [&] (int at, int size) {
    return multiply_rows (w, factor, part_of<T> (a.C, n, 0, 0), W, at, size, {0, n});
  }));
  return for_strips<T> (n,
                        [&] (int at, int size) { return multiply_columns (w, factor, at, size); });
}

template <class T> gla_status pencil_back (const pencil_work<T> &w, const page_matrix<T> &X)
{
  const pencil_args<T> &a = w.a;
  const triangular_factor<T> factor = {a.times ? a.L : a.M, !a.times};
  const pencil_columns wanted = pencil_wanted (kept_eigpairs_job (w.e));
  return for_strips<T> (a.n, [&] (int at, int size) {
    return multiply_rows (w, factor, part_of<T> (a.W, a.n, 0, 0), X, at, size, wanted);
  });
}

template <class T> gla_status pencil_inverse (const pencil_work<T> &w)
{
  const pencil_args<T> &a = w.a;
  product_args<T, T> p = product_of_parts<T> (w, part_of<T> (a.M, a.n, 0, 0),
                                              part_of<T> (a.M, a.n, 0, 0), a.W, a.b_pages);
  p.transpose_a = p.conjugate_a = true;
  return multiply (w, p);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status pencil_factor_pages (const pencil_work<T> &);                                \
  template gla_status pencil_reduce (const pencil_work<T> &);                                      \
  template gla_status pencil_back (const pencil_work<T> &, const page_matrix<T> &);                \
  template gla_status pencil_inverse (const pencil_work<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
