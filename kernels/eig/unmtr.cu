// unmtr.cu: eigenvalues in ascending order, and eigenvectors V = Q Z of the full matrices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "few.cuh"
#include "unmtr_strip.cuh"

namespace
{

// Eigenvalue i is number `rank` in ascending order. Of a part only the wanted ones have a place.
template <class T>
GLA_DEVICE void place_value (const eig_args<T> &a, const eig_span &span, int64_t page, int i,
                             int rank, real_t<T> value)
{
  int place = rank - span.first;
  bool wanted = !eig_in_part (a) || (place >= 0 && place < span.stored);
  if (!wanted && a.spans == nullptr)
    return;
  a.lambda[page * a.page_lambda + rank * a.inc_lambda] = value;
  if (wanted && eig_in_part (a))
    a.rank[page * a.n + place] = i;
  else if (wanted)
    a.rank[page * a.n + i] = rank;
}

// The part of a page whose eigenvalues, not yet scaled, are d; for all threads of a block.
template <class T>
GLA_DEVICE eig_span span_of (const eig_args<T> &a, const eig_interval &interval, int64_t page,
                             const real_t<T> *d)
{
  if (a.spans == nullptr)
    return {a.first, a.wanted, a.wanted};
  if (a.lists != nullptr)
    return a.spans[page];
  int below = 0, inside = 0, k = a.exponent[page];
  for (int first = 0; first < a.n; first += blockDim.x) {
    int i = first + threadIdx.x;
    double value = i < a.n ? (double)times_power (d[i], k) : 0;
    below += __syncthreads_count (i < a.n && value <= interval.vl);
    inside += __syncthreads_count (i < a.n && value > interval.vl && value <= interval.vu);
  }
  eig_span span = {below, inside < a.wanted ? inside : a.wanted, inside};
  if (threadIdx.x == 0)
    a.spans[page] = span;
  return span;
}

// One block per page: the rank of an eigenvalue is the number of those before it in ascending order
// (equal ones in their order), so every thread places its own without exchange. Those of an
// interval that were counted by bisection stay inside of it.
template <class T> __global__ void sort_kernel (eig_args<T> a, eig_interval interval)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  R *d = reinterpret_cast<R *> (memory);
  int n = a.n;
  int64_t page = blockIdx.x;
  int info = a.info[page];
  if (info == EIG_FOUND)
    return;
  if (info != 0) {
    eig_span span = {a.first, a.wanted, a.wanted};
    if (a.spans != nullptr)
      span = {};
    if (a.spans != nullptr && threadIdx.x == 0)
      a.spans[page] = span;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      place_value (a, span, page, i, i, R (nan ("")));
    return;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    d[i] = a.d[page * n + i];
  __syncthreads ();
  int k = a.exponent[page];
  const eig_span span = span_of (a, interval, page, d);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    R mine = d[i];
    int rank = 0;
    for (int j = 0; j < n; j++)
      rank += d[j] < mine || (d[j] == mine && j < i);
    R value = times_power (mine, k);
    if (a.lists != nullptr && rank >= span.first && rank < span.first + span.stored)
      value = few_inside (value, interval.vl, interval.vu);
    place_value (a, span, page, i, rank, value);
    if (a.spans != nullptr && i >= span.stored)
      a.rank[page * n + i] = -1;
  }
}

// A wanted column in the registers of S lanes: row r*S + lane of it, of Z or, after eig_chased, of
// V; zero behind the last row.
template <class T, int S, int ROWS>
GLA_DEVICE void load_column (const eig_args<T> &a, int64_t page, int j, bool there, T (&x)[ROWS])
{
  typedef real_t<T> R;
  int n = a.n, lane = threadIdx.x % S;
  bool chased = a.chased != nullptr, solved = there && a.info[page] == 0;
  const T *V = a.V + page * a.page_v + eig_place_of (a, page, j) * a.ldv;
  const R *z = static_cast<const R *> (a.Z) + page * n * n;
  if (!chased)
    z += eig_source_of (a, page, j) * n;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = r * S + lane;
    x[r] = from_real<T> (0);
    if (i < n && solved)
      x[r] = chased ? V[i] : from_real<T> (z[i]);
  }
}

// Entry i of a reflector in w with its one.
template <class T> GLA_DEVICE T reflector_entry (const T *w, int n, int one, int i)
{
  T value = from_real<T> (i == one ? real_t<T> (1) : real_t<T> (0));
  if (i > one && i < n)
    value = w[i];
  return value;
}

// What a group of lanes has: a wanted column of a page. A page has room for `most` of them, or
// their columns are in a list.
struct unmtr_place {
  int64_t page;
  int j;
  bool inside;
};
template <class T>
GLA_DEVICE unmtr_place place_of (const eig_args<T> &a, int64_t column, int most, bool listed)
{
  if (listed) {
    if (column >= a.lists[FEW_COUNTS - 1])
      return {0, 0, false};
    const few_column own = few_columns (a.lists, a.pages)[column];
    return {own.page, own.j, own.j < a.spans[own.page].stored}; // a page may have failed
  }
  bool inside = column < a.pages * most;
  column = inside ? column : a.pages * most - 1; // lanes beyond the end repeat the last column
  int64_t page = column / most;
  int j = (int)(column % most);
  if (a.spans == nullptr)
    return {page, j, inside};
  inside = inside && j < a.spans[page].stored;
  return {page, inside ? j : 0, inside};
}

