// svd_together.cu: large pages become bidiagonal, each by many blocks that wait for each other
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps are those of svd_bidiagonal.cu. Block b of a page has columns b, b + blocks, .., the
// last of them, which are read most, in shared memory, as many as there is room for, and the others
// in `rest`. A thread has rows t, t + THREADS, .. of all of them, so that its part of A*u needs no
// other thread of the block. In step k
//
//   each block finds the reflector v of column k by itself, takes the pending update off its
//   columns, finds their entries of y and of row k, and publishes its part of A*u, and the block of
//   column k+1 that column;
//   when all have, each block adds up A*u of some rows and publishes these;
//   when all have, each block has A*u and column k+1, and finds x and the next v.
//
// The number of blocks is a power of two, and a page has the same bits with each: sums over columns
// are sums of CLASSES classes, of which class c has columns c, c + CLASSES, .., one after the
// other, and then those of a tree: classes c and c + CLASSES/2, and so on. A block has whole
// branches of it.

#include "common/runtime.cuh"
#include "common/cluster.cuh"
#include "svd_reflection.cuh"
#include "svd.cuh"

namespace
{

enum { THREADS = 512, WARPS = THREADS / 32, ROWS = 4, GROUPS = 16 };
enum { CLASSES = SVD_TOGETHER_CLASSES, LEVELS = 8 }; // 2^(LEVELS - 1) = CLASSES
enum { BATCH = 64, FLIGHT_BYTES = 70000000 };        // columns between two barriers; see below
static_assert (THREADS * ROWS >= SVD_TOGETHER_MOST, "a thread has ROWS rows");

// What the blocks of a page exchange about a step.
template <class T> struct announced {
  T *part;           // n of each block: its part of A*u
  T *sum;            // n: A*u
  T *columns;        // n twice: the next column, of even and odd steps
  T *heads;          // its entries of row k, and of y, twice
  T *product;        // of each class: its part of y'*u
  real_t<T> *square; // of each class: its part of |u|^2
  double *most;      // of each block: the largest entry
  T *rest;           // n*n
  GLA_DEVICE announced (const svd_together_work &w, int n, int blocks, int64_t page)
  {
    char *at = w.memory + page * svd_together_bytes<T> (n, blocks);
    const auto take = [&] (auto *&piece, int64_t count) {
      piece = reinterpret_cast<decltype (piece + 0)> (at);
      at += svd_together_padded (count * (int64_t)sizeof *piece);
    };
    take (part, (int64_t)n * blocks);
    take (sum, n);
    take (columns, 2 * n);
    take (heads, 4);
    take (product, CLASSES);
    take (square, CLASSES);
    take (most, blocks);
    take (rest, (int64_t)n * n);
  }
};

// The sum of `count` numbers, a power of two, as a tree: numbers t and t + count/2 first. of (t)
// is number t.
template <class T, class F> GLA_DEVICE T tree_sum (int count, F of)
{
  const int bits = 31 - __clz (count);
  T branch[LEVELS], sum = from_real<T> (0);
  for (int k = 0; k < count; k++) {
    sum = of (bits == 0 ? 0 : (int)(__brev ((unsigned)k) >> (32 - bits)));
    bool carried = true;
#pragma unroll
    for (int l = 0; l < LEVELS; l++) {
      const bool full = k >> l & 1;
      if (carried && full)
        sum = branch[l] + sum;
      else if (carried)
        branch[l] = sum;
      carried = carried && full;
    }
  }
  return sum;
}

// One block of a page.
template <class T> struct page_block {
  typedef real_t<T> R;
  const announced<T> all;
  unsigned *counter;
  int n, rank, blocks, columns, far; // of the columns the first `far` are in `rest`
  T *y, *row;                        // of its columns
  T *dots;                           // of each warp and BATCH columns
  T *sums;                           // THREADS
  R *work;                           // WARPS
  T *shared;                         // entries of all threads, see below
  T *near;
  T v[ROWS], x[ROWS]; // of the pending update
  T next[ROWS];       // the new v
  enum { ALPHA, PRODUCT, TAU, FACTOR, BETA, Y, SHARED };
  static constexpr int COLUMNS = sizeof (T) == 16 ? 2 : 4; // that a thread has together

  GLA_DEVICE page_block (const svd_values_args<T> &args, const svd_together_work &w,
                         unsigned char *memory, int near_most)
      : all (w, args.a.columns, w.blocks, blockIdx.x / w.blocks),
        counter (w.counter + blockIdx.x / w.blocks), n (args.a.columns),
        rank ((int)(blockIdx.x % w.blocks)), blocks (w.blocks)
  {
    const int most = (n + blocks - 1) / blocks;
    columns = rank < n ? (n - rank + blocks - 1) / blocks : 0;
    far = columns > near_most ? columns - near_most : 0;
    near = reinterpret_cast<T *> (memory);
    y = near + (int64_t)near_most * n;
    row = y + most;
    dots = row + most;
    sums = dots + WARPS * BATCH;
    shared = sums + THREADS;
    work = reinterpret_cast<R *> (shared + SHARED);
  }
  GLA_DEVICE int row_of (int r) const { return (int)threadIdx.x + THREADS * r; }
  GLA_DEVICE T *column (int c) const
  {
    return c < far ? all.rest + ((int64_t)rank + (int64_t)c * blocks) * n
                   : near + (int64_t)(c - far) * n;
  }
  // The first of its columns behind column k of the page.
  GLA_DEVICE int behind (int k) const { return k < rank ? 0 : (k - rank) / blocks + 1; }
  GLA_DEVICE void barrier () const { blocks_barrier (counter, rank, blocks); }

  //----------------------------------------------------------------------------
  // the start
  //----------------------------------------------------------------------------

  // The exponent of the largest entry, or INT_MAX where one is not finite; of all threads.
  GLA_DEVICE int exponent (const T *A, int64_t ld)
  {
    double most = 0;
    for (int c = 0; c < columns; c++)
      for (int i = threadIdx.x; i < n; i += THREADS) {
        const double here = (double)absmax (A[i + ((int64_t)rank + (int64_t)c * blocks) * ld]);
        most = here > most || here != here ? here : most;
      }
    for (int mask = 16; mask > 0; mask /= 2) {
      const double other = shuffle_xor (most, mask);
      most = other > most || other != other ? other : most;
    }
    double *of_warps = reinterpret_cast<double *> (near); // which is empty
    if (threadIdx.x % 32 == 0)
      of_warps[threadIdx.x / 32] = most;
    __syncthreads ();
    for (int w = 0; w < WARPS; w++)
      most = of_warps[w] > most || of_warps[w] != of_warps[w] ? of_warps[w] : most;
    if (threadIdx.x == 0)
      shared_store (all.most + rank, most);
    barrier ();
    for (int b = 0; b < blocks; b++) {
      const double other = shared_load (all.most + b);
      most = other > most || other != other ? other : most;
    }
    return !(most <= DBL_MAX) ? INT_MAX : most > 0 ? ilogb (most) : 0;
  }

  // Loads the columns, and the first one for all blocks.
  GLA_DEVICE void load (const T *A, int64_t ld, int exponent)
  {
    for (int c = 0; c < columns; c++)
      for (int i = threadIdx.x; i < n; i += THREADS)
        column (c)[i] = times_power (A[i + ((int64_t)rank + (int64_t)c * blocks) * ld], -exponent);
    for (int c = threadIdx.x; c < columns; c += THREADS)
      y[c] = row[c] = from_real<T> (0);
    for (int r = 0; r < ROWS; r++)
      v[r] = x[r] = next[r] = from_real<T> (0);
    if (threadIdx.x == 0)
      shared[PRODUCT] = shared[TAU] = shared[FACTOR] = shared[Y] = from_real<T> (0);
    if (rank == 0) {
      publish_column (0, 0);
      for (int i = threadIdx.x; i < n; i += THREADS)
        shared_store (all.sum + i, from_real<T> (0));
    }
    barrier ();
  }
  GLA_DEVICE void publish_column (int k, int c) const
  {
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      if (row_of (r) >= k && row_of (r) < n)
        shared_store (all.columns + (k % 2) * n + row_of (r), column (c)[row_of (r)]);
  }

  //----------------------------------------------------------------------------
  // a step
  //----------------------------------------------------------------------------

  // x and v of the previous step become the pending update; makes the reflector of column k.
  GLA_DEVICE reflection<T> reflect_column (int k)
  {
    const T tau = shared[TAU], factor = shared[FACTOR], product = shared[PRODUCT],
            y_k = conj (shared[Y]);
    R square = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = row_of (r);
      const bool there = i >= k && i < n;
      const T a = there ? shared_load (all.columns + (k % 2) * n + i) : from_real<T> (0);
      const T sum = there ? shared_load (all.sum + i) : from_real<T> (0);
      v[r] = there ? next[r] : from_real<T> (0);
      x[r] = tau * madd (-v[r], product, madd (factor, sum, a));
      next[r] = madd (-v[r], y_k, a) - x[r];
      square += i > k ? abs2 (next[r]) : R (0);
      if (i == k)
        shared[ALPHA] = next[r];
    }
    square = lane_sum<32> (square);
    if (threadIdx.x % 32 == 0)
      work[threadIdx.x / 32] = square;
    __syncthreads ();
    square = work[0];
    for (int w = 1; w < WARPS; w++)
      square += work[w];
    const reflection<T> h = reflect (shared[ALPHA], square);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = row_of (r);
      next[r] = i == k ? from_real<T> (1) : i > k ? next[r] * h.factor : from_real<T> (0);
    }
    return h;
  }

  // COLUMNS columns from c on, before `end`: the pending update, and products with the new v to
  // dots, from `to` on.
  GLA_DEVICE void update_columns (int k, int c, int end, T factor, int to)
  {
    T y_c[COLUMNS], u_c[COLUMNS], dot[COLUMNS];
    T *at[COLUMNS];
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) { // beyond the last column the first one again
      const int here = c + q < end ? c + q : c;
      at[q] = column (here);
      y_c[q] = conj (y[here]);
      u_c[q] = conj (factor * row[here]);
      dot[q] = from_real<T> (0);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = row_of (r);
      if (i < k || i >= n)
        continue;
      T a[COLUMNS];
#pragma unroll
      for (int q = 0; q < COLUMNS; q++)
        a[q] = at[q][i];
#pragma unroll
      for (int q = 0; q < COLUMNS; q++) {
        a[q] = madd (-v[r], y_c[q], madd (-x[r], u_c[q], a[q]));
        dot[q] = cmadd (next[r], a[q], dot[q]);
        if (c + q < end)
          at[q][i] = a[q];
      }
    }
    const int lane = threadIdx.x % 32;
    const T sum = sums_of (dot);
    if (lane < COLUMNS && c + lane < end)
      dots[threadIdx.x / 32 * BATCH + to + lane] = sum;
  }

  // y and row k of all columns behind column k, and what is published of them.
  GLA_DEVICE void pass_columns (int k, T tau)
  {
    const T factor = shared[FACTOR];
    for (int first = behind (k); first < columns; first += BATCH) {
      const int end = first + BATCH < columns ? first + BATCH : columns;
      for (int c = first; c < end; c += COLUMNS)
        update_columns (k, c, end, factor, c - first);
      __syncthreads ();
      for (int c = first + (int)threadIdx.x; c < end; c += THREADS) {
        T sum = dots[c - first];
        for (int w = 1; w < WARPS; w++)
          sum = sum + dots[w * BATCH + c - first];
        const T here = conj (tau) * sum; // the adjoint of y
        y[c] = conj (here);
        row[c] = conj (column (c)[k] - here);
      }
      __syncthreads ();
    }
    if (threadIdx.x / 32 == WARPS - 1)
      publish_sums (k);
    publish_part (k);
    if (rank != (k + 1) % blocks)
      return;
    publish_column (k + 1, (k + 1) / blocks);
    if (threadIdx.x == 0) {
      shared_store (all.heads + (k + 1) % 2 * 2, row[(k + 1) / blocks]);
      shared_store (all.heads + (k + 1) % 2 * 2 + 1, y[(k + 1) / blocks]);
    }
  }

  // This block has so many classes; q has its columns q, q + classes (), .., and is class
  // rank + q*blocks of the page.
  GLA_DEVICE int classes () const
  {
    return CLASSES / blocks;
  }
  // The first of these columns behind column k of the page.
  GLA_DEVICE int behind_in (int q, int k) const
  {
    const int first = behind (k) - q;
    return first <= 0 ? q : q + (first + classes () - 1) / classes () * classes ();
  }

  // This block's part of A*u but for the first column, whose u is 1.
  GLA_DEVICE void publish_part (int k) const
  {
    for (int r = 0; r < ROWS; r++) {
      const int i = row_of (r);
      if (i <= k || i >= n)
        continue;
      const T sum = tree_sum<T> (classes (), [&] (int q) {
        T part = from_real<T> (0);
        for (int c = behind_in (q, k + 1); c < columns; c += classes ())
          part = madd (column (c)[i], row[c], part);
        return part;
      });
      shared_store (all.part + (int64_t)rank * n + i, sum);
    }
  }
  // The same of |u|^2 and y'*u, of each class; one warp.
  GLA_DEVICE void publish_sums (int k) const
  {
    for (int q = threadIdx.x % 32; q < classes (); q += 32) {
      R square = 0;
      T product = from_real<T> (0);
      for (int c = behind_in (q, k + 1); c < columns; c += classes ()) {
        square += abs2 (row[c]);
        product = cmadd (y[c], row[c], product);
      }
      shared_store (all.square + rank + q * blocks, square);
      shared_store (all.product + rank + q * blocks, product);
    }
  }

  // The reflector of row k, for all threads of the block; one warp.
  GLA_DEVICE void reflect_row (int k) const
  {
    R square = 0;
    T product = from_real<T> (0);
    for (int c = threadIdx.x % 32; c < CLASSES; c += 32) {
      square += shared_load (all.square + c);
      product = product + shared_load (all.product + c);
    }
    square = lane_sum<32> (square);
    product = lane_sum<32> (product);
    const T alpha = shared_load (all.heads + (k + 1) % 2 * 2),
            y_next = shared_load (all.heads + (k + 1) % 2 * 2 + 1);
    const reflection<T> h = reflect (alpha, square);
    if (threadIdx.x % 32 != 0)
      return;
    shared[TAU] = h.tau;
    shared[FACTOR] = h.factor;
    shared[PRODUCT] = madd (h.factor, product, conj (y_next));
    shared[Y] = y_next;
    shared[BETA] = from_real<T> (h.beta);
  }

  // A*u of the rows that are this block's in step k, THREADS at a time at most. Groups of threads
  // add up parts of a row, and then these sums, as branches of the tree.
  GLA_DEVICE void add_parts (int k)
  {
    const int active = n - k - 1, segment = (active + blocks - 1) / blocks;
    int width = 1, groups = 1;
    while (width < segment && width < THREADS)
      width *= 2;
    while (groups < GROUPS && groups < blocks && 2 * groups * width <= THREADS)
      groups *= 2;
    const int group = threadIdx.x / width;
    for (int first = 0; first < segment; first += width) {
      const int at = first + (int)threadIdx.x % width, i = k + 1 + rank * segment + at;
      const bool there = at < segment && i < n && group < groups;
      T sum = from_real<T> (0);
      if (there)
        sum = tree_sum<T> (blocks / groups, [&] (int t) {
          return shared_load (all.part + (int64_t)(group + t * groups) * n + i);
        });
      for (int half = groups / 2; half > 0; half /= 2) {
        __syncthreads ();
        sums[threadIdx.x] = sum;
        __syncthreads ();
        if (group < half)
          sum = sum + sums[threadIdx.x + half * width];
      }
      if (there && group == 0)
        shared_store (all.sum + i, sum);
    }
  }
};

