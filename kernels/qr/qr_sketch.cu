// qr_sketch.cu: random rows, the choice of columns from a sketch, their exchange
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_plan.cuh"
#include "common/reflector.cuh"
#include "common/cluster.cuh"

namespace
{

//------------------------------------------------------------------------------
// random rows
//------------------------------------------------------------------------------

// The largest entry of a sketch, times the square root of its rows and so on: squares of norms lie
// in the range of numbers without scaling, also those of columns 2^-900 times as long.
enum { LEVEL = 440 };

// A number between -1 and 1 for each k (Steele, Lea, Flood 2014: SplitMix).
GLA_DEVICE double random_of (uint64_t k)
{
  uint64_t x = (k + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return (double)(int64_t)x * 0x1p-63;
}

template <class T> GLA_DEVICE T random_number (uint64_t k)
{
  typedef real_t<T> R;
  if constexpr (is_complex_v<T>)
    return {(R)random_of (2 * k), (R)random_of (2 * k + 1)};
  else
    return (T)random_of (k);
}

// Thread x of block (., page): an entry of G, and the number of a column. Every page has the same
// numbers, times the power of two that brings its sketch to the level.
template <class T> __global__ void start_kernel (qr_plan<T> p)
{
  const int64_t q = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, page = blockIdx.y;
  if (q < p.n)
    p.pivots.jpvt[page * p.n + q] = q;
  if (q >= QR_SKETCH_ROWS * p.m)
    return;
  const double most = __longlong_as_double ((long long)p.largest[page * p.n]);
  const int e = most > 0 && most <= DBL_MAX ? ilogb (most) - p.exponent[page * p.n] : 0;
  p.sketch.G.data[page * p.sketch.G.page + q] =
      times_power (random_number<T> ((uint64_t)q), LEVEL - e);
}

//------------------------------------------------------------------------------
// the choice
//------------------------------------------------------------------------------

enum { ROWS = QR_SKETCH_ROWS, LANES = 8, EACH = ROWS / LANES };

// Threads of a block: two columns of complex numbers take the registers of 256.
template <class T> constexpr int choice_threads = sizeof (T) == 16 ? 256 : 512;

template <class T> struct choice {
  page_matrix<const T> S; // ROWS x columns; of the first page, as `chosen` is
  T *column;
  qr_offer *offer;
  int *flag, *chosen;
  int columns, each, blocks; // of a page, of a block of threads; blocks of a page
  int count;                 // columns to be chosen
  bool near;                 // the columns of a block fit into its shared memory
};

GLA_DEVICE bool is_better (qr_offer a, qr_offer b)
{
  return a.square > b.square || (a.square == b.square && a.column < b.column);
}

GLA_DEVICE qr_offer better_offer (qr_offer a, int mask)
{
  const qr_offer b = {shuffle_xor (a.square, mask), __shfl_xor_sync (0xffffffffu, a.column, mask)};
  return is_better (b, a) ? b : a;
}

// The best offer of all threads of a block, known to each; work has an entry for each warp.
template <int THREADS> GLA_DEVICE qr_offer best_of_block (qr_offer a, qr_offer *work)
{
  for (int mask = 16; mask > 0; mask /= 2)
    a = better_offer (a, mask);
  if (threadIdx.x % 32 == 0)
    work[threadIdx.x / 32] = a;
  __syncthreads ();
  a = work[threadIdx.x % (THREADS / 32)];
  for (int mask = THREADS / 64; mask > 0; mask /= 2)
    a = better_offer (a, mask);
  return a;
}

template <class T> GLA_DEVICE T sum_of_lanes (T a)
{
#pragma unroll
  for (int mask = LANES / 2; mask > 0; mask /= 2)
    a = a + shuffle_xor (a, mask);
  return a;
}

// The reflector of row k of a pivot column, EACH of its rows in each of 8 lanes.
template <class T> struct sketch_reflector {
  T v[EACH], tau;
  GLA_DEVICE sketch_reflector (const T *pivot, double square, int k)
  {
    const int lane = threadIdx.x % LANES;
    const bool none = !(square > 0 && square <= DBL_MAX);
    const double down = none ? 0.0 : times_power (1.0, -ilogb (square) / 2);
    double below = 0;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      const int i = q * LANES + lane;
      v[q] = i > k ? scale (down, pivot[i]) : from_real<T> (0);
      below += abs2 (v[q]);
    }
    const reflector<T> h (scale (down, pivot[k]), sum_of_lanes (below));
    tau = none ? from_real<T> (0) : h.tau;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      v[q] = none ? from_real<T> (0) : v[q] * h.inverse;
      if (q * LANES + lane == k)
        v[q] = from_real<T> (1);
    }
  }

  // The square of the norm of what the reflector leaves of a column below row k.
  GLA_DEVICE double apply (T *a, int k, bool valid) const
  {
    const int lane = threadIdx.x % LANES;
    T x[EACH], dot = from_real<T> (0);
    double square = 0;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      x[q] = valid ? a[q * LANES + lane] : from_real<T> (0);
      dot = cmadd (v[q], x[q], dot);
    }
    const T w = conj (tau) * sum_of_lanes (dot);
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      x[q] = madd (-w, v[q], x[q]);
      if (valid)
        a[q * LANES + lane] = x[q];
      square += q * LANES + lane > k ? abs2 (x[q]) : 0;
    }
    return sum_of_lanes (square);
  }
};

