// small.cu: whole eigenproblems of up to 32 rows, 2, 4, 8, 16 or 32 lanes per page, in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads as prepare.cu does, reduces to tridiagonal form (LAPACK's ?hetd2, lower), solves by divide
// and conquer from pairs of rows upwards, and transforms back. A is read once,
// results are written once.

#include "common/phase.cuh"
#include "eig_kernels.cuh"
#include "hetrd.cuh"
#include "stedc_lanes.cuh"
#include "warp_page.cuh"

namespace
{

// Warps of a block, as measured: warps that start together share instructions in the cache, but
// large blocks leave shared memory unused.
template <class T, int P>
constexpr int small_warps = P == 32 && sizeof (T) == 16                      ? 3
                            : P == 16 && !is_complex_v<T> && sizeof (T) == 8 ? 8
                            : P == 16 && !is_complex_v<T>                    ? 2
                            : P >= 16                                        ? 4
                                                                             : 2;

// Blocks of a multiprocessor that __launch_bounds__ demands; 0: no demand. With two registers more
// only one block of type d would fit instead of two. Type z fits three times without spilling; left
// alone the compiler spills to fit four, which is slower.
template <class T, int P>
constexpr int small_blocks = P != 16                               ? 0
                             : sizeof (T) == 16                    ? 3
                             : sizeof (T) == 8 && !is_complex_v<T> ? 2
                                                                   : 0;

// Shared memory of a warp: the pages of its groups of P lanes, column j of a page at j*ld, three
// vectors, then what merge_lanes needs.
template <class T, int P, bool VECTORS> struct small_layout {
  typedef real_t<T> R;
  typedef lanes_shape<P, !VECTORS, !VECTORS> shape;
  static constexpr int ld = P + 1, groups = STEDC_LANES / P;
  static constexpr size_t page_bytes = (groups * P * ld * sizeof (T) + 15) / 16 * 16;
  static constexpr size_t bytes =
      page_bytes + STEDC_LANES * sizeof (row_values<T>) + lanes_bytes<R, shape> ();
  T *S; // of this lane's group
  row_values<T> *rows;
  R *Z;
  unsigned char *rest;
  GLA_DEVICE small_layout (unsigned char *base, int group)
  {
    row_values<T> *all = reinterpret_cast<row_values<T> *> (base + page_bytes);
    S = reinterpret_cast<T *> (base) + group * P * ld;
    rows = all + group * P;
    Z = reinterpret_cast<R *> (all + STEDC_LANES);
    rest = reinterpret_cast<unsigned char *> (Z + STEDC_LANES * shape::LD);
  }
};

template <class T, int P> GLA_DEVICE T from_group (T a, int i)
{
  int lane = (threadIdx.x % STEDC_LANES & ~(P - 1)) + i;
  if constexpr (is_complex_v<T>)
    return {__shfl_sync (0xffffffffu, a.x, lane), __shfl_sync (0xffffffffu, a.y, lane)};
  else
    return __shfl_sync (0xffffffffu, a, lane);
}

// Row i of a tridiagonal matrix and its reflector.
template <class T> struct small_row {
  real_t<T> d, e;
  T tau;
};

// Columns j, ..., j + GROUP-1 of the pass, all read before one is written. The first group may have
// columns up to k, where w and both v are 0: they stay as they are. So does column 0 in place of
// -1.
template <int GROUP, class T, int P, bool VECTORS>
GLA_DEVICE void update_and_multiply (const small_layout<T, P, VECTORS> &s, int j, T v, T w, T &y)
{
  row_values<T> other[GROUP];
  T *entry[GROUP], value[GROUP];
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    int column = GROUP > 1 && j + q < 0 ? 0 : j + q;
    entry[q] = s.S + column * small_layout<T, P, VECTORS>::ld + threadIdx.x % P;
    other[q] = s.rows[column];
    value[q] = *entry[q];
  }
#pragma unroll
  for (int q = 0; q < GROUP; q++) {
    value[q] = madd (-w, conj (other[q].old_v), madd (-v, conj (other[q].w), value[q]));
    *entry[q] = value[q];
    y = madd (value[q], other[q].v, y);
  }
}

