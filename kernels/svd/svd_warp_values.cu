// svd_warp_values.cu: singular values alone of small pages, each by lanes of a warp or two
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Householder's reflectors make a page bidiagonal, and bisection and secants of its minors find the
// values, whose errors are a small multiple of eps times the largest one. Where no column is more
// than 16 times as long as another one, such errors are within the bound for each value by itself,
// k*eps times the condition number of the page with its columns brought to one length. Other pages
// of up to 32 rows are marked for svd_lanes.
//
// A page has P lanes: a warp 32/P pages and a block WARPS warps, or a block has one page. A lane
// has a column in registers, whose first entry is always that of the current row: each step ends by
// moving the rows up, which costs nothing, as they are written anyway. A reflector of a column
// stands in shared memory, and so does A*u, which is added up over the lanes of a warp 8 rows at a
// time. Of two warps the first one rests when its columns are done. Then a lane has a value.

#include "svd_reflection.cuh"
#include "svd_sturm.cuh"
#include "svd.cuh"

namespace
{

enum { WARPS = 4, ROWS_TOGETHER = 8, SPREAD = 16 };

template <class T, int P, int ROWS> struct page_memory {
  static constexpr int PARTS = P > 32 ? P / 32 : 1;
  T left[ROWS];         // the reflector of a column before it is scaled
  T right[PARTS][ROWS]; // A*u of the columns of each warp
  T head;               // where there are several warps: of row k
  real_t<T> norm2[PARTS];
  double number[PARTS > 1 ? P : 1];
  sturm_row b[P];
};

// Sums over the W lanes of a page or a warp; lane l gets that of a[l % 8].
template <int W, class T> GLA_DEVICE T sums_of_rows (T (&a)[ROWS_TOGETHER])
{
#pragma unroll
  for (int mask = 1; mask < ROWS_TOGETHER; mask *= 2) {
    const bool upper = threadIdx.x & mask;
#pragma unroll
    for (int q = 0; q < ROWS_TOGETHER; q += 2 * mask) {
      const T keep = upper ? a[q + mask] : a[q], give = upper ? a[q] : a[q + mask];
      a[q] = keep + shuffle_xor (give, mask);
    }
  }
  T sum = a[0];
#pragma unroll
  for (int mask = ROWS_TOGETHER; mask < W; mask *= 2)
    sum = sum + shuffle_xor (sum, mask);
  return sum;
}

template <class T, int P, int ROWS> struct warp_page {
  typedef real_t<T> R;
  typedef page_memory<T, P, ROWS> memory_of;
  static constexpr int PARTS = memory_of::PARTS, W = P > 32 ? 32 : P;

  const svd_args<T> &args;
  memory_of &memory;
  int lane, base, n; // of the page; its first lane in the warp; columns
  T a[ROWS];
  int exponent; // the page was divided by this power of two
  bool bad;     // it holds NaN or Inf
  R d, e;       // entries of the bidiagonal matrix, of row `lane`

  GLA_DEVICE warp_page (const svd_args<T> &args, memory_of &memory)
      : args (args), memory (memory), lane (threadIdx.x % P), base (threadIdx.x % 32 / W * W),
        n (args.columns), d (0), e (0)
  {
  }

  // Over the lanes of the page.
  GLA_DEVICE static void sync ()
  {
    if constexpr (PARTS > 1)
      __syncthreads ();
    else
      __syncwarp ();
  }
  GLA_DEVICE double of_lane (double x, int other) const
  {
    if constexpr (PARTS > 1) {
      sync ();
      memory.number[lane] = x;
      sync ();
      return memory.number[other];
    } else {
      return from_lane (x, base + other);
    }
  }
  GLA_DEVICE double largest (double x) const
  {
#pragma unroll
    for (int mask = W / 2; mask > 0; mask /= 2)
      x = fmax (x, shuffle_xor (x, mask));
    if constexpr (PARTS > 1)
      x = fmax (x, of_lane (x, lane ^ 32));
    return x;
  }

  GLA_DEVICE void load (int64_t page)
  {
    const T *A = args.A.data + page * args.A.page;
    const int64_t down = args.flip ? args.A.ld : 1, across = args.flip ? 1 : args.A.ld;
    double most = 0;
    bool finite = true;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      a[r] = from_real<T> (0);
      if (r < args.rows && lane < n)
        a[r] = A[r * down + lane * across];
      const R size = absmax (a[r]);
      finite &= size <= limits<R>::big;
      most = fmax (most, (double)size);
    }
    bad = largest (finite ? 0 : 1) > 0;
    most = largest (most);
    exponent = !bad && most > 0 ? ilogb (most) : 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      a[r] = bad ? from_real<T> (0) : times_power (a[r], -exponent);
  }

