// pairs_small_types.cu: pairs of order up to 32, of one type
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lower triangles are stored in tiles of 8 by 8 (mma_tiles.cuh). A row of tiles g of G = A*inv
// (L)' is found from left to right, each tile by products with tiles of L and one with the inverse
// of a tile on the diagonal; its adjoint is a column of G'. In the same way C = inv (L)*G is the
// adjoint of G'*inv (L)'. All is in double precision, whatever the type.

#include "pairs_thread.cuh"
#include "common/type.cuh"

// What the lanes of a warp exchange through shared memory.
template <int B> struct small_rows {
  double bound[8 * B]; // what pivots must exceed
  int row[8 * B];      // exponents of rows of B
};

template <class T, int B> struct small_pencil : pencil_tiles<T> {
  typedef pencil_tiles<T> base;
  typedef typename base::W W;
  typedef typename base::tile tile;
  using base::adjoint;
  using base::ALL;
  using base::factor;
  using base::g;
  using base::multiply;
  using base::promote;
  using base::subtract;
  using base::t;
  using base::turn;
  using base::zero;

  const pencil_args<T> &a;
  small_rows<B> &s;
  int n;
  tile l[B][B]; // L below the diagonal, on it the inverses of L's tiles there
  tile c[B][B]; // A, then C, lower triangle
  int scaled, shift;

  GLA_DEVICE small_pencil (const pencil_args<T> &args, small_rows<B> &rows)
      : a (args), s (rows), n (args.n), scaled (0), shift (0)
  {
  }

  GLA_DEVICE static int row_of (int i) { return 8 * i + g (); }
  GLA_DEVICE static int column_of (int j, int x) { return 8 * j + 2 * t () + x; }

  //----------------------------------------------------------------------------
  // reading
  //----------------------------------------------------------------------------

  // Loads tile (i, j), with `beyond` after row or column n on the diagonal, else 0.
  GLA_DEVICE tile load (const T *from, int64_t ld, int i, int j, double beyond,
                        pencil_facts &f) const
  {
    tile v;
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const int r = row_of (i), c = column_of (j, x);
      const W here = pencil_entry (a, from, ld, r, c, f);
      v.x[x] = r < n && c < n ? here : from_real<W> (r == c ? beyond : 0);
    }
    return v;
  }

  GLA_DEVICE static pencil_facts join (pencil_facts f)
  {
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) {
      f.largest = fmax (f.largest, shuffle_xor (f.largest, mask));
      f.apart = fmax (f.apart, shuffle_xor (f.apart, mask));
    }
    f.bad = __any_sync (ALL, f.bad);
    return f;
  }

  // Returns the largest |A - A'| if that is too large, else 0.
  GLA_DEVICE double skew_of (const pencil_facts &f) const
  {
    const bool counts = a.triangle == GLA_TRIANGLE_FULL;
    return counts && pencil_is_skew<T> (f.apart, f.largest, n) ? f.apart : 0;
  }

  //----------------------------------------------------------------------------
  // B
  //----------------------------------------------------------------------------

  // Sets bounds of the pivots, and scales rows if one needs it.
  GLA_DEVICE void scale_rows ()
  {
    bool usual = true;
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int x = 0; x < 2; x++)
        if (g () == 2 * t () + x)
          usual &= pencil_is_usual<T> (re (l[i][i].x[x]));
    scaled = __any_sync (ALL, !usual);
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int x = 0; x < 2; x++)
        if (g () == 2 * t () + x)
          s.row[row_of (i)] = scaled ? pencil_row_exponent (re (l[i][i].x[x])) : 0;
    __syncwarp ();
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
#pragma unroll
        for (int x = 0; x < 2 && scaled; x++)
          l[i][j].x[x] = times_power (l[i][j].x[x], -s.row[row_of (i)] - s.row[column_of (j, x)]);
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int x = 0; x < 2; x++)
        if (g () == 2 * t () + x)
          s.bound[row_of (i)] =
              row_of (i) < n ? (double)n * (double)limits<real_t<T>>::eps * re (l[i][i].x[x]) : 0;
    __syncwarp ();
  }

  // Returns the first pivot that is not definite, or at least n.
  GLA_DEVICE int factor_all ()
  {
    int failed = 8 * B;
#pragma unroll
    for (int k = 0; k < B; k++) {
      tile own;
      const int here = 8 * k + factor (l[k][k], own, s.bound + 8 * k);
      failed = here < 8 * k + 8 && failed == 8 * B ? here : failed;
#pragma unroll
      for (int i = k + 1; i < B; i++)
        l[i][k] = multiply (l[i][k], l[k][k]);
#pragma unroll
      for (int j = k + 1; j < B; j++)
#pragma unroll
        for (int i = j; i < B; i++)
          subtract (l[i][j], l[i][k], l[j][k]);
    }
    return failed;
  }

  // Returns info of the page after B; l is then its factor.
  GLA_DEVICE int32_t read_b (const T *from, int64_t ld, double &skew)
  {
    pencil_facts f = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
        l[i][j] = load (from, ld, i, j, 1, f);
    f = join (f);
    if (f.bad)
      return n + 1;
    skew = skew_of (f);
    if (skew != 0)
      return GLA_INFO_NOT_HERMITIAN;
    scale_rows ();
    const int failed = factor_all ();
    return failed < n ? n + 2 + failed : 0;
  }

  //----------------------------------------------------------------------------
  // A and C
  //----------------------------------------------------------------------------

  // Returns the exponent of the factor of entry (r, c) of A.
  GLA_DEVICE int shift_of (int r, int c) const
  {
    return -(s.row[r] + s.row[c]) - shift;
  }

  // If numbers are far from 1, scales C, and finds `shift`, which brings its largest entry to 1.
  GLA_DEVICE void scale_a (double largest)
  {
    int most = INT_MIN;
    if (!scaled && (largest == 0 || pencil_is_usual<T> (largest)))
      return;
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
        for (int x = 0; x < 2; x++) {
          const double size = absmax (c[i][j].x[x]);
          if (size > 0)
            most = max (most, ilogb (size) + shift_of (row_of (i), column_of (j, x)));
        }
    for (int mask = 16; mask > 0; mask /= 2)
      most = max (most, shuffle_xor (most, mask));
    shift = most == INT_MIN ? 0 : most;
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
        for (int x = 0; x < 2; x++)
          c[i][j].x[x] = times_power (c[i][j].x[x], shift_of (row_of (i), column_of (j, x)));
  }

  // Returns info of the page after A; c is then its lower triangle.
  GLA_DEVICE int32_t read_a (const T *from, int64_t ld, double &skew)
  {
    pencil_facts f = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
        c[i][j] = load (from, ld, i, j, 0, f);
    f = join (f);
    if (f.bad)
      return n + 1;
    skew = skew_of (f);
    if (skew != 0)
      return GLA_INFO_NOT_HERMITIAN;
    scale_a (f.largest);
    return 0;
  }

  // Sets C = inv (L)*A*inv (L)'. Rows of tiles of G are found from below, so that the entries of A
  // that they need are not yet overwritten by their adjoints in columns of c.
  GLA_DEVICE void reduce ()
  {
#pragma unroll
    for (int i = B - 1; i >= 0; i--) {
      tile row[B];
#pragma unroll
      for (int k = 0; k < B; k++)
        row[k] = k <= i ? c[i][k] : adjoint (c[k][i]);
#pragma unroll
      for (int k = 0; k < B; k++) {
#pragma unroll
        for (int j = 0; j < k; j++)
          subtract (row[k], row[j], l[k][j]);
        row[k] = multiply (row[k], l[k][k]);
        if (k >= i)
          c[k][i] = adjoint (row[k]);
      }
    }
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int k = 0; k <= i; k++) {
#pragma unroll
        for (int j = 0; j < k; j++)
          subtract (c[i][k], c[i][j], l[k][j]);
        c[i][k] = multiply (c[i][k], l[k][k]);
      }
  }

  //----------------------------------------------------------------------------
  // writing
  //----------------------------------------------------------------------------

  GLA_DEVICE void store (T *to, int i, int j, const tile &v, bool lower) const
  {
    const int r = row_of (i);
#pragma unroll
    for (int x = 0; x < 2; x++) {
      const int q = column_of (j, x);
      if (r < n && q < n && (!lower || r >= q))
        to[r + q * n] = narrow<T> (v.x[x]);
    }
  }

  GLA_DEVICE void store_c (T *to) const
  {
#pragma unroll
    for (int i = 0; i < B; i++)
#pragma unroll
      for (int j = 0; j <= i; j++)
        store (to, i, j, c[i][j], true);
  }

  // Finds M = inv (L), row of tiles by row of tiles: it solves y*L = (0 .. 0 I).
  GLA_DEVICE void store_inverse (T *to) const
  {
#pragma unroll
    for (int i = 0; i < B; i++) {
      tile y[B];
      y[i] = l[i][i];
#pragma unroll
      for (int j = i - 1; j >= 0; j--) {
        y[j] = zero ();
#pragma unroll
        for (int k = j + 1; k <= i; k++)
          subtract (y[j], y[k], turn (l[k][j]), true);
        y[j] = multiply (y[j], turn (l[j][j]), true);
      }
#pragma unroll
      for (int j = 0; j < B; j++) {
        tile v = j <= i ? y[j] : zero ();
        for (int x = 0; x < 2 && scaled; x++)
          v.x[x] = times_power (v.x[x], -s.row[column_of (j, x)]);
        store (to, i, j, v, false);
      }
    }
  }
};

