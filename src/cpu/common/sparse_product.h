// sparse_product.h: prepared sparse matrices and their products on the CPU, for spmv and lanczos
// SPDX-License-Identifier: GPL-3.0-or-later
//
// spmv_kernels.c has the arithmetic, see ../common/kernel_table.h. x is stored by rows: the entries
// of all vectors of a product are adjacent, so that one cache line serves them all.

#ifndef GPULINALG_CPU_SPARSE_PRODUCT_H
#define GPULINALG_CPU_SPARSE_PRODUCT_H

#include "cpu/common/kernel_table.h"
#include "spmv/job.h"

// Rows longer than this are summed in segments, which threads share. The order of every sum depends
// on the matrix alone.
enum {
  GLA_SPMV_LONG = 8192,
  GLA_SPMV_SEGMENT = 4096,
  GLA_SPMV_WIDTH = 8,
  GLA_SPMV_CACHED = 1 << 19, // bytes of x that stay in a second-level cache
  GLA_SPMV_AHEAD = 128       // entries between the one that is added and the one that is prefetched
};

typedef struct {
  int64_t row, first, end; // entries
} gla_cpu_segment;

// A prepared matrix.
typedef struct {
  gla_spmv_matrix M;
  int64_t *parts; // n_parts+1 rows where parts of about equal work begin
  int64_t n_parts;
  gla_cpu_segment *segments; // of the long rows, in order
  int64_t n_segments;
  void *narrow; // start and index of M in 4 bytes, or NULL where they are not our own
  int used;     // nonzero: there has been a product
  void *sums;   // of the segments, GLA_SPMV_WIDTH each
  void *rows;   // x by rows, or sums of a transposed product; kept for the next one
  size_t rows_bytes;
} gla_cpu_sparse;

// Some vectors of one product: `width` (1, 2, 4 or 8) of them; element c of row j of x is
// x[j*ldx + c], element i of vector c of y is y[i + c*ldy].
typedef struct {
  const gla_cpu_sparse *sparse;
  const void *x;
  int64_t ldx;
  void *y;
  int64_t ldy;
  int width, conjugate;
} gla_cpu_spmv_task;

typedef struct {
  // y of rows first..end-1, without the long ones
  void (*rows) (const gla_cpu_spmv_task *t, int64_t first, int64_t end);
  // the sum of a segment, `width` numbers
  void (*segment) (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, void *sum);
  // y of a long row from the sums of its segments
  void (*join) (const gla_cpu_spmv_task *t, const gla_cpu_segment *s, int64_t count,
                const void *sums);
  // adds the contribution of rows first..end-1 of M to y = M.'*x, for one vector
  void (*scatter) (const gla_cpu_spmv_task *t, int64_t first, int64_t end);
  // rows first..end-1 of n x b columns (leading dimension ld) to x by rows
  void (*by_rows) (const void *x, int64_t ld, int64_t first, int64_t end, int b, void *to);
  // elements first..end-1 of y as the sum of `count` vectors of length n
  void (*add_vectors) (const void *vectors, int64_t n, int count, int64_t first, int64_t end,
                       void *y);
  // Some rows of a Lanczos basis V and of `width` vectors W, all with leading dimension n; NULL for
  // complex types, where the BLAS does it. result (p x width) = V'*W
  void (*project) (const void *V, int64_t n, int64_t rows, int64_t p, const void *W, int width,
                   void *result);
  // W -= V*F for F of p x width; then W = W*R^-1 for a triangle R where that is not NULL
  void (*subtract) (const void *V, int64_t n, int64_t rows, int64_t p, const void *F, const void *R,
                    void *W, int width);
} gla_cpu_spmv_kernel;

GLA_KERNEL_DECLARE (spmv);

extern const gla_spmv_ops gla_cpu_spmv_ops;

// Prepares a matrix for many products: copies 8-byte indices to 4 bytes if they fit, and if there
// is memory. Results keep their bits.
void gla_cpu_spmv_narrow (gla_cpu_sparse *s);

// Sets y = M*x (conj (M)*x) for b <= GLA_SPMV_WIDTH vectors of y (leading dimension ldy); x is
// stored by rows, for b = 1 as a plain vector.
struct gla_cpu_parallel;
void gla_cpu_spmv_multiply (const gla_cpu_spmv_kernel *kernel, const gla_cpu_sparse *sparse,
                            int conjugate, const void *x, int b, void *y, int64_t ldy,
                            struct gla_cpu_parallel *region);
// Stores x (n x b, leading dimension ld) by rows.
void gla_cpu_spmv_by_rows (const gla_cpu_spmv_kernel *kernel, const void *x, int64_t ld, int64_t n,
                           int b, void *to);

#endif
