// eig_chunk.cuh: a chunk of pages of gla_batcheig on one GPU: its method, its time, its memory
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIG_CHUNK_CUH
#define GPULINALG_EIG_CHUNK_CUH

#include "common/pages.cuh"
#include "common/eig_range.cuh"
#include "common/for_type.cuh"
#include "engine/eig_part.cuh"
#include "eig_kernels.cuh"
#include "eig_routes.h"
#include "few.cuh"
#include "large.cuh"

enum eig_route { ROUTE_SMALL, ROUTE_STAGES, ROUTE_LARGE, ROUTE_JACOBI, ROUTE_JACOBI_BLOCK };

// The entry of the table for the job, or the one that the job brings.
gla_eig_route eig_table_row (const gla_eig_job *job);

eig_route eig_route_of (const cuda_engine *e, const gla_eig_job *job);

// True if columns of V that are not wanted may be left out: with GLA_EIG_INDICES, and in jobs of
// other operations whose `columns` from il on are fewer than n with GLA_EIG_ALL. eig_by_band: pages
// of ROUTE_STAGES are reduced to a band first.
bool eig_forms_part (const cuda_engine *e, const gla_eig_job *job);
bool eig_goes_by_band (const cuda_engine *e, const gla_eig_job *job);

// True if each page has its own part, known once its eigenvalues are: an interval, with vectors.
bool eig_has_spans (const cuda_engine *e, const gla_eig_job *job);

// Whether a large page's vectors are found by eig_chunk_finish, which knows how many are wanted.
bool eig_has_rest (const cuda_engine *e, const gla_eig_job *job);

// True if the wanted vectors are found one by one (few.cuh), after a direct reduction to
// tridiagonal form. Of an interval, those of pages with few wanted vectors.
bool eig_finds_few (const gla_eig_job *job);

// True if a part is written directly to the caller's arrays, because no kernel needs V otherwise.
bool eig_writes_part (const cuda_engine *e, const gla_eig_job *job);

// Seconds of kernels for one page when many are at work, and those that one page takes alone.
double eig_page_seconds (const cuda_engine *e, const gla_eig_job *job);
double eig_page_latency (const gla_eig_job *job);

// Whether one kernel prepares and reduces.
template <class T> bool eig_reads_and_reduces (const cuda_engine *e, const eig_args<T> &a);

// Reduction, divide and conquer, back-transform. `powers` may be NULL (eig_part.cuh).
template <class T>
gla_status eig_run_stages (cuda_engine *e, int slot, const eig_args<T> &a, const int *powers);

// The same of large pages, one after the other; `rest`: what eig_has_rest says.
template <class T>
gla_status eig_run_large (cuda_engine *e, int slot, const eig_args<T> &a, bool rest);

// Waits for the kernels of a chunk (eig_part_submit) and downloads its results.
gla_status eig_chunk_finish (cuda_engine *e, int slot, const gla_eig_chunk *chunk);

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

// With a reduction to a band some lanes transform each wanted column alone up to so many rows, and
// up to twice as many where there are few columns (EIG_ALONE_COLUMNS), as measured.
enum { EIG_ALONE_ROWS = 128 };

// The columns of a strip of the back-transformation: the table's, or what fits; 0: no strips. With
// a reduction to a band the strip is as narrow as the wanted columns, for an interval as n / 10 of
// them.
template <class T> int eig_strip_of (const cuda_engine *e, const gla_eig_job *job)
{
  int strip = job->vectors ? eig_table_row (job).strip : 0;
  if (job->vectors && eig_goes_by_band (e, job)) {
    const bool spans = eig_has_spans (e, job);
    const int64_t part = spans ? (job->n + 9) / 10 : job->columns;
    const int64_t columns = eig_forms_part (e, job) ? part : job->n;
    if (!spans && columns < job->n &&
        job->n <= EIG_ALONE_ROWS * (columns <= EIG_ALONE_COLUMNS ? 2 : 1))
      return 0;
    strip = strip == 0 ? 16 : strip;
    while (strip > 8 && strip / 2 >= columns)
      strip /= 2;
  }
  while (strip > 0 && !eig_unmtr_strip_fits<T> ((int)job->n, strip, e->smem_limit))
    strip = strip > 8 ? strip / 2 : 0;
  return strip;
}

// The work space of ROUTE_STAGES. With vectors the panel is used only before Z is written, so the
// two share memory.
template <class T>
void eig_lay_out_stages (const cuda_engine *e, const gla_eig_job *job, int64_t pages, carver &c,
                         eig_args<T> *a)
{
  typedef real_t<T> R;
  int n = (int)job->n;
  bool band = eig_goes_by_band (e, job);
  int64_t n2 = (int64_t)n * n;
  int64_t panel =
      band ? eig_he2hb_scratch<T> (n, e->smem_limit) : eig_hetrd_panel<T> (n, e->smem_limit);
  if (job->vectors)
    a->Z = c.take<R> (pages * n2);
  bool inside = job->vectors && panel * (int64_t)sizeof (T) <= n2 * (int64_t)sizeof (R);
  a->panel = inside ? static_cast<T *> (a->Z) : c.take<T> (pages * panel);
  if (band)
    a->band = c.take<T> (pages * (EIG_BANDWIDTH + 1) * n);
  if (band && job->vectors)
    a->chased = c.take<T> (pages * (eig_chased_numbers (n) + chased_wide_numbers<T> (n)));
  a->stedc = c.take<char> (eig_stedc_bytes<T> (n, pages));
  if (eig_has_spans (e, job)) {
    a->spans = c.take<eig_span> (pages);
    a->lists = eig_finds_few (job) ? c.take<int> (eig_few_list_numbers (n, pages)) : nullptr;
  }
  a->strip = eig_strip_of<T> (e, job);
  if (a->strip > 0)
    a->tfactor = c.take<double> (pages * eig_unmtr_doubles<T> (n));
}

