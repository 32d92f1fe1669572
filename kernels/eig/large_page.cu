// large_page.cu: the order of the kernels for large pages, and their memory
// SPDX-License-Identifier: GPL-3.0-or-later

#include "large.cuh"
#include "stedc.cuh"
#include "common/runtime.cuh"
#include "common/work_limits.cuh"
#include "engine/eig_part.cuh"

namespace
{

// Waits for what was launched, and polls the monitor, each time that about PIECE_SECONDS of work is
// under way.
struct pacing {
  cuda_engine *e;
  int slot;
  bool waits;
  double under_way;
  gla_status add (double seconds)
  {
    under_way += seconds;
    if (!waits || under_way < PIECE_SECONDS)
      return GLA_OK;
    under_way = 0;
    return engine_throttle (e, slot);
  }
};

// Operations a second of products of matrices, and microseconds that steps wait for each other, as
// measured on an H200, for pieces of work that need not be exact.
const double PRODUCT_RATE = 25e12, PANEL_SECONDS = 2e-4, SWEEP_SECONDS = 5e-6;

template <class T> double product_seconds (double operations)
{
  return (is_complex_v<T> ? 4 : 1) * operations / PRODUCT_RATE;
}

//------------------------------------------------------------------------------
// the stages
//------------------------------------------------------------------------------

// The numbers that the blocks of large_panel.cu and of large_second.cu exchange.
int64_t partial_numbers (int n)
{
  int64_t panel = 2 * LARGE_BAND * ((int64_t)n / LARGE_PANEL_ROWS + 2);
  int64_t second = LARGE_BAND * LARGE_BAND * ((int64_t)n / LARGE_SECOND_ROWS + 2);
  return panel > second ? panel : second;
}

template <class T> size_t message_bytes (int n)
{
  return (size_t)2 * diamond_list (n).groups * LARGE_MESSAGE * sizeof (T);
}

template <class T> gla_status clear (const large_page<T> &a)
{
  int64_t n = a.n;
  const large_work<T> &w = a.work;
  GLA_TRY (cudaMemsetAsync (w.band, 0, (n + LARGE_LD) * LARGE_LD * sizeof (T), a.stream));
  GLA_TRY (cudaMemsetAsync (w.counters, 0, (2 * large_panels (a.n) + 1) * sizeof (int), a.stream));
  GLA_TRY (cudaMemsetAsync (w.progress, 0, 2 * n * sizeof (int), a.stream));
  GLA_TRY (cudaMemsetAsync (w.messages, 0xff, message_bytes<T> (a.n), a.stream)); // all empty
  if (!a.vectors)
    return GLA_OK;
  int64_t count = diamond_list (a.n).count ();
  GLA_TRY (cudaMemsetAsync (w.diamonds, 0, count * DIAMOND_NUMBERS * sizeof (wide<T>), a.stream));
  return engine_status (
      cudaMemsetAsync (w.diamond_taus, 0, count * LARGE_BAND * sizeof (T), a.stream));
}

template <class T> gla_status reduce (const large_page<T> &a, pacing &pace)
{
  for (int panel = 0; panel < large_panels (a.n); panel++) {
    double rows = a.n - (panel + 1.0) * LARGE_BAND;
    GLA_TRY (large_band (a, panel));
    GLA_TRY (pace.add (PANEL_SECONDS + product_seconds<T> (6 * rows * rows * LARGE_BAND)));
  }
  GLA_TRY (large_split (a));
  int sweeps = a.n - 1, together = (int)(PIECE_SECONDS / SWEEP_SECONDS);
  for (int first = 0; first < sweeps; first += together) {
    int last = first + together < sweeps ? first + together : sweeps;
    GLA_TRY (large_chase (a, first, last));
    GLA_TRY (pace.add (SWEEP_SECONDS * (last - first)));
  }
  return engine_status (large_diagonal (a));
}

// The product of a level, in pieces.
template <class T>
gla_status multiply_level (const large_page<T> &a, const stedc_level<real_t<T>> &s, pacing &pace)
{
  double m = s.tree.rows_at (s.level), nodes = s.tree.leaves >> s.level;
  double columns = s.picked != nullptr ? s.columns : m;
  int64_t blocks = stedc_update_blocks (s);
  double seconds = product_seconds<real_t<T>> (nodes * m * m * columns);
  int64_t piece = (int64_t)(blocks * PIECE_SECONDS / (seconds + PIECE_SECONDS)) + 1;
  for (int64_t first = 0; first < blocks; first += piece) {
    int64_t last = first + piece < blocks ? first + piece : blocks;
    GLA_TRY (stedc_update (s, first, last, a.stream));
    GLA_TRY (pace.add (seconds * (last - first) / blocks));
  }
  return GLA_OK;
}

// The part of the page in an interval, packed, to the host.
template <class T> gla_status send_span (const large_page<T> &a, const pacing &pace)
{
  int *packed = reinterpret_cast<int *> (a.spans + 1);
  GLA_TRY (large_span (a, {kept_eig_job (pace.e).vl, kept_eig_job (pace.e).vu}, packed));
  return copy_to_host (&pace.e->counter[pace.slot], packed, sizeof (int), a.stream);
}

// Reads what send_span has sent to the host.
template <class T> void take_span (large_page<T> &a, const pacing &pace)
{
  const int packed = pace.e->counter[pace.slot];
  a.first = packed / (a.n + 1);
  a.wanted = packed % (a.n + 1);
  a.rank += a.first;
}

// Divide and conquer, as eig_stedc does it for smaller pages, and the eigenvalues in order. Of a
// part the last product is left out.
template <class T> gla_status conquer (const large_page<T> &a, pacing &pace)
{
  typedef real_t<T> R;
  const double level_seconds = 1e-3;
  stedc_level<R> s = stedc_begin (static_cast<const eig_args<T> &> (a));
  GLA_TRY (stedc_leaves (s, a.stream));
  for (int level = 1; level <= stedc_levels (s.tree); level++) {
    stedc_rise (static_cast<const eig_args<T> &> (a), level, &s);
    GLA_TRY (stedc_far (s.tree, level) ? stedc_merge_far (s, a.stream) : stedc_merge (s, a.stream));
    GLA_TRY (pace.add (level_seconds));
    bool later = level == stedc_levels (s.tree) && a.gathered;
    if (a.vectors && !stedc_joins (s) && !later)
      GLA_TRY (multiply_level (a, s, pace));
  }
  return engine_status (large_sort (a));
}

// The last product of a part.
template <class T> gla_status gather (const large_page<T> &a, pacing &pace)
{
  stedc_level<real_t<T>> s = stedc_begin (static_cast<const eig_args<T> &> (a));
  stedc_rise (static_cast<const eig_args<T> &> (a), stedc_levels (s.tree), &s);
  s.picked = a.rank;
  s.columns = a.wanted;
  return multiply_level (a, s, pace);
}

// V = Q1 Q2 Z
template <class T> gla_status transform_back (const large_page<T> &a, pacing &pace)
{
  double n = a.n, columns = a.wanted;
  int groups = diamond_list (a.n).groups, together = large_groups_together (a);
  GLA_TRY (large_order (a));
  GLA_TRY (large_diamond_factors (a));
  for (int top = groups - 1; top >= 0; top -= together) {
    GLA_TRY (large_chased (a, top));
    GLA_TRY (pace.add (
        product_seconds<T> (8.0 * together * LARGE_BAND * columns * (groups - top) * LARGE_BAND)));
  }
  GLA_TRY (large_wide_factors (a));
  for (int block = large_wide_blocks (a.n) - 1; block >= 0; block--) {
    double rows = n - (double)block * LARGE_WIDE;
    GLA_TRY (large_back (a, block));
    GLA_TRY (pace.add (product_seconds<T> (4 * LARGE_WIDE * columns * rows)));
  }
  return GLA_OK;
}

// Eigenvectors of the tridiagonal matrix, if only a part of them is wanted, then of A.
template <class T> gla_status find_vectors (const large_page<T> &a, pacing &pace)
{
  if (!a.vectors || a.wanted == 0)
    return GLA_OK;
  if (a.gathered)
    GLA_TRY (gather (a, pace));
  GLA_TRY (transform_back (a, pace));
  return engine_status (large_phase (a));
}

bool has_waits (int n)
{
  return n > LARGE_WAIT_FROM;
}

// A page that cannot be solved has become zero, and is solved as such: nobody waits for its info
// before the end, where its results become NaN.
template <class T> gla_status solve (cuda_engine *e, int slot, large_page<T> a)
{
  pacing pace = {e, slot, has_waits (a.n), 0};
  GLA_TRY (eig_prepare_large (static_cast<const eig_args<T> &> (a), a.work.prepare));
  GLA_TRY (clear (a));
  GLA_TRY (reduce (a, pace));
  GLA_TRY (conquer (a, pace));
  if (a.spans != nullptr) {
    GLA_TRY (send_span (a, pace));
    if (!has_waits (a.n))
      return GLA_OK;
    GLA_TRY (engine_throttle (e, slot));
    take_span (a, pace);
  }
  return find_vectors (a, pace);
}

// Page p of a chunk.
template <class T>
large_page<T> page_of (cuda_engine *e, int slot, const eig_args<T> &chunk,
                       const large_work<T> &work, int64_t p)
{
  large_page<T> a;
  static_cast<eig_args<T> &> (a) = chunk;
  a.work = work;
  a.blas = &e->slots[slot].blas;
  a.pages = 1;
  const int64_t n = chunk.n;
  a.A = chunk.A + p * chunk.page_a;
  a.W = chunk.W + p * n * n;
  a.lambda = chunk.lambda + p * chunk.page_lambda;
  if (chunk.vectors)
    a.V = chunk.V + p * chunk.page_v;
  a.exponent = chunk.exponent + p;
  a.norm = chunk.norm + p;
  a.info = chunk.info + p;
  a.skew = chunk.skew + p;
  return a;
}

} // namespace

