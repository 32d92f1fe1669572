// hetrd_shared.cu: Householder tridiagonalisation with the trailing matrix in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The unblocked method of LAPACK's ?hetd2/?sytd2 (lower), arranged for one pass over the matrix
// per column: the rank-2 update of one column and the matrix-vector product of the next one read
// and write each entry below the diagonal once, and use it for both sides of the product.

#include "hetrd.cuh"

namespace
{

// Warps of a block at most, and neighbouring columns that a warp works on together.
enum { MAX_WARPS = 8, GROUP = 4 };

// Shared memory of one block: the strict lower triangle packed by columns, then vectors. Entries of
// v, u and w belong to the warp that owns the column of that number.
template <class T> struct shared_layout {
  T *v, *u, *w, *y, *part, *A;
  int n, pad;
  GLA_DEVICE shared_layout (unsigned char *base, int order, int warps, int missing)
      : n (order), pad (missing / GROUP * GROUP)
  {
    v = reinterpret_cast<T *> (base);
    u = v + n;
    w = u + n;
    y = w + n;
    part = y + n;
    A = part + warps * n;
  }
  // The row that this lane has in chunk c of 32. The first chunk is the one that is not full, and
  // so the one that is soon done with; a group of columns has its diagonal in one chunk.
  GLA_DEVICE int row (int c) const { return 32 * c + (int)(threadIdx.x % 32) - pad; }
  // Whether chunk c has rows k and above; the others are done with.
  GLA_DEVICE bool live (int c, int k) const { return 32 * c + 31 - pad >= k; }
  // entry (i, j) is column (j)[i], i > j
  GLA_DEVICE T *column (int j) const { return A + (j * (n - 2) - j * (j - 1) / 2 - 1); }
};

template <class T> size_t shared_bytes (int n, int warps)
{
  return ((size_t)n * (n - 1) / 2 + (size_t)(4 + warps) * n) * sizeof (T);
}

// Place i of a vector that a warp holds in registers. Chosen after the exchange: chosen before it,
// the vector would be put into local memory to be indexed.
template <class T, int C> GLA_DEVICE T row_of (const T (&a)[C], int i)
{
  T value = from_lane (a[0], i % 32);
#pragma unroll
  for (int c = 1; c < C; c++) {
    T other = from_lane (a[c], i % 32);
    value = c == i / 32 ? other : value;
  }
  return value;
}

// Vectors that every warp holds, place c for the row of chunk c: v of this column, u and w of the
// pending update A - u w' - w u', the diagonal of the trailing matrix.
template <class T, int C> struct shared_rows {
  T v[C], u[C], w[C];
  real_t<T> diagonal[C];
};

// Column k with the pending update, and from it the reflector; v below row k, 0 above. wk is row k
// of w.
template <class T, int C>
GLA_DEVICE householder<T> next_reflector (const shared_layout<T> &s, int k, T wk,
                                          shared_rows<T, C> &r)
{
  typedef real_t<T> R;
  const T *column = s.column (k);
  R square = 0;
#pragma unroll
  for (int c = 0; c < C; c++) {
    int i = s.row (c);
    r.v[c] = from_real<T> (0);
    if (s.live (c, k)) {
      if (i > k && i < s.n)
        r.v[c] = column[i] - madd (r.u[c], conj (wk), r.w[c]);
      square += i > k + 1 ? abs2 (r.v[c]) : R (0);
    }
  }
  square = lane_sum<32> (square);
  T alpha = row_of (r.v, k + 1 + s.pad);
  R up = 1;
  if (small_column (alpha, square)) {
    up = limits<R>::up;
    alpha = scale (up, alpha);
    square = 0;
#pragma unroll
    for (int c = 0; c < C; c++)
      square += s.row (c) > k + 1 ? abs2 (scale (up, r.v[c])) : R (0);
    square = lane_sum<32> (square);
  }
  householder<T> h = make_householder (alpha, square, up);
#pragma unroll
  for (int c = 0; c < C; c++)
    if (s.live (c, k))
      r.v[c] = s.row (c) == k + 1 ? from_real<T> (1) : r.v[c] * h.factor;
  return h;
}

// GROUP neighbouring columns of the pass, from j on: rows of chunk FIRST and below, without a
// branch, so that the loads of all chunks are under way together. Row sums go on in y.
template <int FIRST, class T, int C>
GLA_DEVICE void multiply_group (const shared_layout<T> &s, int j, int k, const shared_rows<T, C> &r,
                                T (&y)[C], T (&sum)[GROUP])
{
  T v[GROUP], u[GROUP], w[GROUP], *column[GROUP];
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    int own = j + q < s.n ? j + q : j;
    sum[q] = from_real<T> (0);
    v[q] = s.v[own];
    u[q] = conj (s.u[own]);
    w[q] = conj (s.w[own]);
    column[q] = s.column (own);
  }
#pragma unroll
  for (int c = FIRST; c < C; c++) {
    int i = s.row (c);
    T value[GROUP];
#pragma unroll
    for (int q = 0; q < GROUP; q++) {
      value[q] = from_real<T> (0);
      if ((c > FIRST || i > j + q) && i < s.n)
        value[q] = column[q][i];
    }
#pragma unroll
    for (int q = 0; q < GROUP; q++) {
      bool below = (c > FIRST || i > j + q) && i < s.n;
      T updated = value[q] - madd (r.u[c], w[q], r.w[c] * u[q]);
      if (below && j + q > k)
        column[q][i] = updated;
      if (c == FIRST) // beyond n, v, u and w are 0
        updated = below ? updated : from_real<T> (0);
      y[c] = madd (updated, v[q], y[c]);
      sum[q] = cmadd (updated, r.v[c], sum[q]);
    }
  }
}

