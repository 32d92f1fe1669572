// large_diamonds.cu: the triangular factors of the diamonds, and Z in the order of the eigenvalues
// SPDX-License-Identifier: GPL-3.0-or-later

#include "large.cuh"
#include "common/reflector.cuh"

namespace
{

enum { B = LARGE_BAND, THREADS = 128, ROWS = 2 * B, LDV = B + 1, LDG = B + 2 };

// Shared memory of a block, in doubles: the columns of the diamond, their products, the factor.
template <bool C> constexpr int PLANE = B *LDG;
template <class T> constexpr size_t factor_bytes ()
{
  return (is_complex_v<T> ? 2 : 1) * (ROWS * LDV + 2 * PLANE<is_complex_v<T>>)*sizeof (double);
}

// Columns of the diamond to shared memory, with their zeros.
template <class E> GLA_DEVICE void load_columns (const E *diamond, E *V)
{
  for (int q = threadIdx.x; q < ROWS * B; q += THREADS) {
    int r = q % ROWS, c = q / ROWS, under = r / 8 - c / 8;
    V[r * LDV + c] =
        under >= 0 && under <= DIAMOND_SIDE ? diamond[diamond_place (r, c)] : from_real<E> (0);
  }
}

// A block takes a diamond: V'V by entries, then its factor from blocks of 1, 2, 4, ... reflectors.
template <class T>
__global__ void __launch_bounds__ (THREADS) diamond_factor_kernel (wide<T> *diamonds, const T *taus)
{
  typedef wide<T> E;
  constexpr bool C = is_complex_v<T>;
  extern __shared__ __align__ (16) unsigned char memory[];
  E *V = reinterpret_cast<E *> (memory);
  double *products = reinterpret_cast<double *> (V + ROWS * LDV);
  mma_matrix<C> G = {products, LDG, PLANE<C>},
                F = {products + (C ? 2 : 1) * PLANE<C>, LDG, PLANE<C>};
  E *diamond = diamonds + (int64_t)blockIdx.x * DIAMOND_NUMBERS;
  load_columns (diamond, V);
  __syncthreads ();
  for (int q = threadIdx.x; q < B * B; q += THREADS) {
    int i = q / B, j = q % B;
    E sum = from_real<E> (0);
    for (int r = j; r < i + B; r++)
      sum = cmadd (V[r * LDV + i], V[r * LDV + j], sum);
    G.put (i, j, mma_entry_of (sum));
    F.put (i, j,
           mma_entry_of (i == j ? widen (taus[(int64_t)blockIdx.x * B + i]) : from_real<E> (0)));
  }
  __syncthreads ();
  join_panel<C> (G, F, B);
  __syncthreads ();
  for (int q = threadIdx.x; q < B * B; q += THREADS) {
    int i = q / B, j = q % B;
    if (i / 8 <= j / 8)
      diamond[diamond_factor_tile (i / 8, j / 8) * 64 + i % 8 * 8 + j % 8] =
          F.template number<E> (i, j);
  }
}

// A block takes a wanted column of Z, to the column of V of its eigenvalue's place.
template <class T> __global__ void order_kernel (eig_args<T> a)
{
  int j = blockIdx.x;
  const real_t<T> *z = static_cast<const real_t<T> *> (a.Z) + eig_source_of (a, 0, j) * a.n;
  T *v = a.V + eig_place_of (a, 0, j) * a.ldv;
  for (int i = threadIdx.x; i < a.n; i += blockDim.x)
    v[i] = from_real<T> (z[i]);
}

} // namespace

template <class T> cudaError_t large_diamond_factors (const large_page<T> &a)
{
  size_t bytes = factor_bytes<T> ();
  cudaError_t status = allow_shared (diamond_factor_kernel<T>, bytes);
  if (status != cudaSuccess)
    return status;
  diamond_factor_kernel<T><<<(unsigned)diamond_list (a.n).count (), THREADS, bytes, a.stream>>> (
      a.work.diamonds, a.work.diamond_taus);
  return cudaGetLastError ();
}

template <class T> cudaError_t large_order (const large_page<T> &a)
{
  order_kernel<T><<<(unsigned)a.wanted, 256, 0, a.stream>>> (a);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t large_diamond_factors (const large_page<T> &);                              \
  template cudaError_t large_order (const large_page<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
