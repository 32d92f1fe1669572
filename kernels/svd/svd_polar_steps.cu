// svd_polar_steps.cu: kernels for the polar factor of pages with many columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// But for the numbers of pages, each slot is shared by `parts` blocks of
// threads: block (x, y) takes columns x, x + parts, .. of slots y, y + gridDim.y, ..

#include "svd_polar.cuh"

namespace
{

enum { TILE = 32, TILE_ROWS = 8, ORDER = 1024 };

// f (i, j) for the entries of this block's columns.
template <class F> GLA_DEVICE void for_columns (int n, F f)
{
  for (int j = blockIdx.x; j < n; j += gridDim.x)
    for (int i = threadIdx.x; i < n; i += POLAR_THREADS)
      f (i, j);
}

//------------------------------------------------------------------------------
// weights
//------------------------------------------------------------------------------

// A block for each page, which is in its own slot. X is scaled so that its largest singular value
// is about 1, by what the power iteration has found, which is too small by some ten per cent.
// Should it have found nothing, the largest eigenvalue of G is no less than the mean. A page that
// is done from the beginning is multiplied by I.
template <class T> __global__ void __launch_bounds__ (POLAR_THREADS) first_kernel (polar_steps<T> s)
{
  __shared__ double work[POLAR_THREADS / 32];
  const int64_t p = blockIdx.x;
  const int n = s.a.n;
  const T *G = s.a.Y + p * n * n;
  double trace = 0;
  for (int i = threadIdx.x; i < n; i += POLAR_THREADS)
    trace += (double)re (G[i + (int64_t)i * n]);
  trace = over_block<POLAR_THREADS, false> (trace, work);
  const double largest = fmax (s.largest[p], trace / n);
  if (threadIdx.x > 0)
    return;
  const bool wanted = s.a.page[p].active != 0;
  const double scale = 1 / sqrt (1.2 * largest);
  s.a.page[p].active = wanted ? POLAR_INVERSE : POLAR_DONE;
  s.gram[p] = make_double2 (1, wanted ? POLAR_WEIGHT * scale * scale : 0);
  s.factor[p] = wanted ? halley_weights (scale) : make_double2 (1, 0);
  s.page_of[p] = (int32_t)p;
  s.where[p] = p;
}

// blockIdx.y counts the pages, in a grid-stride loop; the blocks of a page have columns, and their
// threads rows of them.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    weigh_kernel (T *M, const double2 *weights, int n, int slots)
{
  typedef real_t<T> R;
  for (int64_t q = blockIdx.y; q < slots; q += gridDim.y) {
    const R own = (R)weights[q].x, times = (R)weights[q].y;
    T *Y = M + q * n * n;
    for_columns (n, [&] (int i, int j) {
      T &y = Y[i + (int64_t)j * n];
      const T x = scale (times, y);
      y = i == j ? x + from_real<T> (own) : x;
    });
  }
}

//------------------------------------------------------------------------------
// the choice of a step
//------------------------------------------------------------------------------

// sum: squares of the entries of G - I.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS)
    distance_kernel (polar_steps<T> s, int first, int slots)
{
  typedef real_t<T> R;
  __shared__ double work[POLAR_THREADS / 32];
  const R off = (R)(square_of_step (POLAR_LAST).t - 1);
  const int n = s.a.n;
  for (int64_t q = first + (int64_t)blockIdx.y; q < first + slots; q += gridDim.y) {
    const T *Y = s.a.Y + q * n * n;
    double square = 0;
    for_columns (n, [&] (int i, int j) {
      const T y = Y[i + (int64_t)j * n];
      square += square_of (i == j ? y + from_real<T> (off) : y);
    });
    square = over_block<POLAR_THREADS, false> (square, work);
    if (threadIdx.x == 0)
      s.a.sum[q * s.a.parts + blockIdx.x] = square;
    __syncthreads ();
  }
}

// A thread for each slot: whether the least singular value of X was large enough.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) estimate_kernel (polar_steps<T> s, int slots)
{
  // what becomes 0.65, and what the estimate may be too large by
  const double enough = 0.0315, doubt = 1.15;
  const int q = (int)(blockIdx.x * POLAR_THREADS + threadIdx.x);
  if (q >= slots)
    return;
  polar_page &page = s.a.page[s.page_of[q]];
  if (page.active == POLAR_DONE)
    return;
  const double inverse = s.largest[q] / s.factor[q].y; // the largest eigenvalue of it
  const bool finite = inverse <= DBL_MAX;
  page.failed = finite ? page.failed : 2;
  page.least = finite ? sqrt (fmax (1 / inverse - 1, 0.0) / POLAR_WEIGHT) / (doubt * enough) : 0;
}

// The next step of the page that is in slot q.
template <class T> GLA_DEVICE int next_of (const polar_steps<T> &s, int q)
{
  polar_page &page = s.a.page[s.page_of[q]];
  const int step = page.active;
  if (step == POLAR_DONE || page.failed != 0)
    return POLAR_DONE;
  if (step == POLAR_INVERSE)
    return page.least >= 1 ? POLAR_FIRST : POLAR_INVERSE;
  if (step != POLAR_LAST)
    return step + 1;
  const double square = sum_of_parts (s.a.sum + (int64_t)q * s.a.parts, s.a.parts);
  if (!(square <= DBL_MAX)) {
    page.failed = 2;
    return POLAR_DONE;
  }
  // what the last step leaves is 5/8*|G - I|^3
  const double eps = limits<real_t<T>>::eps, enough = cbrt (64 * eps * eps);
  if (square <= enough * fmax (1.0, s.a.n / 512.0))
    return POLAR_DONE;
  return square < 0.25 ? POLAR_LAST : POLAR_INVERSE;
}

// Groups of slots, in order.
GLA_DEVICE int group_of (int step)
{
  return step == POLAR_DONE ? 3 : step == POLAR_INVERSE ? 0 : step == POLAR_LAST ? 2 : 1;
}

// What a step needs of the slot that its page goes to.
template <class T> GLA_DEVICE void set_slot (const polar_steps<T> &s, int to, int from, int step)
{
  const polar_square square = square_of_step (step);
  const bool inverse = step == POLAR_INVERSE;
  s.from[to] = from;
  s.page_next[to] = s.page_of[from];
  s.gram[to] = inverse ? make_double2 (1, POLAR_WEIGHT) : make_double2 (-square.t, 1);
  s.factor[to] = inverse ? halley_weights (1) : make_double2 (square.x, square.y);
}

// One block: the slots in the order of groups, and within these as they were. first[g]: slots of
// groups before g, and those of g that are placed. place: pages from the first place of X to
// where the product puts it.
template <class T>
__global__ void __launch_bounds__ (ORDER) order_kernel (polar_steps<T> s, int slots, int64_t place)
{
  enum { GROUPS = 4, ORDER_WARPS = ORDER / 32 };
  __shared__ int count[GROUPS][ORDER_WARPS], first[GROUPS + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x <= GROUPS)
    first[threadIdx.x] = 0;
  __syncthreads ();
  for (int q = threadIdx.x; q < slots; q += ORDER) {
    const int step = next_of (s, q);
    s.a.page[s.page_of[q]].active = step;
    for (int g = group_of (step) + 1; g <= GROUPS; g++)
      atomicAdd (&first[g], 1);
  }
  __syncthreads ();
  if (threadIdx.x == 0)
    *s.counts = {first[1], first[3] - first[1], first[3] - first[2]};
  for (int begin = 0; begin < slots; begin += ORDER) {
    const int q = begin + threadIdx.x;
    const int page = q < slots ? s.page_of[q] : 0, step = q < slots ? s.a.page[page].active : -1;
    const int group = q < slots ? group_of (step) : -1;
    int before = 0;
    for (int g = 0; g < GROUPS; g++) {
      const unsigned mine = __ballot_sync (~0u, group == g);
      before = group == g ? __popc (mine & ((1u << lane) - 1)) : before;
      if (lane == 0)
        count[g][warp] = __popc (mine);
    }
    __syncthreads ();
    for (int w = 0; w < warp && group >= 0; w++)
      before += count[group][w];
    if (group >= 0) {
      const int to = first[group] + before;
      set_slot (s, to, q, step);
      if (step == POLAR_DONE)
        s.where[page] = to + place;
    }
    __syncthreads ();
    if (threadIdx.x < GROUPS)
      for (int w = 0; w < ORDER_WARPS; w++)
        first[threadIdx.x] += count[threadIdx.x][w];
    __syncthreads ();
  }
}

// A thread has a page.
template <class T>
__global__ void __launch_bounds__ (POLAR_THREADS) give_up_kernel (polar_steps<T> s)
{
  const int64_t p = (int64_t)blockIdx.x * POLAR_THREADS + threadIdx.x;
  if (p < s.a.pages && s.a.page[p].active)
    s.a.page[p].failed = 2;
}

// Blocks (x, y) of threads: x over tiles on and above the diagonal, y over pages.
template <class T>
__global__ void __launch_bounds__ (TILE *TILE_ROWS) mirror_kernel (T *Y, int n, int64_t pages)
{
  __shared__ T tile[TILE][TILE + 1];
  int down = blockIdx.x, across = 0; // tile (down, across), down <= across
  while (down > across)
    down -= ++across;
  const int i0 = down * TILE, j0 = across * TILE;
  const int x = threadIdx.x % TILE, y0 = threadIdx.x / TILE;
  for (int64_t p = blockIdx.y; p < pages; p += gridDim.y) {
    T *G = Y + p * n * n;
    for (int y = y0; y < TILE; y += TILE_ROWS)
      if (i0 + x < n && j0 + y < n)
        tile[y][x] = G[i0 + x + (int64_t)(j0 + y) * n];
    __syncthreads ();
    for (int y = y0; y < TILE; y += TILE_ROWS) { // row j0+x, column i0+y
      const int row = j0 + x, column = i0 + y;
      if (row >= n || column >= n || row < column)
        continue;
      const T g = tile[x][y];
      G[row + (int64_t)column * n] = row == column ? from_real<T> (re (g)) : conj (g);
    }
    __syncthreads ();
  }
}

// Blocks for each of `slots` slots.
dim3 slots_grid (unsigned across, int slots)
{
  return dim3 (across, (unsigned)(slots < POLAR_GRID_MOST ? slots : POLAR_GRID_MOST));
}

} // namespace