template <int FIRST, class T, int C>
GLA_DEVICE void multiply_from (const shared_layout<T> &s, int j, int k, const shared_rows<T, C> &r,
                               T (&y)[C], T (&sum)[GROUP])
{
  if constexpr (FIRST + 1 < C)
    if (j + s.pad >= 32 * (FIRST + 1))
      return multiply_from<FIRST + 1> (s, j, k, r, y, sum);
  multiply_group<FIRST> (s, j, k, r, y, sum);
}

// The pass: groups of columns first, first + GROUP * warps, ... of this warp. Row sums of the
// product stay in registers over the whole pass; column sums replace v in shared memory. In the
// first group, columns up to k are done with: v is 0 there, and nothing is stored, because other
// warps may still read column k.
template <class T, int C>
GLA_DEVICE void update_and_multiply (const shared_layout<T> &s, int first, int k, int warps,
                                     const shared_rows<T, C> &r, T (&y)[C])
{
  int lane = threadIdx.x % 32;
  for (int j = first; j < s.n; j += GROUP * warps) {
    T sum[GROUP];
    multiply_from<0> (s, j, k, r, y, sum);
    T total = lane_sums (sum);
    __syncwarp (); // every lane has read v
    if (lane < GROUP && j + lane < s.n)
      s.v[j + lane] = total;
  }
}

// One block per page and the page in shared memory. Columns belong to warps in turn, GROUP
// neighbours to each, and lanes run along the rows. Every warp holds the vectors of the present
// column whole, in registers, and computes them redundantly with the same bits; what warps exchange
// is the partial products, so that a column takes two barriers.
// FULL: all C chunks have 32 rows.
template <class T, int C, bool FULL>
__global__ void __launch_bounds__ (32 * MAX_WARPS) hetrd_shared_kernel (eig_args<T> a, int origin)
{
  typedef real_t<T> R;
  extern __shared__ __align__ (16) unsigned char memory[];
  int ld = a.n, n = a.n - origin;
  int64_t page = blockIdx.x;
  R *d = a.d + page * ld + origin, *e = a.e + page * ld + origin;
  if (a.info[page] != 0) { // a page that cannot be solved; what follows finds zeros
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      d[i] = e[i] = 0;
    return;
  }
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  shared_layout<T> s (memory, n, warps, FULL ? 0 : 32 * C - n);
  T *global = a.W + (page * ld + origin) * ld + origin;
  T *tau = a.tau + page * ld + origin;
  for (int j = warp; j < n; j += warps)
    for (int i = j + 1 + lane; i < n; i += 32)
      s.column (j)[i] = global[(int64_t)j * ld + i];

  shared_rows<T, C> r;
  unsigned own = 0; // bit c: the column of chunk c is this warp's
#pragma unroll
  for (int c = 0; c < C; c++) {
    int i = s.row (c);
    r.v[c] = r.u[c] = r.w[c] = from_real<T> (0);
    bool inside = i >= 0 && i < n;
    r.diagonal[c] = inside ? re (global[(int64_t)i * ld + i]) : R (0);
    own |= (unsigned)(inside && i / GROUP % warps == warp) << c;
  }
  __syncthreads ();

  int first = GROUP * warp; // the warp's first group with columns of the trailing matrix
  T wk = from_real<T> (0);
  for (int k = 0; k < n - 1; k++) {
    householder<T> h = next_reflector (s, k, wk, r);
    if (warp == k % warps) {
      if (lane == 0) {
        e[k] = h.beta;
        tau[k] = h.tau;
      }
      if (a.vectors)
#pragma unroll
        for (int c = 0; c < C; c++)
          if (s.row (c) > k + 1 && s.row (c) < n)
            global[(int64_t)k * ld + s.row (c)] = r.v[c];
    }

    first += first + GROUP <= k + 1 ? GROUP * warps : 0;
    T y[C];
#pragma unroll
    for (int c = 0; c < C; c++) {
      int i = s.row (c);
      if (s.live (c, k))
        r.diagonal[c] -= 2 * re (r.u[c] * conj (r.w[c]));
      y[c] = scale (warp == 0 ? r.diagonal[c] : R (0), r.v[c]);
      if (own >> c & 1) {
        s.v[i] = r.v[c];
        s.u[i] = r.u[c];
        s.w[i] = r.w[c];
      }
    }
    __syncwarp ();
    update_and_multiply (s, first, k, warps, r, y);
#pragma unroll
    for (int c = 0; c < C; c++)
      if (s.row (c) > k && s.row (c) < n)
        s.part[warp * n + s.row (c)] = y[c];
    __syncthreads ();
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
      T sum = s.v[i];
#pragma unroll
      for (int g = 0; g < MAX_WARPS; g++)
        sum = sum + (g < warps ? s.part[g * n + i] : from_real<T> (0));
      s.y[i] = sum;
    }
    __syncthreads ();

    // w = tau y - |tau|^2/2 (v'y) v; v'y is real
    R form = 0;
#pragma unroll
    for (int c = 0; c < C; c++) {
      int i = s.row (c);
      y[c] = i > k && i < n ? s.y[i] : from_real<T> (0);
      form += re (conj (r.v[c]) * y[c]);
    }
    form = lane_sum<32> (form) * abs2 (h.tau) / 2;
    wk = h.tau * s.y[k + 1] - from_real<T> (form); // v is 1 there
#pragma unroll
    for (int c = 0; c < C; c++)
      if (s.live (c, k)) {
        r.w[c] = h.tau * y[c] - scale (form, r.v[c]);
        r.u[c] = r.v[c];
      }
  }
