// unmtr.cu: eigenvalues in ascending order, and eigenvectors V = Q Z of the full matrices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "few.cuh"
#include "unmtr_strip.cuh"

namespace
{

// Eigenvalue i is number `rank` in ascending order. Of a part only the wanted ones have a place.
template <class T>
GLA_DEVICE void place_value (const eig_args<T> &a, int64_t page, int i, int rank, real_t<T> value)
{
  int place = rank - a.first;
  if (eig_in_part (a) && (place < 0 || place >= a.wanted))
    return;
  a.lambda[page * a.page_lambda + rank * a.inc_lambda] = value;
  if (eig_in_part (a))
    a.rank[page * a.n + place] = i;
  else
    a.rank[page * a.n + i] = rank;
}

// One block per page: the rank of an eigenvalue is the number of those before it in ascending order
// (equal ones in their order), so every thread places its own without exchange.
template <class T> __global__ void sort_kernel (eig_args<T> a)
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
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      place_value (a, page, i, i, R (nan ("")));
    return;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    d[i] = a.d[page * n + i];
  __syncthreads ();
  int k = a.exponent[page];
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    R mine = d[i];
    int rank = 0;
    for (int j = 0; j < n; j++)
      rank += d[j] < mine || (d[j] == mine && j < i);
    place_value (a, page, i, rank, times_power (mine, k));
  }
}

// A wanted column in the registers of S lanes: row r*S + lane of it, of Z or, after eig_chased, of
// V; zero behind the last row.
template <class T, int S, int ROWS>
GLA_DEVICE void load_column (const eig_args<T> &a, int64_t page, int j, T (&x)[ROWS])
{
  typedef real_t<T> R;
  int n = a.n, lane = threadIdx.x % S;
  bool chased = a.chased != nullptr, solved = a.info[page] == 0;
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

// A group of S lanes owns one wanted column and keeps it in registers, rows lane, lane+S, ...: it
// loads the column, applies the reflectors from the last one to the first, each with a dot product
// over the S lanes, and stores the column at its place in the order. Reflector k has its one in row
// k + below. Groups need nothing from each other; neighbouring groups work on the same page, so its
// reflectors come from the cache; those of small pages are fetched ahead.
template <class T, int S, int ROWS> __global__ void unmtr_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  constexpr bool keep = ROWS * sizeof (T) <= 256; // whether a reflector fits in registers as well
  constexpr bool ahead = S == 8 && ROWS * sizeof (T) <= 64; // and the next one
  int n = a.n, lane = threadIdx.x % S;
  int64_t column = (int64_t)blockIdx.x * (blockDim.x / S) + threadIdx.x / S;
  bool inside = column < a.pages * a.wanted;
  column = inside ? column : a.pages * a.wanted - 1; // lanes beyond the end repeat the last column
  int64_t page = column / a.wanted;
  int j = (int)(column % a.wanted), below = a.chased != nullptr ? EIG_BANDWIDTH : 1;
  bool failed = a.info[page] != 0;
  const T *W = a.W + page * n * n;
  T x[ROWS];
  load_column<T, S> (a, page, j, x);
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

template <class T, int S, int ROWS> cudaError_t launch (const eig_args<T> &a)
{
  constexpr int threads = 128, columns = threads / S;
  int64_t blocks = (a.pages * a.wanted + columns - 1) / columns;
  unmtr_kernel<T, S, ROWS><<<(unsigned)blocks, threads, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t eig_sort (const eig_args<T> &a)
{
  int threads = a.n <= 32 ? 32 : a.n <= 256 ? 128 : 512;
  // whole 16-byte words: the compiler reads the values in pairs
  size_t bytes = (a.n * sizeof (real_t<T>) + 15) / 16 * 16;
  sort_kernel<T><<<(unsigned)a.pages, threads, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t eig_unmtr (const eig_args<T> &a)
{
  bool few = a.chased != nullptr || (eig_in_part (a) && 4 * a.wanted <= a.n);
  if (!few && eig_unmtr_page_fits<T> (a.n, a.smem_limit))
    return eig_unmtr_page (a);
  if (a.n <= 128)
    return a.n <= 32 ? launch<T, 8, 4> (a) : a.n <= 64 ? launch<T, 8, 8> (a) : launch<T, 8, 16> (a);
  return a.n <= 256    ? launch<T, 32, 8> (a)
         : a.n <= 512  ? launch<T, 32, 16> (a)
         : a.n <= 1024 ? launch<T, 32, 32> (a)
                       : launch<T, 32, 64> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t eig_sort (const eig_args<T> &);                                             \
  template cudaError_t eig_unmtr (const eig_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