template <class T> GLA_DEVICE double square_of_column (const T *a, bool valid)
{
  double square = 0;
#pragma unroll
  for (int q = 0; q < EACH; q++)
    square += valid ? abs2 (a[q * LANES + threadIdx.x % LANES]) : 0;
  return sum_of_lanes (square);
}

// Column pivoting of sketches, each by blocks of threads that wait for each other, once for each
// column. Each has a group of columns, in its shared memory where they fit, and 8 lanes share a
// column. A step applies the reflector of the step before and finds the longest of the own columns;
// this one is offered to all with its norm. The longest of those that were offered is the next one,
// and all blocks make its reflector. Two steps use two places for offers: a block is at most one
// ahead.
template <class T> __global__ void __launch_bounds__ (choice_threads<T>) choose_kernel (choice<T> a)
{
  constexpr int THREADS = choice_threads<T>, GROUPS = THREADS / LANES;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ __align__ (16) T pivot[ROWS];
  __shared__ qr_offer own_best[THREADS / 32], all_best[THREADS / 32];
  const int page = blockIdx.x / a.blocks, block = blockIdx.x % a.blocks;
  const int first = block * a.each, own = min (a.each, a.columns - first);
  const T *S = a.S.data + page * a.S.page + (int64_t)first * ROWS;
  unsigned char *taken = memory;
  T *mine = a.near ? reinterpret_cast<T *> (memory + (a.each + 15) / 16 * 16) : const_cast<T *> (S);
  for (int c = threadIdx.x; c < own; c += THREADS)
    taken[c] = 0;
  for (int q = threadIdx.x; q < own * ROWS && a.near; q += THREADS)
    mine[q] = S[q];
  for (int i = threadIdx.x; i < ROWS; i += THREADS)
    pivot[i] = from_real<T> (0);
  __syncthreads ();
  qr_offer next = {0, 0};
  for (int step = 0; step < a.count; step++) {
    const int k = step == 0 ? 0 : step - 1;
    const sketch_reflector<T> h (pivot, next.square, k);
    qr_offer best = {-1, INT_MAX};
    for (int start = 0; start < own; start += GROUPS) {
      const int c = start + threadIdx.x / LANES;
      const bool valid = c < own && !taken[c];
      T *column = mine + (int64_t)c * ROWS;
      const double square =
          step == 0 ? square_of_column (column, valid) : h.apply (column, k, valid);
      const qr_offer here = {square == square ? square : 0, first + c};
      if (valid && is_better (here, best))
        best = here;
    }
    best = best_of_block<THREADS> (best, own_best);
    const int place = step % 2 * gridDim.x + page * a.blocks;
    T *to = a.column + (int64_t)(place + block) * ROWS;
    for (int i = threadIdx.x; i < ROWS && best.square >= 0; i += THREADS)
      shared_store (to + i, mine[(int64_t)(best.column - first) * ROWS + i]);
    if (threadIdx.x == 0)
      a.offer[place + block] = best;
    __syncthreads ();
    if (threadIdx.x == 0)
      raise_flag (a.flag + blockIdx.x, step + 1);
    next = {-1, INT_MAX};
    for (int b = threadIdx.x; b < a.blocks; b += THREADS) {
      while (flag_value (a.flag + page * a.blocks + b) <= step)
        ;
      const qr_offer *from = a.offer + place + b;
      const qr_offer other = {__ldcg (&from->square), __ldcg (&from->column)};
      next = is_better (other, next) ? other : next;
    }
    next = best_of_block<THREADS> (next, all_best);
    const T *from = a.column + (int64_t)(place + next.column / a.each) * ROWS;
    for (int i = threadIdx.x; i < ROWS; i += THREADS)
      pivot[i] = shared_load (from + i);
    if (threadIdx.x == 0 && next.column / a.each == block)
      taken[next.column - first] = 1;
    if (threadIdx.x == 0 && block == 0)
      a.chosen[page * QR_BLOCK + step] = next.column;
    __syncthreads ();
  }
}

//------------------------------------------------------------------------------
// the exchange
//------------------------------------------------------------------------------

enum { SWAP_THREADS = 256 };

// Rows of a block of threads.
template <class T> constexpr int swap_rows = 256 / sizeof (T);