template <class T> void eig_large_lay_out (int n, int vectors, carver &c, large_work<T> *w)
{
  w->band = c.take<T> (((int64_t)n + LARGE_LD) * LARGE_LD);
  w->factors = c.take<T> ((int64_t)n * 2 * LARGE_BAND);
  for (int k = 0; k < 2; k++)
    w->pending[k] = c.take<T> ((int64_t)n * 2 * LARGE_BAND * large_delay (n));
  w->inner = c.take<T> (2 * LARGE_BAND * large_delay (n) * LARGE_BAND);
  w->partial = c.take<T> (partial_numbers (n));
  w->panel_factors = c.take<T> ((int64_t)(large_panels (n) + 1) * LARGE_BAND * LARGE_BAND);
  w->counters = c.take<unsigned> (2 * large_panels (n) + 1);
  w->progress = c.take<int> (2 * n);
  w->messages = c.take<T> (message_bytes<T> (n) / sizeof (T));
  w->prepare = c.take<char> (eig_prepare_large_bytes ());
  if (!vectors)
    return;
  int64_t count = diamond_list (n).count ();
  w->diamonds = c.take<wide<T>> (count * DIAMOND_NUMBERS);
  w->diamond_taus = c.take<T> (count * LARGE_BAND);
  w->wide_factors = c.take<T> ((int64_t)large_wide_blocks (n) * LARGE_WIDE * LARGE_WIDE);
  for (int k = 0; k < 2; k++)
    w->product[k] = c.take<T> ((int64_t)n * LARGE_WIDE);
}

template <class T>
gla_status eig_large (cuda_engine *e, int slot, const eig_args<T> &chunk, const large_work<T> &work)
{
  GLA_TRY (engine_open_blas (e, slot));
  for (int64_t p = 0; p < chunk.pages; p++)
    GLA_TRY (solve (e, slot, page_of (e, slot, chunk, work, p)));
  return GLA_OK;
}

template <class T>
gla_status eig_large_rest (cuda_engine *e, int slot, const eig_args<T> &chunk,
                           const large_work<T> &work)
{
  pacing pace = {e, slot, false, 0};
  large_page<T> a = page_of (e, slot, chunk, work, 0);
  take_span (a, pace);
  return find_vectors (a, pace);
}

#define GLA_INSTANTIATE(T)                                                                         \
  template void eig_large_lay_out (int, int, carver &, large_work<T> *);                           \
  template gla_status eig_large (cuda_engine *, int, const eig_args<T> &, const large_work<T> &);  \
  template gla_status eig_large_rest (cuda_engine *, int, const eig_args<T> &,                     \
                                      const large_work<T> &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
