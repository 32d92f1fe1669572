// solve_part.cu: inverses of pages as a part of another operation's work on a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine/solve_part.cuh"
#include "solve.cuh"

static_assert ((int)LU_PART_MOST == LU_PANEL_MAX && (int)LU_PART_LEAST == LU_LANES_MAX + 1,
               "orders that lu_page and lu_panels serve");

template <class T> lu_part_space lu_part_take (int n, int64_t pages, int multiprocessors, carver &c)
{
  lu_part_space space = {};
  if (lu_page_serves<T> (n, false))
    return space;
  const int64_t most = (int64_t)lu_panel_crowd<T> (n, false) * multiprocessors;
  space.multiprocessors = multiprocessors;
  space.blocks = (int)(pages < most ? pages : most);
  space.each = (int64_t)(is_complex_v<T> ? 2 : 1) * n * lu_panel_stride (n);
  space.data = c.take<double> (space.blocks * space.each);
  return space;
}

template <class T>
cudaError_t lu_part_invert (page_matrix<const T> X, page_matrix<T> Y, int n, int64_t pages,
                            int32_t *info, int *any, const lu_part_space &space,
                            cudaStream_t stream)
{
  lu_args<T> a = {};
  a.A = {X.data, X.ld, X.page, nullptr};
  a.n = n;
  a.inverse = a.pending = true;
  a.rhs = n;
  a.pages = pages;
  a.slice = lu_slice (n, n);
  a.X = Y.data;
  a.x_page = Y.page;
  a.x_row = 1;
  a.x_column = Y.ld;
  a.info = info;
  a.any = any;
  const lu_space here = {space.data, space.each, space.blocks, space.multiprocessors};
  if (lu_page_serves<T> (n, false))
    return lu_page (a, here, stream);
  return lu_panels (a, false, here, stream);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template lu_part_space lu_part_take<T> (int, int64_t, int, carver &);                            \
  template cudaError_t lu_part_invert (page_matrix<const T>, page_matrix<T>, int, int64_t,         \
                                       int32_t *, int *, const lu_part_space &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
