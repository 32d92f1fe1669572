// unmtr_page.cu: eigenvectors V = Q Z of small pages, all reflectors of a page in shared memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "few.cuh"
#include "common/phase.cuh"

namespace
{

// Rows that a lane has side by side.
enum { NEAR = 4 };

// Lanes of a column where n is up to 64, as measured.
template <class T> constexpr int lanes_of_small = sizeof (T) == 16 ? 2 : 4;

// Blocks of a multiprocessor that __launch_bounds__ demands; 0: no demand. Left alone the compiler
// takes registers for the phase that cost the largest pages with two lanes per column a block.
template <int S, int ROWS> constexpr int page_blocks = S == 2 && ROWS == 32 ? 3 : 0;

// The reflectors of a page of n rows, one after the other, in elements: reflector k from row
// first (k) on, with its one and the zeros above it, to the last row of the last round of rows.
template <int S> struct reflector_list {
  static constexpr int ROUND = S * NEAR; // rows that S lanes have at a time
  int rows;
  __host__ __device__ reflector_list (int n) : rows ((n + ROUND - 1) / ROUND * ROUND) {}
  __host__ __device__ int first (int k) const { return (k + 1) / ROUND * ROUND; }
  // where reflector k begins
  __host__ __device__ int offset (int k) const
  {
    int rounds = (k + 1) / ROUND;
    return k * rows - ROUND * (ROUND * (rounds * (rounds - 1) / 2) + (k + 1) % ROUND * rounds);
  }
};

template <class T, int S> size_t shared_bytes (int n)
{
  return reflector_list<S> (n).offset (n - 1) * sizeof (T);
}

template <class T, int S>
GLA_DEVICE void load_reflectors (const eig_args<T> &a, const T *W, reflector_list<S> list, T *to)
{
  int n = a.n;
  for (int k = threadIdx.x / 32; k < n - 1; k += blockDim.x / 32) {
    T *v = to + list.offset (k) - list.first (k);
    for (int i = list.first (k) + threadIdx.x % 32; i < list.rows; i += 32) {
      T value = from_real<T> (real_t<T> (i == k + 1));
      if (i > k + 1 && i < n)
        value = W[k * n + i];
      v[i] = value;
    }
  }
}

// One block per page, S lanes per wanted column of V, which they hold in registers, and as many
// warps as for all columns, which read the reflectors: lane s of them has the rows NEAR*(s + S*q)
// and the next ones, in rounds q. Reflectors are read from shared memory, by all columns at once,
// and applied with a dot product over the S lanes each; those from row k+1 on leave the rounds
// before it alone.
template <class T, int S, int ROWS>
__global__ void __launch_bounds__ (S *S *ROWS, page_blocks<S, ROWS>)
    unmtr_page_kernel (eig_args<T> a)
{
  typedef real_t<T> R;
  constexpr bool keep = ROWS * sizeof (T) <= 192; // whether a reflector fits in registers as well
  constexpr int APART = S == 2 ? 1 : 32 / S;      // between the lanes of a column, as measured
  extern __shared__ __align__ (16) unsigned char memory[];
  T *reflectors = reinterpret_cast<T *> (memory);
  int n = a.n, lane = threadIdx.x % 32, s = lane / APART % S;
  int j = threadIdx.x / 32 * (32 / S) + lane / (APART * S) * APART + lane % APART;
  int64_t page = blockIdx.x;
  const int columns = eig_columns_of (a, page);
  if (eig_applies_alone (a, columns))
    return;
  bool inside = j < columns, failed = a.info[page] != 0;
  j = inside ? j : columns - 1; // lanes beyond the end repeat the last column
  reflector_list<S> list (n);
  const R *z = static_cast<const R *> (a.Z) + (page * n + eig_source_of (a, page, j)) * n;
  const T *tau = a.tau + page * n;
  T x[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = (r / NEAR * S + s) * NEAR + r % NEAR;
    x[r] = from_real<T> (i < n ? z[i] : R (0));
  }
  if (!failed)
    load_reflectors (a, a.W + page * n * n, list, reflectors);
  __syncthreads ();
  if (threadIdx.x / 32 * (32 / S) >= columns)
    return; // this warp has no column

  const T *end = reflectors + list.offset (n - 1);
  for (int k = failed ? -1 : n - 2; k >= 0; k--) {
    T factor = tau[k], sum[NEAR] = {}, kept[keep ? ROWS : 1];
    end -= list.rows - list.first (k);
    const T *v = end - list.first (k) + s * NEAR;
#pragma unroll
    for (int r = 0; r < ROWS; r += NEAR)
      if ((r / NEAR + 1) * S * NEAR > k + 1 && r * S < list.rows)
#pragma unroll
        for (int q = r; q < r + NEAR; q++) {
          T value = v[r * S + q - r];
          if (keep)
            kept[keep ? q : 0] = value;
          sum[q - r] = cmadd (value, x[q], sum[q - r]);
        }
    T dot = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#pragma unroll
    for (int mask = APART; mask < APART * S; mask *= 2)
      dot = dot + shuffle_xor (dot, mask);
    factor = -(factor * dot);
#pragma unroll
    for (int r = 0; r < ROWS; r += NEAR)
      if ((r / NEAR + 1) * S * NEAR > k + 1 && r * S < list.rows)
#pragma unroll
        for (int q = r; q < r + NEAR; q++)
          x[q] = madd (factor, keep ? kept[keep ? q : 0] : v[r * S + q - r], x[q]);
  }
  if (a.phase)
    column_phase<APART, APART * S> (x,
                                    [s] (int r) { return (r / NEAR * S + s) * NEAR + r % NEAR; });

  T *V = a.V + page * a.page_v + eig_place_of (a, page, j) * a.ldv;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = (r / NEAR * S + s) * NEAR + r % NEAR;
    if (inside && i < n)
      V[i] = failed ? from_real<T> (R (nan (""))) : x[r];
  }
}

template <class T, int S, int ROWS> cudaError_t launch (const eig_args<T> &a)
{
  size_t bytes = shared_bytes<T, S> (a.n);
  cudaError_t status = allow_shared (unmtr_page_kernel<T, S, ROWS>, bytes);
  if (status != cudaSuccess)
    return status;
  int threads = (a.n * S + 31) / 32 * 32;
  unmtr_page_kernel<T, S, ROWS><<<(unsigned)a.pages, threads, bytes, a.stream>>> (a);
  return cudaGetLastError ();
}

} // namespace

template <class T> bool eig_unmtr_page_fits (int n, int smem_limit)
{
  size_t bytes = n <= 64 ? shared_bytes<T, lanes_of_small<T>> (n) : shared_bytes<T, 4> (n);
  return n <= 128 && bytes <= (size_t)smem_limit;
}

// By the rows that a lane has at most.
template <class T> cudaError_t eig_unmtr_page (const eig_args<T> &a)
{
  constexpr int S = lanes_of_small<T>;
  if (a.n <= 32)
    return launch<T, S, 32 / S> (a);
  if (a.n <= 48)
    return launch<T, S, 48 / S> (a);
  if (a.n <= 64)
    return launch<T, S, 64 / S> (a);
  if (a.n <= 96)
    return launch<T, 4, 24> (a);
  return launch<T, 4, 32> (a);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template bool eig_unmtr_page_fits<T> (int, int);                                                 \
  template cudaError_t eig_unmtr_page (const eig_args<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
