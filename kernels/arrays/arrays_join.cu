// arrays_join.cu: copies of several arrays in one launch, and triangles of matrices
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/arrays_types.h"
#include "arrays.cuh"
#include "arrays_math.cuh"

#include <cstring>

namespace
{

// PARTS copies fit into the arguments of a kernel, 4 KB. Copies of LARGE elements and more have
// their own launches, by the faster ways of nd_elementwise.
enum { THREADS = 256, EACH = 4, PARTS = 32, JOIN_DIMS = 3 };
const int64_t LARGE = (int64_t)1 << 20;

// One copy: elements 0 .. n-1, counted along three dimensions.
struct join_part {
  void *to;
  const void *from; // NULL: the number
  double value[2];
  int type; // of from
  uint32_t n, first_block;
  nd_divisor size[JOIN_DIMS - 1];
  int64_t to_step[JOIN_DIMS], from_step[JOIN_DIMS];
};

struct join_parts {
  int count;
  join_part part[PARTS];
};
static_assert (sizeof (join_parts) <= 4096, "the arguments of a kernel");

// A block belongs to one part, and has EACH * THREADS of its elements. A thread has EACH of them, a
// block's width apart, so that the accesses of a warp are contiguous if the arrays are.
template <class T> __global__ void __launch_bounds__ (THREADS) join_kernel (join_parts a)
{
  int k = 0;
  while (k + 1 < a.count && blockIdx.x >= a.part[k + 1].first_block)
    k++;
  const join_part &p = a.part[k];
  const nd_operand from = {p.from, p.type, {p.value[0], p.value[1]}, {}};
  const uint32_t first = (blockIdx.x - p.first_block) * EACH * THREADS + threadIdx.x;
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const uint32_t i = first + j * THREADS;
    if (i >= p.n)
      break;
    const uint32_t columns = nd_divide (i, p.size[0]), row = i - columns * p.size[0].d,
                   page = nd_divide (columns, p.size[1]), column = columns - page * p.size[1].d;
    const int64_t to = row * p.to_step[0] + column * p.to_step[1] + page * p.to_step[2],
                  at = row * p.from_step[0] + column * p.from_step[1] + page * p.from_step[2];
    static_cast<T *> (p.to)[to] = nd_load<T> (from, at);
  }
}

//------------------------------------------------------------------------------
// copies
//------------------------------------------------------------------------------

// Describes the copy as a part: dimensions of size 1 are left out, and adjacent ones that are one
// for both arrays are merged. False if it has more dimensions, or is large.
bool part_of (const gla_nd &to, const gla_nd &from, join_part *p)
{
  int64_t size[JOIN_DIMS] = {1, 1, 1}, n = 1;
  int dims = 0;
  *p = {to.data, from.data, {from.value[0], from.value[1]}, from.type, 0, 0, {}, {}, {}};
  for (int d = 0; d < to.dims; d++) {
    const int64_t from_step = from.data != nullptr && d < from.dims ? from.step[d] : 0;
    const int last = dims - 1;
    n *= to.size[d];
    if (to.size[d] == 1)
      continue;
    if (last >= 0 && to.step[d] == p->to_step[last] * size[last] &&
        from_step == p->from_step[last] * size[last]) {
      size[last] *= to.size[d];
      continue;
    }
    if (dims == JOIN_DIMS)
      return false;
    size[dims] = to.size[d];
    p->to_step[dims] = to.step[d];
    p->from_step[dims++] = from_step;
  }
  if (n >= LARGE)
    return false;
  p->n = (uint32_t)n;
  for (int d = 0; d < JOIN_DIMS - 1; d++)
    p->size[d] = nd_divisor_of (size[d]);
  return true;
}

bool is_empty (const gla_nd &a)
{
  for (int d = 0; d < a.dims; d++)
    if (a.size[d] == 0)
      return true;
  return false;
}

cudaError_t launch (int type, const join_parts &a, cudaStream_t stream)
{
  const join_part &last = a.part[a.count - 1];
  const unsigned blocks = last.first_block + (last.n + EACH * THREADS - 1) / (EACH * THREADS);
  switch (type) {
  case GLA_TYPE_S:
    join_kernel<float><<<blocks, THREADS, 0, stream>>> (a);
    break;
  case GLA_TYPE_D:
    join_kernel<double><<<blocks, THREADS, 0, stream>>> (a);
    break;
  case GLA_TYPE_C:
    join_kernel<cx<float>><<<blocks, THREADS, 0, stream>>> (a);
    break;
  case GLA_TYPE_Z:
    join_kernel<cx<double>><<<blocks, THREADS, 0, stream>>> (a);
    break;
  default:
    join_kernel<unsigned char><<<blocks, THREADS, 0, stream>>> (a);
  }
  return cudaGetLastError ();
}

