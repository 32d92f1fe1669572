// svd_bidiagonal.cu: pages become bidiagonal matrices with the same singular values
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Householder's method (LAPACK's ?gebd2), arranged for one pass over the rest of a page in each
// step (Howell, Demmel, Fulton, Hammarling, Marmol 2008). Step k takes a reflector (v, tau) from
// column k and one (u, sigma) from row k:
//
//   A - v*y' - x*u', y = tau*A'*v, x = sigma*(A*u - v*(y'*u)).
//
// Row k is known entry by entry as A'*v is, column after column, and u is a multiple of it but for
// its first entry. So a column is read once: it gets the pending v*y' and x*u' of the step before,
// goes back, gives its entry of y, that of row k, and its part of A*u.
//
// A block has a page. A warp has every WARPS-th column, a lane rows l, l+32, .. of them, C columns
// at a time. Every warp finds the reflectors by itself, with the same bits. The last columns of a
// page, which are read most, stand in shared memory, as many as there is room for, the others in
// `rest`. A step has two barriers: before the parts of A*u of all warps are added, a thread to a
// row, and behind.

#include "common/runtime.cuh"
#include "svd_reflection.cuh"
#include "svd.cuh"

namespace
{

enum { MOST_WARPS = 16 };

// What the block has in shared memory.
template <class T> struct block_memory {
  T *v, *x;   // rows each, and zeros: of the pending update
  T *y, *row; // columns each: y, and the adjoint of row k
  T *part;    // rows of each warp: its part of A*u but for the first column
  T *near;    // columns from `far` on
  int far, rows;
  T *rest;

  GLA_DEVICE block_memory (unsigned char *base, const svd_values_args<T> &args, int warps,
                           int padded, int far)
      : far (far), rows (args.a.rows)
  {
    v = reinterpret_cast<T *> (base);
    x = v + padded;
    y = x + padded;
    row = y + args.a.columns;
    part = row + args.a.columns;
    near = part + warps * rows;
    rest = args.rest + (int64_t)blockIdx.x * rows * args.a.columns;
  }
  GLA_DEVICE T *column (int j) const
  {
    return j < far ? rest + (int64_t)j * rows : near + (int64_t)(j - far) * rows;
  }
};

// What a lane has of the vectors of a step; zeros above their first row. v and x, which are
// pending, are in registers where there are enough.
template <class T, int R> struct lane_rows {
  static constexpr bool SHARED = R * sizeof (T) > 128;
  T own_v[SHARED ? 1 : R], own_x[SHARED ? 1 : R];
  const T *shared_v, *shared_x;
  T next[R]; // the new v
  T sum[R];  // this warp's part of A*u

  GLA_DEVICE void begin (const block_memory<T> &m)
  {
    shared_v = m.v + threadIdx.x % 32;
    shared_x = m.x + threadIdx.x % 32;
    read ();
  }
  GLA_DEVICE void read ()
  {
    if constexpr (!SHARED) {
#pragma unroll
      for (int r = 0; r < R; r++) {
        own_v[r] = shared_v[32 * r];
        own_x[r] = shared_x[32 * r];
      }
    }
  }
  GLA_DEVICE T v (int r) const
  {
    if constexpr (SHARED)
      return shared_v[32 * r];
    else
      return own_v[r];
  }
  GLA_DEVICE T x (int r) const
  {
    if constexpr (SHARED)
      return shared_x[32 * r];
    else
      return own_x[r];
  }
};

// Whether rows 32*r .. have one from k on; the same for all lanes.
GLA_DEVICE bool has_rows (int r, int k)
{
  return 32 * r + 31 >= k;
}

// C columns j, j + WARPS, ..: the pending update, y, row k, A*u.
template <class T, int R, int WARPS, int C>
GLA_DEVICE void pass_columns (const block_memory<T> &m, int n, int k, int j, T factor, T tau,
                              lane_rows<T, R> &l)
{
  const int lane = threadIdx.x % 32;
  T a[C][R], dot[C], y[C], u[C];
  T *column[C];
#pragma unroll
  for (int q = 0; q < C; q++) { // beyond the last column the first one again
    const int at = j + q * WARPS < n ? j + q * WARPS : j;
    column[q] = m.column (at) + lane;
    y[q] = conj (m.y[at]);
    u[q] = conj (factor * m.row[at]);
    dot[q] = from_real<T> (0);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int i = lane + 32 * r;
#pragma unroll
    for (int q = 0; q < C; q++)
      a[q][r] = i >= k && i < m.rows ? column[q][32 * r] : from_real<T> (0);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int i = lane + 32 * r;
    if (!has_rows (r, k))
      continue;
#pragma unroll
    for (int q = 0; q < C; q++) {
      a[q][r] = madd (-l.v (r), y[q], madd (-l.x (r), u[q], a[q][r]));
      dot[q] = cmadd (l.next[r], a[q][r], dot[q]);
      if (i >= k && i < m.rows && j + q * WARPS < n)
        column[q][32 * r] = a[q][r];
    }
  }
  const T sum = sums_of (dot);
  __syncwarp (); // row k of the columns is written, m.y and m.row are read
  const int mine = j + lane * WARPS;
  if (lane < C && mine < n) {
    const T here = conj (tau) * sum; // the adjoint of y
    m.y[mine] = conj (here);
    m.row[mine] = conj (m.column (mine)[k] - here);
  }
  __syncwarp ();
#pragma unroll
  for (int q = 0; q < C; q++) {
    const int at = j + q * WARPS;
    u[q] = at < n && at > k + 1 ? m.row[at] : from_real<T> (0);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    if (!has_rows (r, k))
      continue;
#pragma unroll
    for (int q = 0; q < C; q++)
      l.sum[r] = madd (a[q][r], u[q], l.sum[r]);
  }
}

// The reflector of row k, and y'*u.
template <class T>
GLA_DEVICE reflection<T> reflect_row (const block_memory<T> &m, int n, int k, T &product)
{
  typedef real_t<T> real;
  real square = 0;
  T sum = from_real<T> (0);
  for (int j = k + 2 + threadIdx.x % 32; j < n; j += 32) {
    const T s = m.row[j];
    square += abs2 (s);
    sum = cmadd (m.y[j], s, sum);
  }
  square = lane_sum<32> (square);
  sum = lane_sum<32> (sum);
  const reflection<T> h = reflect (m.row[k + 1], square);
  product = madd (h.factor, sum, conj (m.y[k + 1]));
  return h;
}

// The reflector of column k with the pending update, whose u has 1 there.
template <class T, int R>
GLA_DEVICE reflection<T> reflect_column (const block_memory<T> &m, int k, lane_rows<T, R> &l)
{
  typedef real_t<T> real;
  const int lane = threadIdx.x % 32;
  const T *column = m.column (k), y = conj (m.y[k]);
  real square = 0;
  T alpha = from_real<T> (0);
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int i = lane + 32 * r;
    const T a = i >= k && i < m.rows ? column[i] : from_real<T> (0);
    l.next[r] = madd (-l.v (r), y, a) - l.x (r);
    square += i > k ? abs2 (l.next[r]) : real (0);
    alpha = i == k ? l.next[r] : alpha;
  }
  const reflection<T> h = reflect (from_lane (alpha, k % 32), lane_sum<32> (square));
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int i = lane + 32 * r;
    l.next[r] = i == k ? from_real<T> (1) : i > k ? l.next[r] * h.factor : from_real<T> (0);
    l.sum[r] = from_real<T> (0);
  }
  return h;
}

