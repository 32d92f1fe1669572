// svd_polar_chunk.cu: the kernels of a chunk of pages whose singular values are found by A = X*H
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "common/pages.cuh"
#include "engine/eig_part.cuh"
#include "svd_multiply.cuh"
#include "svd_polar_chunk.cuh"

static_assert (polar_by_steps (LU_PART_MOST + 1, false), "lu_part_invert serves all others");

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
  p.parts = polar_parts (a.columns, is_complex_v<T>);
  p.pages = a.pages;
  p.A = a.A;
  p.scaled = m.scaled;
  p.X = m.X;
  p.Y = m.Y;
  p.sum = m.sum;
  p.sum_new = m.sum_new;
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
template <class T> gla_status products (cuda_engine *e, int slot, polar_args<T> &p, T *other)
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

// Where pages are, on the host, too, where cuBLAS multiplies them.
struct polar_places {
  host_array<int64_t> from, where;
  bool wanted;
};

// What the steps of a chunk share.
template <class T> struct polar_run {
  svd_product product; // of all pages
  polar_steps<T> s;
  T *other; // the second place for X
  const polar_memory<T> &m;
  polar_places &places;

  svd_product some (int pages) const { return {product.e, product.slot, pages}; }
};

template <class T> polar_steps<T> steps_of (const polar_args<T> &p, const polar_memory<T> &m)
{
  polar_steps<T> s = {p, m.Z, {m.vectors[0], m.vectors[1]}};
  s.largest = m.largest;
  s.gram = m.gram;
  s.factor = m.weights;
  s.page_of = m.page_of[0];
  s.page_next = m.page_of[1];
  s.from = m.from;
  s.where = m.where;
  s.counts = m.counts;
  return s;
}

// C = x*I + y*A'*A of slots first .. first+slots-1.
template <class T>
gla_status grams (const polar_run<T> &r, T *C, T *A, int first, int slots, const double2 *weights)
{
  const int64_t n = r.s.a.n, at = first * n * n;
  if (slots == 0)
    return GLA_OK;
  if (!svd_by_blas<T> (n))
    return svd_weighted_gram (r.some (slots), packed (C + at, n), packed (A + at, n), n,
                              weights + first, nullptr);
  GLA_TRY (svd_gram (r.some (slots), packed (C + at, n), packed (A + at, n), n, n));
  return engine_status (polar_weigh (r.s, C + at, weights + first, slots));
}

// Y = I + c*G becomes inv (R) with R'*R = Y, and Z = x*I + y*inv (R)*inv (R)'; estimates the least
// singular values from these.
template <class T> gla_status invert (polar_run<T> &r, int slots)
{
  polar_steps<T> &s = r.s;
  const int64_t n = s.a.n;
  const page_matrix<T> Y = packed (s.a.Y, n), Z = packed (s.Z, n);
  if (slots == 0)
    return GLA_OK;
  GLA_TRY (definite_part (r.product.e, r.product.slot, r.m.definite, Y, Z, n, slots));
  if (svd_by_blas<T> (n)) {
    GLA_TRY (svd_hermitian_blas (r.some (slots), {'N', 'C'}, Z, Y, n, n, true));
    GLA_TRY (polar_weigh (s, s.Z, s.factor, slots));
  } else
    GLA_TRY (svd_weighted_square (r.some (slots), Z, Y, n, s.factor));
  GLA_TRY (polar_power (s, s.Z, s.factor, slots));
  return engine_status (polar_estimate (s, slots));
}

// Y = G with weights; the first step chooses them by G.
template <class T> gla_status prepare (polar_run<T> &r, const polar_counts &now, bool first)
{
  polar_steps<T> &s = r.s;
  if (!first)
    return grams (r, s.a.Y, s.a.X, 0, now.all (), s.gram);
  GLA_TRY (svd_gram (r.product, packed (s.a.Y, s.a.n), packed (s.a.X, s.a.n), s.a.n, s.a.n));
  GLA_TRY (polar_power (s, s.a.Y, nullptr, now.all ()));
  GLA_TRY (polar_first (s));
  return engine_status (polar_weigh (s, s.a.Y, s.gram, now.all ()));
}