template <class T> cudaError_t polar_first (const polar_steps<T> &s)
{
  first_kernel<<<(unsigned)s.a.pages, POLAR_THREADS, 0, s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T>
cudaError_t polar_weigh (const polar_steps<T> &s, T *M, const double2 *weights, int slots)
{
  weigh_kernel<<<slots_grid ((unsigned)s.a.parts, slots), POLAR_THREADS, 0, s.a.stream>>> (
      M, weights, s.a.n, slots);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_estimate (const polar_steps<T> &s, int slots)
{
  const unsigned blocks = (unsigned)((slots + POLAR_THREADS - 1) / POLAR_THREADS);
  estimate_kernel<<<blocks, POLAR_THREADS, 0, s.a.stream>>> (s, slots);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_distance (const polar_steps<T> &s, int first, int slots)
{
  distance_kernel<<<slots_grid ((unsigned)s.a.parts, slots), POLAR_THREADS, 0, s.a.stream>>> (
      s, first, slots);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_order (const polar_steps<T> &s, int slots, int64_t place)
{
  order_kernel<<<1, ORDER, 0, s.a.stream>>> (s, slots, place);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_give_up (const polar_steps<T> &s)
{
  give_up_kernel<<<(unsigned)((s.a.pages + POLAR_THREADS - 1) / POLAR_THREADS), POLAR_THREADS, 0,
                   s.a.stream>>> (s);
  return cudaGetLastError ();
}

template <class T> cudaError_t polar_mirror (T *Y, int n, int64_t pages, cudaStream_t stream)
{
  const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
  const dim3 grid (tiles * (tiles + 1) / 2,
                   (unsigned)(pages < POLAR_GRID_MOST ? pages : POLAR_GRID_MOST));
  mirror_kernel<<<grid, TILE * TILE_ROWS, 0, stream>>> (Y, n, pages);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t polar_first (const polar_steps<T> &);                                       \
  template cudaError_t polar_weigh (const polar_steps<T> &, T *, const double2 *, int);            \
  template cudaError_t polar_estimate (const polar_steps<T> &, int);                               \
  template cudaError_t polar_distance (const polar_steps<T> &, int, int);                          \
  template cudaError_t polar_order (const polar_steps<T> &, int, int64_t);                         \
  template cudaError_t polar_give_up (const polar_steps<T> &);                                     \
  template cudaError_t polar_mirror (T *, int, int64_t, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
