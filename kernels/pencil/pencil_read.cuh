// pencil_read.cuh: kernels that read pages of A and B, check, complete and scale them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block takes a page, in tiles of 32 by 32. A tile and its mirror image are read before one of
// them is written, so the target may be the source.

#ifndef GPULINALG_PENCIL_READ_CUH
#define GPULINALG_PENCIL_READ_CUH

#include "pencil_tiles.cuh"

enum { READ_THREADS = 256, READ_TILE = 32, READ_STEP = READ_THREADS / READ_TILE };

template <class T> struct read_space {
  T tile[READ_TILE][READ_TILE + 1];
  double joined[2][READ_THREADS / 32];
  int flags[READ_THREADS / 32];
};
template <class T> constexpr size_t pencil_read_bytes = sizeof (read_space<T>);

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
  const T *from;
  int64_t ld;
  int n;
  gla_triangle triangle;
  read_space<T> &s;

  GLA_DEVICE static int lane () { return threadIdx.x % READ_TILE; }
  GLA_DEVICE static int first () { return threadIdx.x / READ_TILE; }

  // f (i, j, x, y) for entries i >= j of tile (I, J), x what is at (i, j), y the conjugate of what
  // is at (j, i); where one triangle counts, both are of that one.
  template <class F> GLA_DEVICE void each (int I, int J, F f) const
  {
    const int i = I * READ_TILE + lane ();
    if (triangle != GLA_TRIANGLE_LOWER) { // the mirror image, along its columns
      __syncthreads ();
      for (int c = first (); c < READ_TILE; c += READ_STEP) {
        const int column = I * READ_TILE + c, row = J * READ_TILE + lane ();
        if (column < n && row <= column)
          s.tile[c][lane ()] = from[row + column * ld];
      }
      __syncthreads ();
    }
    for (int c = first (); c < READ_TILE; c += READ_STEP) {
      const int j = J * READ_TILE + c;
      if (i >= n || j > i)
        continue;
      T x, y;
      if (triangle != GLA_TRIANGLE_UPPER)
        x = y = from[i + j * ld];
      if (triangle != GLA_TRIANGLE_LOWER)
        y = conj (s.tile[lane ()][c]);
      if (triangle == GLA_TRIANGLE_UPPER)
        x = y;
      if (i == j && triangle != GLA_TRIANGLE_FULL)
        x = y = from_real<T> (re (x));
      f (i, j, x, y);
    }
  }
  template <class F> GLA_DEVICE void each_tile (F f) const
  {
    const int tiles = (n + READ_TILE - 1) / READ_TILE;
    for (int J = 0; J < tiles; J++)
      for (int I = J; I < tiles; I++)
        f (I, J);
  }

  GLA_DEVICE pencil_facts join (pencil_facts f) const
  {
    for (int mask = 16; mask > 0; mask /= 2) {
      f.largest = fmax (f.largest, shuffle_xor (f.largest, mask));
      f.apart = fmax (f.apart, shuffle_xor (f.apart, mask));
    }
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
      s.joined[0][warp] = f.largest;
      s.joined[1][warp] = f.apart;
    }
    f.bad = __syncthreads_or (f.bad);
    for (int k = 0; k < READ_THREADS / 32; k++) {
      f.largest = fmax (f.largest, s.joined[0][k]);
      f.apart = fmax (f.apart, s.joined[1][k]);
    }
    __syncthreads ();
    return f;
  }

  GLA_DEVICE pencil_facts inspect () const
  {
    pencil_facts f = {0, 0, 0};
    each_tile ([&] (int I, int J) {
      each (I, J, [&] (int, int, T x, T y) { pencil_note<T> (f, widen (x), widen (y)); });
    });
    return join (f);
  }

  // The largest |A - A'| where that is too large, else 0.
  GLA_DEVICE double skew_of (const pencil_facts &f) const
  {
    pencil_facts found = {0, 0, 0};
    if (!pencil_is_skew<T> (1.5 * f.apart, f.largest, n))
      return 0;
    each_tile ([&] (int I, int J) {
      each (I, J, [&] (int, int, T x, T y) {
        const wide<T> d = widen (x) - widen (y);
        found.apart = fmax (found.apart, hypot (re (d), im (d)));
      });
    });
    found = join (found);
    return pencil_is_skew<T> (found.apart, f.largest, n) ? found.apart : 0;
  }

  // The largest exponent of a scaled entry; INT_MIN of a page of zeros.
  GLA_DEVICE int largest_exponent (const read_scaling &scaling) const
  {
    int most = INT_MIN;
    each_tile ([&] (int I, int J) {
      each (I, J, [&] (int i, int j, T x, T y) {
        const double size = fmax (absmax (widen (x)), absmax (widen (y)));
        if (size > 0)
          most = max (most, ilogb (size) + scaling.of (i, j));
      });
    });
    for (int mask = 16; mask > 0; mask /= 2)
      most = max (most, shuffle_xor (most, mask));
    if (threadIdx.x % 32 == 0)
      s.flags[threadIdx.x / 32] = most;
    __syncthreads ();
    for (int k = 0; k < READ_THREADS / 32; k++)
      most = max (most, s.flags[k]);
    __syncthreads ();
    return most;
  }

  // The lower triangle, scaled; with `mirror` the upper one, too. Pages are packed.
  template <bool MIRROR> GLA_DEVICE void write (T *to, const read_scaling &scaling) const
  {
    each_tile ([&] (int I, int J) {
      T value[READ_TILE / READ_STEP];
      each (I, J, [&] (int i, int j, T x, T y) {
        const int k = scaling.of (i, j);
        wide<T> v = scale (0.5, widen (x)) + scale (0.5, widen (y));
        v = k == 0 ? v : times_power (v, k);
        value[(j - J * READ_TILE) / READ_STEP] = narrow<T> (i == j ? from_real<wide<T>> (re (v)) : v);
      });
      put<MIRROR> (to, I, J, value);
    });
  }
  template <bool MIRROR>
  GLA_DEVICE void put (T *to, int I, int J, const T (&value)[READ_TILE / READ_STEP]) const
  {
    const int i = I * READ_TILE + lane ();
    __syncthreads (); // all have read the tile
#pragma unroll
    for (int q = 0; q < READ_TILE / READ_STEP; q++) {
      const int c = first () + q * READ_STEP, j = J * READ_TILE + c;
      if (i < n && j <= i) {
        to[i + (int64_t)j * n] = value[q];
        s.tile[lane ()][c] = conj (value[q]);
      }
    }
    __syncthreads ();
    for (int c = first (); MIRROR && c < READ_TILE; c += READ_STEP) {
      const int column = I * READ_TILE + c, row = J * READ_TILE + lane ();
      if (column < n && row < column)
        to[row + (int64_t)column * n] = s.tile[c][lane ()];
    }
  }
};

