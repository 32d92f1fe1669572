// qr_small_tile_types.cu: QR of small pages by tiles, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// row_lanes * column_lanes threads share a page, up to 32 of them within a warp, which then has
// several pages, else they are the block; each has a tile of it (qr_small_page.cuh). The
// threads that have column k write it to shared memory, all read it from there, make the same
// reflector, and apply it to their columns. The columns stay in shared memory, rows above the
// diagonal as R, the others as reflectors, and Q is formed from them in the registers backwards,
// from the identity. A page is read and written in 16 bytes at a time where its alignment permits,
// by its own threads.

#include "common/runtime.cuh"
#include "qr_small_page.cuh"
#include "common/type.cuh"

// What the threads of a page do, one step after the other.
template <class T, int ROWS, int COLUMNS, int LANES> struct small_page {
  typedef real_t<T> R;
  typedef small_tile<T, ROWS, COLUMNS, LANES> tile_type;
  static constexpr int PAIR = tile_type::PAIR, STRIPES = ROWS / PAIR;
  static constexpr int UNIT = small_layout<T>::UNIT; // numbers that are moved together

  const qr_small_args<T> &p;
  tile_type tile;
  int64_t page;
  bool live;      // else it is there only because a warp is full of pages
  int g, threads; // this thread, of those of the page
  int ld;
  T *V, *pivots, *factors;
  R *diagonal;
  int *exponents, *scaled;

  GLA_DEVICE small_page (const qr_small_args<T> &p, char *memory, int lanes, int groups) : p (p)
  {
    tile.lanes_ = lanes;
    threads = tile.lanes () * groups;
    int own = threadIdx.x / threads, pages = blockDim.x / threads;
    small_layout<T> layout (ROWS * tile.lanes (), p.n, p.k);
    g = threadIdx.x % threads;
    tile.groups = groups;
    tile.lane = g % tile.lanes ();
    tile.group = g / tile.lanes ();
    page = (int64_t)blockIdx.x * pages + own;
    live = page < p.pages;
    page = live ? page : p.pages - 1;
    memory += own * layout.bytes;
    ld = layout.ld;
    V = reinterpret_cast<T *> (memory);
    pivots = reinterpret_cast<T *> (memory + layout.pivots);
    factors = reinterpret_cast<T *> (memory + layout.factors);
    diagonal = reinterpret_cast<R *> (memory + layout.diagonal);
    exponents = reinterpret_cast<int *> (memory + layout.exponents);
    scaled = exponents + p.n;
  }

  GLA_DEVICE void sync () const
  {
    if (blockDim.x > 32)
      __syncthreads ();
    else
      __syncwarp ();
  }

  // A to shared memory, zeros below it, and from there to the tile.
  GLA_DEVICE void load ()
  {
    const T *A = p.A.data + page * p.A.page;
    int rows = ROWS * tile.lanes ();
    if (p.m % UNIT == 0 && aligned_16 (p.A.data, p.A.ld, p.A.page))
      fetch<UNIT> (V, ld, A, p.A.ld, p.m, p.n, g, threads);
    else
      fetch<1> (V, ld, A, p.A.ld, p.m, p.n, g, threads);
    if (p.m < rows)
      for (walk w (rows - p.m, g, threads); w.column < p.n; w.next ())
        V[p.m + w.row + w.column * ld] = from_real<T> (0);
    if (g == 0)
      *scaled = 0;
    async_wait_all ();
    sync ();
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      int j = tile.column (c);
      if (j < p.n)
        tile.template read<0> (tile.a[c], V + j * ld);
      else
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          tile.a[c][r] = from_real<T> (0);
    }
    int exponent[COLUMNS];
    if (tile.scale_columns (exponent))
      *scaled = 1;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (tile.column (c) < p.n && tile.lane == 0)
        exponents[tile.column (c)] = exponent[c];
    sync ();
  }

  // Column k, which no reflector changes any more, to shared memory.
  GLA_DEVICE void write_column (int k)
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (tile.column (c) == k)
        tile.write (V + k * ld, tile.a[c]);
  }

  template <int Q> GLA_DEVICE void factor_column (int k)
  {
    T u[ROWS];
    write_column (k);
    sync ();
    T alpha = V[k + k * ld];
    tile.template read<Q> (u, V + k * ld);
    tile.template clear_above<Q> (u, k);
    R squares = 0;
#pragma unroll
    for (int r = Q * PAIR; r < ROWS; r++)
      squares = add_square (u[r], squares);
    small_reflector<T> h (alpha, tile.sum (squares));
    tile.template put_pivot<Q> (u, k, h.pivot);
    if (g == 0) {
      pivots[k] = h.pivot;
      factors[k] = h.factor;
      diagonal[k] = h.beta;
    }
    tile.template apply<Q, false> (u, h.factor, k + 1, p.n);
  }
  GLA_DEVICE static R add_square (R a, R sum)
  {
    return madd (a, a, sum);
  }
  GLA_DEVICE static R add_square (cx<R> a, R sum)
  {
    return madd (a.x, a.x, madd (a.y, a.y, sum));
  }

  GLA_DEVICE void factor ()
  {
    static_up<STRIPES> ([&] (auto q) {
      constexpr int Q = decltype (q)::value;
      int first = Q * tile.stripe (), end = first + tile.stripe ();
      for (int k = first; k < (end < p.k ? end : p.k); k++)
        this->template factor_column<Q> (k);
    });
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) // of a wide page
      if (tile.column (c) >= p.k && tile.column (c) < p.n)
        tile.write (V + tile.column (c) * ld, tile.a[c]);
    sync ();
  }

  // The tile becomes H_k times itself, or its adjoint.
  template <int Q, bool EXACT = false>
  GLA_DEVICE void apply_column (int k, bool adjoint, int first, int columns)
  {
    T u[ROWS];
    tile.template read<Q> (u, V + k * ld);
    tile.template clear_above<Q> (u, k);
    tile.template put_pivot<Q> (u, k, pivots[k]);
    T factor = factors[k];
    tile.template apply<Q, EXACT> (u, adjoint ? factor : conj (factor), first, columns);
  }

  // The entries of R in rows i, .. of column j.
  template <int N> GLA_DEVICE pack<T, N> r_entries (int i, int j) const
  {
    pack<T, N> x = *reinterpret_cast<const pack<T, N> *> (V + i + j * ld);
    R d = j < p.k ? diagonal[j] : R (0);
#pragma unroll
    for (int s = 0; s < N; s++)
      x.x[s] = i + s < j ? x.x[s] : from_real<T> (i + s == j ? d : R (0));
    if (*scaled != 0) {
      power_of_two<R> up (exponents[j]);
#pragma unroll
      for (int s = 0; s < N; s++)
        x.x[s] = exponents[j] != 0 ? up.times (x.x[s]) : x.x[s];
    }
    return x;
  }
  GLA_DEVICE void store_r () const
  {
    T *to = p.R.data + page * p.R.page;
    if (p.R.data == nullptr || !live)
      return;
    if (p.r_rows % UNIT == 0 && aligned_16 (p.R.data, p.R.ld, p.R.page))
      store<UNIT> (to, p.R.ld, p.r_rows, p.n, g, threads,
                   [&] (int i, int j) { return r_entries<UNIT> (i, j); });
    else
      store<1> (to, p.R.ld, p.r_rows, p.n, g, threads,
                [&] (int i, int j) { return r_entries<1> (i, j); });
  }

  // The tile's columns from `base` on, straight to global memory.
  GLA_DEVICE void put (const page_matrix<T> &to, int rows, int base, int columns) const
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      int j = base + tile.column (c);
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        if (live && j < columns && tile.row (r) < rows)
          to.data[page * to.page + j * to.ld + tile.row (r)] = tile.a[c][r];
    }
  }

  // Q's columns from `base` on.
  GLA_DEVICE void form_q (int base)
  {
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
#pragma unroll
      for (int r = 0; r < ROWS; r++)
        tile.a[c][r] = from_real<T> (tile.row (r) == base + tile.column (c) ? R (1) : R (0));
    static_down<STRIPES> ([&] (auto q) {
      constexpr int Q = decltype (q)::value;
      int first = Q * tile.stripe (), end = first + tile.stripe ();
      for (int k = (end < p.k ? end : p.k) - 1; k >= first; k--)
        this->template apply_column<Q> (k, false, k - base, p.q_columns - base);
    });
  }
  // Through shared memory, if there is room for all of it, else from the registers.
  GLA_DEVICE void make_q ()
  {
    if (p.Q.data == nullptr)
      return;
    if (p.q_columns > p.n) {
      for (int base = 0; base < p.q_columns; base += COLUMNS * tile.groups) {
        form_q (base);
        put (p.Q, p.m, base, p.q_columns);
      }
      return;
    }
    form_q (0);
    sync ();
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
      if (tile.column (c) < p.q_columns)
        tile.write (V + tile.column (c) * ld, tile.a[c]);
    sync ();
    if (!live)
      return;
    T *to = p.Q.data + page * p.Q.page;
    if (p.m % UNIT == 0 && aligned_16 (p.Q.data, p.Q.ld, p.Q.page))
      store<UNIT> (to, p.Q.ld, p.m, p.q_columns, g, threads, [&] (int i, int j) {
        return *reinterpret_cast<const pack<T, UNIT> *> (V + i + j * ld);
      });
    else
      store<1> (to, p.Q.ld, p.m, p.q_columns, g, threads,
                [&] (int i, int j) { return pack<T, 1>{V[i + j * ld]}; });
  }

  // C = Q'B, as many columns at a time as a tile has.
  GLA_DEVICE void make_c ()
  {
    const T *B = p.B.data + page * p.B.page;
    int exponent[COLUMNS];
    for (int base = 0; base < p.rhs; base += COLUMNS * tile.groups) {
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          int i = tile.row (r), j = base + tile.column (c);
          tile.a[c][r] = i < p.m && j < p.rhs ? B[i + j * p.B.ld] : from_real<T> (0);
        }
      bool any = tile.scale_columns (exponent);
      static_up<STRIPES> ([&] (auto q) {
        constexpr int Q = decltype (q)::value;
        int first = Q * tile.stripe (), end = first + tile.stripe ();
        for (int k = first; k < (end < p.k ? end : p.k); k++)
          this->template apply_column<Q> (k, true, 0, p.rhs - base);
      });
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        if (any && exponent[c] != 0) {
          power_of_two<R> up (exponent[c]);
#pragma unroll
          for (int r = 0; r < ROWS; r++)
            tile.a[c][r] = up.times (tile.a[c][r]);
        }
      put (p.C, p.c_rows, base, p.rhs);
    }
  }

  GLA_DEVICE void make_wy ()
  {
    if (p.W.data == nullptr)
      return;
    T *Y = p.Y.data + page * p.Y.page;
    for (walk w (p.m, g, threads); w.column < p.k && live; w.next ()) {
      int i = w.row, j = w.column;
      Y[i + j * p.Y.ld] =
          i > j ? V[i + j * ld] * y_factor (pivots[j]) : from_real<T> (i == j ? R (1) : R (0));
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
      int j = tile.column (c);
      T pivot = j < p.k ? pivots[j] : from_real<T> (0);
      T start = j < p.k ? w_factor (pivot, factors[j]) : from_real<T> (0);
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        int i = tile.row (r);
        T u = i == j ? pivot : i > j && j < p.k ? V[i + j * ld] : from_real<T> (0);
        tile.a[c][r] = u * start;
      }
    }
    static_down<STRIPES> ([&] (auto q) {
      constexpr int Q = decltype (q)::value;
      int first = Q * tile.stripe (), end = first + tile.stripe ();
      for (int k = (end < p.k ? end : p.k) - 1; k >= first; k--)
        this->template apply_column<Q, true> (k, false, k + 1, p.k);
    });
    put (p.W, p.m, 0, p.k);
  }
};

