// pairs_read.cu: reads pages of A and B: checks and scales them, by both triangles or one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Some blocks have a page, in tiles of 32 by 32, and read it twice: to check it, and to write it.
// They read a tile and its mirror image before they write one of them, so the target may be the
// source.

#include "pairs_tiles.cuh"

enum { READ_THREADS = 256, READ_TILE = 32, READ_STEP = READ_THREADS / READ_TILE };

// How entry (i, j) is scaled: by 2^(sign*(row[i] + row[j]) - all); row NULL: only by 2^-all.
struct read_scaling {
  const int *row;
  int sign, all;
  GLA_DEVICE int of (int i, int j) const
  {
    return (row == nullptr ? 0 : sign * (row[i] + row[j])) - all;
  }
};

template <class T> struct page_reader {
  static constexpr int STEPS = READ_TILE / READ_STEP; // entries that a thread has of a tile
  const T *from;
  int64_t ld;
  int n;
  gla_triangle triangle;
  T (*tile)[READ_TILE + 1]; // shared memory

  GLA_DEVICE static int lane () { return threadIdx.x % READ_TILE; }
  GLA_DEVICE static int first () { return threadIdx.x / READ_TILE; }

  // Fetches the mirror image of tile (I, J) to shared memory, along its columns.
  GLA_DEVICE void fetch_mirror (int I, int J) const
  {
    T value[STEPS];
    const int row = J * READ_TILE + lane ();
#pragma unroll
    for (int q = 0; q < STEPS; q++) {
      const int column = I * READ_TILE + first () + q * READ_STEP;
      value[q] = from_real<T> (0);
      if (column < n && row <= column)
        value[q] = from[row + column * ld];
    }
    __syncthreads ();
#pragma unroll
    for (int q = 0; q < STEPS; q++)
      tile[first () + q * READ_STEP][lane ()] = value[q];
    __syncthreads ();
  }

  // Calls f (i, j, x, y) for entries i >= j of tile (I, J); x is the entry at (i, j), y the
  // conjugate of that at (j, i). If only one triangle is used, both are from that. A thread's
  // entries are loaded together.
  template <class F> GLA_DEVICE void each (int I, int J, F f) const
  {
    const int i = I * READ_TILE + lane ();
    T value[STEPS];
#pragma unroll
    for (int q = 0; q < STEPS; q++) {
      const int j = J * READ_TILE + first () + q * READ_STEP;
      value[q] = from_real<T> (0);
      if (triangle != GLA_TRIANGLE_UPPER && i < n && j <= i)
        value[q] = from[i + j * ld];
    }
    if (triangle != GLA_TRIANGLE_LOWER)
      fetch_mirror (I, J);
#pragma unroll
    for (int q = 0; q < STEPS; q++) {
      const int c = first () + q * READ_STEP, j = J * READ_TILE + c;
      if (i >= n || j > i)
        continue;
      T x = value[q], y = x;
      if (triangle != GLA_TRIANGLE_LOWER)
        y = conj (tile[lane ()][c]);
      if (triangle == GLA_TRIANGLE_UPPER)
        x = y;
      if (i == j && triangle != GLA_TRIANGLE_FULL)
        x = y = from_real<T> (re (x));
      f (i, j, x, y);
    }
  }
  // Calls f (I, J) for the tiles of this block; tiles of the same page are numbered in the grid.
  template <class F> GLA_DEVICE void each_tile (F f) const
  {
    const int tiles = (n + READ_TILE - 1) / READ_TILE;
    int before = 0; // tiles of the columns to the left
    int64_t next = blockIdx.x;
    for (int J = 0; J < tiles; before += tiles - J, J++)
      for (; next < before + tiles - J; next += gridDim.x)
        f (J + (int)(next - before), J);
  }

  // Returns what this thread's entries show.
  GLA_DEVICE pencil_facts inspect (const read_scaling &scaling) const
  {
    pencil_facts f = {0, 0, 0, INT_MIN};
    each_tile ([&] (int I, int J) {
      each (I, J, [&] (int i, int j, T x, T y) {
        pencil_note<T> (f, widen (x), widen (y));
        const double size = fmax (absmax (widen (x)), absmax (widen (y)));
        if (scaling.row != nullptr && size > 0)
          f.exponent = max (f.exponent, ilogb (size) + scaling.of (i, j));
      });
    });
    return f;
  }

  // Writes the lower triangle, scaled; with `mirror` the upper one, too. Pages are packed.
  template <bool MIRROR> GLA_DEVICE void write (T *to, const read_scaling &scaling) const
  {
    each_tile ([&] (int I, int J) {
      T value[STEPS];
      each (I, J, [&] (int i, int j, T x, T y) {
        const int k = scaling.of (i, j);
        wide<T> v = scale (0.5, widen (x)) + scale (0.5, widen (y));
        v = k == 0 ? v : times_power (v, k);
        value[(j - J * READ_TILE) / READ_STEP] =
            narrow<T> (i == j ? from_real<wide<T>> (re (v)) : v);
      });
      put<MIRROR> (to, I, J, value);
    });
  }
  template <bool MIRROR> GLA_DEVICE void put (T *to, int I, int J, const T (&value)[STEPS]) const
  {
    const int i = I * READ_TILE + lane ();
    __syncthreads (); // all have read the tile
#pragma unroll
    for (int q = 0; q < STEPS; q++) {
      const int c = first () + q * READ_STEP, j = J * READ_TILE + c;
      if (i < n && j <= i) {
        to[i + (int64_t)j * n] = value[q];
        tile[lane ()][c] = conj (value[q]);
      }
    }
    __syncthreads ();
    for (int c = first (); MIRROR && c < READ_TILE; c += READ_STEP) {
      const int column = I * READ_TILE + c, row = J * READ_TILE + lane ();
      if (column < n && row < column)
        to[row + (int64_t)column * n] = tile[c][lane ()];
    }
  }
};

