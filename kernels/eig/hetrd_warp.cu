// hetrd_warp.cu: checks, scales and reduces pages of up to 128 rows in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The method of hetrd_shared.cu for small pages, where the latency of a column counts more than its
// pass over the matrix: lanes own rows, of the product too, so that it needs no exchange.

#include "hetrd.cuh"
#include "warp_page.cuh"

namespace
{

// A page during the reduction, in the view of a lane: its rows are row (c). The first chunk is the
// one that is not full; it is finished first. Negative rows do not exist.
template <class T, int C, class PAGE> struct warp_page {
  typedef real_t<T> R;
  int n, pad;
  PAGE S;
  row_values<T> *rows;
  T *W, *tau; // null without vectors
  R *d, *e;
  GLA_DEVICE int row (int c) const { return 32 * c + (int)threadIdx.x - pad; }
  GLA_DEVICE bool has (int c) const { return c > 0 || row (0) >= 0; }
};

// The reflector of column k, whose entries below the diagonal are x; v replaces x.
template <int FIRST, class T, int C, class PAGE>
GLA_DEVICE householder<T> reflector_of (const warp_page<T, C, PAGE> &s, int k, T (&x)[C])
{
  typedef real_t<T> R;
  R square = 0, up = 1;
#pragma unroll
  for (int c = FIRST; c < C; c++)
    square += s.row (c) > k + 1 ? abs2 (x[c]) : R (0);
  square = lane_sum<32> (square);
  int from = k + 1 + s.pad; // its place
  T alpha = from_lane (x[FIRST], from % 32);
  if constexpr (FIRST + 1 < C) {
    T other = from_lane (x[FIRST + 1], from % 32);
    alpha = from < 32 * (FIRST + 1) ? alpha : other;
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
// the new v; y gets the product, rows of chunk FIRST and below, and for rows up to k anything.

// Both triangles: a lane finds whole rows, and what it writes nobody else reads.
template <int FIRST, class T, int C>
GLA_DEVICE void update_and_multiply (const warp_page<T, C, square_page<T>> &s, int k,
                                     const T (&v)[C], const T (&w)[C], T (&y)[C])
{
  bool live = s.row (FIRST) > k;
#pragma unroll 4
  for (int j = k + 1; j < s.n; j++) {
    row_values<T> other = s.rows[j];
    T *column = &s.S.at (0, j);
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

// Columns of the packed pass that are read before the first of them is written: lanes wait for
// shared memory, and few warps fit on a multiprocessor.
enum { GROUP = 4 };

// Groups of columns from j0 to `end`, all with their diagonals in chunk MIXED. Rows of chunks below
// are this lane's to update; those of chunks above have been updated by the owners of rows j, and
// are read there; in chunk MIXED it depends on the row. In the first group there may be columns up
// to k, where w and both v are 0: they stay as they are. So does column 0 in place of those before.
template <int FIRST, int MIXED, class T, int C>
GLA_DEVICE void update_groups (const warp_page<T, C, packed_page<T>> &s, int j0, int end, int k,
                               const T (&v)[C], const T (&w)[C], T (&y)[C])
{
  bool live = s.row (FIRST) > k; // what is not reads anything and writes nothing
  T *own[C];
  int place[C];
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    place[c] = c > FIRST || live ? s.row (c) : 0;
    own[c] = s.S.row (place[c]);
  }
  int i = MIXED > FIRST || live ? s.row (MIXED) : s.n;
  for (; j0 < end; j0 += GROUP) {
    row_values<T> other[GROUP];
    T value[GROUP][C];
#pragma unroll
    for (int q = 0; q < GROUP; q++) {
      int j = j0 + q < 0 ? 0 : j0 + q;
      const T *above = s.S.row (j);
      other[q] = s.rows[j];
#pragma unroll
      for (int c = FIRST; c < C; c++)
        value[q][c] = c > MIXED || (c == MIXED && i >= j) ? own[c][j] : above[place[c]];
    }
    __syncwarp (); // every lane has read
#pragma unroll
    for (int c = FIRST; c < C; c++) {
      bool pending = c > MIXED || i >= j0;
      T old_v = pending ? v[c] : from_real<T> (0), old_w = pending ? w[c] : from_real<T> (0);
#pragma unroll
      for (int q = 0; q < GROUP; q++) {
        int j = j0 + q < 0 ? 0 : j0 + q;
        bool mine = c > MIXED || (c == MIXED && i >= j);
        T x = conj_if (value[q][c], !mine);
        if (c >= MIXED) {
          x = madd (-old_v, conj (other[q].w), x);
          x = madd (-old_w, conj (other[q].old_v), x);
        }
        if (mine && (c > FIRST || live))
          own[c][j] = x;
        y[c] = madd (x, other[q].v, y[c]);
      }
    }
    __syncwarp ();
  }
}

template <int FIRST, int MIXED, class T, int C>
GLA_DEVICE void update_from (const warp_page<T, C, packed_page<T>> &s, int j0, int k,
                             const T (&v)[C], const T (&w)[C], T (&y)[C])
{
  int end = s.n - 32 * (C - 1 - MIXED);
  update_groups<FIRST, MIXED> (s, j0, end, k, v, w, y);
  if constexpr (MIXED + 1 < C)
    update_from<FIRST, MIXED + 1> (s, j0 > end ? j0 : end, k, v, w, y);
}

template <int FIRST, class T, int C>
GLA_DEVICE void update_and_multiply (const warp_page<T, C, packed_page<T>> &s, int k,
                                     const T (&v)[C], const T (&w)[C], T (&y)[C])
{
  update_from<FIRST, FIRST> (s, s.n - (s.n - k + GROUP - 2) / GROUP * GROUP, k, v, w, y);
}

// Column k, while the rows from k on are those of chunk FIRST and below. v and w are the pending
// update's, and then the next one's.
template <int FIRST, class T, int C, class PAGE>
GLA_DEVICE void reduce_column (const warp_page<T, C, PAGE> &s, int k, T (&v)[C], T (&w)[C])
{
  typedef real_t<T> R;
#pragma unroll
  for (int c = FIRST; c < C; c++)
    if (s.has (c))
      s.rows[s.row (c)].old_v = v[c];
  __syncwarp ();
  T x[C], y[C];
  T old_v = conj (s.rows[k].old_v), old_w = conj (s.rows[k].w);
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    int i = s.row (c);
    x[c] = y[c] = from_real<T> (0);
    if (i >= k)
      x[c] = madd (-w[c], old_v, madd (-v[c], old_w, s.S.at (i, k)));
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
    if (s.has (c))
      s.rows[i].v = x[c];
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
    w[c] = from_real<T> (0);
    if (s.row (c) > k)
      w[c] = h.tau * y[c] + scale (form, v[c]);
  }
  __syncwarp ();
#pragma unroll
  for (int c = FIRST; c < C; c++)
    if (s.has (c))
      s.rows[s.row (c)].w = w[c];
}

template <int FIRST, class T, int C, class PAGE>
GLA_DEVICE void reduce_from (const warp_page<T, C, PAGE> &s, int k, T (&v)[C], T (&w)[C])
{
  for (; k < s.n - 32 * (C - 1 - FIRST); k++)
    reduce_column<FIRST> (s, k, v, w);
  if constexpr (FIRST + 1 < C)
    reduce_from<FIRST + 1> (s, k, v, w);
}

// A block is a warp, because shared memory limits the number of blocks. It has a page, and lane l
// has rows l, l+32, ... of its C chunks, the last of which ends with the page. So all chunks but
// the first are full, and the time of pages hardly grows at 33 rows.
template <class T, int C, class PAGE>
__global__ void __launch_bounds__ (32) hetrd_warp_kernel (eig_args<T> a)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  int n = a.n;
  int64_t page = blockIdx.x;
  row_values<T> *rows = reinterpret_cast<row_values<T> *> (memory);
  PAGE S = PAGE::in (reinterpret_cast<T *> (rows + n), n);
  warp_page<T, C, PAGE> s = {n, 32 * C - n, S, rows};
  s.W = a.vectors ? a.W + page * n * n : nullptr;
  s.tau = a.vectors ? a.tau + page * n : nullptr;
  s.d = a.d + page * n;
  s.e = a.e + page * n;
  auto found = read_page<T, 32, C> (a, a.A + page * a.page_a, s.S, s.pad);
  if (threadIdx.x == 0) {
    a.exponent[page] = found.exponent;
    a.info[page] = found.info;
    a.skew[page] = found.skew;
  }

  T v[C], w[C];
#pragma unroll
  for (int c = 0; c < C; c++) {
    v[c] = w[c] = from_real<T> (0);
    if (s.has (c))
      s.rows[s.row (c)].v = s.rows[s.row (c)].w = from_real<T> (0);
  }
  reduce_from<0> (s, 0, v, w);
}

// From this n on pages are packed, so that twice as many are in shared memory, as measured. Many
// smaller ones fit anyway, and unpacked pages take fewer instructions.
template <class T>
constexpr int packed_from = sizeof (T) == 16  ? 33
                            : is_complex_v<T> ? 40
                            : sizeof (T) == 8 ? 48
                                              : 56;

// The largest page. Larger ones are faster with more warps each.
template <class T> constexpr int order_max = sizeof (T) == 16 ? 96 : 128;

// Shared memory of a page: what lanes exchange, by row, and the page.
template <class T> size_t shared_bytes (int n)
{
  bool packed = n >= packed_from<T>;
  return n * sizeof (row_values<T>) +
         (packed ? packed_page<T>::entries (n) : square_page<T>::entries (n)) * sizeof (T);
}

template <int C, class PAGE, class T> cudaError_t launch (const eig_args<T> &a)
{
  size_t bytes = shared_bytes<T> (a.n);
  cudaError_t status = allow_shared (hetrd_warp_kernel<T, C, PAGE>, bytes);
  if (status != cudaSuccess)
    return status;
  hetrd_warp_kernel<T, C, PAGE><<<(unsigned)a.pages, 32, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_hetrd_warp_fits (int n, int smem_limit)
{
  return n <= order_max<T> && shared_bytes<T> (n) <= (size_t)smem_limit;
}

template <class T> cudaError_t eig_hetrd_warp (const eig_args<T> &a)
{
  if (a.n <= 32)
    return launch<1, square_page<T>> (a);
  if constexpr (33 < packed_from<T>)
    if (a.n < packed_from<T>)
      return launch<2, square_page<T>> (a);
  if (a.n <= 64)
    return launch<2, packed_page<T>> (a);
  if constexpr (96 < order_max<T>)
    if (a.n > 96)
      return launch<4, packed_page<T>> (a);
  return launch<3, packed_page<T>> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_hetrd_warp_fits<T> (int, int);                                                 \
  template cudaError_t eig_hetrd_warp (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
