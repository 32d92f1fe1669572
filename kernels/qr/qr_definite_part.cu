// qr_definite_part.cu: inverses of Cholesky factors as a part of another operation's work
// SPDX-License-Identifier: GPL-3.0-or-later

#include "engine/definite_part.cuh"
#include "qr_cholesky.cuh"

namespace
{

struct place {
  cuda_engine *e;
  int slot;
};

gla_status pause_of (void *user)
{
  const place *p = static_cast<place *> (user);
  return engine_throttle (p->e, p->slot);
}

} // namespace

template <class T> size_t definite_part_bytes (int64_t n, int64_t pages)
{
  carver c = {nullptr, 0};
  const qr_cholesky<T> unused (page_matrix<T>{}, page_matrix<T>{}, n, pages, c);
  return c.used;
}

template <class T>
gla_status definite_part (cuda_engine *e, int slot, char *memory, page_matrix<T> Y,
                          page_matrix<T> R, int64_t n, int64_t pages)
{
  carver c = {memory, 0};
  const qr_cholesky<T> job (Y, R, n, pages, c);
  const qr_streams streams = {e->slots[slot].stream, e->side,      e->side_start, e->side_done,
                              &e->slots[slot].blas,  &e->side_blas};
  place user = {e, slot};
  return qr_cholesky_inverse<T> (job, streams, {pause_of, &user});
}

#define GLA_INSTANTIATE(T)                                                                         \
  template size_t definite_part_bytes<T> (int64_t, int64_t);                                       \
  template gla_status definite_part (cuda_engine *, int, char *, page_matrix<T>, page_matrix<T>,   \
                                     int64_t, int64_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
