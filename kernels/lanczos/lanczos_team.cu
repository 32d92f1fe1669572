// lanczos_team.cu: a Krylov job whose rows several GPUs of one process share
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos_state.cuh"
#include "common/pages.cuh"
#include "common/host_memory.h"
#include "common/runtime.cuh"
#include "engine/downloads.cuh"

#include <new>

//------------------------------------------------------------------------------
// open and close
//------------------------------------------------------------------------------

template <class T> gla_status krylov_team<T>::of (int k, gla_status status)
{
  if (status == GLA_ERROR_DEVICE_FAILURE)
    team->failed = k;
  return status;
}

template <class T> gla_status krylov_team<T>::enter (int k)
{
  return of (k, cudaSetDevice (members[k].e->base.device));
}

// Only counts bytes if the base is NULL.
template <class T>
static void carve_member (const krylov_team<T> &t, krylov_member<T> &m, carver &c)
{
  const int64_t numbers = (t.blocks + 1) * t.square ();
  m.x = c.take<T> (t.order * t.b);
  for (double *&sums : m.sums)
    sums = c.take<double> (KRYLOV_SHARES * numbers);
  m.rows->place.partial = c.take<double> (
      krylov_share_partial_size (m.shares.count, t.blocks + 1, t.b, is_complex_v<T>));
}

template <class T> gla_status krylov_team<T>::take_memory (int k)
{
  krylov_member<T> &m = members[k];
  carver count = {nullptr, 0};
  carve_member (*this, m, count);
  const cudaError_t error = cudaMalloc (reinterpret_cast<void **> (&m.memory), count.used);
  if (error != cudaSuccess) {
    m.memory = nullptr;
    return of (k, error);
  }
  carver c = {m.memory, 0};
  carve_member (*this, m, c);
  GLA_TRY (of (k, cudaMemsetAsync (m.memory, 0, count.used, m.rows->place.stream)));
  for (cudaEvent_t *event : {&m.ready, &m.read, &m.summed})
    GLA_TRY (of (k, cudaEventCreateWithFlags (event, cudaEventDisableTiming)));
  return GLA_OK;
}

template <class T> void krylov_team<T>::take_shares (int k)
{
  krylov_member<T> &m = members[k];
  m.first_share = gla_team_share (team, k);
  m.shares.count = gla_team_share (team, k + 1) - m.first_share;
  m.x_from = order;
  for (int s = 0; s <= m.shares.count; s++)
    m.shares.start[s] = team->start[m.first_share + s] - team->start[m.first_share];
  for (int s = m.first_share; s < m.first_share + m.shares.count; s++)
    if (team->to[s] > team->from[s]) {
      m.x_from = team->from[s] < m.x_from ? team->from[s] : m.x_from;
      m.x_to = team->to[s] > m.x_to ? team->to[s] : m.x_to;
    }
}

