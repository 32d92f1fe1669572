// pages.cuh: one matrix on every page of a chunk
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGES_CUH
#define GPULINALG_PAGES_CUH

#include <cuda_runtime.h>
#include "gpulinalg.h"
#include "scalar.cuh"

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

#endif
