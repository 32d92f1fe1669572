// pairs_page_types.cu: pairs of middle orders, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of pairs_small_types.cu, with the tiles in shared memory: L below the diagonal
// and all of G. A warp finds rows of tiles of G = A*inv (L)' in place; then rows of the lower
// triangle of C from columns of G.

#include "pairs_cholesky.cuh"
#include "common/type.cuh"

template <class T, int WARPS> struct pencil_page : pencil_cholesky<T, WARPS> {
  typedef pencil_cholesky<T, WARPS> base;
  typedef typename base::ops ops;
  typedef typename base::tile tile;
  typedef typename base::W W;
  using base::across;
  using base::bound;
  using base::column_of;
  using base::get;
  using base::get_turned;
  using base::L;
  using base::n;
  using base::place;
  using base::put;
  using base::row_of;
  using base::store;
  using base::TILE;
  using base::TOGETHER;
  using base::warp;
  enum { THREADS = 32 * WARPS, LOADS = is_complex_v<T> ? 2 : 4 };

  const pencil_args<T> &a;
  W *G;           // tiles, row by row
  int *row;       // exponents of rows of B
  double *joined; // 2 for each warp

  GLA_DEVICE explicit pencil_page (const pencil_args<T> &args) : a (args) {}

  //----------------------------------------------------------------------------
  // reading
  //----------------------------------------------------------------------------

  GLA_DEVICE pencil_facts join (pencil_facts f) const
  {
    for (int mask = 16; mask > 0; mask /= 2) {
      f.largest = fmax (f.largest, shuffle_xor (f.largest, mask));
      f.apart = fmax (f.apart, shuffle_xor (f.apart, mask));
    }
    if (threadIdx.x % 32 == 0) {
      joined[2 * warp ()] = f.largest;
      joined[2 * warp () + 1] = f.apart;
    }
    f.bad = __syncthreads_or (f.bad);
    for (int k = 0; k < WARPS; k++) {
      f.largest = fmax (f.largest, joined[2 * k]);
      f.apart = fmax (f.apart, joined[2 * k + 1]);
    }
    __syncthreads ();
    return f;
  }

  // Returns the largest |A - A'| if that is too large, else 0.
  GLA_DEVICE double skew_of (const pencil_facts &f) const
  {
    const bool counts = a.triangle == GLA_TRIANGLE_FULL;
    return counts && pencil_is_skew<T> (f.apart, f.largest, n) ? f.apart : 0;
  }

  // Calls f (i, j, tile) for tiles of the lower triangle, with `beyond` on the diagonal after n.
  template <class F>
  GLA_DEVICE pencil_facts load (const T *from, int64_t ld, double beyond, F f) const
  {
    pencil_facts found = {0, 0, 0, 0};
    const int tiles = place (across, 0);
    int i = 0, j = warp ();
    for (int k = warp (); k < tiles; k += LOADS * WARPS) {
      tile v[LOADS];
      int rows[LOADS], columns[LOADS];
#pragma unroll
      for (int m = 0; m < LOADS; m++) {
        while (j > i) {
          j -= i + 1;
          i++;
        }
        rows[m] = i;
        columns[m] = j;
        j += WARPS;
#pragma unroll
        for (int x = 0; x < 2; x++)
          v[m].x[x] =
              pencil_entry (a, from, ld, row_of (rows[m]), column_of (columns[m], x), found);
      }
#pragma unroll
      for (int m = 0; m < LOADS; m++) {
#pragma unroll
        for (int x = 0; x < 2; x++) {
          const int r = row_of (rows[m]), c = column_of (columns[m], x);
          if (r >= n || c >= n)
            v[m].x[x] = from_real<W> (r == c ? beyond : 0);
        }
        if (k + m * WARPS < tiles)
          f (rows[m], columns[m], v[m]);
      }
    }
    return join (found);
  }

  // Returns entry (r, r) of L.
  GLA_DEVICE double diagonal (int r) const
  {
    const int k = r % 8;
    return re (L[place (r / 8, r / 8) * TILE + k % 2 * 32 + 4 * k + k / 2]);
  }

  // Sets bounds of the pivots, and scales rows if one needs it.
  GLA_DEVICE bool scale_rows () const
  {
    int unusual = 0;
    for (int r = threadIdx.x; r < n; r += THREADS)
      unusual |= !pencil_is_usual<T> (diagonal (r));
    unusual = __syncthreads_or (unusual);
    for (int r = threadIdx.x; r < 8 * across; r += THREADS)
      row[r] = unusual && r < n ? pencil_row_exponent (diagonal (r)) : 0;
    __syncthreads ();
    const int tiles = place (across, 0);
    for (int k = warp (), i = 0, j = warp (); unusual && k < tiles; k += WARPS, j += WARPS) {
      while (j > i) {
        j -= i + 1;
        i++;
      }
      tile v = get (L, k);
      for (int x = 0; x < 2; x++)
        v.x[x] = times_power (v.x[x], -row[row_of (i)] - row[column_of (j, x)]);
      put (L, k, v);
    }
    __syncthreads ();
    for (int r = threadIdx.x; r < 8 * across; r += THREADS)
      bound[r] = r < n ? n * (double)limits<real_t<T>>::eps * diagonal (r) : 0;
    __syncthreads ();
    return unusual != 0;
  }

  // Reads B to L and factors it; returns info, and whether rows are scaled.
  GLA_DEVICE int32_t read_b (const T *from, int64_t ld, double &skew, bool &scaled) const
  {
    const pencil_facts f =
        load (from, ld, 1, [&] (int i, int j, const tile &v) { put (L, place (i, j), v); });
    scaled = false;
    if (f.bad)
      return n + 1;
    skew = skew_of (f);
    if (skew != 0)
      return GLA_INFO_NOT_HERMITIAN;
    if (threadIdx.x == 0)
      *this->failed = INT_MAX;
    scaled = scale_rows ();
    this->factor (nullptr, 0);
    return *this->failed == INT_MAX ? 0 : n + 2 + *this->failed;
  }

  // Scales G by the rows of B and a power of two, which it returns.
  GLA_DEVICE int scale_a (double largest, bool scaled) const
  {
    int most = INT_MIN, *exponents = reinterpret_cast<int *> (joined);
    if (!scaled && (largest == 0 || pencil_is_usual<T> (largest)))
      return 0;
    for (int k = warp (); k < across * across; k += WARPS) {
      tile v = get (G, k);
      for (int x = 0; x < 2; x++) {
        const int e = row[row_of (k / across)] + row[column_of (k % across, x)];
        const double size = absmax (v.x[x]);
        if (size > 0)
          most = max (most, ilogb (size) - e);
      }
    }
    for (int mask = 16; mask > 0; mask /= 2)
      most = max (most, shuffle_xor (most, mask));
    if (threadIdx.x % 32 == 0)
      exponents[warp ()] = most;
    __syncthreads ();
    for (int k = 0; k < WARPS; k++)
      most = max (most, exponents[k]);
    most = most == INT_MIN ? 0 : most;
    for (int k = warp (); k < across * across; k += WARPS) {
      tile v = get (G, k);
      for (int x = 0; x < 2; x++) {
        const int e = row[row_of (k / across)] + row[column_of (k % across, x)];
        v.x[x] = times_power (v.x[x], -e - most);
      }
      put (G, k, v);
    }
    __syncthreads ();
    return most;
  }

  // Reads A to both triangles of G; returns info.
  GLA_DEVICE int32_t read_a (const T *from, int64_t ld, double &skew, bool scaled,
                             int &exponent) const
  {
    const pencil_facts f = load (from, ld, 0, [&] (int i, int j, const tile &v) {
      put (G, i * across + j, v);
      W *to = G + (j * across + i) * TILE + ops::g () % 2 * 32 + ops::g () / 2 + 8 * ops::t ();
      for (int x = 0; i > j && x < 2; x++)
        to[4 * x] = conj (v.x[x]);
    });
    if (f.bad)
      return n + 1;
    skew = skew_of (f);
    if (skew != 0)
      return GLA_INFO_NOT_HERMITIAN;
    exponent = scale_a (f.largest, scaled);
    return 0;
  }

  //----------------------------------------------------------------------------
  // C
  //----------------------------------------------------------------------------

  // Returns tile k of row i of tiles of G' before a column of L was subtracted.
  GLA_DEVICE tile adjoint_of (int k, int i) const
  {
    const tile v = get_turned (G, k * across + i);
    return {{conj (v.x[0]), conj (v.x[1])}};
  }

  // Sets G = A*inv (L)' in place; the warps share the rows.
  GLA_DEVICE void solve_rows () const
  {
    for (int i = warp (); i < across; i += WARPS) {
      W *g = G + i * across * TILE;
      for (int k = 0; k < across; k++) {
        const tile gk = ops::multiply (get (g, k), get (L, place (k, k)));
        put (g, k, gk);
        for (int j = k + 1; j < across; j += TOGETHER) {
          tile v[TOGETHER], l[TOGETHER];
#pragma unroll
          for (int m = 0; m < TOGETHER; m++) { // beyond the last tile that one again
            const int column = min (j + m, across - 1);
            v[m] = get (g, column);
            l[m] = get (L, place (column, k));
          }
#pragma unroll
          for (int m = 0; m < TOGETHER; m++)
            ops::subtract (v[m], gk, l[m]);
#pragma unroll
          for (int m = 0; m < TOGETHER; m++)
            if (j + m < across)
              put (g, j + m, v[m]);
        }
      }
    }
  }

  // Finds row i of tiles of C = G'*inv (L)', from column i of tiles of G, up to the diagonal.
  GLA_DEVICE void solve_column_of_g (int i, T *C) const
  {
    for (int k = 0; k <= i; k++) {
      const tile here = k == 0 ? adjoint_of (0, i) : get (G, k * across + i);
      const tile ck = ops::multiply (here, get (L, place (k, k)));
      store (C, n, i, k, ck, n);
      for (int j = k + 1; j <= i; j += TOGETHER) {
        tile v[TOGETHER], l[TOGETHER];
#pragma unroll
        for (int m = 0; m < TOGETHER; m++) {
          const int column = min (j + m, i);
          v[m] = k == 0 ? adjoint_of (column, i) : get (G, column * across + i);
          l[m] = get (L, place (column, k));
        }
        __syncwarp (); // other lanes have read what is overwritten
#pragma unroll
        for (int m = 0; m < TOGETHER; m++)
          ops::subtract (v[m], ck, l[m]);
#pragma unroll
        for (int m = 0; m < TOGETHER; m++)
          if (j + m <= i)
            put (G, (j + m) * across + i, v[m]);
      }
    }
  }

  // Finds the lower triangle of C, and whole tiles on its diagonal.
  GLA_DEVICE void reduce (T *C) const
  {
    solve_rows ();
    __syncthreads ();
    for (int round = 0; round * WARPS < across; round++) {
      const int k = round * WARPS + (round % 2 ? WARPS - 1 - warp () : warp ());
      if (k < across)
        solve_column_of_g (across - 1 - k, C);
    }
    __syncthreads ();
  }
};

