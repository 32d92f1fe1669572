// host_array.cuh: an array on the host that lives as long as its scope, without exceptions
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOST_ARRAY_CUH
#define GPULINALG_HOST_ARRAY_CUH

#include <cstdint>
#include <cstdlib>

// All zero at first; `data` is null if there is no memory. For types that need no constructor.
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

#endif