template <class T> GLA_DEVICE void pencil_fill (T *to, int n)
{
  const wide<T> nothing = from_real<wide<T>> (nan (""));
  for (int k = threadIdx.x % 32; k < n * n; k += 32)
    to[k] = narrow<T> (nothing);
}

enum { SMALL_PENCIL_THREADS = 128 };

// A warp has a page. If there is one B for all pages, each warp factors it again, and the first
// writes it.
template <class T, int B>
__global__ void __launch_bounds__ (SMALL_PENCIL_THREADS) pencil_small_kernel (pencil_args<T> a)
{
  extern __shared__ __align__ (16) unsigned char pencil_space[];
  const int warp = threadIdx.x / 32, n = a.n;
  const int64_t page = (int64_t)blockIdx.x * (SMALL_PENCIL_THREADS / 32) + warp, n2 = n * n;
  if (page >= a.pages)
    return;
  const int64_t page_b = a.b_step * page;
  small_pencil<T, B> w (a, reinterpret_cast<small_rows<B> *> (pencil_space)[warp]);
  double skew_a = 0, skew_b = 0;
  const T *from_b = a.B.data + page_b * a.B.page, *from_a = a.A.data + page * a.A.page;
  const bool writes = page == 0 || a.b_step != 0;
  T *M = a.M + page_b * n2;
  int32_t info = w.read_b (from_b, a.B.ld, skew_b);
  if (info != 0) {
    if (writes)
      pencil_fill (M, n);
  } else {
    if (writes)
      w.store_inverse (M);
    info = w.read_a (from_a, a.A.ld, skew_a);
  }
  if (info != 0)
    pencil_fill (a.C + page * n2, n);
  else {
    w.reduce ();
    w.store_c (a.C + page * n2);
  }
  if (threadIdx.x % 32 == 0) {
    a.info[page] = info;
    a.skew[page] = skew_b != 0 ? -skew_b : skew_a;
    a.exponent[page] = w.shift;
  }
}

template <class T, int B> cudaError_t launch_small (const pencil_args<T> &a)
{
  const int warps = SMALL_PENCIL_THREADS / 32;
  const unsigned blocks = (unsigned)((a.pages + warps - 1) / warps);
  pencil_small_kernel<T, B>
      <<<blocks, SMALL_PENCIL_THREADS, warps * sizeof (small_rows<B>), a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_small (const pencil_args<T> &a)
{
  if (a.n <= PENCIL_THREAD)
    return pencil_thread (a);
  switch ((a.n + 7) / 8) {
  case 1:
    return launch_small<T, 1> (a);
  case 2:
    return launch_small<T, 2> (a);
  case 3:
    return launch_small<T, 3> (a);
  default:
    return launch_small<T, 4> (a);
  }
}

template cudaError_t pencil_small<T> (const pencil_args<T> &);
template cudaError_t pencil_small_back<T> (const pencil_args<T> &, const page_matrix<T> &);
