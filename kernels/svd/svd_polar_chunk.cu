// svd_polar_chunk.cu: the kernels of a chunk of pages whose singular values are found by A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/copy.cuh"
#include "engine/eig_part.cuh"
#include "svd_multiply.cuh"
#include "svd_polar_chunk.cuh"

static_assert (polar_by_steps (LU_PART_MOST + 1) && !polar_by_steps (LU_PART_MOST),
               "lu_part_invert serves all others");

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
  p.weights = m.weights;
  p.far = m.far;
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
  GLA_TRY (polar_weights (p));
  for (int step = 0; step < polar_products<T>; step++) {
    GLA_TRY (svd_weighted_gram (product, packed (p.Y, p.n), packed (p.X, p.n), p.n,
                                p.weights + step * p.pages,
                                step + 1 == polar_products<T> ? p.far : nullptr));
    GLA_TRY (svd_multiply (product, packed (other, p.n), packed (p.X, p.n), packed (p.Y, p.n),
                           {p.n, p.n, p.n}));
    T *x = p.X;
    p.X = other;
    other = x;
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the same by steps
//------------------------------------------------------------------------------

template <class T> polar_steps<T> steps_of (const polar_args<T> &p, const polar_memory<T> &m)
{
  return {p, m.Z, {m.vectors[0], m.vectors[1]}, m.wanted};
}

// X = X*M; `other` is the second place for it.
template <class T> gla_status apply (const svd_product &product, polar_args<T> &p, T *&other, T *M)
{
  GLA_TRY (svd_multiply (product, packed (other, p.n), packed (p.X, p.n), packed (M, p.n),
                         {p.n, p.n, p.n}));
  T *x = p.X;
  p.X = other;
  other = x;
  return GLA_OK;
}

// The inverse of I + c*G as inv (R)*inv (R)', to Z.
template <class T>
gla_status invert (const svd_product &product, polar_steps<T> &s, const polar_memory<T> &m)
{
  const page_matrix<T> Y = packed (s.a.Y, s.a.n), Z = packed (s.Z, s.a.n);
  GLA_TRY (polar_shift (s));
  GLA_TRY (definite_part (product.e, product.slot, m.definite, Y, Z, s.a.n, s.a.pages));
  GLA_TRY (svd_square (product, Z, Y, s.a.n));
  GLA_TRY (polar_power (s, s.Z));
  return engine_status (polar_weigh (s));
}

// The steps that pages want, once all before them are done.
template <class T>
gla_status choose (const svd_product &product, polar_steps<T> &s, bool first, int *wanted)
{
  int *counter = &product.e->counter[product.slot];
  GLA_TRY (first ? polar_power (s, s.a.Y) : cudaSuccess);
  GLA_TRY (polar_choose (s, first));
  GLA_TRY (copy_to_host (counter, s.wanted, sizeof (int), s.a.stream));
  GLA_TRY (engine_throttle (product.e, product.slot));
  *wanted = *counter;
  *counter = 0;
  return GLA_OK;
}

// X unitary.
template <class T>
gla_status run_steps (cuda_engine *e, int slot, polar_args<T> &p, const polar_memory<T> &m,
                      T *&other)
{
  const svd_product product = {e, slot, p.pages};
  GLA_TRY (engine_open_blas (e, slot));
  GLA_TRY (polar_start (p));
  for (int step = 0, wanted = 0; step < POLAR_STEPS_MOST; step++) {
    polar_steps<T> s = steps_of (p, m);
    GLA_TRY (svd_gram (product, packed (p.Y, p.n), packed (p.X, p.n), p.n, p.n));
    GLA_TRY (choose (product, s, step == 0, &wanted));
    if (wanted == 0)
      return GLA_OK;
    GLA_TRY (wanted & POLAR_INVERSE ? invert (product, s, m)
                                    : engine_status (polar_polynomial (s)));
    GLA_TRY (apply (product, p, other, wanted & POLAR_INVERSE ? s.Z : p.Y));
    if (wanted == POLAR_LAST)
      return GLA_OK;
  }
  return engine_status (polar_give_up (steps_of (p, m)));
}

//------------------------------------------------------------------------------
// from X to the results
//------------------------------------------------------------------------------

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
  if (polar_by_steps (p.n))
    GLA_TRY (run_steps (e, slot, p, m, other));
  else {
    GLA_TRY (inverses (e, slot, p, m));
    GLA_TRY (products (e, slot, p, other));
  }
  const svd_product product = {e, slot, p.pages};
  GLA_TRY (svd_multiply (product, packed (p.Y, p.n), packed (p.X, p.n), packed (p.scaled, p.n),
                         {p.n, p.n, p.n}, true));
  GLA_TRY (polar_hermitian (p));
  GLA_TRY (eigenvalues (e, slot, p, m.lambda, other));
  return finish (e, slot, a, p, m, other);
}

// By rates that inverses and products of pages reach, see doc/notebook/svd-gpu.md. Of steps there
// are four inverses and five products, and products with G take half the time.
double polar_seconds (gla_type type, double n, bool vectors)
{
  const double parts = gla_type_is_complex (type) ? 4 : 1, steps = polar_by_steps ((int64_t)n);
  const double products = (steps ? 8 * 1.5 : 1.5 * POLAR_PRODUCTS) + 1 + (vectors ? 1 : 0);
  const double inverses = steps ? 4 * 1.5 / 1.5e13 : 2 / 3e12;
  const double rate = gla_type_real (type) == GLA_TYPE_D || steps ? 3e13 : 1.8e13; // of products
  const double bytes = n * n * (double)gla_type_size (type);
  return parts * n * n * n * (inverses + 2 * products / rate) + 40 * bytes / 3e12;
}

// Of steps: kernels that wait for each other in the inverse, for 64 columns at a time.
double polar_latency (double n)
{
  return polar_by_steps ((int64_t)n) ? 2e-4 + 3.5 * n / 64 * 4e-5 : 0;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status polar_chunk (cuda_engine *, int, const svd_args<T> &,                        \
                                   const polar_memory<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