//------------------------------------------------------------------------------
// triangles
//------------------------------------------------------------------------------

struct triangle {
  uint32_t n;
  nd_divisor rows, columns;
  int64_t first, last; // diagonals
  const char *x;
  char *to;
  int64_t x_step[JOIN_DIMS], to_step[JOIN_DIMS];
};

struct alignas (16) sixteen {
  uint64_t a, b;
};

// Elements are moved as words of their size, whose value 0 is the number 0. A thread has EACH of
// them, a block's width apart; those that become 0 are not read.
template <class W> __global__ void __launch_bounds__ (THREADS) triangle_kernel (triangle t)
{
  const uint32_t first = blockIdx.x * EACH * THREADS + threadIdx.x;
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    const uint32_t i = first + j * THREADS;
    if (i >= t.n)
      break;
    const uint32_t columns = nd_divide (i, t.rows), row = i - columns * t.rows.d,
                   page = nd_divide (columns, t.columns), column = columns - page * t.columns.d;
    const int64_t diagonal = (int64_t)column - row;
    W word = {};
    if (diagonal >= t.first && diagonal <= t.last)
      word = reinterpret_cast<const W *> (
          t.x)[row * t.x_step[0] + column * t.x_step[1] + page * t.x_step[2]];
    reinterpret_cast<W *> (t.to)[row * t.to_step[0] + column * t.to_step[1] + page * t.to_step[2]] =
        word;
  }
}

template <class W> cudaError_t launch_triangle (const triangle &t, cudaStream_t stream)
{
  const unsigned blocks = (t.n + EACH * THREADS - 1) / (EACH * THREADS);
  triangle_kernel<W><<<blocks, THREADS, 0, stream>>> (t);
  return cudaGetLastError ();
}

cudaError_t launch_triangle (const triangle &t, size_t size, cudaStream_t stream)
{
  switch (size) {
  case 1:
    return launch_triangle<unsigned char> (t, stream);
  case 4:
    return launch_triangle<uint32_t> (t, stream);
  case 8:
    return launch_triangle<uint64_t> (t, stream);
  default:
    return launch_triangle<sixteen> (t, stream);
  }
}

} // namespace

gla_status nd_join (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count)
{
  cudaStream_t stream = engine_of (engine)->slots[0].stream;
  join_parts a = {};
  uint32_t blocks = 0;
  for (int k = 0; k < count; k++) {
    if (is_empty (to[k]))
      continue;
    join_part *p = &a.part[a.count];
    if (!part_of (to[k], from[k], p)) {
      GLA_TRY (nd_elementwise (engine, GLA_ND_COPY, to + k, from + k, nullptr, nullptr));
      continue;
    }
    p->first_block = blocks;
    blocks += (p->n + EACH * THREADS - 1) / (EACH * THREADS);
    if (++a.count == PARTS) {
      GLA_TRY (launch (to->type, a, stream));
      a.count = 0;
      blocks = 0;
    }
  }
  return a.count > 0 ? engine_status (launch (to->type, a, stream)) : GLA_OK;
}

// Makes pieces of fewer than 2^31 elements: whole pages, or columns of one page. A column is
// shorter.
gla_status nd_triangle (gla_engine *engine, const gla_nd *to, const gla_nd *x, int64_t first,
                        int64_t last)
{
  cudaStream_t stream = engine_of (engine)->slots[0].stream;
  const size_t size = gla_nd_bytes (to->type);
  const int64_t rows = to->size[0], columns = to->size[1], pages = to->dims > 2 ? to->size[2] : 1,
                most = ((int64_t)1 << 31) - 1, some = most / rows,
                width = columns < some ? columns : some;
  const int64_t depth =
      width < columns || most / (rows * columns) < 1 ? 1 : most / (rows * columns);
  triangle t = {};
  for (int d = 0; d < to->dims; d++) {
    t.x_step[d] = x->step[d];
    t.to_step[d] = to->step[d];
  }
  t.rows = nd_divisor_of (rows);
  for (int64_t page = 0; page < pages; page += depth)
    for (int64_t column = 0; column < columns; column += width) {
      const int64_t wide = columns - column < width ? columns - column : width,
                    deep = pages - page < depth ? pages - page : depth;
      t.n = (uint32_t)(rows * wide * deep);
      t.columns = nd_divisor_of (wide);
      t.first = first - column;
      t.last = last - column;
      t.x = static_cast<const char *> (x->data) +
            (column * t.x_step[1] + page * t.x_step[2]) * (int64_t)size;
      t.to = static_cast<char *> (to->data) +
             (column * t.to_step[1] + page * t.to_step[2]) * (int64_t)size;
      GLA_TRY (launch_triangle (t, size, stream));
    }
  return GLA_OK;
}
