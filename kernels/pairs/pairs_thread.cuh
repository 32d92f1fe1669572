// pairs_thread.cuh: A*x = lambda*B*x of order up to 4; a thread has a page
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method is that of pairs_small_types.cu, with numbers instead of tiles.

#ifndef GPULINALG_PAIRS_THREAD_CUH
#define GPULINALG_PAIRS_THREAD_CUH

#include "pairs_tiles.cuh"

enum { PENCIL_THREAD = 4, THREAD_PENCIL_THREADS = 128 };

template <class T, int N> struct thread_pencil {
  typedef wide<T> W;
  const pencil_args<T> &a;
  W l[N][N], c[N][N]; // lower triangles of B and its factor, and of A and C
  double r[N];        // reciprocals of the diagonal of L
  int row[N], shift;
  bool scaled;

  GLA_DEVICE explicit thread_pencil (const pencil_args<T> &args) : a (args), shift (0) {}

  // Reads the lower triangle of a page; returns info.
  GLA_DEVICE int32_t read (const T *from, int64_t ld, W (&to)[N][N], double &largest, double &skew)
  {
    pencil_facts f = {0, 0, 0, 0};
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N; i++)
        to[i][j] = pencil_entry (a, from, ld, i, j, f);
    largest = f.largest;
    if (f.bad)
      return N + 1;
    if (a.triangle != GLA_TRIANGLE_FULL || !pencil_is_skew<T> (f.apart, f.largest, N))
      return 0;
    skew = f.apart;
    return GLA_INFO_NOT_HERMITIAN;
  }

  GLA_DEVICE void scale_rows ()
  {
    scaled = false;
#pragma unroll
    for (int i = 0; i < N; i++)
      scaled |= !pencil_is_usual<T> (re (l[i][i]));
#pragma unroll
    for (int i = 0; i < N; i++)
      row[i] = scaled ? pencil_row_exponent (re (l[i][i])) : 0;
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N && scaled; i++)
        l[i][j] = times_power (l[i][j], -row[i] - row[j]);
  }

  // Returns the first pivot that is not definite, or N.
  GLA_DEVICE int factor ()
  {
    int failed = N;
    double before[N];
#pragma unroll
    for (int k = 0; k < N; k++)
      before[k] = re (l[k][k]);
#pragma unroll
    for (int k = 0; k < N; k++) {
      double pivot = re (l[k][k]);
      if (!(pivot > N * (double)limits<real_t<T>>::eps * before[k])) {
        failed = failed < k ? failed : k;
        pivot = 1;
      }
      r[k] = rsqrt (pivot);
#pragma unroll
      for (int i = k + 1; i < N; i++)
        l[i][k] = scale (r[k], l[i][k]);
#pragma unroll
      for (int j = k + 1; j < N; j++)
#pragma unroll
        for (int i = j; i < N; i++)
          l[i][j] = madd (-l[i][k], conj (l[j][k]), l[i][j]);
    }
    return failed;
  }

  GLA_DEVICE int32_t read_b (const T *from, int64_t ld, double &skew)
  {
    double largest;
    const int32_t info = read (from, ld, l, largest, skew);
    if (info != 0)
      return info;
    scale_rows ();
    const int failed = factor ();
    return failed < N ? N + 2 + failed : 0;
  }

  GLA_DEVICE int32_t read_a (const T *from, int64_t ld, double &skew)
  {
    double largest;
    const int32_t info = read (from, ld, c, largest, skew);
    if (info != 0 || (!scaled && (largest == 0 || pencil_is_usual<T> (largest))))
      return info;
    int most = INT_MIN;
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N; i++)
        if (absmax (c[i][j]) > 0)
          most = max (most, ilogb (absmax (c[i][j])) - row[i] - row[j]);
    shift = most == INT_MIN ? 0 : most;
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N; i++)
        c[i][j] = times_power (c[i][j], -row[i] - row[j] - shift);
    return 0;
  }

  // Sets C = inv (L)*A*inv (L)', with rows of G = A*inv (L)' from below.
  GLA_DEVICE void reduce ()
  {
#pragma unroll
    for (int i = N - 1; i >= 0; i--) {
      W g[N];
#pragma unroll
      for (int k = 0; k < N; k++) {
        g[k] = k <= i ? c[i][k] : conj (c[k][i]);
#pragma unroll
        for (int j = 0; j < k; j++)
          g[k] = madd (-g[j], conj (l[k][j]), g[k]);
        g[k] = scale (r[k], g[k]);
        if (k >= i)
          c[k][i] = conj (g[k]);
      }
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
      for (int k = 0; k <= i; k++) {
#pragma unroll
        for (int j = 0; j < k; j++)
          c[i][k] = madd (-c[i][j], conj (l[k][j]), c[i][k]);
        c[i][k] = scale (r[k], c[i][k]);
      }
  }

  // Finds M = inv (L) from M*L = I.
  GLA_DEVICE void store_inverse (T *to) const
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      W m[N];
      m[i] = from_real<W> (r[i]);
#pragma unroll
      for (int j = i - 1; j >= 0; j--) {
        W sum = from_real<W> (0);
#pragma unroll
        for (int k = j + 1; k <= i; k++)
          sum = madd (m[k], l[k][j], sum);
        m[j] = scale (-r[j], sum);
      }
#pragma unroll
      for (int j = 0; j < N; j++) {
        const W v = j <= i ? m[j] : from_real<W> (0);
        to[i + j * N] = narrow<T> (scaled ? times_power (v, -row[j]) : v);
      }
    }
  }
};

