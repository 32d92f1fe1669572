// arrays_fft_short.cu: Fourier transforms of short slices; a thread has one
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread has the N elements of a slice in registers, so that a transform reads and writes each
// element once, at whatever step. Threads of a block have consecutive slices: if the slices'
// elements are `inner` apart, neighbouring threads access neighbouring elements.

#include "arrays.cuh"

namespace
{

enum { THREADS = 128, LONGEST = 32 };

// Reverses the binary digits of k, for N = 2^digits.
template <int N> __host__ __device__ constexpr int reversed (int k)
{
  int r = 0;
  for (int bit = 1; bit < N; bit *= 2) {
    r = 2 * r + k % 2;
    k /= 2;
  }
  return r;
}

// Returns cos (pi k / 16) for k = 0 .. 16.
template <class R> GLA_DEVICE R cosine (int k)
{
  constexpr double c[] = {1,
                          0.98078528040323044913,
                          0.92387953251128675613,
                          0.83146961230254523708,
                          0.70710678118654752440,
                          0.55557023301960222474,
                          0.38268343236508977173,
                          0.19509032201612826785,
                          0};
  return (R)(k <= 8 ? c[k] : -c[16 - k]);
}

// Returns x exp (-i pi k / 16), 0 <= k < 16, or with its conjugate factor; k is a compile-time
// constant.
template <class R> GLA_DEVICE cx<R> turned (cx<R> x, int k, R sign)
{
  if (k == 0)
    return x;
  if (k == 8)
    return {-sign * x.y, sign * x.x};
  const R c = cosine<R> (k), s = sign * cosine<R> (k <= 8 ? 8 - k : k - 8);
  return {c * x.x - s * x.y, c * x.y + s * x.x};
}

// Combines pairs of transforms of HALF elements, and runs all later stages.
template <class R, int N, int HALF> struct stage {
  static GLA_DEVICE void run (cx<R> *v, R sign)
  {
#pragma unroll
    for (int j = 0; j < HALF; j++)
#pragma unroll
      for (int i = j; i < N; i += 2 * HALF) {
        const cx<R> t = turned (v[i + HALF], j * (LONGEST / 2 / HALF), sign);
        v[i + HALF] = v[i] - t;
        v[i] = v[i] + t;
      }
    stage<R, N, 2 * HALF>::run (v, sign);
  }
};
template <class R, int N> struct stage<R, N, N> {
  static GLA_DEVICE void run (cx<R> *, R) {}
};

struct slices {
  const void *from;
  void *to;
  int64_t inner, count;
  int sign; // of the exponent
};

// A thread has one slice: thread t of the grid has slice t, counted along inner first.
template <class R, int N> __global__ void __launch_bounds__ (THREADS) transform (slices a)
{
  const int64_t s = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (s >= a.count)
    return;
  const int64_t first = s / a.inner * (N - 1) * a.inner + s;
  const cx<R> *from = static_cast<const cx<R> *> (a.from) + first;
  cx<R> v[N];
#pragma unroll
  for (int k = 0; k < N; k++)
    v[reversed<N> (k)] = from[k * a.inner];
  stage<R, N, 1>::run (v, (R)a.sign);
  cx<R> *to = static_cast<cx<R> *> (a.to) + first;
#pragma unroll
  for (int k = 0; k < N; k++)
    to[k * a.inner] = v[k];
}

template <class R> gla_status launch (const slices &a, int64_t n, cudaStream_t stream)
{
  const int64_t blocks = (a.count + THREADS - 1) / THREADS;
  if (blocks >= (int64_t)1 << 31)
    return GLA_ERROR_BAD_ARGUMENT;
  const unsigned grid = (unsigned)blocks;
  switch (n) {
  case 2:
    transform<R, 2><<<grid, THREADS, 0, stream>>> (a);
    break;
  case 4:
    transform<R, 4><<<grid, THREADS, 0, stream>>> (a);
    break;
  case 8:
    transform<R, 8><<<grid, THREADS, 0, stream>>> (a);
    break;
  case 16:
    transform<R, 16><<<grid, THREADS, 0, stream>>> (a);
    break;
  default:
    transform<R, 32><<<grid, THREADS, 0, stream>>> (a);
  }
  return engine_status (cudaGetLastError ());
}

} // namespace

gla_status nd_fft_short (gla_type type, int64_t inner, int64_t n, int64_t outer, bool inverse,
                         const void *from, void *to, cudaStream_t stream)
{
  const slices a = {from, to, inner, inner * outer, inverse ? 1 : -1};
  return type == GLA_TYPE_C ? launch<float> (a, n, stream) : launch<double> (a, n, stream);
}
