// backend.h: what a backend must provide
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A backend is a table of functions. An engine is one device of a backend, opened: it owns streams,
// buffers and threads, and is used by one thread. What an algorithm shares between backends
// (checks, chunks, second tries, the CPU in place of a GPU) is in src/; a backend only computes a
// chunk of pages. Backends know this file (and gpulinalg.h) and nothing above it.

#ifndef GPULINALG_BACKEND_H
#define GPULINALG_BACKEND_H

#include "gpulinalg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gla_backend gla_backend;

// The first member of every engine.
typedef struct {
  const gla_backend *backend;
  int device; // GLA_DEVICE_HOST for the CPU
} gla_engine;

// Called by a backend between pieces of at most about 50 ms, from the calling thread only.
// pages: pages finished since the last call. Returns nonzero when the work must end; the backend
// then waits for what it has launched and returns GLA_ERROR_STOPPED.
typedef struct {
  int (*poll) (void *user, int64_t pages);
  void *user;
} gla_monitor;

// The first member of the description of every job on pages: what all operations have in common.
typedef struct {
  gla_type type;     // of the matrices
  int device_arrays; // nonzero: all arrays are on this engine's device
  gla_monitor monitor;
} gla_job;

// One eigenvalue job: the same for all its chunks. tol and maxit are resolved (not 0); method may
// be GLA_EIG_METHOD_AUTO, which each backend resolves by n and type alone.
typedef struct {
  gla_job head; // must stay first
  int64_t n;
  int vectors; // nonzero: V is wanted
  gla_eig_method method;
  gla_triangle triangle;
  double tol; // as in gla_eig_options
  int maxit;
  gla_eig_range range;
  int64_t il;      // GLA_EIG_INDICES: the first, from 1; columns of them are wanted
  int64_t columns; // of V and rows of lambda; n with GLA_EIG_ALL
  double vl, vu;   // GLA_EIG_INTERVAL
  // For measurements: a row that stands in for the table's that would serve (on a GPU a
  // gla_eig_route, kernels/eig/eig_routes.h). NULL: the table's.
  const void *route;
  int phase; // nonzero: eigenvectors get the phase of common/phase.h
} gla_eig_job;

