// hetrd_warp.cu: pages of up to 64 rows checked, scaled and reduced to tridiagonal form in one go
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method of hetrd_shared.cu for pages so small that what a column costs besides its pass
// counts most: the whole matrix is in shared memory, both triangles, so that a lane finds its rows
// of the product without the others.

#include "hetrd.cuh"
#include "warp_page.cuh"

namespace
{

// Shared memory of a page: what lanes tell each other, by place, and the page's column j at j*ld.
template <class T> size_t shared_bytes (int n)
{
  return (n <= 32 ? 32 : 64) * sizeof (told<T>) + (size_t)n * (n | 1) * sizeof (T);
}

// A page on its way, as a lane sees it: its rows are row (c), the first chunk being the one that is
// not full and is done with first.
template <class T, int C> struct warp_page {
  typedef real_t<T> R;
  int n, ld, pad;
  T *S;
  told<T> *rows; // row i at i + pad
  T *W, *tau;    // null without vectors
  R *d, *e;
  GLA_DEVICE int place (int c) const { return 32 * c + (int)threadIdx.x; }
  GLA_DEVICE int row (int c) const { return place (c) - pad; }
};

// The reflector of column k, whose entries below the diagonal are x; v comes in x.
template <int FIRST, class T, int C>
GLA_DEVICE householder<T> reflector_of (const warp_page<T, C> &s, int k, T (&x)[C])
{
  typedef real_t<T> R;
  R square = 0, up = 1;
#pragma unroll
  for (int c = FIRST; c < C; c++)
    square += s.row (c) > k + 1 ? abs2 (x[c]) : R (0);
  square = lane_sum<32> (square);
  int from = k + 1 + s.pad;
  T alpha = from_lane (x[C - 1], from % 32);
  if (FIRST + 1 < C) {
    T other = from_lane (x[FIRST], from % 32);
    alpha = from < 32 * (C - 1) ? other : alpha;
  }
  if (small_column (alpha, square)) {
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = 0;
#pragma unroll
    for (int c = FIRST; c < C; c++)
      square += s.row (c) > k + 1 ? abs2 (scale (up, x[c])) : R (0);
    square = lane_sum<32> (square);
  }
  householder<T> h = make_householder (alpha, square, up);
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    int i = s.row (c);
    x[c] = i == k + 1 ? from_real<T> (1) : i > k + 1 ? x[c] * h.factor : from_real<T> (0);
  }
  return h;
}

// The pass: columns k+1.. get the update A - v w' - w v' of the column before and are multiplied by
// the new v; y gets the product, rows of chunk FIRST and below.
template <int FIRST, class T, int C>
GLA_DEVICE void update_and_multiply (const warp_page<T, C> &s, int k, const T (&v)[C],
                                     const T (&w)[C], T (&y)[C])
{
  bool live = s.row (FIRST) > k;
#pragma unroll 4
  for (int j = k + 1; j < s.n; j++) {
    told<T> other = s.rows[j + s.pad];
    T *column = s.S + j * s.ld;
#pragma unroll
    for (int c = FIRST; c < C; c++)
      if (c > FIRST || live) {
        T value = madd (-v[c], conj (other.w), column[s.row (c)]);
        value = madd (-w[c], conj (other.old_v), value);
        column[s.row (c)] = value;
        y[c] = madd (value, other.v, y[c]);
      }
  }
}

