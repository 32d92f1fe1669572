// lanczos_ranks.cuh: a Krylov job whose rows are spread over ranks, each with one GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_RANKS_CUH
#define GPULINALG_LANCZOS_RANKS_CUH

#include "lanczos/lanczos_swap.h"
#include "lanczos_state.cuh"

// The basis of this rank's rows stays on its GPU; rows of a block go from rank to rank through the
// host or by NCCL (rank_link.h), and the host adds projections over the ranks. All ranks have the
// same sums, so they make the same decisions, from the sums that the host has.
//
// A rank whose GPU has failed must also send what the others wait for. So nothing here returns a
// failure of the GPU: it is stored in `own` and told to the ranks, work on the GPU ends, and the
// calls continue to the next sum, where all ranks return.
enum { LINK_UNKNOWN = 2 };

template <class T> struct krylov_ranks : krylov_of<T> {
  const gla_krylov_swap *swap;
  char *more;           // memory on the device, of what follows
  T *x, *out;           // a block with the rows of other ranks; the rows that others need
  int64_t *given;       // which these are
  double *sums;         // on the host: of the last projection
  const double *summed; // where that is on the device, NULL: no longer there
  int64_t summed_count;
  gla_status own;
  int direct; // whether rows go from GPU to GPU; LINK_UNKNOWN before the first product

  gla_status open (cuda_engine *engine, const gla_krylov_job *krylov_job);
  ~krylov_ranks () override;
  gla_status put (int64_t first, int64_t count, const void *from) override;
  gla_status get (int64_t first, int64_t count, void *to) override;
  gla_status multiply (int64_t from, int64_t to) override;
  gla_status project (int64_t count, int64_t W, const double *factor, double *C) override;
  gla_status update (int64_t from, int64_t count, int64_t W, const double *factor,
                     const double *C) override;
  gla_status triangle (const double *G, const double *products, double *R, double *inverse,
                       int step) override;
  gla_status random_column (int64_t c, int i, uint64_t column_seed) override;
  gla_status turn (int64_t count, int64_t keep) override;
  gla_status to_device (void *to, const void *from, size_t bytes) override;
  gla_status from_device (void *to, const void *from, size_t bytes) override;
  gla_status read_flags (krylov_flags *flags) override;
  gla_status wait () override;

  // Does what `work` does, unless the GPU has failed; stores its failure and tells the other ranks.
  template <class Work> void attempt (Work work)
  {
    if (own != GLA_OK)
      return;
    own = work ();
    if (own != GLA_OK)
      swap->fail (swap->ranks.user, own);
  }
  bool alone () const { return swap->ranks.reach == this->n; } // needs nothing of other ranks
  void carve_more (struct carver &c);
  gla_status send_rows (int64_t from);
  gla_status take_rows (int64_t from);
  gla_status gather_rows (int64_t from);
  gla_status own_rows (int64_t from);
  gla_status exchange_rows (int64_t from);
  gla_status multiply_rows (int64_t from, int64_t to);
  gla_status multiply_direct (int64_t from, int64_t to);
  gla_status sum_rows (int64_t count, int64_t W, const double *factor, double *C);
};

#endif