// A block has a page, in a grid-stride loop. If there is one B for all pages, each block factors it
// again, and the first writes M.
template <class T, int WARPS>
__global__ void __launch_bounds__ (32 * WARPS) pencil_page_kernel (pencil_args<T> a)
{
  typedef wide<T> W;
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  pencil_page<T, WARPS> w (a);
  const int n = a.n;
  w.n = n;
  w.across = (n + 7) / 8;
  w.L = reinterpret_cast<W *> (pencil_space);
  w.G = w.L + w.place (w.across, 0) * w.TILE;
  w.Y = w.G;
  w.bound = reinterpret_cast<double *> (w.G + w.across * w.across * w.TILE);
  w.joined = w.bound + 8 * w.across;
  w.row = reinterpret_cast<int *> (w.joined + 2 * WARPS);
  w.failed = w.row + 8 * w.across;
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    const int64_t page_b = a.b_step * page, n2 = (int64_t)n * n;
    const T *from_a = a.A.data + page * a.A.page;
    T *C = a.C + page * n2, *M = a.M + page_b * n2;
    const bool writes = page == 0 || a.b_step != 0;
    double skew_a = 0, skew_b = 0;
    bool scaled;
    int exponent = 0;
    const int32_t info_b = w.read_b (a.B.data + page_b * a.B.page, a.B.ld, skew_b, scaled);
    int32_t info = info_b;
    if (info == 0)
      info = w.read_a (from_a, a.A.ld, skew_a, scaled, exponent);
    if (info == 0)
      w.reduce (C);
    else
      pencil_fill_page (C, n);
    if (writes && info_b == 0)
      w.invert (M, n, scaled ? w.row : nullptr, min (WARPS, w.across));
    else if (writes)
      pencil_fill_page (M, n);
    if (threadIdx.x == 0) {
      a.info[page] = info;
      a.skew[page] = skew_b != 0 ? -skew_b : skew_a;
      a.exponent[page] = exponent;
    }
    __syncthreads ();
  }
}

// Returns bytes of shared memory.
template <class T> size_t pencil_page_bytes (int n)
{
  const size_t across = (size_t)(n + 7) / 8;
  return (across * (across + 1) / 2 + across * across) * 64 * sizeof (wide<T>) +
         8 * across * (sizeof (double) + sizeof (int)) + 16 * sizeof (double) + 16;
}

template <class T> bool pencil_page_fits (int n, int smem_limit)
{
  return pencil_page_bytes<T> (n) <= (size_t)smem_limit;
}

template <class T, int WARPS> cudaError_t launch_page (const pencil_args<T> &a)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = pencil_page_kernel<T, WARPS>;
  const cudaError_t error = allow_cluster (kernel, a.smem_limit, &configured);
  if (error != cudaSuccess)
    return error;
  kernel<<<(unsigned)a.pages, 32 * WARPS, pencil_page_bytes<T> (a.n), a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_page_reduce (const pencil_args<T> &a)
{
  const int from = is_complex_v<T> ? 33 : 65; // orders where 8 warps are faster than 4
  return a.n < from ? launch_page<T, 4> (a) : launch_page<T, 8> (a);
}

template bool pencil_page_fits<T> (int, int);
template cudaError_t pencil_page_reduce<T> (const pencil_args<T> &);