// Lane i owns row i. Column k gets the pending update A - v w' - w v' and makes the reflector; then
// one pass over the rest applies the update and multiplies by the new v. In S, column k becomes
// the reflector with its zeros and its one.
template <class T, int P, bool VECTORS>
GLA_DEVICE small_row<T> reduce (const small_layout<T, P, VECTORS> &s, int n)
{
  typedef real_t<T> R;
  constexpr int ld = P + 1;
  constexpr int GROUP = P <= 16 && !is_complex_v<T> ? 2 : 1; // as measured
  int i = threadIdx.x % P;
  small_row<T> row = {0, 0, from_real<T> (0)};
  T v = from_real<T> (0), w = from_real<T> (0);
  s.rows[i].v = s.rows[i].w = from_real<T> (0);
  __syncwarp ();
  for (int k = 0; k < n; k++) {
    s.rows[i].old_v = v;
    __syncwarp ();
    T x = from_real<T> (0);
    if (i >= k && i < n)
      x = madd (-w, conj (s.rows[k].old_v), madd (-v, conj (s.rows[k].w), s.S[k * ld + i]));
    if (i == k) {
      row.d = re (x);
      x = from_real<T> (0);
    }
    if (k == n - 1)
      break;
    R square = lane_sum<P> (i > k + 1 ? abs2 (x) : R (0)), up = 1;
    T alpha = from_group<T, P> (x, k + 1);
    bool small = small_column (alpha, square);
    if (__any_sync (0xffffffffu, small)) { // in one page of the warp or another
      up = small ? limits<R>::up : R (1);
      alpha = scale (up, alpha);
      square = lane_sum<P> (i > k + 1 ? abs2 (scale (up, x)) : R (0));
    }
    householder<T> h = make_householder (alpha, square, up);
    T next = i == k + 1 ? from_real<T> (1) : i > k + 1 && i < n ? x * h.factor : from_real<T> (0);
    if (i == k) {
      row.e = h.beta;
      row.tau = h.tau;
    }
    s.rows[i].v = next;
    __syncwarp ();
    T y = from_real<T> (0);
    if (i > k && i < n)
#pragma unroll(4 / GROUP)
      for (int j = n - (n - k + GROUP - 2) / GROUP * GROUP; j < n; j += GROUP)
        update_and_multiply<GROUP> (s, j, v, w, y);
    s.S[k * ld + i] = next;
    // w = tau y - |tau|^2/2 (v'y) v; v'y is real
    R form = lane_sum<P> (re (cmadd (next, y, from_real<T> (0)))) * (R (-0.5) * abs2 (h.tau));
    v = next;
    w = h.tau * y + scale (form, v);
    __syncwarp ();
    s.rows[i].w = w;
  }
  __syncwarp ();
  return row;
}

// Column `rank` of V from this lane's column z of eigenvectors of the tridiagonal matrix. The
// lane keeps it in registers and applies the reflectors, which all lanes read at once.
template <class T, int P>
GLA_DEVICE void back_transform (const small_layout<T, P, true> &s, const real_t<T> *z, int n,
                                T my_tau, int rank, bool absent, bool phase)
{
  constexpr int ld = P + 1, R4 = P < 4 ? P : 4;
  T x[P];
#pragma unroll
  for (int r = 0; r < P; r++)
    x[r] = from_real<T> (z[r]);
  for (int k = n - 2; k >= 0; k--) {
    const T *v = s.S + k * ld;
    T tau = from_group<T, P> (my_tau, k), sum[R4] = {};
#pragma unroll
    for (int r = 0; r < P; r += R4)
      if (r + R4 > k + 1)
#pragma unroll
        for (int q = r; q < r + R4; q++)
          sum[q - r] = cmadd (v[q], x[q], sum[q - r]);
    T dot = sum[0];
#pragma unroll
    for (int q = 1; q < R4; q++)
      dot = dot + sum[q];
    dot = -(tau * dot);
#pragma unroll
    for (int r = 0; r < P; r += R4)
      if (r + R4 > k + 1)
#pragma unroll
        for (int q = r; q < r + R4; q++)
          x[q] = madd (dot, v[q], x[q]);
  }
  if (phase)
    column_phase<1, 1> (x, [] (int r) { return r; });
  __syncwarp ();
  if (!absent)
#pragma unroll
    for (int r = 0; r < P; r++)
      s.S[rank * ld + r] = x[r];
  __syncwarp ();
}

