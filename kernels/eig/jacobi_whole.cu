// jacobi_whole.cu: one-sided Jacobi on a Cholesky factor, pages of up to 16 rows in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks and scales as prepare.cu does, factors as jacobi_factor.cu does, and continues as
// jacobi_lanes.cu does. For small pages three launches take longer than the work of the kernels.
// Called by eig_chunk.cu.

#include "eig_kernels.cuh"
#include "jacobi.cuh"
#include "warp_page.cuh"

namespace
{

// P lanes factor the page in S, a row each: column j begins at j*LD, and entries outside of the
// page are 0. A lane keeps its row of L in registers; a step corrects the pivot's column by the
// previous steps.
template <class T, int P> struct lanes_factor {
  typedef real_t<T> R;
  static constexpr int LD = P + 1;
  static constexpr unsigned ALL = 0xffffffffu;
  T *S;
  int n, i, base; // i: this lane's row; base: the first lane of the page
  T l[P];

  GLA_DEVICE lanes_factor (T *S, int n)
      : S (S), n (n), i (threadIdx.x % P), base (threadIdx.x % 32 - i)
  {
  }
  // Whether it holds in a lane of the page.
  GLA_DEVICE bool any (bool here) const
  {
    const unsigned page_lanes = P == 32 ? ALL : ((1u << P % 32) - 1) << base;
    return (__ballot_sync (ALL, here) & page_lanes) != 0;
  }

  GLA_DEVICE bool is_diagonal () const
  {
    bool other = false;
#pragma unroll
    for (int j = 0; j < P; j++)
      other |= j != i && absmax (S[j * LD + i]) > 0;
    return !any (other);
  }

  GLA_DEVICE R norm () const
  {
    R square = 0;
#pragma unroll
    for (int j = 0; j < P; j++)
      square += abs2 (S[j * LD + i]);
    return sqrt_of (lane_sum<P> (square));
  }

  // No eigenvalue is below minus this: by the rows of W (Gershgorin), the columns of W*W, and the
  // norm (see jacobi_factor.cu).
  GLA_DEVICE R lower_bound (R norm) const
  {
    T column[P];
    R rows = 0, squares = 0;
#pragma unroll
    for (int j = 0; j < P; j++) {
      column[j] = S[i * LD + j];
      rows += j == i ? -re (column[j]) : sqrt_of (abs2 (column[j]));
    }
    for (int r = 0; r < n; r++) {
      T sum = from_real<T> (0);
#pragma unroll
      for (int k = 0; k < P; k++)
        sum = madd (S[k * LD + r], column[k], sum);
      squares += sqrt_of (abs2 (sum));
    }
    rows = group_max<P> (rows > 0 ? rows : R (0));
    squares = sqrt_of (group_max<P> (squares));
    const R bound = squares < rows ? squares : rows;
    return bound < norm ? bound : norm;
  }

  // The lane whose diagonal entry is the largest, of equal ones the first.
  GLA_DEVICE int longest (R diagonal) const
  {
    int at = i;
#pragma unroll
    for (int mask = P / 2; mask > 0; mask /= 2) {
      const R other = shuffle_xor (diagonal, mask);
      const int there = shuffle_xor (at, mask);
      if (other > diagonal || (other == diagonal && there < at)) {
        diagonal = other;
        at = there;
      }
    }
    return base + at;
  }

  // L of W + shift*I, unless the page is `resting`. Whether all pivots kept digits of their
  // diagonal entries.
  GLA_DEVICE bool factor (R shift, bool resting)
  {
    const R lost = 8 * n * limits<R>::eps;
    const R whole = i < n ? re (S[i * LD + i]) + shift : R (-1);
    R diagonal = whole;
    bool good = true, placed = i >= n;
#pragma unroll
    for (int k = 0; k < P; k++) {
      if (k >= n)
        break;
      const int c = longest (diagonal);
      const R pivot = from_lane (diagonal, c), all_of_it = from_lane (whole, c);
      good = good && pivot > lost * all_of_it;
      if (!__any_sync (ALL, good && !resting))
        break;
      T value = S[(c - base) * LD + i];
#pragma unroll
      for (int m = 0; m < k; m++)
        value = madd (-l[m], conj (from_lane (l[m], c)), value);
      const R inverse = rsqrt_of (good ? pivot : R (1));
      const bool mine = base + i == c;
      value = mine     ? from_real<T> (pivot * inverse)
              : placed ? from_real<T> (0)
                       : scale (inverse, value);
      placed |= mine;
      diagonal = placed ? R (-1) : diagonal - abs2 (value);
      l[k] = resting ? l[k] : value;
    }
    return good;
  }

  // The shift with which the page has been factored; NaN where it is diagonal. Then, and where it
  // is `failed`, S stays as it is, else it becomes L. Without a shift first; then with the bound
  // and a sixteenth of it, which at most doubles the largest eigenvalue, and makes the smallest one
  // a part of it.
  GLA_DEVICE R run (bool failed)
  {
    const bool diagonal = is_diagonal ();
    bool done = diagonal || failed;
    R shift = 0;
#pragma unroll
    for (int k = 0; k < P; k++)
      l[k] = from_real<T> (0);
    for (int attempt = 0;; attempt++) {
      const bool good = factor (shift, done);
      done |= good;
      if (attempt == 3 || !__any_sync (ALL, !done))
        break;
      const R size = norm ();
      const R bound = attempt == 0 ? lower_bound (size) : (1 << attempt) * size;
      if (!done)
        shift = R (1.0625) * bound > size / 16 ? R (1.0625) * bound : size / 16;
    }
    __syncwarp ();
    if (!diagonal && !failed)
#pragma unroll
      for (int k = 0; k < P; k++)
        S[k * LD + i] = l[k];
    __syncwarp ();
    return diagonal ? R (NAN) : shift;
  }
};

// Blocks of a multiprocessor that __launch_bounds__ demands. Type z of 16 rows spills a kilobyte of
// a thread so that four blocks fit.
template <class T, int P>
constexpr int whole_blocks = P == 16 && sizeof (T) == 16
                                 ? 3
                                 : svd_lanes_blocks<svd_page<T, P, P, 1, false>, SVD_LANES_WARPS>;

// P lanes have a page, and a warp has pages as in svd_lanes_kernel.
template <class T, int P>
__global__ void __launch_bounds__ (32 * SVD_LANES_WARPS, whole_blocks<T, P>)
    whole_kernel (svd_args<T> a, eig_args<T> e, int *any)
{
  typedef real_t<T> R;
  typedef jacobi_page<T, P, P, 1> page_type;
  constexpr int LD = lanes_factor<T, P>::LD;
  __shared__ svd_shared<T, 1> shared;
  __shared__ __align__ (16) unsigned char memory[SVD_LANES_WARPS * 32 / P * P * LD * sizeof (T)];
  const svd_lanes_place at = svd_place_lanes<P, 1> (a.pages);
  const int64_t page = at.page;
  T *S = reinterpret_cast<T *> (memory) + threadIdx.x / P * P * LD;
#pragma unroll
  for (int j = 0; j < P; j++)
    S[j * LD + threadIdx.x % P] = from_real<T> (0);
  __syncwarp ();
  const square_page<T> whole = {S, LD};
  const page_found<R> found = read_page<T, P, 1> (e, e.A + page * e.page_a, whole, 0);
  const R shift = lanes_factor<T, P> (S, e.n).run (found.info != 0);

  a.A = {S, LD, 0};
  svd_parts<T, 1> parts (&shared);
  page_type p (a, parts);
  p.exponent = found.exponent;
  p.load (0);
  const int open = p.iterate ();
  p.settle ();
  if (e.vectors)
    p.complete ();
  p.order (S, LD, shift);
  if (e.vectors && e.phase) {
    p.fix_phase (0);
    p.fix_phase (1);
  }
  const int info = found.info != 0 ? found.info : open > a.columns ? a.columns : open;
  if (!at.inside)
    return;
  p.store (e, page, info != 0, 0);
  p.store (e, page, info != 0, 1);
  if (threadIdx.x % P != 0)
    return;
  e.info[page] = info;
  e.skew[page] = found.skew;
  if (info != 0)
    *any = 1;
}

template <class T, int P> cudaError_t launch (const eig_args<T> &e, int *any)
{
  const int64_t per_block = SVD_LANES_WARPS * (32 / P);
  whole_kernel<T, P>
      <<<(unsigned)((e.pages + per_block - 1) / per_block), 32 * SVD_LANES_WARPS, 0, e.stream>>> (
          jacobi_sweeps_of (e), e, any);
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t eig_jacobi_whole (const eig_args<T> &e, int *any)
{
  return e.n <= 4   ? launch<T, 4> (e, any)
         : e.n <= 8 ? launch<T, 8> (e, any)
                    : launch<T, 16> (e, any);
}

template cudaError_t eig_jacobi_whole (const eig_args<float> &, int *);
template cudaError_t eig_jacobi_whole (const eig_args<double> &, int *);
template cudaError_t eig_jacobi_whole (const eig_args<cx<float>> &, int *);
template cudaError_t eig_jacobi_whole (const eig_args<cx<double>> &, int *);