// The page to shared memory and `rest`, or false.
template <class T> GLA_DEVICE bool load_page (const svd_values_args<T> &v, const block_memory<T> &m)
{
  const int64_t page = blockIdx.x;
  const int exponent = exponent_of_page (v.a);
  const bool finite = exponent != INT_MAX;
  if (threadIdx.x == 0) {
    v.scale[page] = finite ? exponent : 0;
    v.a.info[page] = finite ? 0 : v.a.columns + 1;
    if (!finite)
      *v.a.any = 1;
  }
  if (!finite)
    return false;
  for_page (v.a, [&] (int i, int j, T x) { m.column (j)[i] = times_power (x, -exponent); });
  for (int j = threadIdx.x; j < v.a.columns; j += blockDim.x)
    m.y[j] = m.row[j] = from_real<T> (0);
  __syncthreads ();
  return true;
}

// The new pending v and x, a warp to 32 rows, from the parts of all warps.
template <class T, int R, int WARPS>
GLA_DEVICE void renew_pending (const block_memory<T> &m, int k, const reflection<T> &right,
                               T product, const lane_rows<T, R> &l)
{
  const T *first = m.column (k + 1);
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int i = threadIdx.x % 32 + 32 * r;
    if (r % WARPS != (int)threadIdx.x / 32 || i >= m.rows)
      continue;
    T sum = m.part[i];
#pragma unroll
    for (int w = 1; w < WARPS; w++)
      sum = sum + m.part[w * m.rows + i];
    const T x = madd (-l.next[r], product, madd (right.factor, sum, first[i]));
    m.v[i] = l.next[r];
    m.x[i] = i > k ? right.tau * x : from_real<T> (0);
  }
}