// P lanes own a page of n <= P rows; lanes n..P-1 hold rows that couple to nothing. In turn, lane i
// owns row i of A, row i of T, column i of the eigenvectors of T, and column i of V.
template <class T, int P, bool VECTORS>
__global__ void __launch_bounds__ (small_warps<T, P> *STEDC_LANES, small_blocks<T, P>)
    small_kernel (eig_args<T> a, int *any)
{
  typedef real_t<T> R;
  typedef small_layout<T, P, VECTORS> layout;
  extern __shared__ __align__ (16) unsigned char memory[];
  int lane = threadIdx.x % STEDC_LANES, warp = threadIdx.x / STEDC_LANES, i = lane % P, n = a.n;
  layout s (memory + warp * layout::bytes, lane / P);
  stedc_workspace<R> w (s.rest, STEDC_LANES, true);
  int64_t page = ((int64_t)blockIdx.x * small_warps<T, P> + warp) * layout::groups + lane / P;
  bool inside = page < a.pages;
  page = inside ? page : a.pages - 1; // groups beyond the end repeat the last page

  square_page<T> both = {s.S, layout::ld};
  page_found<R> found = read_page<T, P, 1> (a, a.A + page * a.page_a, both, 0);
  small_row<T> row = reduce (s, n);
  R before = __shfl_up_sync (0xffffffffu, row.e, 1);
  R d = i < n ? row.d - absmax (row.e) - (i > 0 ? absmax (before) : R (0)) : R (0);
  bool absent = i >= n;
  R tol = a.tol > limits<R>::eps ? a.tol : limits<R>::eps;
  bool settled = solve_lanes<R, typename layout::shape> (w, s.Z, row.e, tol, d, absent, n);

  int rank = 0;
#pragma unroll
  for (int j = 0; j < P; j++) {
    R other = from_group<R, P> (d, j);
    bool present = from_group<int, P> (!absent, j);
    rank += present && (other < d || (other == d && j < i));
  }
  int unsettled = group_max<P> (settled ? 0 : i + 1);
  if (found.info == 0)
    found.info = unsettled > n ? n : unsettled;
  bool failed = found.info != 0;
  if constexpr (VECTORS)
    back_transform (s, s.Z + lane * layout::shape::LD, n, row.tau, rank, absent, a.phase);
  if (!inside)
    return;
  R nothing = R (nan (""));
  bool wanted = !eig_in_part (a) || (rank >= a.first && rank < a.first + a.wanted);
  if (!absent && wanted)
    a.lambda[page * a.page_lambda + rank * a.inc_lambda] =
        failed ? nothing : times_power (d, found.exponent);
  if (i == 0) {
    a.info[page] = found.info;
    a.skew[page] = found.skew;
    if (found.info != 0)
      *any = 1;
  }
  if (VECTORS && i < n) {
    T *V = a.V + page * a.page_v + i;
    for (int c = a.first; c < a.first + a.wanted; c++)
      V[c * a.ldv] = failed ? from_real<T> (nothing) : s.S[c * layout::ld + i];
  }
}

template <class T, int P, bool VECTORS> cudaError_t launch_kernel (const eig_args<T> &a, int *any)
{
  typedef small_layout<T, P, VECTORS> layout;
  constexpr int warps = small_warps<T, P>;
  size_t bytes = warps * layout::bytes;
  cudaError_t status = allow_shared (small_kernel<T, P, VECTORS>, bytes);
  if (status != cudaSuccess)
    return status;
  int64_t per_block = warps * layout::groups, blocks = (a.pages + per_block - 1) / per_block;
  small_kernel<T, P, VECTORS><<<(unsigned)blocks, warps * STEDC_LANES, bytes, a.stream>>> (a, any);
  return cudaGetLastError ();
}

template <class T, int P> cudaError_t launch (const eig_args<T> &a, int *any)
{
  return a.vectors ? launch_kernel<T, P, true> (a, any) : launch_kernel<T, P, false> (a, any);
}

} // namespace

template <class T> cudaError_t eig_small (const eig_args<T> &a, int *any)
{
  if (a.n <= 2)
    return launch<T, 2> (a, any);
  if (a.n <= 4)
    return launch<T, 4> (a, any);
  if (a.n <= 8)
    return launch<T, 8> (a, any);
  if (a.n <= 16)
    return launch<T, 16> (a, any);
  return launch<T, 32> (a, any);
}

template cudaError_t eig_small (const eig_args<float> &, int *);
template cudaError_t eig_small (const eig_args<double> &, int *);
template cudaError_t eig_small (const eig_args<cx<float>> &, int *);
template cudaError_t eig_small (const eig_args<cx<double>> &, int *);