// Joins what the threads of a page found, into zeros at first.
GLA_DEVICE void join_facts (pencil_page_facts *to, pencil_facts f)
{
  for (int mask = 16; mask > 0; mask /= 2) {
    f.largest = fmax (f.largest, shuffle_xor (f.largest, mask));
    f.apart = fmax (f.apart, shuffle_xor (f.apart, mask));
    f.bad |= shuffle_xor (f.bad, mask);
    f.exponent = max (f.exponent, shuffle_xor (f.exponent, mask));
  }
  if (threadIdx.x % 32 != 0)
    return;
  // bits of nonnegative numbers are ordered as the numbers are
  atomicMax (&to->largest, (unsigned long long)__double_as_longlong (f.largest));
  atomicMax (&to->apart, (unsigned long long)__double_as_longlong (f.apart));
  atomicMax (&to->bad, f.bad);
  if (f.exponent != INT_MIN)
    atomicMax (&to->exponent, PENCIL_EXPONENT + f.exponent);
}

// Returns info of a page, and the largest |A - A'| if that is too large, else 0.
template <class T>
GLA_DEVICE int32_t verdict_of (const pencil_args<T> &a, const pencil_page_facts &f, double &skew)
{
  const double largest = __longlong_as_double (f.largest), apart = __longlong_as_double (f.apart);
  skew = 0;
  if (f.bad)
    return a.n + 1;
  if (a.triangle != GLA_TRIANGLE_FULL || !pencil_is_skew<T> (apart, largest, a.n))
    return 0;
  skew = apart;
  return GLA_INFO_NOT_HERMITIAN;
}

template <class T>
GLA_DEVICE page_reader<T> reader_of (const pencil_args<T> &a, const page_matrix<const T> &from,
                                     int64_t page)
{
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  return {from.data + page * from.page, from.ld, a.n, a.triangle,
          reinterpret_cast<T (*)[READ_TILE + 1]> (pencil_space)};
}

// Finds exponents of the rows of a page of B, and its diagonal, scaled. One block does this.
template <class T>
GLA_DEVICE void scale_rows (const pencil_args<T> &a, int64_t page, const T *from, int64_t ld)
{
  int unusual = 0;
  int *row = a.row + page * a.n;
  double *before = a.before + page * a.n;
  for (int i = threadIdx.x; i < a.n; i += READ_THREADS)
    unusual |= !pencil_is_usual<T> ((double)re (from[i + i * ld]));
  unusual = __syncthreads_or (unusual);
  for (int i = threadIdx.x; i < a.n; i += READ_THREADS) {
    const double d = (double)re (from[i + i * ld]);
    row[i] = unusual ? pencil_row_exponent (d) : 0;
    before[i] = times_power (d, -2 * row[i]);
  }
  if (threadIdx.x == 0)
    a.scaled[page] = unusual;
}

// Checks pages of B. In blocks (x, y), y counts pages and x tiles of one.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_look_at_b_kernel (pencil_args<T> a)
{
  for (int64_t page = blockIdx.y; page < a.b_pages; page += gridDim.y) {
    const page_reader<T> reader = reader_of (a, a.B, page);
    join_facts (a.facts_b + page, reader.inspect ({nullptr, 0, 0}));
    if (blockIdx.x == 0)
      scale_rows (a, page, reader.from, reader.ld);
    __syncthreads ();
  }
}

// Writes the pages of B, scaled, to L. In blocks (x, y), y counts pages and x tiles of one.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_write_b_kernel (pencil_args<T> a)
{
  for (int64_t page = blockIdx.y; page < a.b_pages; page += gridDim.y) {
    double skew;
    const int32_t info = verdict_of (a, a.facts_b[page], skew);
    const int *row = a.scaled[page] ? a.row + page * a.n : nullptr;
    if (info == 0)
      reader_of (a, a.B, page).template write<false> (a.L + page * a.n * a.n, {row, -1, 0});
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      a.info_b[page] = info;
      a.skew_b[page] = skew;
    }
    __syncthreads ();
  }
}

