// spmv_hubs_plan.cu: finds dense columns of a sparse matrix (hubs), and decides whether to cache x
// there
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "common/work_limits.cuh"
#include "engine/memory.cuh"
#include "spmv.cuh"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace
{

// Counts the entries of every column; a thread has an entry.
__global__ void count_kernel (const uint32_t *column, int64_t entries, unsigned *count)
{
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < entries;
       k += (int64_t)gridDim.x * blockDim.x)
    atomicAdd (count + column[k], 1u);
}

// Replaces columns by codes; a thread has an entry.
__global__ void code_kernel (const uint32_t *column, int64_t entries, const uint32_t *code,
                             uint32_t *coded)
{
  for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < entries;
       k += (int64_t)gridDim.x * blockDim.x)
    coded[k] = code[column[k]];
}

// Returns 4-byte elements as an array, for copies between the arena of slot 0 and the host.
gla_array words (const void *from, int64_t count)
{
  return gla_array_packed (const_cast<void *> (from), GLA_TYPE_S, count, 1, 1, GLA_DEVICE_HOST);
}

gla_status count_columns (cuda_engine *e, const gpu_sparse *M, std::vector<uint32_t> *count)
{
  GLA_TRY (engine_reserve (e, 0, (size_t)M->columns * 4));
  cudaStream_t stream = e->slots[0].stream;
  unsigned *device = reinterpret_cast<unsigned *> (e->slots[0].memory);
  GLA_TRY (cudaMemsetAsync (device, 0, (size_t)M->columns * 4, stream));
  count_kernel<<<8 * e->multiprocessors, 256, 0, stream>>> (M->column, M->entries, device);
  GLA_TRY (cudaGetLastError ());
  gla_array host = words (count->data (), M->columns);
  return engine_download (e, 0, &host, device);
}

//------------------------------------------------------------------------------
// choice
//------------------------------------------------------------------------------

struct hub_choice {
  std::vector<uint32_t> code;   // of every column
  std::vector<uint32_t> column; // of every slot
};

// Chooses the `slots` columns with the most entries, and of these only columns with at least
// `least`; of columns with equally many entries the first are taken.
hub_choice choose_hubs (const std::vector<uint32_t> &count, size_t slots, uint32_t least)
{
  enum { TOP = 1 << 16 }; // more entries are as good
  std::vector<size_t> columns (TOP + 1, 0);
  for (uint32_t c : count)
    columns[std::min<uint32_t> (c, TOP)]++;
  uint32_t enough = TOP;
  size_t above = 0; // columns with more than `enough` entries
  while (enough > least && above + columns[enough] <= slots)
    above += columns[enough--];
  hub_choice hubs;
  hubs.code.resize (count.size ());
  size_t room = slots > above ? slots - above : 0;
  for (size_t j = 0; j < count.size (); j++) {
    uint32_t c = std::min<uint32_t> (count[j], TOP);
    bool hub = c > enough || (c == enough && room > 0);
    room -= hub && c == enough;
    hubs.code[j] = hub ? SPMV_HUB + (uint32_t)hubs.column.size () : (uint32_t)j;
    if (hub)
      hubs.column.push_back ((uint32_t)j);
  }
  return hubs;
}

// Returns the share of entries, in sampled windows of `window` neighbours, that fetch a line of x
// which no entry before them in the window has fetched. Hubs are not counted.
template <class I>
double fresh_lines (const I *index, int64_t entries, int64_t window, const uint32_t *code, int line)
{
  const int64_t windows = 64;
  std::vector<uint32_t> lines;
  int64_t fresh = 0;
  for (int64_t w = 0; w < windows; w++) {
    int64_t first = (entries - window) / (windows - 1) * w;
    lines.clear ();
    for (int64_t k = first; k < first + window; k++)
      if (code == nullptr || code[index[k]] < SPMV_HUB)
        lines.push_back ((uint32_t)(index[k] / line));
    std::sort (lines.begin (), lines.end ());
    fresh += std::unique (lines.begin (), lines.end ()) - lines.begin ();
  }
  return (double)fresh / (double)(windows * window);
}

