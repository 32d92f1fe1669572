// arrays_fft.cu: Fourier transforms of slices
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Slices of 2, 4, 8, 16 or 32 elements have their own kernel (arrays_fft_short.cu), unless many are
// contiguous. All others go to cuFFT: contiguous ones as one batch; others as a batch for each
// outer index, at steps of `inner`, while these are few or large; many small ones are made
// contiguous first, because a launch takes longer than such a batch.

#include "arrays.cuh"
#include "engine/cufft.cuh"
#include "engine/heap.cuh"

namespace
{

// MOST: elements of one call of cuFFT, whose work space is four times as large at lengths with
// large prime factors. LARGE: elements of a page that justify a separate call: there 64 calls take
// as long as one and two copies.
const int64_t MOST = (int64_t)1 << 27, LARGE = (int64_t)1 << 18;
enum { FEW = 4 };
// Up to so many elements of contiguous short slices, threads that read whole slices are as fast.
const int64_t SMALL = (int64_t)1 << 16;

struct transform {
  cuda_engine *e;
  gla_type type;
  int64_t inner, n, outer;
  bool inverse;

  size_t bytes (int64_t elements) const { return (size_t)elements * gla_type_size (type); }
  const void *from (const void *x, int64_t elements) const
  {
    return static_cast<const char *> (x) + bytes (elements);
  }
  void *to (void *x, int64_t elements) const { return static_cast<char *> (x) + bytes (elements); }
};

// Returns how many items of so many elements one call may have.
int64_t at_once (int64_t elements, int64_t count)
{
  const int64_t most = MOST / elements > 0 ? MOST / elements : 1;
  return count < most ? count : most;
}

// Transforms contiguous slices: each begins `n` elements after the previous one.
gla_status side_by_side (const transform &t, int64_t count, const void *x, void *y)
{
  const int64_t most = at_once (t.n, count);
  for (int64_t at = 0; at < count; at += most) {
    const int64_t here = count - at < most ? count - at : most;
    GLA_TRY (engine_fft (t.e, {t.n, 1, t.n, here, t.type}, t.inverse, t.from (x, at * t.n),
                         t.to (y, at * t.n)));
  }
  return GLA_OK;
}

gla_status in_steps (const transform &t, const void *x, void *y)
{
  const int64_t most = at_once (t.n, t.inner);
  for (int64_t o = 0; o < t.outer; o++)
    for (int64_t at = 0; at < t.inner; at += most) {
      const int64_t here = t.inner - at < most ? t.inner - at : most;
      const int64_t first = o * t.n * t.inner + at;
      GLA_TRY (engine_fft (t.e, {t.n, t.inner, 1, here, t.type}, t.inverse, t.from (x, first),
                           t.to (y, first)));
    }
  return GLA_OK;
}

// Transposes pages between n x inner and inner x n.
gla_status turn (const transform &t, int64_t pages, const void *from, void *to, bool back)
{
  const int64_t page = t.inner * t.n, a = back ? t.inner : t.n, b = back ? t.n : t.inner;
  gla_nd target = {}, source = {};
  target.data = to;
  source.data = const_cast<void *> (from);
  target.type = source.type = t.type;
  target.dims = source.dims = 3;
  const int64_t sizes[] = {a, b, pages}, steps[] = {1, a, page}, turned[] = {b, 1, page};
  for (int d = 0; d < 3; d++) {
    target.size[d] = source.size[d] = sizes[d];
    target.step[d] = steps[d];
    source.step[d] = turned[d];
  }
  return nd_elementwise (&t.e->base, GLA_ND_COPY, &target, &source, nullptr, nullptr);
}

gla_status by_copies (const transform &t, const void *x, void *y)
{
  const int64_t page = t.inner * t.n, most = at_once (page, t.outer);
  void *memory = nullptr;
  GLA_TRY (heap_take (t.e, t.bytes (page * most), &memory));
  gla_status status = GLA_OK;
  for (int64_t at = 0; at < t.outer && status == GLA_OK; at += most) {
    const int64_t here = t.outer - at < most ? t.outer - at : most;
    status = turn (t, here, t.from (x, at * page), memory, false);
    if (status == GLA_OK)
      status = side_by_side (t, t.inner * here, memory, memory);
    if (status == GLA_OK)
      status = turn (t, here, memory, t.to (y, at * page), true);
  }
  heap_give (t.e, memory);
  return status;
}

} // namespace

gla_status nd_fft (gla_engine *engine, const gla_slices *x, int inverse, void *to)
{
  const transform t = {engine_of (engine), (gla_type)x->type, x->inner, x->n,
                       x->outer,           inverse != 0};
  if (t.n == 1) {
    if (to == x->x)
      return GLA_OK;
    return engine_status (cudaMemcpyAsync (to, x->x, t.bytes (t.inner * t.outer),
                                           cudaMemcpyDeviceToDevice, t.e->slots[0].stream));
  }
  if (nd_fft_is_short (t.n) && (t.inner > 1 || t.n * t.outer <= SMALL))
    return nd_fft_short (t.type, t.inner, t.n, t.outer, t.inverse, x->x, to, t.e->slots[0].stream);
  if (t.inner == 1)
    return side_by_side (t, t.outer, x->x, to);
  if (t.outer <= FEW || t.inner * t.n >= LARGE)
    return in_steps (t, x->x, to);
  return by_copies (t, x->x, to);
}