template <class T, int N> GLA_DEVICE void fill_thread_page (T *to)
{
#pragma unroll
  for (int k = 0; k < N * N; k++)
    to[k] = narrow<T> (from_real<wide<T>> (nan ("")));
}

// A thread has a page. If there is one B for all pages, each thread factors it again, and the first
// writes it.
template <class T, int N>
__global__ void __launch_bounds__ (THREAD_PENCIL_THREADS) pencil_thread_kernel (pencil_args<T> a)
{
  const int64_t page = blockIdx.x * (int64_t)THREAD_PENCIL_THREADS + threadIdx.x;
  if (page >= a.pages)
    return;
  const int64_t page_b = a.b_step * page;
  const bool writes = page == 0 || a.b_step != 0;
  T *M = a.M + page_b * N * N, *C = a.C + page * N * N;
  double skew_a = 0, skew_b = 0;
  thread_pencil<T, N> w (a);
  int32_t info = w.read_b (a.B.data + page_b * a.B.page, a.B.ld, skew_b);
  if (writes && info != 0)
    fill_thread_page<T, N> (M);
  else if (writes)
    w.store_inverse (M);
  if (info == 0)
    info = w.read_a (a.A.data + page * a.A.page, a.A.ld, skew_a);
  if (info != 0)
    fill_thread_page<T, N> (C);
  else {
    w.reduce ();
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = j; i < N; i++)
        C[i + j * N] = narrow<T> (w.c[i][j]);
  }
  a.info[page] = info;
  a.skew[page] = skew_b != 0 ? -skew_b : skew_a;
  a.exponent[page] = w.shift;
}

// Replaces Y by X; a thread has a page.
template <class T, int N>
__global__ void __launch_bounds__ (THREAD_PENCIL_THREADS)
    pencil_thread_back_kernel (pencil_args<T> a, page_matrix<T> V)
{
  typedef wide<T> W;
  const int64_t page = blockIdx.x * (int64_t)THREAD_PENCIL_THREADS + threadIdx.x;
  if (page >= a.pages)
    return;
  const T *M = a.M + a.b_step * page * N * N;
  W m[N][N];
#pragma unroll
  for (int j = 0; j < N; j++)
#pragma unroll
    for (int i = j; i < N; i++)
      m[i][j] = widen (M[i + j * N]);
#pragma unroll
  for (int c = 0; c < N; c++) {
    T *x = V.data + page * V.page + c * V.ld;
    W y[N];
#pragma unroll
    for (int i = 0; i < N; i++)
      y[i] = widen (x[i]);
#pragma unroll
    for (int i = 0; i < N; i++) {
      W sum = from_real<W> (0);
#pragma unroll
      for (int j = i; j < N; j++)
        sum = cmadd (m[j][i], y[j], sum);
      x[i] = narrow<T> (sum);
    }
  }
}