  // Whether no column is much longer than another one.
  GLA_DEVICE bool is_even () const
  {
    R square = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      square += abs2 (a[r]);
    const double most = largest (lane < n ? (double)square : 0),
                 least = -largest (lane < n ? -(double)square : -HUGE_VAL);
    return most <= SPREAD * SPREAD * least;
  }

  // f (r) for the rows in use of those from `first` on, 8 at a time.
  template <class F> GLA_DEVICE static void for_rows (int first, int rows, F f)
  {
#pragma unroll
    for (int block = 0; block < ROWS; block += ROWS_TOGETHER)
      if (block < rows) {
#pragma unroll
        for (int r = block < first ? first : block; r < block + ROWS_TOGETHER; r++)
          f (r);
      }
  }
  // Whether this warp has columns from k on.
  GLA_DEVICE bool is_busy (int k) const
  {
    return PARTS == 1 || (lane | 31) >= k;
  }

  GLA_DEVICE static reflection<T> reflection_of (T alpha, R norm2)
  {
    if (norm2 < limits<R>::small_square)
      return {sqrt_of (norm2), from_real<T> (0), from_real<T> (0)};
    return reflect_whole (alpha, norm2);
  }

  // Applies the reflector of column k to the columns behind it; `rows` are left.
  GLA_DEVICE void reflect_column (int k, int rows)
  {
    if (lane == k)
      for_rows (0, rows, [&] (int r) { memory.left[r] = a[r]; });
    sync ();
    if (!is_busy (k))
      return;
    T sum[2] = {from_real<T> (0), from_real<T> (0)};
    R square[2] = {0, 0};
    for_rows (0, rows, [&] (int r) {
      const T x = memory.left[r];
      sum[r % 2] = cmadd (x, a[r], sum[r % 2]);
      if constexpr (PARTS > 1)
        square[r % 2] += abs2 (x);
    });
    const T product = sum[0] + sum[1], alpha = memory.left[0];
    R norm2 = square[0] + square[1];
    if constexpr (PARTS == 1)
      norm2 = from_lane (re (product), base + k);
    const reflection<T> h = reflection_of (alpha, norm2);
    d = lane == k ? h.beta : d;
    const T rest = product - conj (alpha) * a[0];
    const T first = conj (h.tau) * cmadd (h.factor, rest, a[0]), other = h.factor * first;
    a[0] = a[0] - first;
    for_rows (1, rows, [&] (int r) { a[r] = madd (-memory.left[r], other, a[r]); });
  }

  // The reflector of row k, of which this is the entry, or 0.
  GLA_DEVICE reflection<T> row_reflection (int k, T row) const
  {
    const R norm2 = lane_sum<W> (abs2 (row));
    if constexpr (PARTS == 1) {
      return reflection_of (from_lane (row, base + k + 1), norm2);
    } else {
      if (lane % 32 == 0)
        memory.norm2[lane / 32] = norm2;
      if (lane == k + 1)
        memory.head = row;
      sync ();
      return reflection_of (memory.head, memory.norm2[0] + memory.norm2[1]);
    }
  }

  // A*u, of the columns of each warp; that of a warp that is done stays as it was, 0.
  GLA_DEVICE void multiply_rows (int k, int rows, T u)
  {
    if (!is_busy (k))
      return;
#pragma unroll
    for (int block = 0; block < ROWS; block += ROWS_TOGETHER)
      if (block < rows) {
        T part[ROWS_TOGETHER];
#pragma unroll
        for (int r = 0; r < ROWS_TOGETHER; r++)
          part[r] = a[block + r] * u;
        const T sum = sums_of_rows<W> (part);
        if (lane % 32 < ROWS_TOGETHER)
          memory.right[PARTS > 1 ? lane / 32 : 0][block + lane % 32] = sum;
      }
  }

