// lanczos_team_steps.cu: what the members of a team of GPUs do together: products, projections
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/runtime.cuh"
#include "lanczos_state.cuh"

// Each member waits for the event of all others.
template <class T> gla_status krylov_team<T>::wait_for_all (cudaEvent_t krylov_member<T>::*event)
{
  for (int k = 0; k < opened; k++)
    for (int peer = 0; peer < opened; peer++)
      if (peer != k)
        GLA_TRY (
            of (k, cudaStreamWaitEvent (members[k].rows->place.stream, members[peer].*event, 0)));
  return GLA_OK;
}

// Each member waits for what all have launched.
template <class T> gla_status krylov_team<T>::meet ()
{
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    GLA_TRY (of (k, cudaEventRecord (members[k].ready, members[k].rows->place.stream)));
  }
  return wait_for_all (&krylov_member<T>::ready);
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

// Returns which rows of member `peer`, counted there, member k needs.
template <class T> typename krylov_team<T>::range krylov_team<T>::needed (int k, int peer) const
{
  const krylov_member<T> &m = members[k];
  const krylov_of<T> &rows = *members[peer].rows;
  const int64_t first = m.x_from - rows.place.before, end = m.x_to - rows.place.before;
  return {first > 0 ? first : 0, end < rows.n ? end : rows.n};
}

// Copies the rows of `from`, a block of member `peer`, that member k needs, to its x.
template <class T> gla_status krylov_team<T>::copy_rows (int k, int peer, const T *from)
{
  const krylov_member<T> &m = members[k], &p = members[peer];
  const range r = needed (k, peer);
  if (r.end <= r.first)
    return GLA_OK;
  return of (k,
             peers_copy (m.x + (p.rows->place.before + r.first) * this->b, m.e->base.device,
                         from + r.first * this->b, p.e->base.device,
                         (size_t)((r.end - r.first) * this->b) * sizeof (T), m.rows->place.stream));
}

template <class T> gla_status krylov_team<T>::multiply_shares (int k, int64_t to)
{
  const krylov_member<T> &m = members[k];
  spmv_parts<T> parts = {};
  for (int s = 0; s < m.shares.count; s++) {
    const gpu_sparse *matrix = spmv_matrix_of (team->sparse[m.first_share + s]);
    if (matrix != nullptr) // it has rows
      parts.of[parts.count++] = {matrix, m.rows->vector (to) + m.shares.start[s] * this->b};
  }
  return of (
      k, spmv_multiply_parts (parts, this->job.conjugate != 0, m.x, this->b, m.rows->place.stream));
}

// In the end the block may be overwritten: all have read it.
template <class T> gla_status krylov_team<T>::multiply (int64_t from, int64_t to)
{
  sent = -1;
  GLA_TRY (meet ());
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    for (int peer = 0; peer < opened; peer++)
      GLA_TRY (copy_rows (k, peer, members[peer].rows->block (from)));
    GLA_TRY (of (k, cudaEventRecord (members[k].read, members[k].rows->place.stream)));
    GLA_TRY (multiply_shares (k, to));
  }
  return wait_for_all (&krylov_member<T>::read);
}

// Returns the rows of member k that all need, and where they are needed.
template <class T> krylov_more_rows<T> krylov_team<T>::rows_to_send (int k) const
{
  const int64_t before = members[k].rows->place.before;
  krylov_more_rows<T> more = {};
  for (int to = 0; to < opened; to++) {
    const range r = needed (to, k);
    if (to == k && !direct) // from there the others copy them
      more.of[more.count++] = {members[k].x + before * this->b, 0, members[k].rows->n};
    else if (direct && r.end > r.first)
      more.of[more.count++] = {members[to].x + before * this->b, r.first, r.end};
  }
  return more;
}