template <class I>
bool hubs_pay (const cuda_engine *e, const gpu_sparse *M, const I *index, const hub_choice &hubs)
{
  // Measured: fetches per second of 132 multiprocessors by tiles and with hubs, and the seconds
  // that the additional kernel takes.
  const double share = e->multiprocessors / FITTED_MULTIPROCESSORS, tiles = 118e9 * share,
               beside = 120e9 * share;
  const double start = 2e-6;
  // The first-level cache holds what some thousand entries fetched, and with hubs some hundred.
  const int64_t much = 4096, little = 512;
  const int line = 128 / (int)gla_type_size (M->type);
  double plain = fresh_lines (index, M->entries, much, nullptr, line) * (double)M->entries;
  double close =
      fresh_lines (index, M->entries, little, hubs.code.data (), line) * (double)M->entries +
      (double)hubs.column.size () * ((double)e->multiprocessors / (line / 2) + 1);
  return close / beside + start < plain / tiles;
}

//------------------------------------------------------------------------------
// codes
//------------------------------------------------------------------------------

gla_status store_codes (cuda_engine *e, gpu_sparse *M, const hub_choice &hubs)
{
  const int64_t pad = 16; // entries behind the last, to be read and not used
  size_t element = gla_type_size (M->type), slots = hubs.column.size ();
  GLA_TRY (spmv_take (e, reinterpret_cast<void **> (&M->coded), (size_t)(M->entries + pad) * 4));
  GLA_TRY (spmv_take (e, reinterpret_cast<void **> (&M->hub_column), slots * 4));
  GLA_TRY (spmv_take (e, &M->hub_x, slots * element + 16));
  GLA_TRY (engine_reserve (e, 0, (size_t)M->columns * 4)); // spmv_take may have released it
  gla_array codes = words (hubs.code.data (), M->columns);
  gla_array columns = words (hubs.column.data (), (int64_t)slots);
  GLA_TRY (engine_upload (e, 0, M->hub_column, &columns));
  GLA_TRY (engine_upload (e, 0, e->slots[0].memory, &codes));
  cudaStream_t stream = e->slots[0].stream;
  const uint32_t *code = reinterpret_cast<const uint32_t *> (e->slots[0].memory);
  code_kernel<<<8 * e->multiprocessors, 256, 0, stream>>> (M->column, M->entries, code, M->coded);
  GLA_TRY (cudaGetLastError ());
  GLA_TRY (cudaMemsetAsync (M->coded + M->entries, 0, pad * 4, stream));
  GLA_TRY (spmv_allow_hubs (*M, e->smem_limit));
  M->hubs = (int)slots;
  M->hub_blocks = e->multiprocessors;
  return GLA_OK;
}

// Frees the codes: the matrix is complete without them.
void forget (gpu_sparse *M)
{
  for (void *memory : {(void *)M->coded, (void *)M->hub_column, M->hub_x})
    memory_free_copy (memory);
  M->coded = M->hub_column = nullptr;
  M->hub_x = nullptr;
}

} // namespace

gla_status spmv_find_hubs (cuda_engine *e, gpu_sparse *M, const gla_csr *csr)
{
  const int64_t least_entries = 1 << 19, least_shared = 200 << 10; // and fetches past the cache
  if (M->capacity != 128 || M->entries < least_entries || !clusters_work () ||
      e->smem_limit < least_shared || M->columns >= SPMV_HUB)
    return GLA_OK;
  std::vector<uint32_t> count;
  hub_choice hubs;
  gla_status status = GLA_OK;
  try {
    count.resize (M->columns);
    status = count_columns (e, M, &count);
    if (status != GLA_OK)
      return status == GLA_ERROR_OUT_OF_MEMORY ? GLA_OK : status;
    // a slot costs each multiprocessor a part of a fetch
    uint32_t least = 2 + (uint32_t)(e->multiprocessors * gla_type_size (M->type) / 64);
    hubs = choose_hubs (count, (size_t)spmv_hub_slots (*M, e->smem_limit), least);
    if (hubs.column.empty ())
      return GLA_OK;
    bool pay = csr->index_bytes == 4
                   ? hubs_pay (e, M, static_cast<const int32_t *> (csr->index), hubs)
                   : hubs_pay (e, M, static_cast<const int64_t *> (csr->index), hubs);
    if (!pay)
      return GLA_OK;
  } catch (...) { // std::bad_alloc; nothing may leave the C library by an exception
    return GLA_OK;
  }
  status = store_codes (e, M, hubs);
  if (status != GLA_OK)
    forget (M);
  return status == GLA_ERROR_OUT_OF_MEMORY ? GLA_OK : status;
}
