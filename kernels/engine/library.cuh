// library.cuh: opens a library of the CUDA Toolkit at run time, and finds its functions
// SPDX-License-Identifier: GPL-3.0-or-later
//
// For cublas.cu, cufft.cu and nccl.cu.

#ifndef GPULINALG_LIBRARY_CUH
#define GPULINALG_LIBRARY_CUH

#include "common/system.h"

#include <cstdio>

// Opens the newest of these versions, or else the one without a number, also in the folder where
// the toolkit is usually installed. nullptr if there is none.
inline void *toolkit_library (const char *name, int newest, int oldest)
{
  void *library = nullptr;
  for (int version = newest; library == nullptr && version >= oldest; version--)
    library = gla_library_of_cuda (name, version);
  if (library == nullptr)
    library = gla_library_of_cuda (name, 0);
  if (library == nullptr) {
    char path[64];
    snprintf (path, sizeof path, "/usr/local/cuda/lib64/lib%s.so", name);
    library = gla_library_open (path);
  }
  return library;
}

// Sets a pointer to the function of this name; false if the library has none.
template <class F> bool find (void *library, const char *name, F *function)
{
  *function = reinterpret_cast<F> (gla_library_symbol (library, name));
  return *function != nullptr;
}

#endif