// X = X*Z, each page into the slot for its next step. The number of pages in each kind of step is
// read into `now`, once all work before it is done.
template <class T> gla_status apply (polar_run<T> &r, polar_counts *now)
{
  polar_steps<T> &s = r.s;
  const int64_t n = s.a.n;
  const int slots = now->all ();
  // the chunk's memory holds all its pages; this call may have only some of them
  const int64_t place = (r.other - r.m.X) / (n * n);
  GLA_TRY (polar_order (s, slots, place));
  GLA_TRY (engine_throttle (r.product.e, r.product.slot)); // copies below wait without questions
  if (r.places.wanted)
    GLA_TRY (
        copy_to_host (r.places.from.data, s.from, (size_t)slots * sizeof (int64_t), s.a.stream));
  GLA_TRY (copy_to_host (now, s.counts, sizeof *now, s.a.stream));
  svd_product w = r.some (slots);
  w.of_a = w.of_b = {s.from, r.places.from.data};
  GLA_TRY (svd_multiply (w, packed (r.other, n), packed (s.a.X, n), packed (s.Z, n), {n, n, n}));
  T *x = s.a.X;
  s.a.X = r.other;
  r.other = x;
  int32_t *pages = s.page_of;
  s.page_of = s.page_next;
  s.page_next = pages;
  return GLA_OK;
}

// Makes X unitary, at the slots in m.where.
template <class T>
gla_status run_steps (cuda_engine *e, int slot, polar_args<T> &p, const polar_memory<T> &m,
                      polar_places &places)
{
  polar_run<T> r = {{e, slot, p.pages}, steps_of (p, m), m.other, m, places};
  polar_counts now = {(int)p.pages, 0, 0};
  GLA_TRY (polar_needs_blas (p.n) ? engine_open_blas (e, slot) : GLA_OK);
  GLA_TRY (polar_start (p));
  for (int step = 0; step < POLAR_STEPS_MOST && now.all () > 0; step++) {
    const int products = now.products, rest = now.all () - now.lasts;
    GLA_TRY (prepare (r, now, step == 0));
    GLA_TRY (invert (r, now.inverses));
    GLA_TRY (grams (r, m.Z, p.Y, now.inverses, products, m.weights));
    GLA_TRY (now.lasts > 0 ? polar_distance (r.s, rest, now.lasts) : cudaSuccess);
    GLA_TRY (apply (r, &now));
  }
  if (now.all () > 0)
    GLA_TRY (polar_give_up (r.s));
  return places.wanted ? copy_to_host (places.where.data, m.where,
                                       (size_t)p.pages * sizeof (int64_t), p.stream)
                       : GLA_OK;
}

//------------------------------------------------------------------------------
// from X to the results
//------------------------------------------------------------------------------

// Eigenvalues of H in Y, eigenvectors to W.
template <class T>
gla_status eigenvalues (cuda_engine *e, int slot, const polar_args<T> &p, real_t<T> *lambda, T *W)
{
  const gla_type type = kept_eig_job (e).head.type;
  const int place = e->base.device;
  gla_eig_chunk eig = {};
  eig.A = gla_array_packed (p.Y, type, p.n, p.n, p.pages, place);
  eig.lambda = gla_array_packed (lambda, gla_type_real (type), p.n, 1, p.pages, place);
  eig.V = gla_array_packed (kept_eig_job (e).vectors ? W : nullptr, type, p.n, p.n, p.pages, place);
  return eig_part_submit (e, slot, &eig);
}

