// lanczos_state.cuh: what an engine keeps for a Krylov job
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_LANCZOS_STATE_CUH
#define GPULINALG_LANCZOS_STATE_CUH

#include "common/sparse_product.cuh"
#include "engine/engine.cuh"
#include "lanczos.cuh"
#include "lanczos/job.h"

// The operations of backend.h, for one type.
struct krylov_state {
  virtual ~krylov_state () {}
  virtual gla_status put (int64_t first, int64_t count, const void *from) = 0;
  virtual gla_status get (int64_t first, int64_t count, void *to) = 0;
  virtual gla_status start (int64_t at, int64_t given, uint64_t seed) = 0;
  virtual gla_status expand (int64_t from, int64_t to, double *T, int64_t ldt,
                             int64_t *replaced) = 0;
  virtual gla_status rotate (int64_t count, const double *S, int64_t keep) = 0;
  virtual gla_status check (int64_t count, const double *theta, double *residuals,
                            double *orthogonality) = 0;
  virtual gla_status plain (int64_t steps, double *alpha, double *beta, int64_t *done) = 0;
  virtual gla_status combine (int64_t steps, const double *alpha, const double *beta,
                              const double *S, int64_t count) = 0;
};

enum { KRYLOV_BATCH = 256, KRYLOV_KEPT = 3, KRYLOV_RING = 8 };
enum { KRYLOV_SCRATCH = -1 }; // instead of the number of a block

// The small matrices of a step of krylov_expand, on the device and, at the end of a cycle, on the
// host: two projections, two triangles and their inverses, a Gram matrix.
struct krylov_record {
  double *C1, *C2, *R1, *R2, *inverse1, *inverse2, *G;
};