  // Applies the reflector of row k to the rows below it, which move up.
  GLA_DEVICE void reflect_row (int k, int rows)
  {
    const T row = lane > k ? conj (a[0]) : from_real<T> (0);
    const reflection<T> h = row_reflection (k, row);
    e = lane == k ? h.beta : e;
    const T u = lane == k + 1 ? from_real<T> (1) : h.factor * row;
    multiply_rows (k, rows, u);
    sync ();
    if (!is_busy (k + 1))
      return;
    const T back = -(h.tau * conj (u));
    for_rows (1, rows, [&] (int r) {
      T x = memory.right[0][r];
      if constexpr (PARTS > 1)
        x = x + memory.right[1][r];
      a[r - 1] = madd (x, back, a[r]);
    });
#pragma unroll
    for (int block = ROWS_TOGETHER; block <= ROWS; block += ROWS_TOGETHER)
      if (block >= rows) // what was the last row in use, or 0
        a[block - 1] = from_real<T> (0);
  }

  GLA_DEVICE void reduce ()
  {
    for (int k = 0; k < n; k++) {
      reflect_column (k, args.rows - k);
      if (k < n - 1)
        reflect_row (k, args.rows - k);
    }
  }

  // The bidiagonal matrix by a power of two, so that no value is above 1, to shared memory; returns
  // the exponent, INT_MIN where all is 0.
  GLA_DEVICE int scale_bidiagonal ()
  {
    const double above = of_lane ((double)e, lane > 0 ? lane - 1 : 0);
    const double most = largest ((double)d + fmax ((double)e, lane > 0 ? above : 0));
    const int power = most > 0 ? ilogb (most) + 1 : INT_MIN;
    sturm_row x = sturm_nothing;
    if (lane < n && most > 0)
      x = sturm_row_of (times_power ((double)d, -power), times_power ((double)e, -power));
    memory.b[lane] = x;
    sync ();
    return power;
  }

  // Returns value `lane`, the largest first. Each lane counts at one point of the first halvings.
  // In single precision secants do not pay.
  GLA_DEVICE double find_value () const
  {
    if constexpr (sizeof (R) == 4) {
      return bisected ();
    } else {
      const double s = between (); // all lanes, as they ask each other
      return in_order (lane < n ? s : 0);
    }
  }
  GLA_DEVICE double bisected () const
  {
    const int mine = sturm_below (memory.b, n, (double)lane / P), j = lane < n ? lane : n - 1;
    double low = 0, high = 1;
    int k = 0;
    for (int points = P; points > 1; points /= 2, k++) {
      const double middle = 0.5 * (low + high);
      const int below = (int)of_lane (mine, (int)(middle * P));
      (below > n - 1 - j ? high : low) = middle;
    }
    for (; k < 25; k++) {
      const double middle = 0.5 * (low + high);
      (sturm_below (memory.b, n, middle) > n - 1 - j ? high : low) = middle;
    }
    return low + (high - low) / 2;
  }
  GLA_DEVICE double between () const
  {
    const int j = lane < n ? lane : n - 1;
    sturm_interval of = {0, 1, {1, INT_MIN, 0}, {1, INT_MIN, n}, 0, 0};
    const sturm_minor mine = sturm_minor_of (memory.b, n, (double)lane / P);
    for (int points = P; points > 1; points /= 2) {
      const double x = of.middle ();
      const int other = (int)(x * P);
      const sturm_minor there = {of_lane (mine.p, other), (int)of_lane (mine.exponent, other),
                                 (int)of_lane (mine.below, other)};
      of.take (x, there, there.below > n - 1 - j);
    }
    for (;;) {
      const double near = fma (0x1p-51, of.high, 0x1p-53);
      const bool done = of.high - of.low <= near;
      if (!__any_sync (0xffffffffu, !done))
        return of.middle ();
      const double x = done ? of.low : of.next (near / 2);
      const sturm_minor there = sturm_minor_of (memory.b, n, x);
      if (!done)
        of.take (x, there, there.below > n - 1 - j);
    }
  }
  // Corrects the order: no value is below one that comes after it.
  GLA_DEVICE double in_order (double s) const
  {
    for (int step = 1; step < P; step *= 2)
      s = fmax (s, of_lane (s, lane + step < P ? lane + step : lane));
    return s;
  }
};

