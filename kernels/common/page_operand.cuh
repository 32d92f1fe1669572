// page_operand.cuh: the pages of A or B of a page function, as its kernels see them
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_PAGE_OPERAND_CUH
#define GPULINALG_PAGE_OPERAND_CUH

#include "scalar.cuh"

// Column-major; `ld` is the distance of columns, `page` that of pages, in elements; 0 where all
// pages of the result take the same one. index, where it is not NULL, says which page is taken for
// each page of the result.
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
