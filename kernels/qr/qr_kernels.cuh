// qr_kernels.cuh: the kernels of gla_qr, as the engine launches them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrices are column-major; `page` is the distance from one page to the next. Every launcher
// returns the launch's error. The shape of a launch depends on sizes and types alone, so that a
// page has the same bits whatever the number of pages. Without clusters of blocks (before compute
// capability 9.0) a panel has one block, and trees of panels begin at fewer rows.

#ifndef GPULINALG_QR_KERNELS_CUH
#define GPULINALG_QR_KERNELS_CUH

#include <cuda_runtime.h>
#include "common/qr_factor.cuh"

enum { QR_PANEL = 32 }; // columns of a panel

//------------------------------------------------------------------------------
// panels
//------------------------------------------------------------------------------

// Householder reflectors of panels of at most 32 columns: A -> Y (unit lower trapezoidal, explicit
// zeros and ones), R, and the triangular factor F (32 x 32) with Q = I - Y F Y'. A page may be cut
// into leaves, row blocks that are factored each for itself: leaf l has its R at row 32*l of R, and
// its F is the l-th behind F.data.
template <class T> struct qr_panel_args {
  page_matrix<T> A, R, F;
  int64_t rows; // of a page
  int columns;
  int64_t leaf_rows; // rows of a leaf; `rows` where there is one
  int leaves;
  int blocks; // of threads that share a leaf; 0: by its rows
  int above;  // that many rows of A above the panel are moved to above R, zeros take their place
  int64_t pages;
};

// Rows that a panel may have at most on the current device, and those of a leaf that one block of
// threads holds.
template <class T> int64_t qr_panel_rows_max ();
template <class T> int64_t qr_leaf_rows ();
template <class T> cudaError_t qr_panel (const qr_panel_args<T> &p, cudaStream_t stream);

// C := (I - Y F Y') C, or (I - Y F Y')' C where `adjoint`, for a panel of `reflectors` columns.
template <class T> struct qr_reflection {
  page_matrix<T> Y, F, C;
  int64_t m, columns; // of C
  int reflectors;
  bool adjoint;
  int64_t pages;
};

template <class T> cudaError_t qr_larfb (const qr_reflection<T> &p, cudaStream_t stream);

// The triangular factor of `count` reflectors, in place, from the factors of its panels of 32 on
// the diagonal and G = Y'Y; zeros below.
template <class T>
cudaError_t qr_join (page_matrix<T> F, page_matrix<T> G, int count, int64_t pages,
                     cudaStream_t stream);

//------------------------------------------------------------------------------
// panels of more rows than a cluster holds: a tree of leaves
//------------------------------------------------------------------------------

// Elements of work space for the tree of one page of m x 32.
template <class T> int64_t qr_tree_work (int64_t m);
// The same results as qr_panel, for one leaf; work has qr_tree_work (rows) elements for each page.
template <class T> cudaError_t qr_tree (const qr_panel_args<T> &p, T *work, cudaStream_t stream);

//------------------------------------------------------------------------------
// column pivoting
//------------------------------------------------------------------------------

template <class T>
cudaError_t qr_pivot_start (page_matrix<T> Y, int64_t m, int64_t n, qr_pivots<T> s, int64_t pages,
                            cudaStream_t stream);
// Column j, the one with the largest norm, becomes a reflector and R; those right of it follow.
template <class T>
cudaError_t qr_pivot_column (page_matrix<T> Y, int64_t m, int64_t n, int64_t j, qr_pivots<T> s,
                             int64_t pages, cudaStream_t stream);
// When min (m, n) columns are done: Y, blocks and the factors of panels as qr_panel leaves them.
template <class T> cudaError_t qr_pivot_finish (const qr_plan<T> &p, cudaStream_t stream);

//------------------------------------------------------------------------------
// what comes before and after
//------------------------------------------------------------------------------

// Copies A to Y of the plan; columns whose largest entry is far from 1 are scaled by a power of
// two, the others have exponent 0; with pivoting all columns of a page by the same one.
template <class T>
cudaError_t qr_load (const qr_plan<T> &p, page_matrix<const T> A, cudaStream_t stream);

// To (rows x columns) := zeros, with ones on the diagonal that starts `below` rows further down.
// Empty matrices are allowed.
template <class T>
cudaError_t qr_identity (page_matrix<T> to, int64_t rows, int64_t columns, int64_t below,
                         int64_t pages, cudaStream_t stream);

// To (n x n) := to + the identity.
template <class T>
cudaError_t qr_add_identity (page_matrix<T> to, int64_t n, int64_t pages, cudaStream_t stream);

// B := from, `columns` columns of m rows, divided by powers of two (to p.exponent) where products
// of reflectors with them could leave the range; and the first `rows` rows of such columns to C,
// multiplied again.
template <class T>
cudaError_t qr_load_columns (const qr_plan<T> &p, page_matrix<T> B, page_matrix<const T> from,
                             int64_t columns, cudaStream_t stream);
template <class T>
cudaError_t qr_store_columns (const qr_plan<T> &p, page_matrix<T> C, page_matrix<const T> B,
                              int64_t rows, int64_t columns, cudaStream_t stream);

// To := from, zeros above the diagonal where `lower`.
template <class T>
cudaError_t qr_copy (page_matrix<T> to, page_matrix<const T> from, int64_t rows, int64_t columns,
                     bool lower, int64_t pages, cudaStream_t stream);

// The same of `count` pages, of which the list (on the device) says which pages of one side they
// are; on the other side they are the first ones. Nothing where `to` is NULL.
enum qr_list { QR_LIST_FROM, QR_LIST_TO };
template <class T>
cudaError_t qr_copy_listed (page_matrix<T> to, page_matrix<const T> from, int64_t rows,
                            int64_t columns, const int *list, qr_list side, int64_t count,
                            cudaStream_t stream);

#endif