// Pages of the job. info, skew and count are host arrays of A.pages entries, valid after `finish`;
// count is NULL with GLA_EIG_ALL, and with a part as gla_eig_results says. For a page that fails,
// the backend fills lambda and V with NaN and sets info as gpulinalg.h says; a page that did not
// converge keeps info in 1..n. A page that is not Hermitian within 10*n*eps*max|A|
// (GLA_TRIANGLE_FULL only) gets GLA_INFO_NOT_HERMITIAN and max |A - A'| in skew[page]. Before a
// chunk is submitted, info is 0 and *clean is 0. `finish` may leave info alone where it is 0 on all
// pages, and then says so in *clean: the host need not look at a million words.
typedef struct {
  union {
    gla_array arrays[3];
    struct {
      gla_array A, lambda, V; // V.data is NULL when vectors are not wanted
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t *count;
} gla_eig_chunk;

enum { GLA_INFO_NOT_HERMITIAN = -1 };

// One QR job: the same for all its chunks. m, n >= 1.
typedef struct {
  gla_job head;
  int64_t m, n;
  int64_t q_columns; // of Q: 0 (not wanted), min (m, n) or m
  int64_t r_rows;    // of R: 0, min (m, n) or m
  int64_t rhs;       // columns of B and C; 0: not wanted
  int64_t c_rows;    // of C: min (m, n) or m
  int wy;            // nonzero: W and Y are wanted
  int pivot;
  int block; // 0: the backend chooses
} gla_qr_job;

// Pages of the job; those not wanted have NULL data. jpvt is on the host, valid after `finish`.
typedef struct {
  union {
    gla_array arrays[7];
    struct {
      gla_array A, B, Q, R, C, W, Y;
    };
  };
  int64_t *jpvt;
} gla_qr_chunk;

// Devices of one backend that work together on a pair. A backend predicts 1e9 seconds for a team
// that cannot.
enum { GLA_TEAM_MOST = 8 };
typedef struct {
  int count;                  // 2, 4 or 8
  int devices[GLA_TEAM_MOST]; // that of the engine first
  int failed;                 // the backend sets it where it returns GLA_ERROR_DEVICE_FAILURE
} gla_gsvd_team;

// What ranks need that share the sweeps of one pair on the CPU. Rank 0 has the pair, the others
// have a job without arrays. Where one of these functions is not zero, on all ranks, the work must
// end.
typedef struct {
  int rank, ranks;
  int64_t columns, rows_f, rows_g; // of the sweeps, but on rank 0
  // On rank 0, when its sweeps begin: tells the others so. rows_g 0: they are on one matrix.
  int (*begin) (void *user, int64_t columns, int64_t rows_f, int64_t rows_g);
  // Sends so many bytes of `out` to one rank and receives others from another one into `in`; these
  // have room for a block of the columns of both matrices.
  int (*exchange) (void *user, int to, size_t out_bytes, int from, size_t in_bytes);
  char *out, *in;
  // The numbers x become their sums over all ranks, the same on all.
  int (*add) (void *user, double *x, int64_t count, int stopped);
  double *found; // room for GLA_GSVD_FOUND numbers of each rank
  void *user;
} gla_gsvd_ranks;
enum { GLA_GSVD_FOUND = 4 };

// One GSVD job: the same for all its chunks. p >= 1 and m+n >= 1; a backend need not serve m, n <
// p.
typedef struct {
  gla_job head; // the monitor is polled between sweeps at least
  int64_t m, n, p;
  int64_t u_columns;        // of U: 0 (not wanted), min (m, q) or m; q = min (m+n, p)
  int64_t v_columns;        // of V: 0, min (n, q) or n
  int x;                    // nonzero: X is wanted
  gla_gsvd_options options; // each backend resolves AUTO and block 0 by the sizes and type alone
  // Called with head.monitor.user from the calling thread after every sweep of a chunk that is
  // iterated as one, or of a pair that has a thread, or all of them, to itself: how many these
  // were.
  void (*swept) (void *user, int sweeps);
  gla_gsvd_team *team;         // NULL: the engine works alone
  const gla_gsvd_ranks *ranks; // for the CPU and one pair; NULL: it works alone
} gla_gsvd_job;

// Pages of the job; those not wanted have NULL data. info and stats are on the host, valid after
// `finish`; stats may be NULL. A backend that serves only pairs with m, n >= p and B of full
// column rank gives GLA_INFO_IRREGULAR to others, whose results are then not written; a GPU also to
// pairs of the host that did not converge.
typedef struct {
  union {
    gla_array arrays[7];
    struct {
      gla_array A, B, alpha, beta, U, V, X;
    };
  };
  int32_t *info;
  gla_gsvd_stats *stats;
} gla_gsvd_chunk;

enum { GLA_INFO_IRREGULAR = -2 };

// One job of norms. m, n >= 1.
typedef struct {
  gla_job head;
  int64_t m, n;
  gla_norm norm;
} gla_pagenorm_job;

typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array A, norms;
    };
  };
} gla_pagenorm_chunk;

// One job of gla_pagemul: C = op_a (A) * op_b (B) of m x k and k x n. Page p of C is at p, counted
// in `dims` numbers below dim_size[0], dim_size[1], .., the first of them the fastest; a_step and
// b_step say how many pages of A and B lie between neighbours in each.
typedef struct {
  gla_job head; // type: of C
  int64_t m, n, k;
  int a_complex, b_complex; // A and B have the type of C or its real type
  char op_a, op_b;          // 'N', 'T' or 'C'
  int hermitian;            // C is to be exactly Hermitian
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagemul_job;

// C: pages first .. of the product. A and B are whole.
typedef struct {
  gla_array C, A, B;
  int64_t first;
} gla_pagemul_chunk;

// One job of gla_pagesolve: op_a (A)*X = B, or X*op_a (A) = B, with A of n x n and rhs right-hand
// sides. Pages are counted as in gla_pagemul_job.
typedef struct {
  gla_job head; // type: of X
  int64_t n, rhs;
  int a_complex, b_complex; // A and B have the type of X or its real type
  int inverse;              // B is the identity
  int rcond;                // nonzero: wanted
  char op_a;
  gla_side side;
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagesolve_job;

// X, rcond and info: pages first .. of the result. A and B are whole. A backend that does not
// finish a page, because pivot k is 0, or too large or small for it, gives it the info -k; its X is
// NaN, or Inf with `inverse`, and its rcond is 0. info and *clean as in gla_eig_chunk.
typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array X, rcond;
    };
  };
  gla_array A, B;
  int32_t *info;          // never NULL
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t first;
} gla_pagesolve_chunk;

