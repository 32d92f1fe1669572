// lanczos_team.cuh: a Krylov job whose rows several GPUs of one process share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_TEAM_CUH
#define GPULINALG_LANCZOS_TEAM_CUH

#include "lanczos_state.cuh"

template <class T> struct krylov_member {
  cuda_engine *e;
  krylov_of<T> *rows; // its rows of the basis; of the first member the team itself
  int first_share;
  krylov_shares shares;
  int64_t x_from, x_to; // the columns in which its rows have entries
  char *memory;         // of x, sums and partial sums
  T *x;                 // all rows of the block that is multiplied, or of what it was before
  double *sums[2];      // of all shares, for one projection and the next
  // behind the block that others read; behind the reading of their blocks; behind its own sums
  cudaEvent_t ready, read, summed;
};

// Each member has its rows of all vectors, and all coefficients. A projection forms the sums over
// each share, has those of the others and adds all up in the order of the shares, on each member
// the same. So the members make the same decisions, and the host reads those of the first.
//
// A product needs rows of the other members. In a sequence of steps the kernel that makes a block
// orthogonal stores them in all members' x as well, while it reads the basis; the triangle that
// normalises the block comes later, behind the product. The sums are stored on all members
// likewise. Where GPUs do not reach each other's memory, each copies what it needs, and a product
// that is not one of such a sequence does that anywhere.
template <class T> struct krylov_team : krylov_of<T> {
  gla_krylov_team *team;
  int64_t order;
  int opened, round;
  bool direct;  // all reach the memory of all
  int64_t sent; // the block that x times this factor is; -1: none
  const double *sent_factor;
  krylov_member<T> members[GLA_TEAM_MOST];

  gla_status open (const gla_krylov_job *whole);
  ~krylov_team () override;
  gla_status put (int64_t first, int64_t count, const void *from) override;
  gla_status get (int64_t first, int64_t count, void *to) override;
  gla_status multiply (int64_t from, int64_t to) override;
  gla_status project (int64_t count, int64_t W, const double *factor, double *C) override;
  gla_status update (int64_t from, int64_t count, int64_t W, const double *factor,
                     const double *C) override;
  gla_status multiply_next (int64_t c, const double **factor) override;
  gla_status update_last (int64_t c, const double *M_, const double *C,
                          const double *factor) override;
  gla_status triangle (const double *G, const double *products, double *R, double *inverse,
                       int step) override;
  gla_status random_column (int64_t c, int k, uint64_t column_seed) override;
  gla_status turn (int64_t count, int64_t keep) override;
  gla_status to_device (void *to, const void *from, size_t bytes) override;
  gla_status wait () override;

  gla_status enter (int k);                 // makes its GPU the current one
  gla_status of (int k, gla_status status); // the status; notes whose GPU failed
  gla_status of (int k, cudaError_t error) { return of (k, engine_status (error)); }
  // `p` of the first member, behind `records`, on member k
  template <class P> P *on (int k, P *p) const
  {
    const uintptr_t from = reinterpret_cast<uintptr_t> (this->records);
    const uintptr_t to = reinterpret_cast<uintptr_t> (members[k].rows->records);
    return p == nullptr ? nullptr
                        : reinterpret_cast<P *> (reinterpret_cast<uintptr_t> (p) - from + to);
  }
  gla_status open_member (int k, const gla_krylov_job *whole);
  gla_status take_memory (int k);
  void take_shares (int k);
  gla_status get_columns (int64_t k, int first, int count, T *to);
  gla_status connect ();
  gla_status wait_for_all (cudaEvent_t krylov_member<T>::*event);
  gla_status meet ();
  struct range {
    int64_t first, end;
  };
  range needed (int k, int peer) const;
  gla_status copy_rows (int k, int peer, const T *from);
  gla_status multiply_shares (int k, int64_t to);
  krylov_more_rows<T> rows_to_send (int k) const;
  krylov_more_sums sums_to_send (int k, int turn, int64_t numbers) const;
  gla_status read_sums (int k, int turn, int64_t numbers);
};

#endif
