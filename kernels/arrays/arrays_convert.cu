// arrays_convert.cu: arrays without gaps from one precision to the other
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays_convert.cuh"

namespace
{

enum { THREADS = 256, ROUNDS = 2, PACK = 4 };

template <class R> struct alignas (16) pack {
  R e[PACK];
};

// A thread has PACK numbers side by side, 16 bytes of the single ones, ROUNDS times, a block's
// width apart. It reads all of them before it writes. The first block has the numbers behind the
// last pack.
template <class From, class To>
__global__ void __launch_bounds__ (THREADS) convert_kernel (const From *x, To *to, int64_t n)
{
  const int64_t packs = n / PACK, first = (int64_t)blockIdx.x * ROUNDS * THREADS + threadIdx.x;
  pack<From> in[ROUNDS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (first + k * THREADS < packs)
      in[k] = reinterpret_cast<const pack<From> *> (x)[first + k * THREADS];
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    if (first + k * THREADS < packs) {
      pack<To> out;
#pragma unroll
      for (int j = 0; j < PACK; j++)
        out.e[j] = (To)in[k].e[j];
      reinterpret_cast<pack<To> *> (to)[first + k * THREADS] = out;
    }
  const int64_t last = packs * PACK + threadIdx.x;
  if (blockIdx.x == 0 && last < n)
    to[last] = (To)x[last];
}

template <class From, class To>
cudaError_t convert (const void *x, void *to, int64_t n, cudaStream_t stream)
{
  const int64_t packs = n / PACK, of_block = ROUNDS * THREADS;
  const unsigned blocks = (unsigned)((packs + of_block - 1) / of_block) + (packs == 0);
  convert_kernel<<<blocks, THREADS, 0, stream>>> (static_cast<const From *> (x),
                                                  static_cast<To *> (to), n);
  return cudaGetLastError ();
}

} // namespace

cudaError_t nd_to_single (const double *x, float *to, int64_t n, cudaStream_t stream)
{
  return convert<double, float> (x, to, n, stream);
}

cudaError_t nd_to_double (const float *x, double *to, int64_t n, cudaStream_t stream)
{
  return convert<float, double> (x, to, n, stream);
}