// Warps that a multiprocessor should have at least, as measured on an H200: large tiles need all
// registers of a thread, small ones 168 where two lanes share a column, else 128.
template <class T> __host__ __device__ constexpr int small_warps (int numbers, int lanes)
{
  return numbers * (int)sizeof (T) > 36 * 8 ? 8 : lanes == 2 ? 12 : 16;
}

// Groups of threads have a page each; a thread has a tile of ROWS x COLUMNS entries of it
// (qr_small_page.cuh).
template <class T, int ROWS, int COLUMNS, int LANES, int THREADS>
__global__ void __launch_bounds__ (THREADS, small_warps<T> (ROWS *COLUMNS, LANES) * 32 / THREADS)
    qr_small_tile_kernel (const qr_small_args<T> p, int lanes, int groups)
{
  extern __shared__ __align__ (16) char qr_small_memory[];
  small_page<T, ROWS, COLUMNS, LANES> page (p, qr_small_memory, lanes, groups);
  page.load ();
  page.factor ();
  page.store_r ();
  page.make_c ();
  page.make_wy ();
  page.make_q ();
}

template <class T, int ROWS, int COLUMNS, int LANES, int THREADS>
cudaError_t qr_small_tile_launch (const qr_small_args<T> &a, int lanes, int groups,
                                  cudaStream_t stream)
{
  auto kernel = qr_small_tile_kernel<T, ROWS, COLUMNS, LANES, THREADS>;
  int threads = lanes * groups, together = threads < 32 ? 32 / threads : 1;
  size_t memory = (size_t)together * small_layout<T> (ROWS * lanes, a.n, a.k).bytes;
  cudaError_t error = allow_shared (kernel, memory);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  if (error != cudaSuccess)
    return error;
  int64_t blocks = (a.pages + together - 1) / together;
  kernel<<<(unsigned)blocks, threads * together, memory, stream>>> (a, lanes, groups);
  return cudaGetLastError ();
}

