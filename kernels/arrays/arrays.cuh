// arrays.cuh: arguments and calls of the kernels for arrays that stay on a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The host code of this folder calls them, each file those of the others. Arrays are on the device
// of the engine, and their sizes have been checked.

#ifndef GPULINALG_ARRAYS_CUH
#define GPULINALG_ARRAYS_CUH

#include <cstdint>
#include <cuda_runtime.h>

#include "common/runtime.cuh"
#include "common/scalar.cuh"
#include "engine/engine.cuh"

// Divides numbers below 2^31 by a number with a multiplication and a shift.
struct nd_divisor {
  uint32_t d, multiplier, shift;
};

inline nd_divisor nd_divisor_of (int64_t size)
{
  nd_divisor v = {(uint32_t)size, 0, 0};
  while (v.shift < 31 && ((uint32_t)1 << v.shift) < v.d)
    v.shift++;
  v.multiplier = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << v.shift) - v.d)) / v.d + 1);
  return v;
}

GLA_DEVICE uint32_t nd_divide (uint32_t n, const nd_divisor &v)
{
  return (__umulhi (n, v.multiplier) + n) >> v.shift;
}

// Bits of the word that says whether an element has left the domain; it is 0 before. A kernel of
// one block sets ND_ENDED at its end, so that the host need not ask the driver.
enum nd_answer_bits { ND_OUTSIDE = 1, ND_ENDED = 2 };

// Ends a kernel of single elements; all threads of the block call it.
GLA_DEVICE void nd_answer (bool out, int *word)
{
  if (word == nullptr)
    return;
  if (gridDim.x == 1) {
    const int any = __syncthreads_or (out);
    if (threadIdx.x == 0)
      *word = any ? ND_OUTSIDE | ND_ENDED : ND_ENDED;
  } else if (out)
    *word = ND_OUTSIDE;
}

// An operand, or the result, of a kernel: an array, or a number where data is NULL.
struct nd_operand {
  const void *data;
  int type;
  double value[2];
  int64_t step[GLA_ND_DIMS];
};

// Elements 0 .. n-1, n < 2^31, counted along dims dimensions, the first the fastest.
struct nd_elements {
  uint32_t n;
  int dims;
  nd_divisor size[GLA_ND_DIMS];
  nd_operand to, x, y;
  int op;
  bool plain;   // x is an array of the type of the operation, y one or a number
  int *outside; // the word that nd_answer writes, or NULL
};

// Operations on contiguous elements of one type; a number, or an array of one element (step[0] is
// 0), may be an operand.
struct nd_flat {
  int64_t n;
  void *to;
  nd_operand x, y;
  int op;
  int *outside;
};

// There is one for each type of the operation: s, d, c, z (nd_elements_*.cu).
template <class T> cudaError_t nd_launch (const nd_elements &a, cudaStream_t stream);
template <class T> cudaError_t nd_launch_flat (const nd_flat &a, cudaStream_t stream);

// The type of the result, by that of the operands.
enum nd_kind { ND_SAME = 0, ND_REAL, ND_LOGICAL, ND_FUNCTION };
inline nd_kind nd_kind_of (int op)
{
  return op >= GLA_ND_POW    ? ND_FUNCTION
         : op >= GLA_ND_EQ   ? ND_LOGICAL
         : op >= GLA_ND_REAL ? ND_REAL
                             : ND_SAME;
}

// Subscripts of all dimensions; elements are counted as in nd_elements.
struct nd_subscripts {
  uint32_t n;
  int dims;
  nd_divisor count[GLA_ND_DIMS];
  const int64_t *list[GLA_ND_DIMS];
  int64_t first[GLA_ND_DIMS], step[GLA_ND_DIMS]; // of the subscripts
  int64_t x_step[GLA_ND_DIMS], y_step[GLA_ND_DIMS];
  char *x, *y;
  double value[2]; // where y is NULL
};
cudaError_t nd_subscript (const nd_subscripts &a, size_t size, bool store, cudaStream_t stream);
// Stores the number as an element of the type, in 16 bytes.
void nd_put_value (int type, const double *from, void *to);

//------------------------------------------------------------------------------
// rows of the table that are in files of their own
//------------------------------------------------------------------------------

gla_status nd_elementwise (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                           const gla_nd *y, int *outside);
gla_status nd_run_steps (gla_engine *engine, const gla_nd_steps *steps, int *outside);
gla_status nd_join (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count);
gla_status nd_triangle (gla_engine *engine, const gla_nd *to, const gla_nd *x, int64_t first,
                        int64_t last);
gla_status nd_sort (gla_engine *engine, const gla_slices *x, int descending, void *to,
                    double *index);
gla_status nd_fft (gla_engine *engine, const gla_slices *x, int inverse, void *to);

//------------------------------------------------------------------------------
// copies in another order of the dimensions
//------------------------------------------------------------------------------

// Copies element (i, j) of n[0] x n[1], at x + i*x_cross + j, to `to` + i + j*to_cross, for all
// places in `dims` other dimensions.
struct nd_transpose {
  const void *x;
  void *to;
  int64_t n[2], x_cross, to_cross;
  int dims;
  nd_divisor size[GLA_ND_DIMS];
  int64_t x_step[GLA_ND_DIMS], to_step[GLA_ND_DIMS];
  bool flip; // conjugate; only complex elements
  uint32_t tiles[2];
};
cudaError_t nd_launch_transpose (nd_transpose a, size_t size, cudaStream_t stream);

//------------------------------------------------------------------------------
// the positions of nonzero bytes
//------------------------------------------------------------------------------

enum { FIND_THREADS = 256, FIND_LENGTH = 4096 };

inline int64_t nd_find_blocks (int64_t n)
{
  return (n + FIND_LENGTH - 1) / FIND_LENGTH;
}

// counts has nd_find_blocks (n) + 1 numbers: how many positions come before each block, and the
// total. n >= 1.
cudaError_t nd_find_count (const void *mask, int64_t n, int64_t *counts, cudaStream_t stream);
cudaError_t nd_find_write (const void *mask, int64_t n, const int64_t *counts, int64_t *list,
                           cudaStream_t stream);

//------------------------------------------------------------------------------
// arrays without gaps from one precision to the other
//------------------------------------------------------------------------------

// Converts n real numbers, or the parts of n/2 complex ones; both arrays begin at multiples of 16
// bytes.
cudaError_t nd_to_single (const double *x, float *to, int64_t n, cudaStream_t stream);
cudaError_t nd_to_double (const float *x, double *to, int64_t n, cudaStream_t stream);

//------------------------------------------------------------------------------
// Fourier transforms of short slices, a thread for each
//------------------------------------------------------------------------------

// Whether slices of n elements are so short: n is 2, 4, 8, 16 or 32.
inline bool nd_fft_is_short (int64_t n)
{
  return n >= 2 && n <= 32 && (n & (n - 1)) == 0;
}

// Enqueues the transforms of inner * outer slices of n elements, without a division by n; `to` may
// be `from`. Element k of slice (i, o) is at (o * n + k) * inner + i.
gla_status nd_fft_short (gla_type type, int64_t inner, int64_t n, int64_t outer, bool inverse,
                         const void *from, void *to, cudaStream_t stream);

#endif
