// mma.cuh: products of 8 by 4 and 4 by 8 tiles on the FP64 tensor cores
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Layout (PTX, mma.m8n8k4 .f64): lane l holds A(l/4, l%4), B(l%4, l/4), C(l/4, 2*(l%4)) and
// C(l/4, 2*(l%4)+1). Single precision is computed in double here: there is no other tensor core
// arithmetic of enough digits. All 32 lanes of a warp call each function.

#ifndef GPULINALG_MMA_CUH
#define GPULINALG_MMA_CUH

#include "scalar.cuh"

// A tile of C: real part, and imaginary part where there is one.
template <bool COMPLEX> struct mma_tile {
  double re[2] = {0, 0};
};
template <> struct mma_tile<true> {
  double re[2] = {0, 0}, im[2] = {0, 0};
};

// An entry of A or B.
template <bool COMPLEX> struct mma_entry {
  double re;
};
template <> struct mma_entry<true> {
  double re, im;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
// Does the same by shuffles. It is not inline: there are so many calls that compilation took
// minutes.
static __device__ __noinline__ double2 mma_by_shuffles (double c0, double c1, double a, double b)
{
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    double left = __shfl_sync (0xffffffffu, a, lane / 4 * 4 + k);
    c0 = fma (left, __shfl_sync (0xffffffffu, b, lane % 4 * 8 + k), c0);
    c1 = fma (left, __shfl_sync (0xffffffffu, b, lane % 4 * 8 + 4 + k), c1);
  }
  return make_double2 (c0, c1);
}
#endif

// c += a*b
GLA_DEVICE void mma (double (&c)[2], double a, double b)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
#else
  double2 sum = mma_by_shuffles (c[0], c[1], a, b);
  c[0] = sum.x;
  c[1] = sum.y;
#endif
}

// C += A B on the tensor cores. Lane l holds A(l/4, l%4), A(l/4+8, l%4) and the same two entries 4
// columns to the right, B(l%4, l/4) and B(l%4+4, l/4), and C(l/4, 2(l%4)), the next entry of that
// row, and the same two entries 8 rows below.
GLA_DEVICE void mma_tall (double (&c)[4], const double (&a)[4], double b0, double b1)
{
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b0), "d"(b1));
#else
  double upper[2] = {c[0], c[1]}, lower[2] = {c[2], c[3]};
  mma (upper, a[0], b0);
  mma (upper, a[2], b1);
  mma (lower, a[1], b0);
  mma (lower, a[3], b1);
  c[0] = upper[0];
  c[1] = upper[1];
  c[2] = lower[0];
  c[3] = lower[1];
#endif
}

// c += a*b
GLA_DEVICE void mma_add (mma_tile<false> &c, mma_entry<false> a, mma_entry<false> b)
{
  mma (c.re, a.re, b.re);
}
GLA_DEVICE void mma_add (mma_tile<true> &c, mma_entry<true> a, mma_entry<true> b)
{
  mma (c.re, a.re, b.re);
  mma (c.im, a.re, b.im);
  mma (c.re, -a.im, b.im);
  mma (c.im, a.im, b.re);
}

// c += conj(a)*b
GLA_DEVICE void mma_add_conj (mma_tile<false> &c, mma_entry<false> a, mma_entry<false> b)
{
  mma (c.re, a.re, b.re);
}
GLA_DEVICE void mma_add_conj (mma_tile<true> &c, mma_entry<true> a, mma_entry<true> b)
{
  mma (c.re, a.re, b.re);
  mma (c.im, a.re, b.im);
  mma (c.re, a.im, b.im);
  mma (c.im, -a.im, b.re);
}

// c -= a*b
GLA_DEVICE void mma_subtract (mma_tile<false> &c, mma_entry<false> a, mma_entry<false> b)
{
  mma (c.re, -a.re, b.re);
}
GLA_DEVICE void mma_subtract (mma_tile<true> &c, mma_entry<true> a, mma_entry<true> b)
{
  mma (c.re, -a.re, b.re);
  mma (c.im, -a.re, b.im);
  mma (c.re, a.im, b.im);
  mma (c.im, -a.im, b.re);
}

// These do the same for two tiles of C, one below the other, with two of A and one of B: 16 by 4
// times 4 by 8. From compute capability 9.0 on that takes no longer than one tile, which reaches
// only half the rate.
GLA_DEVICE void mma_two (double (&c)[2], double (&below)[2], double a, double a_below, double b)
{
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(below[0]), "+d"(below[1])
      : "d"(a), "d"(a_below), "d"(b));
#else
  mma (c, a, b);
  mma (below, a_below, b);
#endif
}