// Blocks of a multiprocessor, the fastest of several numbers (doc/notebook/svd-gpu.md).
template <class T, int P, int ROWS> constexpr int blocks_of ()
{
  constexpr int bytes = ROWS * (int)sizeof (T);
  constexpr bool wide = sizeof (T) == 16 && bytes < 512;
  constexpr int warps = bytes <= 64    ? 32
                        : bytes <= 128 ? (wide ? 24 : 28)
                        : bytes <= 256 ? (wide ? 16 : 20)
                        : bytes <= 384 ? (wide ? 12 : 16)
                                       : 12;
  return warps / (P > 32 ? P / 32 : WARPS);
}

// P lanes have a page; of pages with P > 32 a block of P threads has one.
template <class T, int P, int ROWS>
__global__ void __launch_bounds__ (P > 32 ? P : 32 * WARPS, blocks_of<T, P, ROWS> ())
    warp_values_kernel (svd_values_args<T> v)
{
  constexpr int PAGES = P > 32 ? 1 : WARPS * 32 / P; // of a block
  __shared__ page_memory<T, P, ROWS> memory[PAGES];
  const svd_args<T> &args = v.a;
  const int64_t own = (int64_t)blockIdx.x * PAGES + threadIdx.x / P;
  const bool inside = own < args.pages;
  const int64_t page = inside ? own : args.pages - 1;
  warp_page<T, P, ROWS> p (args, memory[threadIdx.x / P]);
  p.load (page);
  const bool even = P > 32 || p.is_even (), mine = p.bad || even; // all lanes ask
  if (inside && p.lane == 0) {
    v.scale[page] = !mine;
    if (mine)
      args.info[page] = p.bad ? p.n + 1 : 0;
    if (p.bad)
      *args.any = 1;
  }
  if (!__any_sync (0xffffffffu, mine))
    return;
  p.reduce ();
  const int power = p.scale_bidiagonal ();
  const double s = p.find_value ();
  if (inside && mine && p.lane < args.values)
    args.S[page * args.page_s + p.lane * args.row_s] =
        p.bad              ? real_t<T> (NAN)
        : power == INT_MIN ? real_t<T> (0)
                           : (real_t<T>)times_power (s, power + p.exponent);
}

template <class T, int P, int ROWS> cudaError_t launch (const svd_values_args<T> &v)
{
  constexpr int threads = P > 32 ? P : 32 * WARPS, per_block = threads / P;
  const unsigned blocks = (unsigned)((v.a.pages + per_block - 1) / per_block);
  warp_values_kernel<T, P, ROWS><<<blocks, threads, 0, v.stream>>> (v);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t svd_warp_values (const svd_values_args<T> &v)
{
  if (v.a.rows <= 8)
    return launch<T, 8, 8> (v);
  if (v.a.rows <= 16)
    return launch<T, 16, 16> (v);
  if (v.a.rows <= 24)
    return launch<T, 32, 24> (v);
  if (v.a.rows <= 32)
    return launch<T, 32, 32> (v);
  if constexpr (sizeof (T) == 16)
    return cudaErrorInvalidValue;
  else
    return v.a.rows <= 48 ? launch<T, 64, 48> (v) : launch<T, 64, 64> (v);
}

template cudaError_t svd_warp_values (const svd_values_args<float> &);
template cudaError_t svd_warp_values (const svd_values_args<double> &);
template cudaError_t svd_warp_values (const svd_values_args<cx<float>> &);
template cudaError_t svd_warp_values (const svd_values_args<cx<double>> &);