template <class T>
gla_status finish (const svd_product &product, const svd_args<T> &a, const polar_args<T> &p,
                   const polar_memory<T> &m)
{
  polar_results<T> r = {};
  r.lambda = m.lambda;
  r.eig_info = eig_part_words_of (product.e, product.slot, p.pages).info;
  r.W = m.scaled; // A is not needed any more
  r.S = a.S;
  r.row_s = a.row_s;
  r.page_s = a.page_s;
  r.values = a.values;
  r.V = a.V;
  r.v_columns = a.V.data == nullptr ? 0 : a.v_columns;
  r.VS = packed (p.Y, p.n); // nor is H
  r.vs_columns = a.U.data == nullptr ? 0 : a.u_columns;
  r.order = m.order;
  r.info = a.info;
  r.any = a.any;
  GLA_TRY (polar_finish (p, r));
  if (r.vs_columns == 0)
    return GLA_OK;
  return svd_multiply (product, a.U, packed (p.X, p.n), r.VS, {p.n, p.n, r.vs_columns});
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
  eig.phase = 1; // V is that of H
  eig.tol = gla_type_eps (job.head.type);
  eig.maxit = 30;
  return eig;
}

template <class T>
gla_status polar_chunk (cuda_engine *e, int slot, const svd_args<T> &a, const polar_memory<T> &m)
{
  polar_args<T> p = args_of (e, slot, a, m);
  const bool steps = polar_by_steps (p.n, is_complex_v<T>), on_host = steps && svd_by_blas<T> (p.n);
  polar_places places = {host_array<int64_t> (on_host ? p.pages : 0),
                         host_array<int64_t> (on_host ? p.pages : 0), on_host};
  if (places.from.data == nullptr || places.where.data == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  svd_product product = {e, slot, p.pages};
  product.of_a = steps ? svd_index{m.where, places.where.data} : product.of_a;
  if (steps)
    GLA_TRY (run_steps (e, slot, p, m, places));
  else
    GLA_TRY (inverses (e, slot, p, m));
  if (!steps && p.n <= polar_small_most<T> (e->smem_limit)) {
    GLA_TRY (polar_weights (p));
    GLA_TRY (polar_small_h (p));
  } else {
    GLA_TRY (steps ? GLA_OK : products (e, slot, p, m.other));
    GLA_TRY (svd_multiply (product, packed (p.Y, p.n), packed (p.X, p.n), packed (p.scaled, p.n),
                           {p.n, p.n, p.n}, true));
    GLA_TRY (polar_hermitian (p));
  }
  GLA_TRY (eigenvalues (e, slot, p, m.lambda, m.scaled));
  return finish (product, a, p, m);
}

// By rates that inverses and products of pages reach, see doc/notebook/svd-gpu.md. Of steps there
// are four inverses and three others, and Hermitian products take half the time.
double polar_seconds (gla_type type, double n, bool vectors)
{
  const bool is_complex = gla_type_is_complex (type),
             steps = polar_by_steps ((int64_t)n, is_complex);
  const double parts = is_complex ? 4 : 1;
  const double products = (steps ? 4 * 1.5 + 3 * 2 : 1.5 * POLAR_PRODUCTS) + 1 + (vectors ? 1 : 0);
  const double inverses = steps ? 4 * 1.25 / 1.5e13 : 2 / 3e12;
  const double rate = gla_type_real (type) == GLA_TYPE_D || steps ? 3e13 : 1.8e13; // of products
  const double bytes = n * n * (double)gla_type_size (type);
  return parts * n * n * n * (inverses + 2 * products / rate) + 40 * bytes / 3e12;
}

// Of steps: kernels that wait for each other in the inverse, for 64 columns at a time.
double polar_latency (gla_type type, double n)
{
  return polar_by_steps ((int64_t)n, gla_type_is_complex (type)) ? 2e-4 + 3.5 * n / 64 * 4e-5 : 0;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status polar_chunk (cuda_engine *, int, const svd_args<T> &,                        \
                                   const polar_memory<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
