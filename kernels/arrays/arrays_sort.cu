// arrays_sort.cu: sorts columns
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Short columns of real elements are sorted in registers, those of a block at the same time
// (arrays_sort.cuh). For others the radix sort of CUB, which keeps the order of equal ones, sorts
// the positions of all elements of all columns together: by the second key of complex numbers, by
// the key, and by the column. In the end the elements are fetched by their positions.

#include "arrays_sort.cuh"
#include "engine/heap.cuh"
#include "arrays.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

enum { THREADS = 256 };
const int64_t SHORT_LENGTH = 4096, MOST_ELEMENTS = (int64_t)1 << 30;

template <class T> using columns = nd_columns<T>;

//------------------------------------------------------------------------------
// long columns
//------------------------------------------------------------------------------

enum sort_key { FIRST_KEY, SECOND_KEY, COLUMN };

// Finds the keys of the elements at these positions; position NULL: 0, 1, .. A thread has one.
template <class T, class K>
__global__ void __launch_bounds__ (THREADS)
    keys_kernel (columns<T> c, sort_key which, const uint32_t *position, K *key, uint32_t *first)
{
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= c.n * c.count)
    return;
  const uint32_t at = position != nullptr ? position[i] : (uint32_t)i;
  if (position == nullptr)
    first[i] = at;
  if (which == COLUMN) {
    key[i] = (K)(at / (uint32_t)c.n);
    return;
  }
  K k;
  if constexpr (is_complex_v<T>)
    k = which == SECOND_KEY ? nd_second_key (c.x[at]) : nd_key (c.x[at]);
  else
    k = nd_key (c.x[at]);
  key[i] = c.descending ? (K)~k : k;
}

// A thread has a place of the sorted columns.
template <class T>
__global__ void __launch_bounds__ (THREADS) fetch_kernel (columns<T> c, const uint32_t *position)
{
  const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  if (i >= c.n * c.count)
    return;
  c.to[i] = c.x[position[i]];
  if (c.index != nullptr)
    c.index[i] = position[i] % (uint32_t)c.n + 1.0;
}

// Two lists of keys and of positions, one of which is sorted into the other, and CUB's work space.
template <class K> struct sort_space {
  K *key[2];
  uint32_t *position[2];
  void *work;
  size_t work_bytes;
};

// Calls CUB, whose host code may throw: no exception may leave the C library.
template <class Body> cudaError_t guarded (Body body)
{
  try {
    return body ();
  } catch (...) {
    return cudaErrorUnknown;
  }
}

template <class K> cudaError_t work_of (int64_t total, size_t *bytes)
{
  cub::DoubleBuffer<K> keys;
  cub::DoubleBuffer<uint32_t> positions;
  return guarded ([&] () {
    return cub::DeviceRadixSort::SortPairs (nullptr, *bytes, keys, positions, (int)total);
  });
}

template <class T, class K>
gla_status pass (cuda_engine *e, const columns<T> &c, sort_key which, int bits, bool first,
                 sort_space<K> *s)
{
  const int64_t total = c.n * c.count;
  const unsigned blocks = (unsigned)((total + THREADS - 1) / THREADS);
  cudaStream_t stream = e->slots[0].stream;
  keys_kernel<T, K><<<blocks, THREADS, 0, stream>>> (c, which, first ? nullptr : s->position[0],
                                                     s->key[0], s->position[0]);
  GLA_TRY (cudaGetLastError ());
  cub::DoubleBuffer<K> keys (s->key[0], s->key[1]);
  cub::DoubleBuffer<uint32_t> positions (s->position[0], s->position[1]);
  GLA_TRY (guarded ([&] () {
    return cub::DeviceRadixSort::SortPairs (s->work, s->work_bytes, keys, positions, (int)total, 0,
                                            bits, stream);
  }));
  s->position[0] = positions.Current ();
  s->position[1] = positions.Alternate ();
  return GLA_OK;
}