// w.blocks blocks have a page, as the header says; blocks of the same page are side by side.
template <class T>
__global__ void __launch_bounds__ (THREADS)
    together_kernel (svd_values_args<T> args, svd_together_work w, int near_most)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  page_block<T> p (args, w, memory, near_most);
  const int64_t page = w.first + blockIdx.x / w.blocks;
  const bool once = p.rank == 0 && threadIdx.x == 0;
  const T *A = args.a.A.data + page * args.a.A.page;
  real_t<T> *d = args.d + page * p.n, *e = args.e + page * p.n;
  const int exponent = p.exponent (A, args.a.A.ld);
  const bool finite = exponent != INT_MAX;
  if (once) {
    args.scale[page] = finite ? exponent : 0;
    args.a.info[page] = finite ? 0 : p.n + 1;
    if (!finite)
      *args.a.any = 1;
  }
  if (!finite)
    return;
  p.load (A, args.a.A.ld, exponent);
  for (int k = 0; k < p.n; k++) {
    const reflection<T> left = p.reflect_column (k);
    if (once)
      d[k] = left.beta;
    if (k == p.n - 1)
      return;
    p.pass_columns (k, left.tau);
    p.barrier ();
    if (threadIdx.x / 32 == WARPS - 1)
      p.reflect_row (k);
    p.add_parts (k);
    p.barrier ();
    if (once)
      e[k] = re (p.shared[p.BETA]);
  }
}