template <class T>
GLA_DEVICE page_reader<T> reader_of (const pencil_args<T> &a, const page_matrix<const T> &from,
                                     int64_t page, read_space<T> &space)
{
  return {from.data + page * from.page, from.ld, a.n, a.triangle, space};
}

// Exponents of the rows of a page of B, and its diagonal, scaled. By all threads.
template <class T>
GLA_DEVICE bool scale_rows (const pencil_args<T> &a, int64_t page, const T *from, int64_t ld)
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
  __syncthreads ();
  return unusual != 0;
}

// One block per page of B, in a grid-stride loop.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_read_b_kernel (pencil_args<T> a)
{
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  read_space<T> &space = *reinterpret_cast<read_space<T> *> (pencil_space);
  for (int64_t page = blockIdx.x; page < a.b_pages; page += gridDim.x) {
    const page_reader<T> reader = reader_of (a, a.B, page, space);
    const pencil_facts f = reader.inspect ();
    const double skew = f.bad || a.triangle != GLA_TRIANGLE_FULL ? 0 : reader.skew_of (f);
    const bool scaled = scale_rows (a, page, reader.from, reader.ld);
    if (!f.bad && skew == 0)
      reader.template write<false> (a.L + page * a.n * a.n,
                                    {scaled ? a.row + page * a.n : nullptr, -1, 0});
    if (threadIdx.x == 0) {
      a.info_b[page] = f.bad ? a.n + 1 : skew != 0 ? GLA_INFO_NOT_HERMITIAN : 0;
      a.skew_b[page] = skew;
      a.scaled[page] = scaled;
    }
    __syncthreads ();
  }
}

// One block per page of A, in a grid-stride loop.
template <class T>
__global__ void __launch_bounds__ (READ_THREADS) pencil_read_a_kernel (pencil_args<T> a)
{
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  read_space<T> &space = *reinterpret_cast<read_space<T> *> (pencil_space);
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    const page_reader<T> reader = reader_of (a, a.A, page, space);
    const int64_t page_b = a.b_step * page;
    T *C = a.C + page * a.n * a.n;
    int32_t info = a.info_b[page_b];
    double skew = 0;
    read_scaling scaling = {a.scaled[page_b] ? a.row + page_b * a.n : nullptr,
                            a.product ? 1 : -1, 0};
    if (info == 0) {
      const pencil_facts f = reader.inspect ();
      skew = f.bad || a.triangle != GLA_TRIANGLE_FULL ? 0 : reader.skew_of (f);
      info = f.bad ? a.n + 1 : skew != 0 ? GLA_INFO_NOT_HERMITIAN : 0;
      if (info == 0 && (scaling.row != nullptr ||
                        !(f.largest == 0 || pencil_is_usual<T> (f.largest)))) {
        const int most = reader.largest_exponent (scaling);
        scaling.all = most == INT_MIN ? 0 : most;
      }
    }
    // L and M are those of B itself, so rows are left as they are
    const read_scaling all = {nullptr, 0, scaling.all};
    if (info == 0)
      reader.template write<true> (C, all);
    else
      pencil_fill_page (C, a.n);
    if (threadIdx.x == 0) {
      a.info[page] = info;
      a.skew[page] = a.skew_b[page_b] != 0 ? -a.skew_b[page_b] : skew;
      a.exponent[page] = scaling.all;
    }
    __syncthreads ();
  }
}

// M and L of a page whose rows were scaled, or that failed. One block per page of B.
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

#endif