// Block (x, page): some rows of Y, of which it takes the chosen columns to shared memory; then
// those that they replace go to the places that are free behind the first `count`, both in
// ascending order of the choice; the chosen ones follow. Block (0, page) does the same with the
// numbers.
template <class T>
__global__ void __launch_bounds__ (SWAP_THREADS)
    permute_kernel (page_matrix<T> Y, int64_t m, int64_t n, int64_t J, int count, const int *chosen,
                    int64_t *jpvt)
{
  constexpr int R = swap_rows<T>;
  __shared__ T tile[R * QR_BLOCK];
  __shared__ int from[QR_BLOCK], stays[QR_BLOCK], evicted[QR_BLOCK];
  __shared__ int64_t number[QR_BLOCK];
  const int64_t page = blockIdx.y, row = blockIdx.x * (int64_t)R + threadIdx.x % R;
  T *y = Y.data + page * Y.page + J * Y.ld + row;
  int64_t *numbers = jpvt + page * n + J;
  const bool counts = blockIdx.x == 0;
  const int t = threadIdx.x;
  if (t < count) {
    from[t] = chosen[page * QR_BLOCK + t];
    stays[t] = 0;
    number[t] = numbers[from[t]];
  }
  __syncthreads ();
  if (t < count && from[t] < count)
    stays[from[t]] = 1;
  for (int c = t / R; c < count; c += SWAP_THREADS / R)
    if (row < m)
      tile[c * R + t % R] = y[from[c] * Y.ld];
  __syncthreads ();
  int place = 0; // among those that are evicted
  for (int c = 0; c < count && t < count; c++)
    place += c < t && !stays[c];
  if (t < count && !stays[t])
    evicted[place] = t;
  __syncthreads ();
  int hole = 0; // among chosen columns from behind the first `count`
  for (int c = 0; c < count; c++) {
    if (from[c] < count)
      continue;
    if (row < m && c % (SWAP_THREADS / R) == t / R)
      y[from[c] * Y.ld] = y[evicted[hole] * Y.ld];
    if (counts && t == 0)
      numbers[from[c]] = numbers[evicted[hole]];
    hole++;
  }
  __syncthreads ();
  for (int c = t / R; c < count; c += SWAP_THREADS / R)
    if (row < m)
      y[c * Y.ld] = tile[c * R + t % R];
  if (counts && t < count)
    numbers[t] = number[t];
}

int multiprocessors ()
{
  int device = 0, count = 0;
  if (cudaGetDevice (&device) != cudaSuccess ||
      cudaDeviceGetAttribute (&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    cudaGetLastError ();
  return count < 1 ? 1 : count > QR_SKETCH_GROUPS ? (int)QR_SKETCH_GROUPS : count;
}

} // namespace

template <class T> cudaError_t qr_sketch_start (const qr_plan<T> &p, cudaStream_t stream)
{
  const int64_t numbers = QR_SKETCH_ROWS * p.m > p.n ? QR_SKETCH_ROWS * p.m : p.n;
  start_kernel<T>
      <<<dim3 ((unsigned)((numbers + 255) / 256), (unsigned)p.pages), 256, 0, stream>>> (p);
  return cudaGetLastError ();
}

// Groups of so many columns that a block does all at once, or larger ones; as many pages at a time
// as there are multiprocessors for.
template <class T>
cudaError_t qr_sketch_choose (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured{0};
  const int columns = (int)(p.n - J), most = multiprocessors (), threads = choice_threads<T>;
  const int lanes = threads / LANES, wanted = (columns + lanes - 1) / lanes;
  const int each =
      (columns + (wanted < most ? wanted : most) - 1) / (wanted < most ? wanted : most);
  const size_t taken = (size_t)(each + 15) / 16 * 16, bytes = (size_t)each * ROWS * sizeof (T);
  const size_t shared_most = block_shared_most () - 4096;
  const qr_sketch<T> &s = p.sketch;
  choice<T> a = {as_const (s.S), s.column, s.offer, s.flag, s.chosen, columns, each};
  a.blocks = (columns + each - 1) / each;
  a.count = count;
  a.near = taken + bytes <= shared_most;
  cudaError_t error = allow_cluster (choose_kernel<T>, shared_most, &configured);
  for (int64_t page = 0; page < p.pages && error == cudaSuccess; page += most / a.blocks) {
    const int64_t left = p.pages - page, pages = left < most / a.blocks ? left : most / a.blocks;
    a.S.data = s.S.data + page * s.S.page;
    a.chosen = s.chosen + page * QR_BLOCK;
    error = cudaMemsetAsync (s.flag, 0, QR_SKETCH_GROUPS * sizeof (int), stream);
    if (error == cudaSuccess)
      error = launch_together (choose_kernel<T>, (int)(a.blocks * pages), threads,
                               taken + (a.near ? bytes : 0), stream, a);
  }
  return error;
}

template <class T>
cudaError_t qr_sketch_permute (const qr_plan<T> &p, int64_t J, int count, cudaStream_t stream)
{
  const dim3 grid ((unsigned)((p.m + swap_rows<T> - 1) / swap_rows<T>), (unsigned)p.pages);
  permute_kernel<T>
      <<<grid, SWAP_THREADS, 0, stream>>> (p.Y, p.m, p.n, J, count, p.sketch.chosen, p.pivots.jpvt);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_sketch_start (const qr_plan<T> &, cudaStream_t);                         \
  template cudaError_t qr_sketch_choose (const qr_plan<T> &, int64_t, int, cudaStream_t);          \
  template cudaError_t qr_sketch_permute (const qr_plan<T> &, int64_t, int, cudaStream_t);
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<double>)