// One job on Hermitian pencils (A, B) with B = L*L', L lower triangular. Each page goes through the
// steps that are wanted: L of B; C = inv (L)*A*inv (L)', or L'*A*L with `product`; X = inv (L)'*X,
// or L*X with `times`, in place.
typedef struct {
  gla_job head;
  int64_t n;
  int factor, reduce, back; // the steps
  int product, times;
  gla_triangle triangle; // of A and B
  int phase;             // with back: columns of X get the phase of common/phase.h
} gla_pencil_job;

// Pages of the job, on the host; those of steps that are not wanted have NULL data. Of C the lower
// triangle is written, 2^exponents[page] times smaller than it is, and of L the lower triangle
// counts. info as in gla_eig_pairs_results: `factor` sets it, the other steps leave pages alone
// where it is not 0, but that their C is NaN. Pages of A or B that are not Hermitian get
// GLA_INFO_NOT_HERMITIAN, and the largest |A - A'| in skew_a[page], that of B in skew_b[page];
// these are 0 of all others.
typedef struct {
  union {
    gla_array arrays[5];
    struct {
      gla_array L, A, B, C, X;
    };
  };
  int32_t *info, *exponents;
  double *skew_a, *skew_b;
} gla_pencil_chunk;

// One job of gla_batcheig_pairs: that of the standard problem, whose head and whose options are
// those of the call, and which problem it comes from: C = inv (L)*A*inv (L)' or with `product`
// L'*A*L, and X = inv (L)'*Y or with `times` L*Y from the eigenvectors Y of C.
typedef struct {
  gla_eig_job eig; // must stay first; `triangle` is of A and B
  int product, times;
  int a_shared, b_shared; // nonzero: one page for all
} gla_eigpairs_job;