// Column k, while the rows from k on are those of chunk FIRST and below. v and w are the pending
// update's, and then the next one's.
template <int FIRST, class T, int C>
GLA_DEVICE void reduce_column (const warp_page<T, C> &s, int k, T (&v)[C], T (&w)[C])
{
  typedef real_t<T> R;
#pragma unroll
  for (int c = FIRST; c < C; c++)
    s.rows[s.place (c)].old_v = v[c];
  __syncwarp ();
  T x[C], y[C];
  T old_v = conj (s.rows[k + s.pad].old_v), old_w = conj (s.rows[k + s.pad].w);
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    int i = s.row (c);
    x[c] = y[c] = from_real<T> (0);
    if (i >= k)
      x[c] = madd (-w[c], old_v, madd (-v[c], old_w, s.S[k * s.ld + i]));
    if (i == k)
      s.d[k] = re (x[c]);
  }
  if (k == s.n - 1)
    return;
  householder<T> h = reflector_of<FIRST> (s, k, x);
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    int i = s.row (c);
    if (i == k) {
      s.e[k] = h.beta;
      if (s.tau)
        s.tau[k] = h.tau;
    }
    if (s.W && i > k + 1)
      s.W[k * s.n + i] = x[c];
    s.rows[s.place (c)].v = x[c];
  }
  __syncwarp ();
  update_and_multiply<FIRST> (s, k, v, w, y);

  // w = tau y - |tau|^2/2 (v'y) v; v'y is real
  R form = 0;
#pragma unroll
  for (int c = FIRST; c < C; c++)
    form += re (cmadd (x[c], y[c], from_real<T> (0)));
  form = lane_sum<32> (form) * (R (-0.5) * abs2 (h.tau));
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    v[c] = x[c];
    w[c] = h.tau * y[c] + scale (form, v[c]);
  }
  __syncwarp ();
#pragma unroll
  for (int c = FIRST; c < C; c++)
    s.rows[s.place (c)].w = w[c];
}

// A block is a warp, because shared memory is what is short: it owns a page, and lane l the rows l,
// l+32, ... of its C chunks, whose last one ends with the page: so chunks are full but for the
// first, and pages of 33 rows soon cost what 32 cost.
template <class T, int C> __global__ void __launch_bounds__ (32) hetrd_warp_kernel (eig_args<T> a)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n;
  int64_t page = blockIdx.x;
  warp_page<T, C> s = {n, n | 1, 32 * C - n};
  s.rows = reinterpret_cast<told<T> *> (memory);
  s.S = reinterpret_cast<T *> (s.rows + 32 * C);
  s.W = a.vectors ? a.W + page * n * n : nullptr;
  s.tau = a.vectors ? a.tau + page * n : nullptr;
  s.d = a.d + page * n;
  s.e = a.e + page * n;
  auto found = read_page<T, 32, C> (a, a.A + page * a.page_a, s.S, s.ld, s.pad);
  if (threadIdx.x == 0) {
    a.exponent[page] = found.exponent;
    a.info[page] = found.info;
    a.skew[page] = found.skew;
  }

  T v[C], w[C];
#pragma unroll
  for (int c = 0; c < C; c++) {
    v[c] = w[c] = from_real<T> (0);
    s.rows[s.place (c)].v = s.rows[s.place (c)].w = from_real<T> (0);
  }
  int k = 0;
  if (C > 1)
    for (; k < n - 32; k++)
      reduce_column<0> (s, k, v, w);
  for (; k < n; k++)
    reduce_column<C - 1> (s, k, v, w);
}

template <class T, int C> cudaError_t launch (const eig_args<T> &a)
{
  size_t bytes = shared_bytes<T> (a.n);
  cudaError_t status = allow_shared (hetrd_warp_kernel<T, C>, bytes);
  if (status != cudaSuccess)
    return status;
  hetrd_warp_kernel<T, C><<<(unsigned)a.pages, 32, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_hetrd_warp_fits (int n, int smem_limit)
{
  return n <= 64 && shared_bytes<T> (n) <= (size_t)smem_limit;
}

template <class T> cudaError_t eig_hetrd_warp (const eig_args<T> &a)
{
  return a.n <= 32 ? launch<T, 1> (a) : launch<T, 2> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_hetrd_warp_fits<T> (int, int);                                                 \
  template cudaError_t eig_hetrd_warp (const eig_args<T> &);
GLA_INSTANTIATE (float)
GLA_INSTANTIATE (double)
GLA_INSTANTIATE (cx<float>)
GLA_INSTANTIATE (cx<double>)