// c += conj(a)*b
GLA_DEVICE void mma_add_conj (mma_tile<false> (&c)[2], const mma_entry<false> (&a)[2],
                              mma_entry<false> b)
{
  mma_two (c[0].re, c[1].re, a[0].re, a[1].re, b.re);
}
GLA_DEVICE void mma_add_conj (mma_tile<true> (&c)[2], const mma_entry<true> (&a)[2],
                              mma_entry<true> b)
{
  mma_two (c[0].re, c[1].re, a[0].re, a[1].re, b.re);
  mma_two (c[0].im, c[1].im, a[0].re, a[1].re, b.im);
  mma_two (c[0].re, c[1].re, a[0].im, a[1].im, b.im);
  mma_two (c[0].im, c[1].im, a[0].im, a[1].im, -b.re);
}

// c -= a*b
GLA_DEVICE void mma_subtract (mma_tile<false> (&c)[2], const mma_entry<false> (&a)[2],
                              mma_entry<false> b)
{
  mma_two (c[0].re, c[1].re, a[0].re, a[1].re, -b.re);
}
GLA_DEVICE void mma_subtract (mma_tile<true> (&c)[2], const mma_entry<true> (&a)[2],
                              mma_entry<true> b)
{
  mma_two (c[0].re, c[1].re, a[0].re, a[1].re, -b.re);
  mma_two (c[0].im, c[1].im, a[0].re, a[1].re, -b.im);
  mma_two (c[0].re, c[1].re, a[0].im, a[1].im, b.im);
  mma_two (c[0].im, c[1].im, a[0].im, a[1].im, -b.re);
}

template <class T> GLA_DEVICE mma_entry<is_complex_v<T>> mma_entry_of (T value)
{
  if constexpr (is_complex_v<T>)
    return {(double)value.x, (double)value.y};
  else
    return {(double)value};
}

// c += a*b for single entries
GLA_DEVICE void multiply_add (mma_entry<false> &c, mma_entry<false> a, mma_entry<false> b)
{
  c.re = fma (a.re, b.re, c.re);
}
GLA_DEVICE void multiply_add (mma_entry<true> &c, mma_entry<true> a, mma_entry<true> b)
{
  c.re = fma (-a.im, b.im, fma (a.re, b.re, c.re));
  c.im = fma (a.im, b.re, fma (a.re, b.im, c.im));
}

GLA_DEVICE mma_entry<false> minus (mma_entry<false> a)
{
  return {-a.re};
}
GLA_DEVICE mma_entry<true> minus (mma_entry<true> a)
{
  return {-a.re, -a.im};
}

// A matrix of doubles in shared memory, real and imaginary parts apart: entry (i, j) at i*ld + j.
template <bool COMPLEX> struct mma_matrix {
  double *re;
  int ld;
  int64_t plane; // from the real to the imaginary parts

  GLA_DEVICE mma_entry<COMPLEX> get (int i, int j) const
  {
    if constexpr (COMPLEX)
      return {re[i * ld + j], re[plane + i * ld + j]};
    else
      return {re[i * ld + j]};
  }
  // The entry as a number of one of the four types.
  template <class T> GLA_DEVICE T number (int i, int j) const
  {
    mma_entry<COMPLEX> e = get (i, j);
    if constexpr (COMPLEX)
      return {(real_t<T>)e.re, (real_t<T>)e.im};
    else
      return (T)e.re;
  }
  GLA_DEVICE void put (int i, int j, mma_entry<COMPLEX> x) const
  {
    re[i * ld + j] = x.re;
    if constexpr (COMPLEX)
      re[plane + i * ld + j] = x.im;
  }
  // This lane's part of the tile of C at (i, j); ld and j are even.
  GLA_DEVICE mma_tile<COMPLEX> get_tile (int i, int j) const
  {
    int lane = threadIdx.x % 32;
    double *at = re + (i + lane / 4) * ld + j + 2 * (lane % 4);
    mma_tile<COMPLEX> c;
    double2 x = *reinterpret_cast<double2 *> (at);
    c.re[0] = x.x;
    c.re[1] = x.y;
    if constexpr (COMPLEX) {
      x = *reinterpret_cast<double2 *> (at + plane);
      c.im[0] = x.x;
      c.im[1] = x.y;
    }
    return c;
  }
  GLA_DEVICE void put_tile (int i, int j, const mma_tile<COMPLEX> &c) const
  {
    int lane = threadIdx.x % 32;
    double *at = re + (i + lane / 4) * ld + j + 2 * (lane % 4);
    *reinterpret_cast<double2 *> (at) = make_double2 (c.re[0], c.re[1]);
    if constexpr (COMPLEX)
      *reinterpret_cast<double2 *> (at + plane) = make_double2 (c.im[0], c.im[1]);
  }
};

#endif