// A block has a page, and its warps columns of it; a lane has R rows of each column.
template <class T, int R, int WARPS, int C>
__global__ void __launch_bounds__ (32 * WARPS) bidiagonal_kernel (svd_values_args<T> v, int far)
{
  extern __shared__ __align__ (16) unsigned char memory[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, n = v.a.columns;
  const block_memory<T> m (memory, v, WARPS, 32 * R, far);
  real_t<T> *d = v.d + (int64_t)blockIdx.x * n, *e = v.e + (int64_t)blockIdx.x * n;
  for (int i = threadIdx.x; i < 64 * R; i += 32 * WARPS)
    m.v[i] = from_real<T> (0);
  if (!load_page (v, m))
    return;
  lane_rows<T, R> l;
  l.begin (m);
  T factor = from_real<T> (0);
  for (int k = 0; k < n; k++) {
    const reflection<T> left = reflect_column (m, k, l);
    if (threadIdx.x == 0)
      d[k] = left.beta;
    if (k == n - 1)
      break;
    for (int j = k + 1 + warp; j < n; j += C * WARPS)
      pass_columns<T, R, WARPS, C> (m, n, k, j, factor, left.tau, l);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (lane + 32 * r < m.rows)
        m.part[warp * m.rows + lane + 32 * r] = l.sum[r];
    __syncthreads ();
    T product;
    const reflection<T> right = reflect_row (m, n, k, product);
    factor = right.factor;
    renew_pending<T, R, WARPS> (m, k, right, product, l);
    if (threadIdx.x == 0)
      e[k] = right.beta;
    __syncthreads ();
    l.read ();
  }
}

// How a page of so many rows is divided.
struct division {
  int far;      // columns that do not fit in shared memory, the first ones
  size_t bytes; // of shared memory
};
template <class T> division divide (int rows, int columns, int warps, int padded, int smem_limit)
{
  const int64_t column = (int64_t)rows * (int64_t)sizeof (T);
  const int64_t other = 2 * (columns + padded) * (int64_t)sizeof (T) + warps * column;
  const int64_t room = smem_limit - 512 - other;
  const int near = room < 0 ? 0 : room / column < columns ? (int)(room / column) : columns;
  return {columns - near, (size_t)(other + near * column)};
}

// The warps of a block, and the rows to which its registers are padded; with the columns together
// below the fastest of several (doc/notebook/svd-gpu.md).
template <class T> constexpr int warps_of (int rows)
{
  constexpr bool wide = sizeof (T) == 16, narrow = sizeof (T) == 4;
  return rows <= 64    ? 4
         : rows <= 128 ? 8
         : rows <= 256 ? (wide ? 8 : MOST_WARPS)
                       : (narrow ? MOST_WARPS : 8);
}
constexpr int padded_rows (int rows)
{
  return rows <= 64    ? 64
         : rows <= 128 ? 128
         : rows <= 192 ? 192
         : rows <= 256 ? 256
         : rows <= 384 ? 384
                       : 512;
}

template <class T, int ROWS, int C> cudaError_t launch (const svd_values_args<T> &v, int smem_limit)
{
  constexpr int R = ROWS / 32, WARPS = warps_of<T> (ROWS);
  const division part = divide<T> (v.a.rows, v.a.columns, WARPS, ROWS, smem_limit);
  const auto kernel = bidiagonal_kernel<T, R, WARPS, C>;
  const cudaError_t error = allow_shared (kernel, part.bytes);
  if (error != cudaSuccess)
    return error;
  kernel<<<(unsigned)v.a.pages, 32 * WARPS, part.bytes, v.stream>>> (v, part.far);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool svd_bidiagonal_rest (int rows, int columns, int smem_limit)
{
  return divide<T> (rows, columns, MOST_WARPS, rows + 128, smem_limit).far > 0;
}

bool svd_bidiagonal_fits (int64_t type_size, int rows, int columns, int smem_limit)
{
  const auto fits = [&] (auto zero) {
    typedef decltype (zero) T;
    return divide<T> (rows, columns, warps_of<T> (rows), padded_rows (rows), smem_limit).bytes +
               512 <=
           (size_t)smem_limit;
  };
  return type_size == 4    ? fits (0.0f)
         : type_size == 16 ? fits (cx<double> ())
                           : fits (0.0); // complex pages of single precision take as much
}

template <class T> cudaError_t svd_bidiagonal (const svd_values_args<T> &v, int smem_limit)
{
  constexpr bool wide = sizeof (T) == 16, narrow = sizeof (T) == 4;
  if (v.a.rows <= 64)
    return launch < T, 64, wide ? 2 : 4 > (v, smem_limit);
  if (v.a.rows <= 128)
    return launch < T, 128, wide ? 2 : 4 > (v, smem_limit);
  if (v.a.rows <= 192)
    return launch < T, 192, narrow ? 4 : 2 > (v, smem_limit);
  if (v.a.rows <= 256)
    return launch < T, 256, narrow ? 2 : 1 > (v, smem_limit);
  if (v.a.rows <= 384)
    return launch < T, 384, narrow || wide ? 1 : 2 > (v, smem_limit);
  return launch < T, 512, narrow || wide ? 1 : 2 > (v, smem_limit);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool svd_bidiagonal_rest<T> (int, int, int);                                            \
  template cudaError_t svd_bidiagonal (const svd_values_args<T> &, int);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