// The compiled kernel for a tiling of ROWS x COLUMNS.
template <class T, int ROWS, int COLUMNS>
cudaError_t qr_small_tile_lanes (const qr_small_args<T> &a, const qr_small_tiling &t,
                                 cudaStream_t stream)
{
  if (t.row_lanes == 1)
    return qr_small_tile_launch<T, ROWS, COLUMNS, 1, 32> (a, 1, t.column_lanes, stream);
  if (t.row_lanes == 2 && t.column_lanes <= 16)
    return qr_small_tile_launch<T, ROWS, COLUMNS, 2, 32> (a, 2, t.column_lanes, stream);
  return qr_small_tile_launch<T, ROWS, COLUMNS, 0, 256> (a, t.row_lanes, t.column_lanes, stream);
}

// Tiles of A x B, C x D and E x F, the last one only for many threads.
template <class T, int A, int B, int C, int D, int E, int F>
cudaError_t qr_small_tile_choose (const qr_small_args<T> &a, const qr_small_tiling &t,
                                  cudaStream_t stream)
{
  if (t.rows == A && t.columns == B)
    return qr_small_tile_lanes<T, A, B> (a, t, stream);
  if (t.rows == C && t.columns == D)
    return qr_small_tile_lanes<T, C, D> (a, t, stream);
  return qr_small_tile_launch<T, E, F, 0, 256> (a, t.row_lanes, t.column_lanes, stream);
}

template <>
cudaError_t qr_small_by_tiles (const qr_small_args<T> &a, const qr_small_tiling &t,
                               cudaStream_t stream)
{
  constexpr int ROWS = sizeof (T) == 16 ? 6 : 12, MORE = sizeof (T) == 16 ? 8 : 16;
  return qr_small_tile_choose<T, ROWS, 3, MORE, 2, MORE, 4> (a, t, stream);
}