// Pages of the job. A and B have one page where that is shared; lambda has all. V and rcond have
// NULL data where they are not wanted; rcond is NaN where B has no Cholesky factor. info is that of
// gla_eig_pairs_results, or GLA_INFO_NOT_HERMITIAN, and then skew[page] is the largest |A - A'|, or
// minus the largest |B - B'|. count, and info and *clean before and after, as in gla_eig_chunk.
typedef struct {
  union {
    gla_array arrays[5];
    struct {
      gla_array lambda, A, B, V, rcond;
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  int64_t *count;
} gla_eigpairs_chunk;

// One job of gla_pagefun with a function that the backend knows (not GLA_FUN_VALUES): options as
// the caller's, with a tol that is not 0.
typedef struct {
  gla_job head; // of the type of A
  int64_t n;
  gla_fun fun;
  gla_triangle triangle;
  int wide;      // F is complex and A is not
  int real_only; // also where F is real
  int raise;     // to floor times the largest magnitude
  double power, floor, tol;
  int scale_complex;
  int scale_each, occupied_each; // nonzero: a number for each page, else one for all
} gla_pagefun_job;

// info as in gla_pagefun_results; a page that is not Hermitian has GLA_INFO_NOT_HERMITIAN, and the
// largest |A - A'| in skew. info and *clean as in gla_eig_chunk. scale (NULL: 1) and occupied begin
// with the numbers of the first page where each page has its own.
typedef struct {
  union {
    gla_array arrays[2];
    struct {
      gla_array A, F;
    };
  };
  int32_t *info;
  double *skew;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
  const double *scale;
  const int64_t *occupied;
} gla_pagefun_chunk;

// One job of gla_batchsvd: A = U*S*V' of each page. m, n >= 1, k = min (m, n). tol and maxit are
// resolved (not 0); method may be GLA_SVD_METHOD_AUTO, which each backend resolves by m, n and type
// alone.
typedef struct {
  gla_job head;
  int64_t m, n;
  int64_t values;    // of S: the largest, 1 to k
  int64_t u_columns; // of U: 0 (not wanted), `values`, or m where values is k
  int64_t v_columns; // of V: 0, `values`, or n where values is k
  gla_svd_method method;
  double tol; // of "jacobi": two columns count as orthogonal where the cosine is at most tol
  int maxit;  // sweeps of Jacobi
} gla_svd_job;

// Pages of the job; those not wanted have NULL data. S is values x 1, of the real type, descending,
// with any row_stride. For a page that fails the backend fills S, U and V with NaN and sets info as
// gpulinalg.h says. info and *clean as in gla_eig_chunk. Phase: with U and V, the largest
// element of each of the first `values` columns of V is real and positive (common/phase.h).
typedef struct {
  union {
    gla_array arrays[4];
    struct {
      gla_array A, S, U, V;
    };
  };
  int32_t *info;
  int *clean, clean_word; // clean points to clean_word, or elsewhere
} gla_svd_chunk;

// One job of gla_pageeig: A*V = V*diag (lambda), W'*A = diag (lambda)*W' of each page. n >= 1.
typedef struct {
  gla_job head;
  int64_t n;
  int right, left; // nonzero: V, W are wanted
  int balance;
} gla_geev_job;

// Pages of the job; V and W have NULL data where they are not wanted. info is that of
// gla_pageeig_results, set for every page; pages where it is not 0 are NaN.
typedef struct {
  union {
    gla_array arrays[4];
    struct {
      gla_array A, lambda, V, W;
    };
  };
  int32_t *info;
} gla_geev_chunk;

// A sparse matrix as a backend sees it: gla_csr, checked. The arrays stay where they are until
// it is freed.
typedef struct {
  gla_csr csr;
  int64_t entries;
  int64_t longest; // entries of the longest row
  int pattern;     // nonzero: all values are equal to `value`, csr.values is not to be read
  double value[2]; // real and imaginary part
  gla_spmv_method method;
  int several; // nonzero: products will be with several vectors, so a plan for one need not be made
} gla_spmv_matrix;

// One product y = M*x (or conj (M)*x, or with `transposed` M.'*x, conj (M).'*x) of several vectors.
typedef struct {
  int conjugate;
  int transposed;    // only where the backend transposes
  gla_array x, y;    // n x b, row_stride 1
  int device_arrays; // nonzero: x and y are on this engine's device
  gla_monitor monitor;
} gla_spmv_job;

// What a Krylov job needs whose rows are spread over ranks. All ranks call these functions equally
// often and in the same order.
typedef struct {
  int64_t before, order; // rows on the ranks before this one, and in all
  int64_t reach;         // rows of what `extend` gives, columns of the job's matrix
  // The packed n x columns X with the rows of other ranks that the matrix needs: reach x columns,
  // valid until the next call.
  const void *(*extend) (void *user, const void *X, int64_t columns);
  // x[0..count-1] become their sums over all ranks. Nonzero, on all ranks: the work must end.
  int (*add) (void *user, double *x, int64_t count);
  // GLA_OK only where all ranks call it with that.
  gla_status (*agree) (void *user, gla_status own);
  void *user;
} gla_krylov_ranks;

// Engines of one backend that share the rows of a Krylov job; the first of them leads, and is the
// one that the functions are called with. They may be on one device. The rows are cut into shares
// whatever the number of the engines, and each engine has one or several neighbours of them.
enum { GLA_TEAM_SHARES = 8 };
typedef struct {
  int count; // 1 to GLA_TEAM_MOST
  gla_engine *engines[GLA_TEAM_MOST];
  int failed; // which of them, where the backend returns GLA_ERROR_DEVICE_FAILURE
  // Of each share: its first row; its rows from `prepare` of its engine, NULL where it has none;
  // the columns from .. to-1 in which these have entries. Not for `seconds`.
  int64_t start[GLA_TEAM_SHARES + 1];
  void *sparse[GLA_TEAM_SHARES];
  int64_t from[GLA_TEAM_SHARES], to[GLA_TEAM_SHARES];
} gla_krylov_team;

// The first share of an engine; that of number `count` is GLA_TEAM_SHARES.
static inline int gla_team_share (const gla_krylov_team *team, int engine)
{
  return GLA_TEAM_SHARES * engine / team->count;
}

// One Krylov job. A backend keeps a basis of `basis + block` vectors of length n, in a layout of
// its own. All that comes to the host from it or goes there (projected matrices, coefficients) is
// double, or complex double for the types c and z, column-major. The operator is scaled so that
// products can neither overflow nor vanish when they are squared.
typedef struct {
  gla_type type;
  int64_t n;     // of vectors; with `ranks` the rows of this one, also 0
  int64_t basis; // columns, a multiple of block; basis + block <= n, in all
  int block;     // 1 to 8
  int plain;     // nonzero: `expand` and `rotate` are not called, block is 1, and basis counts
                 // the vectors that `combine` forms
  const gla_spmv_matrix *matrix; // Hermitian; NULL: apply
  void *sparse;                  // `matrix` from `prepare` of this engine; not for `seconds`, and
                                 // not with a team
  int conjugate;                 // nonzero: conj (M) is the operator
  // Y = operator*X for packed n x columns arrays on the host, from the calling thread.
  gla_status (*apply) (void *user, const void *x, void *y, int64_t columns);
  void *user;
  // NULL: all rows are here. Else the start of a gla_krylov_swap (lanczos/lanczos_swap.h); `matrix`
  // has n rows and ranks->reach columns, and the monitor polls nothing: the work ends with sums.
  const gla_krylov_ranks *ranks;
  gla_monitor monitor;   // pages: always 0
  gla_krylov_team *team; // NULL: the engine works alone. Else matrix is not NULL, and plain is 0
} gla_krylov_job;

// What is done with pages on the host after gla_qr or gla_gsvd has worked on all of them.
typedef enum {
  GLA_PAGES_SOLVE, // X = R \ X; GLA_INFO_AGAIN where R may not have full rank, or is not finite
  GLA_PAGES_LEAST_NORM, // X of A and B, for pages with GLA_INFO_AGAIN
  GLA_PAGES_BALANCE,    // rows of X times 2^-exponent, to one size
  GLA_PAGES_INVERSE     // X = 2^-exponent .* (X / R'), NaN where info is not 0
} gla_pages_work;

enum { GLA_INFO_AGAIN = -3 };

typedef struct {
  gla_job head;
  gla_pages_work work;
  gla_array A, B, R, X; // on the host, row_stride 1; data is NULL where the work needs none
  int32_t *info;
  int32_t *exponents; // X.rows for each page
} gla_pages_job;

//------------------------------------------------------------------------------
// operations on pages
//------------------------------------------------------------------------------

// The rows of a backend's table of operations on pages. Jobs and chunks are those of the operation:
// gla_eig_job and gla_eig_chunk for GLA_BATCH_EIG.
typedef enum {
  GLA_BATCH_EIG = 0,
  GLA_BATCH_QR,
  GLA_BATCH_GSVD,
  GLA_BATCH_PAGENORM,
  GLA_BATCH_PAGEMUL,
  GLA_BATCH_PAGESOLVE,
  GLA_BATCH_PENCIL,
  GLA_BATCH_PAGEFUN,
  GLA_BATCH_SVD,
  GLA_BATCH_EIGPAIRS,
  GLA_BATCH_GEEV,
  GLA_BATCH_OPS
} gla_batch_op;

// One operation.
typedef struct {
  // Whether the backend can do this job (sizes, type, options).
  int (*supports) (const gla_job *job);
  // Predicted seconds for the whole job, transfers included.
  double (*seconds) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Pages that a chunk should have, at most `pages`.
  int64_t (*chunk_pages) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Takes the memory for chunks of at most `pages` pages in every slot. GLA_ERROR_OUT_OF_MEMORY
  // takes nothing. Called again with fewer pages, or for another job, it replaces what was taken.
  gla_status (*begin) (gla_engine *engine, const gla_job *job, int64_t pages);
  // Starts a chunk in a slot; may return before it is done. The chunk stays valid until `finish`.
  gla_status (*submit) (gla_engine *engine, int slot, const void *chunk);
  // Waits for the slot; the results are in place then. Polls the monitor while it waits, and
  // reports the chunk's pages to it.
  gla_status (*finish) (gla_engine *engine, int slot);
  // Ends the job: waits for all chunks in flight, keeps buffers for the next call.
  void (*end) (gla_engine *engine);
} gla_batch_ops;

//------------------------------------------------------------------------------
// products of a sparse matrix
//------------------------------------------------------------------------------

typedef struct {
  // Whether the matrix can be multiplied here (integers, types).
  int (*supports) (const gla_spmv_matrix *M);
  // Predicted seconds of a product with so many vectors on the host, transfers included; of the
  // preparation too where `prepared` is NULL.
  double (*seconds) (gla_engine *engine, const gla_spmv_matrix *M, const void *prepared,
                     int64_t columns);
  int transposes; // nonzero: gla_spmv_job.transposed is served
  // Once per matrix: copies it where the engine needs it, and plans its products.
  gla_status (*prepare) (gla_engine *engine, const gla_spmv_matrix *M, const gla_monitor *monitor,
                         void **prepared);
  gla_status (*product) (gla_engine *engine, void *prepared, const gla_spmv_job *job);
  void (*free) (gla_engine *engine, void *prepared); // engine NULL: it has been closed
} gla_spmv_ops;

//------------------------------------------------------------------------------
// bases of Krylov subspaces
//------------------------------------------------------------------------------

// For gla_eigs. b is the block, columns are counted from 0, and the first columns of blocks are
// multiples of b.
typedef struct {
  int (*supports) (const gla_krylov_job *job);
  // Predicted seconds of so many products of the block with one restart for every basis.
  double (*seconds) (gla_engine *engine, const gla_krylov_job *job, int64_t products);
  // Takes the memory. GLA_ERROR_OUT_OF_MEMORY takes nothing; what an earlier job held is replaced.
  gla_status (*begin) (gla_engine *engine, const gla_krylov_job *job);
  // Columns first..first+count-1 of the basis from the host or to it or the GPU (packed, ld n).
  gla_status (*put) (gla_engine *engine, int64_t first, int64_t count, const void *from);
  gla_status (*get) (gla_engine *engine, int64_t first, int64_t count, void *to);
  // Columns at..at+b-1 become orthonormal and orthogonal to all before: the first `given` of them
  // from what `put` left there, the others (and what depends linearly) from
  // gla_krylov_random (seed, column*n + row), random.h.
  gla_status (*start) (gla_engine *engine, int64_t at, int64_t given, uint64_t seed);
  // Block Lanczos steps j = from, from+b, .. < to: columns 0..j+b-1 are orthonormal; W = A*V(j),
  // T(0:j+b-1, block j) = V'*W by two sweeps, W orthonormalised becomes columns j+b..j+2b-1, and
  // its triangle T(j+b:j+2b-1, block j): T is (to+b) x to, ldt >= to+b, and only the columns
  // from..to-1 are written, zero below that triangle. Directions of W that vanish against the
  // largest |A*v| seen since `begin` (times eps) are replaced by random ones (generator as
  // above with other seeds) with zeros on the diagonal of the triangle; *replaced counts them. One
  // round trip to the host where none vanish.
  gla_status (*expand) (gla_engine *engine, int64_t from, int64_t to, double *T, int64_t ldt,
                        int64_t *replaced);
  // V(:, 0:keep-1) = V(:, 0:count-1)*S for S of count x keep, and the block after column count-1
  // moves behind them, to keep..keep+b-1. count and keep are multiples of b, keep <= count.
  gla_status (*rotate) (gla_engine *engine, int64_t count, const double *S, int64_t keep);
  // residuals[j] = |A*v(j) - theta[j]*v(j)| of the first `count` columns, by products with A;
  // *orthogonality = largest |V'*V - I| of them. Columns of a basis are not changed.
  gla_status (*check) (gla_engine *engine, int64_t count, const double *theta, double *residuals,
                       double *orthogonality);
  // Three-term recurrence from column 0 (where `start` has put a unit vector, which the engine
  // keeps for `combine`), or from where the last call ended: at most `steps` more,
  // alpha[0..*done-1], beta[0..*done-1] with beta[j] the norm of what follows step j. *done <
  // steps where a norm vanishes (it is then set to 0).
  gla_status (*plain) (gla_engine *engine, int64_t steps, double *alpha, double *beta,
                       int64_t *done);
  // Second pass: the same recurrence again from its first vector, with the alpha and beta it had;
  // columns 0..count-1 become V*S for real S of steps x count, with unit norms.
  gla_status (*combine) (gla_engine *engine, int64_t steps, const double *alpha, const double *beta,
                         const double *S, int64_t count);
  void (*end) (gla_engine *engine); // frees the basis
} gla_krylov_ops;

//------------------------------------------------------------------------------
// arrays that stay on a GPU
//------------------------------------------------------------------------------

// The functions of the same names in gpulinalg.h, whose arguments were checked. They enqueue;
// `put`, `get`, `wait`, `find` and what has a host result poll the monitor that `watch` has set.
typedef struct {
  void (*watch) (gla_engine *engine, const gla_monitor *monitor);
  gla_status (*take) (gla_engine *engine, size_t bytes, void **memory);
  void (*give) (gla_engine *engine, void *memory);
  void (*query) (gla_engine *engine, gla_memory_info *info);
  gla_status (*put) (gla_engine *engine, void *to, const void *from, size_t bytes);
  gla_status (*get) (gla_engine *engine, void *to, const void *from, size_t bytes);
  gla_status (*wait) (gla_engine *engine);
  gla_status (*elementwise) (gla_engine *engine, gla_nd_op op, const gla_nd *to, const gla_nd *x,
                             const gla_nd *y, int *outside);
  gla_status (*steps) (gla_engine *engine, const gla_nd_steps *program, int *outside);
  gla_status (*join) (gla_engine *engine, const gla_nd *to, const gla_nd *from, int count);
  gla_status (*triangle) (gla_engine *engine, const gla_nd *to, const gla_nd *x, int64_t first,
                          int64_t last);
  gla_status (*reduce) (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to,
                        double *index);
  gla_status (*scan) (gla_engine *engine, gla_reduction op, const gla_slices *slices, void *to);
  // x(s) to `elements`, or with `store` the other way round.
  gla_status (*subscript) (gla_engine *engine, const gla_nd *x, const gla_subscripts *s,
                           const gla_nd *elements, int store);
  gla_status (*find) (gla_engine *engine, const void *mask, int64_t n, int64_t *list,
                      int64_t *count);
  // GLA_ERROR_BAD_ARGUMENT where slices are too long.
  gla_status (*sort) (gla_engine *engine, const gla_slices *slices, int descending, void *to,
                      double *index);
  // Without the division by n. GLA_ERROR_BAD_ARGUMENT where there is no such transform.
  gla_status (*fft) (gla_engine *engine, const gla_slices *slices, int inverse, void *to);
  // Bytes of another engine of the backend, which has come to the end of its work on them, to this
  // one.
  gla_status (*fetch) (gla_engine *engine, void *to, gla_engine *other, const void *from,
                       size_t bytes);
} gla_nd_ops;

//------------------------------------------------------------------------------
// the backend
//------------------------------------------------------------------------------

struct gla_backend {
  const char *name;

  // Number of devices; the CPU has one. Where 0, why says in words what is missing.
  int (*device_count) (char *why, size_t why_size);
  // memory_free is -1 where only an open engine could tell.
  gla_status (*device_query) (int device, gla_device_info *info);

  // What stands in for an engine that is not open yet in the functions that predict seconds, and in
  // no others. Touches no driver. NULL: the backend's engines open at once.
  gla_engine *(*model) (void);
  gla_status (*open) (int device, gla_engine **engine);
  void (*close) (gla_engine *engine);

  // Bytes of device memory that the engines of this process keep on this engine's device as work
  // space for later calls, and giving that of this engine back until at most so many are left; 0
  // gives pinned memory back, too. Not while a job is at work. NULL: the engine keeps none.
  int64_t (*kept) (gla_engine *engine);
  void (*shrink) (gla_engine *engine, int64_t most);

  // Chunks that an engine keeps in flight at once.
  int slots;

  // NULL: the backend does not have the operation.
  const gla_batch_ops *batch[GLA_BATCH_OPS];
  const gla_spmv_ops *spmv;
  const gla_krylov_ops *krylov;
  const gla_nd_ops *nd;

  // Finishes all pages of the job. Only the CPU has it; NULL in the others.
  gla_status (*finish_pages) (gla_engine *engine, const gla_pages_job *job);
};

// The backends of this build, fastest first, NULL at the end (src/backends.c).
extern const gla_backend *const gla_backends[];
extern const gla_backend gla_backend_cpu;  // src/cpu/
extern const gla_backend gla_backend_cuda; // kernels/, only where it was built

#ifdef __cplusplus
}
#endif

#endif