template <class T, class K>
gla_status sort_passes (cuda_engine *e, const columns<T> &c, sort_space<K> *s)
{
  const int all = 8 * (int)sizeof (K);
  bool first = true;
  int bits = 0;
  while (c.count > (int64_t)1 << bits)
    bits++;
  if (is_complex_v<T>) {
    GLA_TRY (pass (e, c, SECOND_KEY, all, true, s));
    first = false;
  }
  GLA_TRY (pass (e, c, FIRST_KEY, all, first, s));
  if (bits > 0)
    GLA_TRY (pass (e, c, COLUMN, bits, false, s));
  const unsigned blocks = (unsigned)((c.n * c.count + THREADS - 1) / THREADS);
  fetch_kernel<<<blocks, THREADS, 0, e->slots[0].stream>>> (c, s->position[0]);
  return engine_status (cudaGetLastError ());
}

template <class T> gla_status sort_long (cuda_engine *e, const columns<T> &c)
{
  typedef typename nd_key_of<T>::type K;
  const int64_t total = c.n * c.count;
  const size_t keys = ((size_t)total * sizeof (K) + 255) / 256 * 256;
  const size_t positions = ((size_t)total * sizeof (uint32_t) + 255) / 256 * 256;
  sort_space<K> s = {};
  void *memory = nullptr;
  GLA_TRY (work_of<K> (total, &s.work_bytes));
  GLA_TRY (heap_take (e, 2 * keys + 2 * positions + s.work_bytes, &memory));
  char *at = static_cast<char *> (memory);
  for (int k = 0; k < 2; k++) {
    s.key[k] = reinterpret_cast<K *> (at + k * keys);
    s.position[k] = reinterpret_cast<uint32_t *> (at + 2 * keys + k * positions);
  }
  s.work = at + 2 * keys + 2 * positions;
  const gla_status status = sort_passes (e, c, &s);
  heap_give (e, memory); // later work in the stream may use the memory
  return status;
}

//------------------------------------------------------------------------------
// all columns
//------------------------------------------------------------------------------

template <class T>
gla_status sort_all (cuda_engine *e, const gla_slices *x, bool descending, void *to, double *index)
{
  const int64_t most = MOST_ELEMENTS / x->n > 0 ? MOST_ELEMENTS / x->n : 1;
  for (int64_t at = 0; at < x->outer; at += most) {
    const int64_t first = at * x->n;
    const columns<T> c = {
        static_cast<const T *> (x->x) + first,       static_cast<T *> (to) + first,
        index != nullptr ? index + first : nullptr,  x->n,
        x->outer - at < most ? x->outer - at : most, descending};
    bool is_short = false;
    if constexpr (!is_complex_v<T>)
      is_short = x->n <= SHORT_LENGTH;
    if constexpr (!is_complex_v<T>)
      if (is_short)
        GLA_TRY (engine_status (nd_sort_short (c, e->slots[0].stream)));
    if (!is_short)
      GLA_TRY (sort_long (e, c));
  }
  return GLA_OK;
}

} // namespace

gla_status nd_sort (gla_engine *engine, const gla_slices *x, int descending, void *to,
                    double *index)
{
  cuda_engine *e = engine_of (engine);
  if (x->n > MOST_ELEMENTS)
    return GLA_ERROR_BAD_ARGUMENT;
  switch (x->type) {
  case GLA_TYPE_S:
    return sort_all<float> (e, x, descending != 0, to, index);
  case GLA_TYPE_D:
    return sort_all<double> (e, x, descending != 0, to, index);
  case GLA_TYPE_C:
    return sort_all<cx<float>> (e, x, descending != 0, to, index);
  case GLA_TYPE_Z:
    return sort_all<cx<double>> (e, x, descending != 0, to, index);
  default:
    return sort_all<unsigned char> (e, x, descending != 0, to, index);
  }
}