// Shared memory of a block, and how many columns stand there.
template <class T> size_t shared_bytes (int n, int blocks, int smem_limit, int &near)
{
  const int64_t most = (n + blocks - 1) / blocks, column = (int64_t)n * (int64_t)sizeof (T);
  const int64_t other =
      (2 * most + WARPS * BATCH + THREADS + page_block<T>::SHARED) * (int64_t)sizeof (T) +
      WARPS * (int64_t)sizeof (real_t<T>);
  const int64_t room = (smem_limit - 512 - other) / column;
  near = (int)(room < 0 ? 0 : room < most ? room : most);
  return (size_t)(other + near * column);
}

} // namespace

// As many pages at a time as the second caches and shared memory hold, and as many blocks for each
// as the GPU has room for: the fewer pages, the more blocks.
svd_together_share svd_together_shares (int64_t n, int64_t size, int64_t pages, int multiprocessors)
{
  const int64_t fit = FLIGHT_BYTES / (n * n * size), most = fit < 1 ? 1 : fit;
  svd_together_share share = {CLASSES, (int)(pages < most ? pages : most)};
  while (share.blocks > 1 && share.blocks * share.pages > multiprocessors)
    share.blocks /= 2;
  share.pages = share.blocks * share.pages > multiprocessors ? multiprocessors : share.pages;
  return share;
}

template <class T>
cudaError_t svd_together (const svd_values_args<T> &v, const svd_together_work &w, int smem_limit)
{
  int near = 0;
  const size_t bytes = shared_bytes<T> (v.a.columns, w.blocks, smem_limit, near);
  const auto kernel = together_kernel<T>;
  const cudaError_t error = allow_shared (kernel, bytes);
  if (error != cudaSuccess)
    return error;
  const cudaError_t cleared =
      cudaMemsetAsync (w.counter, 0, (size_t)w.pages * sizeof *w.counter, v.stream);
  if (cleared != cudaSuccess)
    return cleared;
  return launch_together (kernel, w.pages * w.blocks, THREADS, bytes, v.stream, v, w, near);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t svd_together (const svd_values_args<T> &, const svd_together_work &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