// The last projection comes after all products that read x.
template <class T>
gla_status krylov_team<T>::update_last (int64_t c, const double *M_, const double *C,
                                        const double *factor)
{
  sent = c;
  sent_factor = factor;
  for (int k = 0; k < opened; k++) {
    const krylov_of<T> &rows = *members[k].rows;
    GLA_TRY (enter (k));
    GLA_TRY (of (k, krylov_update<T> (rows.place, rows.V, c, rows.vector (c), on (k, M_), on (k, C),
                                      rows_to_send (k))));
  }
  return GLA_OK;
}

// The projection since update_last comes after all that the others have stored in x.
template <class T> gla_status krylov_team<T>::multiply_next (int64_t c, const double **factor)
{
  *factor = sent == c - 1 ? sent_factor : nullptr;
  if (sent != c - 1)
    return multiply (c - 1, c);
  if (!direct)
    GLA_TRY (meet ());
  for (int k = 0; k < opened; k++) {
    GLA_TRY (enter (k));
    for (int peer = 0; peer < opened && !direct; peer++)
      if (peer != k)
        GLA_TRY (copy_rows (k, peer, members[peer].x + members[peer].rows->place.before * this->b));
    GLA_TRY (multiply_shares (k, c));
  }
  return GLA_OK;
}

//------------------------------------------------------------------------------
// projections
//------------------------------------------------------------------------------

// Returns where the other members want the sums of member k.
template <class T>
krylov_more_sums krylov_team<T>::sums_to_send (int k, int turn, int64_t numbers) const
{
  krylov_more_sums more = {};
  for (int to = 0; to < opened && direct; to++)
    if (to != k)
      more.to[more.count++] = members[to].sums[turn] + members[k].first_share * numbers;
  return more;
}

template <class T> gla_status krylov_team<T>::read_sums (int k, int turn, int64_t numbers)
{
  const krylov_member<T> &m = members[k];
  const cudaStream_t stream = m.rows->place.stream;
  for (int peer = 0; peer < opened && !direct; peer++) {
    const krylov_member<T> &p = members[peer];
    if (peer == k)
      continue;
    GLA_TRY (of (k, peers_copy (m.sums[turn] + p.first_share * numbers, m.e->base.device,
                                p.sums[turn] + p.first_share * numbers, p.e->base.device,
                                (size_t)(p.shares.count * numbers) * sizeof (double), stream)));
  }
  return GLA_OK;
}

// Sums have two places. When a member writes to one for the second time, also on the others, these
// have finished the sums in between, and so have read those of the first time.
template <class T>
gla_status krylov_team<T>::project (int64_t count, int64_t W, const double *factor, double *C)
{
  const int64_t numbers = (count + 1) * this->square ();
  const int now = round++ % 2;
  for (int k = 0; k < opened; k++) {
    const krylov_member<T> &m = members[k];
    GLA_TRY (enter (k));
    GLA_TRY (of (k, krylov_project_shares<T> (m.rows->place, m.shares, m.rows->V, count,
                                              m.rows->vector (W), on (k, factor),
                                              m.sums[now] + m.first_share * numbers,
                                              sums_to_send (k, now, numbers))));
    GLA_TRY (of (k, cudaEventRecord (m.summed, m.rows->place.stream)));
  }
  GLA_TRY (wait_for_all (&krylov_member<T>::summed));
  for (int k = 0; k < opened; k++) {
    const krylov_place<T> &place = members[k].rows->place;
    GLA_TRY (enter (k));
    GLA_TRY (read_sums (k, now, numbers));
    GLA_TRY (of (k, krylov_add_shares (members[k].sums[now], numbers, place.flags, on (k, C),
                                       place.stream)));
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T)                                                                         \
  template gla_status krylov_team<T>::meet ();                                                     \
  template gla_status krylov_team<T>::multiply (int64_t, int64_t);                                 \
  template gla_status krylov_team<T>::multiply_next (int64_t, const double **);                    \
  template gla_status krylov_team<T>::update_last (int64_t, const double *, const double *,        \
                                                   const double *);                                \
  template gla_status krylov_team<T>::project (int64_t, int64_t, const double *, double *);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
