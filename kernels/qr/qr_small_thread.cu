// qr_small_thread.cu: the sizes of pages that one thread does
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_small_thread.cuh"

namespace
{

// Registers hold so many numbers.
enum { MOST = 64, MOST_WIDE = 36 };

// f (rows, columns) of the smallest tile for m x n, as constants; false if there is none.
template <class F> bool with_tile (int m, int n, bool wide_type, F f)
{
  auto fits = [&] (auto rows, auto columns) {
    constexpr int M = decltype (rows)::value, N = decltype (columns)::value;
    if (m > M || n > N || (wide_type && M * N > MOST_WIDE) || M * N > MOST)
      return false;
    f (rows, columns);
    return true;
  };
  typedef std::integral_constant<int, 2> two;
  typedef std::integral_constant<int, 4> four;
  typedef std::integral_constant<int, 6> six;
  typedef std::integral_constant<int, 8> eight;
  typedef std::integral_constant<int, 16> sixteen;
  return fits (two (), two ()) || fits (eight (), two ()) || fits (four (), four ()) ||
         fits (eight (), four ()) || fits (six (), six ()) || fits (sixteen (), four ()) ||
         fits (eight (), eight ());
}

} // namespace

bool qr_small_thread_serves (int m, int n, bool wide_type)
{
  return with_tile (m, n, wide_type, [] (auto, auto) {});
}

template <class T> cudaError_t qr_small_by_thread (const qr_small_args<T> &a, cudaStream_t stream)
{
  cudaError_t error = cudaErrorInvalidValue;
  with_tile (a.m, a.n, sizeof (T) == 16, [&] (auto rows, auto columns) {
    constexpr int M = decltype (rows)::value, N = decltype (columns)::value;
    if constexpr (sizeof (T) < 16 || M * N <= MOST_WIDE)
      error = qr_small_thread_launch<T, M, N> (a, stream);
  });
  return error;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_small_by_thread (const qr_small_args<T> &, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