// Returns the scaling with which entries of a page of A are compared.
template <class T> GLA_DEVICE read_scaling scaling_of (const pencil_args<T> &a, int64_t page_b)
{
  return {a.scaled[page_b] ? a.row + page_b * a.n : nullptr, a.product ? 1 : -1, 0};
}

// Checks pages of A in the same way, after B is factored.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_look_at_a_kernel (pencil_args<T> a)
{
  for (int64_t page = blockIdx.y; page < a.pages; page += gridDim.y) {
    const read_scaling scaling = scaling_of (a, a.b_step * page);
    join_facts (a.facts_a + page, reader_of (a, a.A, page).inspect (scaling));
    __syncthreads ();
  }
}

// Writes the pages of A, scaled, to C. In blocks (x, y), y counts pages and x tiles of one.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_write_a_kernel (pencil_args<T> a)
{
  for (int64_t page = blockIdx.y; page < a.pages; page += gridDim.y) {
    const int64_t page_b = a.b_step * page;
    const pencil_page_facts &f = a.facts_a[page];
    const double largest = __longlong_as_double (f.largest);
    T *C = a.C + page * a.n * a.n;
    double skew = 0;
    int all = 0;
    int32_t info = a.info_b[page_b];
    if (info == 0)
      info = verdict_of (a, f, skew);
    if (info == 0 && a.scaled[page_b])
      all = f.exponent == 0 ? 0 : f.exponent - PENCIL_EXPONENT;
    else if (info == 0 && largest != 0 && !pencil_is_usual<T> (largest))
      all = ilogb (largest);
    // L and M are those of B itself, so rows are left as they are
    if (info == 0)
      reader_of (a, a.A, page).template write<true> (C, {nullptr, 0, all});
    else if (blockIdx.x == 0)
      pencil_fill_page (C, a.n);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      a.info[page] = info;
      a.skew[page] = a.skew_b[page_b] != 0 ? -a.skew_b[page_b] : skew;
      a.exponent[page] = all;
    }
    __syncthreads ();
  }
}

// Scales M and L of a page whose rows were scaled, or that failed. A block has a page of B.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_unscale_kernel (pencil_args<T> a)
{
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    T *M = a.M + page * a.n * a.n, *L = a.L + page * a.n * a.n;
    const int *row = a.row + page * a.n;
    if (a.info_b[page] != 0) {
      pencil_fill_page (M, a.n);
      pencil_fill_page (L, a.n);
    } else if (a.scaled[page])
      for (int64_t k = threadIdx.x; k < (int64_t)a.n * a.n; k += blockDim.x) {
        M[k] = times_power (M[k], -row[k / a.n]);
        L[k] = times_power (L[k], row[k % a.n]);
      }
  }
}

//------------------------------------------------------------------------------
// pages of A and B as they count: checked, scaled, both triangles or one
//------------------------------------------------------------------------------

namespace
{

enum { BLOCKS_WANTED = 1024, GRID_MOST = 65535 };

// In blocks (x, y), y counts pages; each page gets so many x that there are enough blocks in all.
template <class T>
cudaError_t launch (const pencil_args<T> &a, int64_t pages, void (*kernel) (pencil_args<T>))
{
  const int64_t across = (a.n + READ_TILE - 1) / READ_TILE, tiles = across * (across + 1) / 2;
  const int64_t some = (BLOCKS_WANTED + pages - 1) / pages;
  const dim3 blocks ((unsigned)(some < tiles ? some : tiles),
                     (unsigned)(pages < GRID_MOST ? pages : GRID_MOST));
  kernel<<<blocks, READ_THREADS, READ_TILE *(READ_TILE + 1) * sizeof (T), a.stream>>> (a);
  return cudaGetLastError ();
}

cudaError_t clear (pencil_page_facts *facts, int64_t pages, cudaStream_t stream)
{
  return cudaMemsetAsync (facts, 0, pages * sizeof *facts, stream);
}

} // namespace

template <class T> cudaError_t pencil_read_b (const pencil_args<T> &a)
{
  cudaError_t error = clear (a.facts_b, a.b_pages, a.stream);
  if (error == cudaSuccess)
    error = launch (a, a.b_pages, pencil_look_at_b_kernel<T>);
  return error == cudaSuccess ? launch (a, a.b_pages, pencil_write_b_kernel<T>) : error;
}

template <class T> cudaError_t pencil_read_a (const pencil_args<T> &a)
{
  cudaError_t error = clear (a.facts_a, a.pages, a.stream);
  if (error == cudaSuccess)
    error = launch (a, a.pages, pencil_look_at_a_kernel<T>);
  return error == cudaSuccess ? launch (a, a.pages, pencil_write_a_kernel<T>) : error;
}

template <class T> cudaError_t pencil_unscale (const pencil_args<T> &a)
{
  const unsigned blocks = (unsigned)(a.b_pages < 1 << 30 ? a.b_pages : 1 << 30);
  pencil_unscale_kernel<T><<<blocks, READ_THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t pencil_read_b (const pencil_args<T> &);                                     \
  template cudaError_t pencil_read_a (const pencil_args<T> &);                                     \
  template cudaError_t pencil_unscale (const pencil_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