// A group of S lanes owns one wanted column and keeps it in registers, rows lane, lane+S, ...: it
// loads the column, applies the reflectors from the last one to the first, each with a dot product
// over the S lanes, and stores the column at its place in the order. Reflector k has its one in row
// k + below. Groups need nothing from each other; neighbouring groups work on the same page, so its
// reflectors come from the cache; those of small pages are fetched ahead.
template <class T, int S, int ROWS>
__global__ void unmtr_kernel (eig_args<T> a, int most, bool listed)
{
  typedef real_t<T> R;
  constexpr bool keep = ROWS * sizeof (T) <= 256; // whether a reflector fits in registers as well
  constexpr bool ahead = S == 8 && ROWS * sizeof (T) <= 64; // and the next one
  int n = a.n, lane = threadIdx.x % S;
  int64_t column = (int64_t)blockIdx.x * (blockDim.x / S) + threadIdx.x / S;
  const unmtr_place place = place_of (a, column, most, listed);
  if (a.spans != nullptr && !__any_sync (0xffffffffu, place.inside))
    return;
  int64_t page = place.page;
  int j = place.j, below = a.chased != nullptr ? EIG_BANDWIDTH : 1;
  bool inside = place.inside, failed = a.info[page] != 0;
  const T *W = a.W + page * n * n;
  T x[ROWS];
  load_column<T, S> (a, page, j, inside || a.spans == nullptr, x);
  int k = failed ? -1 : eig_reflectors (n, below) - 1;
  T next[ahead ? ROWS : 1], next_tau = from_real<T> (0);
  auto fetch = [&] (int of) {
    next_tau = a.tau[page * n + of];
#pragma unroll
    for (int r = 0; ahead && r < ROWS; r++)
      next[r] = reflector_entry (W + (int64_t)of * n, n, of + below, r * S + lane);
  };
  if (k >= 0)
    fetch (k);
  for (; k >= 0; k--) {
    const T *w = W + (int64_t)k * n;
    int one = k + below;
    T v[keep ? ROWS : 1], dot = from_real<T> (0), tau = next_tau;
    if (ahead)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        v[ahead ? r : 0] = next[ahead ? r : 0];
    fetch (k > 0 ? k - 1 : 0);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      T value = ahead ? v[ahead ? r : 0] : reflector_entry (w, n, one, r * S + lane);
      if (keep)
        v[keep ? r : 0] = value;
      if (r * S + S > one)
        dot = cmadd (value, x[r], dot);
    }
    dot = lane_sum<S> (dot);
    T factor = -(tau * dot);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (r * S + S > one) {
        T value = keep ? v[keep ? r : 0] : reflector_entry (w, n, one, r * S + lane);
        x[r] = madd (factor, value, x[r]);
      }
  }
  if (a.phase)
    column_phase<1, S> (x, [lane] (int r) { return r * S + lane; });
  T *V = a.V + page * a.page_v + eig_place_of (a, page, j) * a.ldv;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = r * S + lane;
    if (inside && i < n)
      V[i] = failed ? from_real<T> (R (nan (""))) : x[r];
  }
}

template <class T, int S, int ROWS> cudaError_t launch (const eig_args<T> &a, int most, bool listed)
{
  constexpr int threads = 128, columns = threads / S;
  int64_t blocks = (a.pages * most + columns - 1) / columns;
  unmtr_kernel<T, S, ROWS><<<(unsigned)blocks, threads, 0, a.stream>>> (a, most, listed);
  return cudaGetLastError ();
}

// Of pages with `most` wanted columns, or at most so many.
template <class T> cudaError_t apply_alone (const eig_args<T> &a, int most, bool listed)
{
  if (a.n <= 128)
    return a.n <= 32   ? launch<T, 8, 4> (a, most, listed)
           : a.n <= 64 ? launch<T, 8, 8> (a, most, listed)
                       : launch<T, 8, 16> (a, most, listed);
  return a.n <= 256    ? launch<T, 32, 8> (a, most, listed)
         : a.n <= 512  ? launch<T, 32, 16> (a, most, listed)
         : a.n <= 1024 ? launch<T, 32, 32> (a, most, listed)
                       : launch<T, 32, 64> (a, most, listed);
}

} // namespace

template <class T> cudaError_t eig_sort (const eig_args<T> &a, const eig_interval &interval)
{
  int threads = a.n <= 32 ? 32 : a.n <= 256 ? 128 : 512;
  // whole 16-byte words: the compiler reads the values in pairs
  size_t bytes = (a.n * sizeof (real_t<T>) + 15) / 16 * 16;
  sort_kernel<T><<<(unsigned)a.pages, threads, bytes, a.stream>>> (a, interval);
  return cudaGetLastError ();
}

// Of an interval a page's own number of columns decides which kernel serves it.
template <class T> cudaError_t eig_unmtr (const eig_args<T> &a)
{
  const int few = a.n / EIG_FEW_SHARE;
  const bool fits = eig_unmtr_page_fits<T> (a.n, a.smem_limit);
  if (a.lists != nullptr && (fits || a.strip > 0)) {
    const cudaError_t status = apply_alone (a, few < a.wanted ? few : a.wanted, true);
    return status != cudaSuccess || a.strip > 0 ? status : eig_unmtr_page (a);
  }
  const bool alone = a.chased != nullptr || (eig_in_part (a) && a.wanted <= few);
  return alone || !fits ? apply_alone (a, a.wanted, false) : eig_unmtr_page (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_sort (const eig_args<T> &, const eig_interval &);                       \
  template cudaError_t eig_unmtr (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
