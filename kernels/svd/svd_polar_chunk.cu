// svd_polar_chunk.cu: the kernels of a chunk of pages whose singular values are found by A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine/eig_part.cuh"
#include "svd_multiply.cuh"
#include "svd_polar_chunk.cuh"

namespace
{

template <class T> page_matrix<T> packed (T *data, int64_t n)
{
  return {data, n, n * n};
}

template <class T>
polar_args<T> args_of (cuda_engine *e, int slot, const svd_args<T> &a, const polar_memory<T> &m)
{
  polar_args<T> p = {};
  p.n = a.columns;
  p.parts = polar_parts (a.columns);
  p.pages = a.pages;
  p.A = a.A;
  p.scaled = m.scaled;
  p.X = m.X;
  p.Y = m.Y;
  p.sum = m.sum;
  p.sum_new = m.sum_new;
  p.sum_y = m.sum_y;
  p.page = m.page;
  p.pending = m.pending;
  p.stream = e->slots[slot].stream;
  return p;
}

// X, with singular values from 1 to POLAR_LARGEST.
template <class T>
gla_status inverses (cuda_engine *e, int slot, polar_args<T> &p, const polar_memory<T> &m)
{
  GLA_TRY (polar_start (p));
  for (int step = 0; step < POLAR_STEPS; step++) {
    GLA_TRY (lu_part_invert (as_const (packed (p.X, p.n)), packed (p.Y, p.n), p.n, p.pages,
                             p.pending, &e->counter[slot], m.lu, p.stream));
    GLA_TRY (polar_newton (p, step + 1 == POLAR_STEPS));
  }
  return GLA_OK;
}

// X unitary; `other` is the second place for it.
template <class T> gla_status products (cuda_engine *e, int slot, polar_args<T> &p, T *&other)
{
  const svd_product product = {e, slot, p.pages};
  for (int step = 0; step < POLAR_PRODUCTS; step++) {
    GLA_TRY (svd_gram (product, packed (p.Y, p.n), packed (p.X, p.n), p.n, p.n));
    GLA_TRY (polar_factor (p, step));
    GLA_TRY (svd_multiply (product, packed (other, p.n), packed (p.X, p.n), packed (p.Y, p.n),
                           {p.n, p.n, p.n}));
    T *x = p.X;
    p.X = other;
    other = x;
  }
  return GLA_OK;
}

// Eigenvalues of H in Y, eigenvectors to W.
template <class T>
gla_status eigenvalues (cuda_engine *e, int slot, const polar_args<T> &p, real_t<T> *lambda, T *W)
{
  const gla_type type = e->eig_job.head.type;
  const int place = e->base.device;
  gla_eig_chunk eig = {};
  eig.A = gla_array_packed (p.Y, type, p.n, p.n, p.pages, place);
  eig.lambda = gla_array_packed (lambda, gla_type_real (type), p.n, 1, p.pages, place);
  eig.V = gla_array_packed (e->eig_job.vectors ? W : nullptr, type, p.n, p.n, p.pages, place);
  return eig_part_submit (e, slot, &eig);
}

template <class T>
gla_status finish (cuda_engine *e, int slot, const svd_args<T> &a, const polar_args<T> &p,
                   const polar_memory<T> &m, T *W)
{
  polar_results<T> r = {};
  r.lambda = m.lambda;
  r.eig_info = eig_part_words_of (e, slot, p.pages).info;
  r.W = W;
  r.S = a.S;
  r.row_s = a.row_s;
  r.page_s = a.page_s;
  r.values = a.values;
  r.V = a.V;
  r.v_columns = a.V.data == nullptr ? 0 : a.v_columns;
  r.VS = packed (m.scaled, p.n);
  r.vs_columns = a.U.data == nullptr ? 0 : a.u_columns;
  r.order = m.order;
  r.info = a.info;
  r.any = a.any;
  GLA_TRY (polar_finish (p, r));
  if (r.vs_columns == 0)
    return GLA_OK;
  return svd_multiply (svd_product{e, slot, p.pages}, a.U, packed (p.X, p.n), r.VS,
                       {p.n, p.n, r.vs_columns});
}

} // namespace

gla_eig_job polar_eig_job (const gla_svd_job &job, int64_t n)
{
  gla_eig_job eig = {};
  eig.head = job.head;
  eig.head.device_arrays = 1;
  eig.n = eig.columns = n;
  eig.vectors = job.u_columns + job.v_columns > 0;
  eig.method = GLA_EIG_METHOD_AUTO;
  eig.triangle = GLA_TRIANGLE_LOWER;
  eig.range = GLA_EIG_ALL;
  eig.tol = gla_type_eps (job.head.type);
  eig.maxit = 30;
  return eig;
}

template <class T>
gla_status polar_chunk (cuda_engine *e, int slot, const svd_args<T> &a, const polar_memory<T> &m)
{
  polar_args<T> p = args_of (e, slot, a, m);
  T *other = m.other;
  GLA_TRY (inverses (e, slot, p, m));
  GLA_TRY (products (e, slot, p, other));
  const svd_product product = {e, slot, p.pages};
  GLA_TRY (svd_multiply (product, packed (p.Y, p.n), packed (p.X, p.n), packed (p.scaled, p.n),
                         {p.n, p.n, p.n}, true));
  GLA_TRY (polar_hermitian (p));
  GLA_TRY (eigenvalues (e, slot, p, m.lambda, other));
  return finish (e, slot, a, p, m, other);
}

// By rates that inverses and products of pages reach, see doc/notebook/svd-gpu.md.
double polar_seconds (gla_type type, double n, bool vectors)
{
  const double parts = gla_type_is_complex (type) ? 4 : 1;
  const double products = 1.5 * POLAR_PRODUCTS + 1 + (vectors ? 1 : 0);
  const double rate = gla_type_real (type) == GLA_TYPE_D ? 3e13 : 1.8e13; // of products
  const double bytes = n * n * (double)gla_type_size (type);
  return parts * n * n * n * (2 / 3e12 + 2 * products / rate) + 40 * bytes / 3e12;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status polar_chunk (cuda_engine *, int, const svd_args<T> &,                        \
                                   const polar_memory<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