// The work space of ROUTE_LARGE, for one page.
template <class T>
void eig_lay_out_large (const cuda_engine *e, const gla_eig_job *job, carver &c, eig_args<T> *a)
{
  typedef real_t<T> R;
  large_work<T> unused;
  int n = (int)job->n;
  if (job->vectors)
    a->Z = c.take<R> ((int64_t)n * n);
  a->stedc = c.take<char> (eig_stedc_bytes<T> (n, 1));
  a->d = c.take<R> (n);
  a->e = c.take<R> (n);
  a->rank = c.take<int> (n);
  if (eig_has_spans (e, job))
    a->spans = c.take<eig_span> (2); // and a number for the host
  a->large = c.base == nullptr ? nullptr : c.base + c.used;
  eig_large_lay_out<T> (n, job->vectors, c, &unused);
}

// Whether eig_take_range has the part of the spectrum to copy.
inline bool eig_takes_part (const cuda_engine *e, const gla_eig_job *job)
{
  const bool stays = job->range == GLA_EIG_INTERVAL && job->il == EIG_PART_STAYS;
  return job->range != GLA_EIG_ALL && !stays && !eig_writes_part (e, job);
}

// Whether the kernels write V and lambda to memory of the chunk.
inline bool eig_keeps_results (const cuda_engine *e, const gla_eig_job *job)
{
  return !job->head.device_arrays || eig_takes_part (e, job);
}

// The buffers of a chunk. Host arrays have copies of A, V and lambda here, and the copy of A is
// overwritten; device arrays need at most a copy of A to overwrite. Where a part of the spectrum is
// wanted, all of V and lambda is here.
template <class T>
size_t eig_lay_out (const cuda_engine *e, const gla_eig_job *job, int64_t pages, char *base,
                    eig_args<T> *a)
{
  typedef real_t<T> R;
  int64_t n = job->n, n2 = n * n;
  eig_route way = eig_route_of (e, job);
  carver c = {base, 0};
  if (way != ROUTE_SMALL || !job->head.device_arrays)
    a->W = c.take<T> (pages * n2);
  if (!job->head.device_arrays) {
    a->A = a->W;
    a->lda = n;
    a->page_a = n2;
  }
  if (eig_keeps_results (e, job)) {
    a->ldv = n;
    a->page_v = n2;
    a->V = job->vectors ? c.take<T> (pages * n2) : nullptr;
    a->lambda = c.take<R> (pages * n);
    a->inc_lambda = 1;
    a->page_lambda = n;
  }
  if (way == ROUTE_STAGES)
    eig_lay_out_stages (e, job, pages, c, a);
  if (way == ROUTE_LARGE)
    eig_lay_out_large<T> (e, job, c, a);
  if (way == ROUTE_JACOBI_BLOCK) {
    a->Z = c.take<T> (pages * n2);
    a->state = c.take<int> (pages * 8);
    a->count = c.take<int> (4 + pages);
  }
  if (way == ROUTE_STAGES || way == ROUTE_JACOBI_BLOCK) {
    a->d = c.take<R> (pages * n);
    a->e = c.take<R> (pages * n);
    a->tau = c.take<T> (pages * n);
    a->rank = c.take<int> (pages * n);
  }
  if (way == ROUTE_JACOBI)
    a->d = c.take<R> (pages); // a shift each
  if (way != ROUTE_SMALL) {
    a->exponent = c.take<int> (pages);
    a->norm = c.take<R> (pages);
  }
  a->info = c.take<int32_t> (pages);
  a->skew = c.take<double> (pages);
  return c.used;
}

// The start of blocked Jacobi: the eigenvectors that "qr" finds, and a copy of the pages.
template <class T> struct jacobi_start {
  T *A;         // NULL: it begins with the identity
  int32_t *bad; // info of each page before
  eig_args<T> stages;
};

// True if it starts so: if the stages of "qr" serve pages of this size with vectors.
inline bool eig_has_start (const cuda_engine *e, const gla_eig_job *job)
{
  gla_eig_job with = *job;
  with.vectors = 1;
  return eig_route_of (e, job) == ROUTE_JACOBI_BLOCK && eig_table_row (&with).way != EIG_LARGE;
}

// Behind the buffers of `a`, from byte `used` on.
template <class T>
size_t eig_lay_out_start (const cuda_engine *e, const gla_eig_job *job, int64_t pages, char *base,
                          size_t used, const eig_args<T> &a, jacobi_start<T> *start)
{
  carver c = {base, used};
  if (!eig_has_start (e, job))
    return used;
  gla_eig_job with = *job;
  with.vectors = 1;
  eig_args<T> &s = start->stages;
  s = a;
  s.vectors = 1;
  s.phase = 0;
  const int64_t n2 = job->n * job->n;
  start->A = c.take<T> (pages * n2);
  start->bad = c.take<int32_t> (pages);
  s.V = c.take<T> (pages * n2);
  s.ldv = job->n;
  s.page_v = n2;
  eig_lay_out_stages (e, &with, pages, c, &s);
  return c.used;
}

// Behind them, from byte `used` on, what a part of the spectrum needs. The part of V takes the
// memory of W, which is not read any more.
template <class T>
size_t eig_lay_out_range (const cuda_engine *e, const gla_eig_job *job, int64_t pages, char *base,
                          size_t used, eig_range_args<T> *r)
{
  carver c = {base, used};
  if (!eig_takes_part (e, job))
    return used;
  r->count = c.take<int64_t> (pages);
  if (!job->head.device_arrays)
    r->to_lambda = c.take<real_t<T>> (pages * job->columns);
  return c.used;
}

#endif