#pragma unroll
  for (int c = 0; c < C; c++)
    if (warp == 0 && s.row (c) >= 0 && s.row (c) < n)
      d[s.row (c)] = r.diagonal[c] - (s.row (c) == n - 1 ? 2 * re (r.u[c] * conj (r.w[c])) : R (0));
}

template <class T, int C, bool FULL>
cudaError_t launch_kernel (const eig_args<T> &a, int origin, int warps)
{
  size_t bytes = shared_bytes<T> (a.n - origin, warps);
  cudaError_t status = allow_shared (hetrd_shared_kernel<T, C, FULL>, bytes);
  if (status != cudaSuccess)
    return status;
  hetrd_shared_kernel<T, C, FULL><<<(unsigned)a.pages, 32 * warps, bytes, a.stream>>> (a, origin);
  return cudaGetLastError ();
}

// Complex double pays for rows that may be missing, as measured, and has a kernel without them.
template <class T, int C> cudaError_t launch_chunks (const eig_args<T> &a, int origin, int warps)
{
  if constexpr (sizeof (T) == 16)
    if (a.n - origin == 32 * C)
      return launch_kernel<T, C, true> (a, origin, warps);
  return launch_kernel<T, C, false> (a, origin, warps);
}

// C is the number of 32-row chunks; rows up to 32 C are held, so C is the next one compiled.
template <class T> cudaError_t launch (const eig_args<T> &a, int origin, int warps)
{
  int n = a.n - origin;
  if (n <= 32)
    return launch_chunks<T, 1> (a, origin, warps);
  if (n <= 64)
    return launch_chunks<T, 2> (a, origin, warps);
  if (n <= 96)
    return launch_chunks<T, 3> (a, origin, warps);
  if (n <= 128)
    return launch_chunks<T, 4> (a, origin, warps);
  if (n <= 160)
    return launch_chunks<T, 5> (a, origin, warps);
  if constexpr (sizeof (T) <= 8) {
    if (n <= 192)
      return launch_chunks<T, 6> (a, origin, warps);
    if (n <= 256)
      return launch_chunks<T, 8> (a, origin, warps);
    if constexpr (sizeof (T) <= 4)
      return launch_chunks<T, 10> (a, origin, warps);
  }
  return cudaErrorInvalidValue;
}

// Warps of a block, as measured: few for small pages, of which several share a multiprocessor.
template <class T> int warps_for (int n)
{
  if (sizeof (T) == 16)
    return n <= 40 ? 1 : n <= 56 ? 2 : n <= 112 ? 4 : MAX_WARPS;
  return n <= 56 ? 1 : n <= 88 ? 2 : n <= (is_complex_v<T> ? 144 : 160) ? 4 : MAX_WARPS;
}

} // namespace

template <class T> int hetrd_shared_limit (int smem_limit)
{
  int n = 32 * (sizeof (T) <= 4 ? 10 : sizeof (T) <= 8 ? 8 : 5);
  while (n > 2 && shared_bytes<T> (n, warps_for<T> (n)) > (size_t)smem_limit)
    n--;
  return n;
}

template <class T> cudaError_t hetrd_shared (const eig_args<T> &a, int origin)
{
  return launch (a, origin, warps_for<T> (a.n - origin));
}

template int hetrd_shared_limit<float> (int);
template int hetrd_shared_limit<double> (int);
template int hetrd_shared_limit<cx<float>> (int);
template int hetrd_shared_limit<cx<double>> (int);
template cudaError_t hetrd_shared (const eig_args<float> &, int);
template cudaError_t hetrd_shared (const eig_args<double> &, int);
template cudaError_t hetrd_shared (const eig_args<cx<float>> &, int);
template cudaError_t hetrd_shared (const eig_args<cx<double>> &, int);
