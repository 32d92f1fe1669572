// pages.cuh: the matrices on the pages of a chunk, and the memory that they are in
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Host code of all topics fills these in; kernels take them as arguments.

#ifndef GPULINALG_PAGES_CUH
#define GPULINALG_PAGES_CUH

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cuda_runtime.h>

#include "gpulinalg.h"
#include "scalar.cuh"

//------------------------------------------------------------------------------
// pieces of an arena
//------------------------------------------------------------------------------

// Cuts pieces out of an arena; with a NULL base it only counts bytes.
struct carver {
  char *base;
  size_t used;
  template <class P> P *take (int64_t count)
  {
    P *piece = base == nullptr ? nullptr : reinterpret_cast<P *> (base + used);
    used += ((size_t)count * sizeof (P) + 255) / 256 * 256;
    return piece;
  }
};

//------------------------------------------------------------------------------
// an array on the host that lives as long as its scope, without exceptions
//------------------------------------------------------------------------------

// An array that is all zero at first; `data` is NULL if there is no memory. For types without a
// constructor.
template <class T> struct host_array {
  T *data;

  explicit host_array (int64_t count)
      : data (static_cast<T *> (calloc (count > 0 ? (size_t)count : 1, sizeof (T))))
  {
  }
  ~host_array () { free (data); }
  host_array (const host_array &) = delete;
  host_array &operator= (const host_array &) = delete;
  T &operator[] (int64_t k) { return data[k]; }
};

//------------------------------------------------------------------------------
// one matrix on every page of a chunk
//------------------------------------------------------------------------------

// Column-major; `ld` is the distance of columns, `page` that of pages, in elements. NULL data: the
// matrix is not wanted.
template <class T> struct page_matrix {
  T *data;
  int64_t ld, page;
  __host__ __device__ page_matrix at (int64_t i, int64_t j) const
  {
    return {data == nullptr ? nullptr : data + i + j * ld, ld, page};
  }
};

template <class T> page_matrix<const T> as_const (page_matrix<T> a)
{
  return {a.data, a.ld, a.page};
}

// The matrices of an array on the device.
template <class T> page_matrix<T> pages_of (const gla_array &a)
{
  return {static_cast<T *> (a.data), a.column_stride, a.page_stride};
}

//------------------------------------------------------------------------------
// the pages of A or B of a page function, as its kernels see them
//------------------------------------------------------------------------------

// A column-major matrix; `ld` is the distance of columns, `page` that of pages, in elements; `page`
// is 0 where all pages of the result take the same one. `index`, if not NULL, says which page is
// taken for each page of the result.
template <class T> struct page_operand {
  const T *data;
  int64_t ld, page;
  const int64_t *index;
  GLA_DEVICE const T *at (int64_t p) const
  {
    return data + (index == nullptr ? p : index[p]) * page;
  }
};

#endif