inline unsigned thread_blocks (int64_t pages)
{
  return (unsigned)((pages + THREAD_PENCIL_THREADS - 1) / THREAD_PENCIL_THREADS);
}

template <class T, int N> cudaError_t launch_thread (const pencil_args<T> &a)
{
  pencil_thread_kernel<T, N><<<thread_blocks (a.pages), THREAD_PENCIL_THREADS, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

template <class T, int N>
cudaError_t launch_thread_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  pencil_thread_back_kernel<T, N>
      <<<thread_blocks (a.pages), THREAD_PENCIL_THREADS, 0, a.stream>>> (a, V);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_thread (const pencil_args<T> &a)
{
  return a.n == 1   ? launch_thread<T, 1> (a)
         : a.n == 2 ? launch_thread<T, 2> (a)
         : a.n == 3 ? launch_thread<T, 3> (a)
                    : launch_thread<T, 4> (a);
}

template <class T> cudaError_t pencil_thread_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  return a.n == 1   ? launch_thread_back<T, 1> (a, V)
         : a.n == 2 ? launch_thread_back<T, 2> (a, V)
         : a.n == 3 ? launch_thread_back<T, 3> (a, V)
                    : launch_thread_back<T, 4> (a, V);
}

//------------------------------------------------------------------------------
// eigenvectors of pairs of order up to 32 from those of C, in place
//------------------------------------------------------------------------------

enum { BACK_THREADS = 128 };

// Replaces Y by X; a warp has a page, 8 columns at a time, as rows.
template <class T, int B>
__global__ void __launch_bounds__ (BACK_THREADS)
    pencil_back_kernel (pencil_args<T> a, page_matrix<T> V)
{
  typedef pencil_tiles<T> ops;
  typedef typename ops::tile tile;
  typedef typename ops::W W;
  const int n = a.n;
  const int64_t page = (int64_t)blockIdx.x * (BACK_THREADS / 32) + threadIdx.x / 32;
  if (page >= a.pages)
    return;
  const T *from = a.M + a.b_step * page * n * n;
  const int g = ops::g (), t = ops::t ();
  tile m[B][B]; // M (i, j), transposed
#pragma unroll
  for (int i = 0; i < B; i++)
#pragma unroll
    for (int j = 0; j <= i; j++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * i + 2 * t + x, c = 8 * j + g;
        m[i][j].x[x] = r < n && c < n ? ops::promote (from[r + c * n]) : from_real<W> (0);
      }
  for (int first = 0; first < n; first += 8) {
    tile y[B];
    T *column = V.data + page * V.page + min (first + g, n - 1) * V.ld;
#pragma unroll
    for (int j = 0; j < B; j++)
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * j + 2 * t + x;
        y[j].x[x] = r < n ? ops::promote (column[r]) : from_real<W> (0);
      }
#pragma unroll
    for (int i = 0; i < B; i++) {
      tile v = ops::zero ();
#pragma unroll
      for (int j = i; j < B; j++)
        ops::add (v, y[j], m[j][i]);
#pragma unroll
      for (int x = 0; x < 2; x++) {
        const int r = 8 * i + 2 * t + x;
        if (r < n && first + g < n)
          column[r] = narrow<T> (v.x[x]);
      }
    }
  }
}

template <class T, int B> cudaError_t launch_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  const int warps = BACK_THREADS / 32;
  const unsigned blocks = (unsigned)((a.pages + warps - 1) / warps);
  pencil_back_kernel<T, B><<<blocks, BACK_THREADS, 0, a.stream>>> (a, V);
  return cudaGetLastError ();
}

template <class T> cudaError_t pencil_small_back (const pencil_args<T> &a, const page_matrix<T> &V)
{
  if (a.n <= PENCIL_THREAD)
    return pencil_thread_back (a, V);
  switch ((a.n + 7) / 8) {
  case 1:
    return launch_back<T, 1> (a, V);
  case 2:
    return launch_back<T, 2> (a, V);
  case 3:
    return launch_back<T, 3> (a, V);
  default:
    return launch_back<T, 4> (a, V);
  }
}

#endif