// A basis on one GPU. Several GPUs that share the rows override the virtual functions below, and so
// does the GPU of a rank (lanczos_ranks.cuh).
template <class T> struct krylov_of : krylov_state {
  static constexpr int words = words_of<T>;
  cuda_engine *e;
  gla_krylov_job job;
  int b;
  int64_t n, blocks; // blocks of the basis, without the one that follows
  char *memory;      // on the device; the following are parts of it
  T *V, *scratch, *stage;
  T *first, *kept, *ring;   // plain: the start vector, and the u of the recurrence
  double *records;          // of a cycle
  double *coefficients, *M; // of one column, on the way from the host
  double *theta;            // of krylov_check; S of krylov_combine
  double *alpha, *beta;     // of a batch
  double *norms;
  T *S;
  krylov_place<T> place;
  double *host;       // as records
  T *host_x, *host_y; // for job.apply
  T *host_S;          // of rotate, by rows
  double *host_h;     // of a column of expand_slowly
  uint64_t seed;
  int64_t steps;         // plain: steps that were made
  double beta_before[2]; // plain: norms of the last two vectors
  double waiting;        // predicted seconds of what was launched since the host last waited

  gla_status begin (cuda_engine *engine, const gla_krylov_job *krylov_job);
  ~krylov_of () override;
  gla_status put (int64_t first, int64_t count, const void *from) override;
  gla_status get (int64_t first, int64_t count, void *to) override;
  gla_status start (int64_t at, int64_t given, uint64_t seed) override;
  gla_status expand (int64_t from, int64_t to, double *T_, int64_t ldt, int64_t *replaced) override;
  gla_status rotate (int64_t count, const double *S_, int64_t keep) override;
  gla_status check (int64_t count, const double *theta_, double *residuals,
                    double *orthogonality) override;
  gla_status plain (int64_t wanted, double *alpha_, double *beta_, int64_t *done) override;
  gla_status combine (int64_t steps_, const double *alpha_, const double *beta_, const double *S_,
                      int64_t count) override;

  // pieces (lanczos_engine.cu)
  T *block (int64_t k) const { return V + k * n * b; }
  int64_t square () const { return (int64_t)b * b * words; } // doubles of a b x b matrix
  T *vector (int64_t k) const { return k == KRYLOV_SCRATCH ? scratch : block (k); }
  void carve (struct carver &c);
  gla_status product (const T *from, T *to);
  gla_status product_on_host (const T *from, T *to);
  gla_status put_rows (int64_t first, int64_t count, const T *from, int64_t stride);
  gla_status pause (double seconds);
  gla_status check_residuals (int64_t k, int some, const double *theta_, double *residuals);
  gla_status check_orthogonality (int64_t k, int some, int64_t count, double *largest);
  // Blocks are given by their numbers; coefficients are in `records`.
  virtual gla_status multiply (int64_t from, int64_t to);
  // C = [V W]'*(W*M) for the first `count` blocks V
  virtual gla_status project (int64_t count, int64_t W, const double *M, double *C);
  // W = W*M - V*C for `count` blocks V from `from` on
  virtual gla_status update (int64_t from, int64_t count, int64_t W, const double *M,
                             const double *C);
  // Block c times *factor (NULL: I) = operator*block c-1
  virtual gla_status multiply_next (int64_t c, const double **factor);
  // update (0, c, c, M, C) of what becomes block c after multiplication by `factor`
  virtual gla_status update_last (int64_t c, const double *M, const double *C,
                                  const double *factor);
  virtual gla_status triangle (const double *G, const double *products, double *R, double *inverse,
                               int step);
  virtual gla_status random_column (int64_t c, int k, uint64_t column_seed);
  virtual gla_status turn (int64_t count, int64_t keep); // by S, and the block behind moves
  virtual gla_status to_device (void *to, const void *from, size_t bytes);
  virtual gla_status from_device (void *to, const void *from, size_t bytes);
  virtual gla_status read_flags (krylov_flags *flags);
  virtual gla_status wait (); // for all that was launched
  // (lanczos_settle.cu) Makes column k of block c orthonormal to all before it. h: its coefficients
  // in those, (c*b + b) numbers, with its norm at place k of the last b; NULL if they are not
  // wanted. A norm up to `lost` (relative: times its first norm) makes it random.
  gla_status settle (int64_t c, int k, double lost, bool relative, uint64_t column_seed, double *h,
                     int64_t *replaced);
  gla_status clean (int64_t c, int k, double *h, double *norm);
  gla_status normalise (int64_t c, int k, double norm);
  // (lanczos_expand.cu)
  krylov_record record_of (double *base, int64_t index) const;
  int64_t record_size () const;
  gla_status expand_step (int64_t c, int64_t index);
  gla_status expand_slowly (int64_t c, double *T_, int64_t ldt, int64_t *replaced);
  void store_column (int64_t c, int64_t index, double *T_, int64_t ldt) const;
  // (lanczos_plain.cu)
  gla_status recurrence_step (krylov_recurrence<T> *r, T *vectors, int count, int64_t at, int64_t k,
                              bool given);
  gla_status accumulate_ring (int64_t at, int count, const double *beta_, const double *S_,
                              int64_t ld, int64_t columns);
};

//------------------------------------------------------------------------------
// a Krylov job whose rows several GPUs of one process share
//------------------------------------------------------------------------------

template <class T> struct krylov_member {
  cuda_engine *e;
  krylov_of<T> *rows; // its rows of the basis; of the first member the team itself
  int first_share;
  krylov_shares shares;
  int64_t x_from, x_to; // the columns in which its rows have entries
  char *memory;         // of x, sums and partial sums
  T *x;                 // all rows of the block that is multiplied, or of what it was before
  double *sums[2];      // of all shares, for one projection and the next
  // after: the block that others read; the reading of their blocks; its own sums
  cudaEvent_t ready, read, summed;
};

// Each member has its rows of all vectors, and all coefficients. A projection forms the sums over
// each share, gets those of the others and adds all in the order of the shares, in the same way on
// each member. So the members make the same decisions, and the host reads those of the first.
//
// A product needs rows of the other members. In a sequence of steps the kernel that makes a block
// orthogonal also stores them in all members' x, while it reads the basis; the triangle that
// normalises the block comes later, after the product. The sums are also stored on all members. If
// GPUs do not reach each other's memory, each copies what it needs; a product outside of such a
// sequence always does that.
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
  // Returns `p` of the first member, within `records`, for member k.
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