template <class T> gla_status krylov_team<T>::open_member (int k, const gla_krylov_job *whole)
{
  krylov_member<T> &m = members[k];
  m.e = engine_of (team->engines[k]);
  m.e->monitor = whole->monitor;
  m.rows = k == 0 ? this : new (std::nothrow) krylov_of<T> ();
  if (m.rows == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  opened = k + 1;
  take_shares (k);
  gla_krylov_job own = *whole;
  own.n = m.shares.start[m.shares.count];
  own.apply = nullptr;
  GLA_TRY (of (k, m.rows->begin (m.e, &own)));
  m.rows->place.before = team->start[m.first_share];
  m.rows->place.order = order;
  return take_memory (k);
}

template <class T> gla_status krylov_team<T>::open (const gla_krylov_job *whole)
{
  static_assert ((int)KRYLOV_SHARES == (int)GLA_TEAM_SHARES, "the shares of a matrix");
  team = whole->team;
  order = whole->n;
  for (int k = 0; k < team->count; k++)
    GLA_TRY (open_member (k, whole));
  GLA_TRY (connect ());
  return enter (0);
}

// In the end each member's memory is cleared before others store to it.
template <class T> gla_status krylov_team<T>::connect ()
{
  direct = true;
  sent = -1;
  for (int k = 0; k < opened; k++)
    for (int other = 0; other < opened; other++) {
      const int device = members[k].e->base.device, peer = members[other].e->base.device;
      peers_connect (device, peer);
      direct = direct && peers_reach (device, peer);
    }
  return meet ();
}

// Waits for all members first, because all may copy from all.
template <class T> krylov_team<T>::~krylov_team ()
{
  for (int k = 0; k < opened; k++)
    engine_drain (engine_of (&members[k].e->base));
  for (int k = 0; k < opened; k++) {
    krylov_member<T> &m = members[k];
    engine_of (&m.e->base);
    for (cudaEvent_t *event : {&m.ready, &m.read, &m.summed})
      if (*event != nullptr)
        cudaEventDestroy (*event);
    if (m.memory != nullptr)
      cudaFree (m.memory);
    if (k > 0)
      delete m.rows;
  }
  if (opened > 0)
    engine_of (&members[0].e->base);
  cudaGetLastError ();
}

//------------------------------------------------------------------------------
// what each member does with its own rows
//------------------------------------------------------------------------------

template <class T> gla_status krylov_team<T>::put (int64_t first, int64_t count, const void *from)
{
  sent = -1;
  for (int k = 0; k < opened; k++) {
    krylov_of<T> &rows = *members[k].rows;
    GLA_TRY (enter (k));
    GLA_TRY (of (
        k, rows.put_rows (first, count, static_cast<const T *> (from) + rows.place.before, order)));
  }
  return enter (0);
}

// Touches memory of the host, which is usually new and may be slow at first.
static gla_status prefault (const cuda_engine *e, void *memory, size_t bytes)
{
  const size_t most = (size_t)64 << 20;
  for (size_t at = 0; at < bytes; at += most) {
    gla_host_prefault (static_cast<char *> (memory) + at, bytes - at < most ? bytes - at : most);
    if (e->monitor.poll (e->monitor.user, 0))
      return GLA_ERROR_STOPPED;
  }
  return GLA_OK;
}

// Copies columns first .. first+count-1 of block k from all members to the host at once. The whole
// memory there is prefaulted before, because that of a single member has gaps.
template <class T> gla_status krylov_team<T>::get_columns (int64_t k, int first, int count, T *to)
{
  download_part parts[GLA_TEAM_MOST];
  int failed = 0;
  for (int m = 0; m < opened; m++) {
    const krylov_of<T> &rows = *members[m].rows;
    parts[m] = {members[m].e,
                gla_array_packed (to + rows.place.before, this->job.type, rows.n, count, 1,
                                  GLA_DEVICE_HOST),
                rows.stage};
    parts[m].to.column_stride = order;
    GLA_TRY (enter (m));
    GLA_TRY (of (m, krylov_fetch_columns (rows.place, rows.block (k), rows.stage, first, count)));
  }
  GLA_TRY (prefault (this->e, to, (size_t)(order * count) * sizeof (T)));
  const gla_status status = downloads_together (parts, opened, &failed);
  return of (failed, status);
}

template <class T> gla_status krylov_team<T>::get (int64_t first, int64_t count, void *to)
{
  T *column = static_cast<T *> (to);
  for (int64_t at = first; at < first + count;) {
    const int64_t k = at / this->b, left = first + count - at;
    const int from = (int)(at % this->b), some = left < this->b - from ? (int)left : this->b - from;
    GLA_TRY (get_columns (k, from, some, column));
    column += some * order;
    at += some;
  }
  return enter (0);
}

template <class T>
gla_status krylov_team<T>::update (int64_t from, int64_t count, int64_t W, const double *factor,
                                   const double *C)
{
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (
        of (k, members[k].rows->krylov_of<T>::update (from, count, W, on (k, factor), on (k, C))));
  }
  return GLA_OK;
}

template <class T>
gla_status krylov_team<T>::triangle (const double *G, const double *products, double *R,
                                     double *inverse, int step)
{
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, members[k].rows->krylov_of<T>::triangle (on (k, G), on (k, products), on (k, R),
                                                             on (k, inverse), step)));
  }
  return GLA_OK;
}

template <class T> gla_status krylov_team<T>::random_column (int64_t c, int i, uint64_t column_seed)
{
  sent = -1;
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, members[k].rows->krylov_of<T>::random_column (c, i, column_seed)));
  }
  return GLA_OK;
}

template <class T> gla_status krylov_team<T>::turn (int64_t count, int64_t keep)
{
  sent = sent == count / this->b ? keep / this->b : -1;
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, members[k].rows->krylov_of<T>::turn (count, keep)));
  }
  return GLA_OK;
}

template <class T> gla_status krylov_team<T>::to_device (void *to, const void *from, size_t bytes)
{
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, members[k].rows->krylov_of<T>::to_device (on (k, static_cast<char *> (to)),
                                                              from, bytes)));
  }
  return GLA_OK;
}

// The first is waited for last: it may wait for one that has failed.
template <class T> gla_status krylov_team<T>::wait ()
{
  for (int k = opened - 1; k >= 0; k--) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, members[k].rows->krylov_of<T>::wait ()));
  }
  return GLA_OK;
}

template struct krylov_team<float>;
template struct krylov_team<double>;
template struct krylov_team<cx<float>>;
template struct krylov_team<cx<double>>;
