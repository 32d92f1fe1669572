// gpulinalg.h: the interface of the C library
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix decompositions of many matrices at once, on an NVIDIA GPU where there is one and on the
// CPU where there is none. The library never prints, exits or aborts. doc/c-api.md introduces it.
//
// Calls. An operation is called as (ctx, inputs, &results, &options, &report) and returns a
// gla_status. Options and report may be NULL: defaults are used, nothing is reported.
//
// Structs. Options, results, reports and a few others begin with `size`, which the caller sets to
// the size of the type. All other members are 0 by default. New members come at the end; a library
// takes the structs of callers with an older header, and those of newer ones as long as what it
// does not know is 0. Set them up as
//   gla_eig_options options = {.size = sizeof options, .tol = 1e-10};
//   gla_eig_report report = {.base.size = sizeof report};
//
// NULL. Where ctx (or the handle made from it) is NULL, a function that returns a status
// returns GLA_ERROR_BAD_ARGUMENT, any other returns 0 or "" or does nothing. A pointer to an input,
// to results or to a handle must not be NULL where nothing else is said; then the status is
// GLA_ERROR_BAD_ARGUMENT and gla_message names the argument. user pointers may be NULL, and a
// callback that is NULL is none.
//
// Statuses. Inputs are never changed, and a context may be used after any status. After GLA_OK all
// results are written, after GLA_ERROR_BAD_ARGUMENT none; after any other status their contents are
// undefined. With GLA_ERROR_NOT_HERMITIAN the report names the page. Handles are made with GLA_OK
// only, otherwise they are NULL.
//
// Threads. A context is used by one thread at a time; several contexts may work in parallel.
// Callbacks are called from the thread that made the call.
// Fork. A child may use the contexts that it has inherited and new ones, on the CPU; a GPU that is
// asked for is GLA_ERROR_FORKED there if the parent had looked for GPUs.
// A GPU that fails is not used again by its context: the CPU does the rest, with one warning, or
// the status is GLA_ERROR_DEVICE_FAILURE where arrays are on that GPU.

#ifndef GPULINALG_H
#define GPULINALG_H

#include <stddef.h>
#include <stdint.h>

// The version of this header; gla_version tells that of the library.
#define GLA_VERSION_MAJOR 0
#define GLA_VERSION_MINOR 2
#define GLA_VERSION_PATCH 0
#define GLA_VERSION_SUFFIX "" // "-dev" between releases
#define GLA_VERSION_NUMBER (GLA_VERSION_MAJOR * 10000 + GLA_VERSION_MINOR * 100 + GLA_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

// What follows is all that the shared library exports.
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

//------------------------------------------------------------------------------
// status, types, arrays
//------------------------------------------------------------------------------

typedef enum {
  GLA_OK = 0,
  GLA_ERROR_BAD_ARGUMENT,   // gla_message names the argument and the value
  GLA_ERROR_NOT_HERMITIAN,  // the report names the page and the largest |A - A'|
  GLA_ERROR_OUT_OF_MEMORY,  // on the host; device memory is handled inside
  GLA_ERROR_NO_DEVICE,      // a GPU was asked for and there is none (with that number)
  GLA_ERROR_DEVICE_FAILURE, // a GPU failed and the CPU was not allowed to help
  GLA_ERROR_STOPPED,        // the stop callback asked for it
  GLA_ERROR_FORKED,         // a GPU was asked for in a child of the process that made the context
  GLA_ERROR_NO_MPI,         // gla_ranks_mpi: there is no plugin, no MPI, or the wrong launcher
  GLA_ERROR_RANKS_DIFFER,   // the ranks call different functions or pass arguments that do not fit
  GLA_ERROR_RANK_LOST,      // another rank was stopped, has ended, or does not answer
  GLA_ERROR_NO_LIBRARY      // gla_fft: there is no cuFFT, or it does not serve this GPU
} gla_status;

// The letters of LAPACK: single, double, complex single, complex double.
typedef enum { GLA_TYPE_S = 's', GLA_TYPE_D = 'd', GLA_TYPE_C = 'c', GLA_TYPE_Z = 'z' } gla_type;

// A stack of column-major matrices that the caller owns. Element (i, j) of page p is at data +
// i*row_stride + j*column_stride + p*page_stride, in elements of the type (a complex number is one,
// real part first). column_stride of results is at most what the BLAS counts, 2^31-1 as a rule.
typedef struct {
  void *data;
  gla_type type;
  int64_t rows, columns, pages;
  int64_t row_stride, column_stride, page_stride;
  int device; // GLA_DEVICE_HOST, or the number of the GPU that holds the data
} gla_array;

enum { GLA_DEVICE_HOST = -1 };

// A packed array: row_stride 1, column_stride rows, page_stride rows*columns.
gla_array gla_array_packed (void *data, gla_type type, int64_t rows, int64_t columns, int64_t pages,
                            int device);

size_t gla_type_size (gla_type type);   // bytes of one element; 0 for an unknown type
gla_type gla_type_real (gla_type type); // s for s and c, d for d and z
int gla_type_is_complex (gla_type type);
double gla_type_eps (gla_type type); // distance from 1 to the next number, as Octave's eps

//------------------------------------------------------------------------------
// context
//------------------------------------------------------------------------------

typedef struct gla_context gla_context;

gla_status gla_context_create (gla_context **ctx);
void gla_context_destroy (gla_context *ctx); // NULL is allowed

// Callbacks that are called about every 50 ms while a function works. A stop callback that returns
// nonzero ends the function with GLA_ERROR_STOPPED. done and total count pages.
void gla_set_stop (gla_context *ctx, int (*stop) (void *user), void *user);
void gla_set_progress (gla_context *ctx, void (*progress) (void *user, int64_t done, int64_t total),
                       void *user);
// Called by gla_gsvd and gla_gevd after a sweep of the Jacobi iteration, where one pair is worked
// on at a time and on a GPU: `sweeps` is the number of sweeps so far. Sweeps that end together on
// several GPUs may be reported by one call.
void gla_set_sweeps (gla_context *ctx,
                     void (*swept) (void *user, int64_t done, int64_t total, int sweeps),
                     void *user);
// Called at most once per call and id: "device-failed" or "device-memory".
void gla_set_warning (gla_context *ctx,
                      void (*warning) (void *user, const char *id, const char *text), void *user);

// Where functions of this context run. GLA_PLACE_AUTO (the default) picks the place that is
// predicted to be faster, the same one for the same call except once when the GPU has started, and
// the CPU where there is no GPU; GLA_PLACE_CPU; GLA_PLACE_GPU: all GPUs; GLA_PLACE_LIST: the GPUs
// in devices[0..count-1].
typedef enum { GLA_PLACE_AUTO = 0, GLA_PLACE_CPU, GLA_PLACE_GPU, GLA_PLACE_LIST } gla_place;
gla_status gla_set_place (gla_context *ctx, gla_place place, const int *devices, int count);

// Number of usable GPUs; 0 where there is no driver, no GPU, or no CUDA in this build.
int gla_device_count (gla_context *ctx);

typedef struct {
  size_t size; // sizeof (gla_device_info)
  char name[256];
  int major, minor; // compute capability
  int multiprocessors;
  int64_t memory_total; // bytes
  int64_t memory_free;  // -1 of a GPU that is not started: it cannot tell
  int started;          // whether this process has started it
  // What the contexts of this process keep between calls, in bytes: work space and the copies of
  // sparse matrices on the GPU, and pinned memory of the host. 0 for the CPU.
  int64_t memory_kept, host_kept;
  int64_t memory_arrays; // bytes that gla_memory_take has given out
} gla_device_info;
gla_status gla_device_query (gla_context *ctx, int device, gla_device_info *info);

// A context keeps device memory for its next call: what its largest call needed, and when a call
// ends at most an eighth of the device's. gla_release frees what it keeps on the GPU `device`, or
// on all (GLA_DEVICE_ALL_GPUS), and pinned memory; the next call allocates it again. Matrices stay
// with their gla_sparse. It starts no GPU and waits for one that is being started: call it before
// exit.
enum { GLA_DEVICE_ALL_GPUS = -2 };
gla_status gla_release (gla_context *ctx, int device);

// One line about the backends: what was built, and why there is no GPU if there is none.
const char *gla_backend_note (gla_context *ctx);
// Whether the plugin for GPUs is there; about: its file, or else why it cannot be used.
int gla_gpu_plugin (const char **about);
// The text of the last failure in this context; "" after a success.
const char *gla_message (const gla_context *ctx);
const char *gla_status_text (gla_status status);
const char *gla_version (void); // of the library, "0.2.0" or "0.3.0-dev"

//------------------------------------------------------------------------------
// reports
//------------------------------------------------------------------------------

// What a call on many pages did. It is the first member, `base`, of the report of such a call.
typedef struct {
  size_t size;          // of the whole report, sizeof (gla_eig_report) for example
  int device;           // the first GPU that worked, or GLA_DEVICE_HOST
  int64_t chunk_pages;  // pages of the largest chunk; 0: none was needed
  int64_t pages_failed; // pages with results of NaN because of their values, see each function
  int64_t first_failed; // the first of them, from 0; -1: none
} gla_report;

//------------------------------------------------------------------------------
// gla_batcheig: eigenvalues and eigenvectors of many Hermitian matrices
//------------------------------------------------------------------------------

typedef enum { GLA_EIG_METHOD_AUTO = 0, GLA_EIG_METHOD_QR, GLA_EIG_METHOD_JACOBI } gla_eig_method;

typedef enum {
  GLA_TRIANGLE_FULL = 0, // both triangles are read, checked, and (A+A')/2 is solved
  GLA_TRIANGLE_LOWER,    // only the lower triangle is read
  GLA_TRIANGLE_UPPER     // only the upper triangle is read
} gla_triangle;

// The eigenvalues of a page are counted from 1 in ascending order.
typedef enum {
  GLA_EIG_ALL = 0,
  GLA_EIG_INDICES, // eigenvalues il to iu
  GLA_EIG_INTERVAL // eigenvalues with vl < lambda <= vu
} gla_eig_range;

typedef enum {
  GLA_EIG_PHASE_MAX =
      0,             // the largest component of an eigenvector is real and positive; of those
                     // whose moduli differ by less than one in a thousand the first one is meant
  GLA_EIG_PHASE_NONE // whatever the method gives
} gla_eig_phase;

typedef struct {
  size_t size;           // sizeof (gla_eig_options)
  gla_eig_method method; // {GLA_EIG_METHOD_AUTO}
  gla_triangle triangle; // {GLA_TRIANGLE_FULL}
  double tol;            // {0: eps of the type} entries below tol*|A| count as zero
  int maxit;             // {0: 30} sweeps of Jacobi; QR iterations per eigenvalue
  gla_eig_range range;   // {GLA_EIG_ALL} which eigenvalues are returned
  int64_t il, iu;        // GLA_EIG_INDICES: the first and the last; iu = il-1 for none
  double vl, vu;         // GLA_EIG_INTERVAL: the ends, vl < vu; -Inf and Inf may be ends
  gla_eig_phase phase;   // {GLA_EIG_PHASE_MAX}
} gla_eig_options;

// What is wanted; only V may be missing (V.data NULL).
typedef struct {
  size_t size;      // sizeof (gla_eig_results)
  gla_array lambda; // k x 1 x P, the real type of A; any row_stride (so it can be a diagonal);
                    // ascending. k: n; with GLA_EIG_INDICES iu-il+1; with GLA_EIG_INTERVAL from 0
                    // to n, and pages that have fewer have NaN after them
  gla_array V;      // n x k x P, the type of A, orthonormal columns, A V = V diag (lambda);
                    // row_stride 1
  int32_t *info;    // host array of P, or NULL: 0 ok; n+1 the page holds NaN or Inf; 1..n: that
                    // many eigenvalues did not converge
  int64_t *count;   // host array of P, or NULL: eigenvalues in the range, 0 where info is not 0.
                    // Where there are more than k, the first k are returned
} gla_eig_results;

typedef struct {
  gla_report base;       // pages_failed: pages with info != 0
  int64_t bad_page;      // GLA_ERROR_NOT_HERMITIAN: the first such page, from 0; else -1
  double bad_difference; // GLA_ERROR_NOT_HERMITIAN: largest |A - A'| on that page
  int64_t most;          // the largest count; more than k where k was too small
} gla_eig_report;

// A       n x n x P, s d c or z; never changed. row_stride must be 1.
// A page with info != 0 is NaN in lambda and V.
// options NULL for the defaults. report may be NULL.
// A, lambda and V do not overlap, and are all on the host or all on one GPU.
// The same page gives the same bits whatever the batch and its position in it, on one device.
// Methods: Householder tridiagonalisation and implicitly shifted QL/QR (Cosnuau 2014), on a GPU
// divide and conquer (Cuppen 1981; Gu, Eisenstat 1994);
// Jacobi, two-sided in fast memory and one-sided by blocks above (Huang, Liu, Zhao 2023).
// A part of the spectrum is taken from all eigenvalues, so the counts of adjoining intervals add up
// to n. With V eigenvalues may differ by rounding from those without V, and so may counts where an
// end is an eigenvalue.
// With GLA_EIG_PHASE_MAX eigenvectors of simple eigenvalues are the same on every device and with
// every method, but for rounding.
gla_status gla_batcheig (gla_context *ctx, const gla_array *A, const gla_eig_results *results,
                         const gla_eig_options *options, gla_eig_report *report);

//------------------------------------------------------------------------------
// gla_batcheig_pairs: A*x = lambda*B*x for many Hermitian A and positive definite B
//------------------------------------------------------------------------------

typedef enum {
  GLA_PAIRS_CHOL = 0, // B is positive definite: its Cholesky factor makes it a standard problem
  GLA_PAIRS_DROP,     // B is semidefinite: a standard problem in the space of its large eigenvalues
  GLA_PAIRS_SWAP      // A is positive definite, B Hermitian: B*x = mu*A*x, lambda = 1/mu
} gla_pairs_way;

typedef struct {
  size_t size;           // sizeof (gla_eig_pairs_options)
  gla_eig_method method; // this and the next three as in gla_eig_options; `triangle` is of A and B
  gla_triangle triangle;
  double tol;
  int maxit;
  int itype;           // {0: 1} 1: A*x = lambda*B*x; 2: A*B*x = lambda*x; 3: B*A*x = lambda*x
  gla_eig_range range; // this and the next four as in gla_eig_options
  int64_t il, iu;
  double vl, vu;
  gla_pairs_way way; // {GLA_PAIRS_CHOL}; the others need itype 1
  double drop; // {0: n*eps} GLA_PAIRS_DROP: eigenvalues of B of at most drop times the largest
               // one are dropped
  gla_eig_phase phase; // as in gla_eig_options
  int largest; // {0} 1: not eigenvalues il .. iu, but as many of the largest ones that are not
               // dropped; for GLA_PAIRS_DROP and GLA_EIG_INDICES alone
} gla_eig_pairs_options;

// What is wanted; V and rcond may be missing (data NULL).
typedef struct {
  size_t size;      // sizeof (gla_eig_pairs_results)
  gla_array lambda; // k x 1 x P, real type; any row_stride; ascending. k as in gla_eig_results;
                    // with GLA_PAIRS_DROP and all eigenvalues wanted from 0 to n, and pages of
                    // smaller rank have NaN after theirs
  gla_array V;      // n x k x P, row_stride 1; V'*B*V = I, with itype 3 V'*inv (B)*V = I, with
                    // GLA_PAIRS_SWAP V'*A*V = I; the phase is that of gla_batcheig
  gla_array rcond;  // 1 x 1 x P, real type: reciprocal condition number in the 1-norm of B, with
                    // GLA_PAIRS_SWAP of A
  int32_t *info;    // host array of P, or NULL: 0 ok; 1..n: that many eigenvalues did not converge;
                    // n+1: A or B holds NaN or Inf; n+1+k, k from 1 to n: the leading k x k block
                    // of B (GLA_PAIRS_SWAP: of A) is the first that is not positive definite to
                    // working precision (k = n: or its inverse is out of the range), with
                    // GLA_PAIRS_DROP k eigenvalues of B are negative
  int64_t *count;   // as in gla_eig_results
  int64_t *rank;    // host array of P, or NULL: the rank of B, 0 where info is not 0. n; with
                    // GLA_PAIRS_DROP the eigenvalues of B that are not dropped, with
                    // GLA_PAIRS_SWAP the finite eigenvalues
} gla_eig_pairs_results;

typedef struct {
  gla_report base;       // pages_failed: pages with info != 0
  int64_t bad_page;      // GLA_ERROR_NOT_HERMITIAN: such a page, from 0; else -1
  double bad_difference; // GLA_ERROR_NOT_HERMITIAN: largest |A - A'| or |B - B'| on that page
  char bad_matrix;       // GLA_ERROR_NOT_HERMITIAN: 'A' or 'B'; else 0
  int64_t most;          // as in gla_eig_report
} gla_eig_pairs_report;

// A, B    n x n, P pages or one page for all; s d c or z, one type for both; never changed.
//         row_stride 1. All arrays are on the host, or all on one GPU; results do not overlap the
//         inputs or each other.
// A page with info != 0 is NaN in lambda and V. On a GPU rcond, too, is NaN where B is not
// definite; of arrays on the host the CPU finds it then. A pivot of B is not definite where
// Cholesky leaves at most n*eps of the diagonal element. options NULL for the defaults; report may
// be NULL. The error of an eigenvalue is bounded by about eps*|inv (B)|*(|A| + |B|*|lambda|), so
// rcond tells how many digits may be lost. The whole work is done where the context says, up to n =
// 32768 on a GPU; with GLA_PAIRS_DROP and GLA_PAIRS_SWAP, which take arrays on the host alone, only
// standard problems are solved there. The same pair gives the same bits in every batch, on one
// device. Powers of two keep all numbers in the range, so pages of any size are solved.
// GLA_PAIRS_DROP is Rayleigh-Ritz in the space of the eigenvectors of B that are not dropped. Where
// B is singular, the results are not the finite eigenvalues of the pair. B may have eigenvalues
// down to -max (drop, n*eps)*|B|.
// GLA_PAIRS_SWAP gives the eigenvalues of the pair, Inf last; of either sign where B is not
// semidefinite. mu counts as 0 up to n*eps times the largest |mu|.
// Methods: B = L*L', C = inv (L)*A*inv (L)' (Martin, Wilkinson 1968), with itype 2 and 3 C =
// L'*A*L; the eigenvalues and eigenvectors of C are those of gla_batcheig. Canonical
// orthogonalisation (Lowdin 1970): B = U*M*U', T = U*M^(-1/2), C = T'*A*T.
gla_status gla_batcheig_pairs (gla_context *ctx, const gla_array *A, const gla_array *B,
                               const gla_eig_pairs_results *results,
                               const gla_eig_pairs_options *options, gla_eig_pairs_report *report);

//------------------------------------------------------------------------------
// gla_pageeig: A*v = lambda*v for many matrices of any kind
//------------------------------------------------------------------------------

typedef struct {
  size_t size;      // sizeof (gla_pageeig_options)
  int not_balanced; // {0} nonzero: pages are taken as they are
} gla_pageeig_options;

// What is wanted; V and W may be missing (data NULL). All arrays have the complex type of A.
typedef struct {
  size_t size;      // sizeof (gla_pageeig_results)
  gla_array lambda; // n x 1 x P, any row_stride; in no special order, but that of a real A has
                    // complex pairs side by side, the one with the positive imaginary part first
  gla_array V;      // n x n x P, A*V = V*diag (lambda), row_stride 1
  gla_array W;      // n x n x P, W'*A = diag (lambda)*W', row_stride 1
  int32_t *info;    // host array of P, or NULL: 0 ok; n+1 the page holds NaN or Inf; 1..n: that
                    // many eigenvalues did not converge
} gla_pageeig_results;

typedef struct {
  gla_report base; // pages_failed: pages with info != 0
} gla_pageeig_report;

// A       n x n x P, s d c or z, on the host; never changed. row_stride must be 1.
// A page with info != 0 is NaN in lambda, V and W. Columns of V and W have the norm 1 and a real
// largest component; those of real eigenvalues of a real A are real. A, lambda, V and W do not
// overlap. options NULL for the defaults; report may be NULL.
// Works on the CPU only. Ctrl-C is noticed between pages, or groups of small ones. The
// same page gives the same bits whatever the batch and its position in it. Eigenvalues with vectors
// may differ by rounding from those without.
// Hermitian pages are solved like all others; gla_batcheig is better at them.
// Method: up to n = 48, where balancing need not bring rows and columns into another order, one
// page per lane: balanced by powers of two (Parlett, Reinsch 1969), reduced to Hessenberg form by
// reflectors, QR with double shifts for real pages and single ones for complex pages (Francis
// 1961), deflation of Ahues and Tisseur (1997), back substitution. Others, and those that do not
// converge so: LAPACK's ?geevx.
gla_status gla_pageeig (gla_context *ctx, const gla_array *A, const gla_pageeig_results *results,
                        const gla_pageeig_options *options, gla_pageeig_report *report);

//------------------------------------------------------------------------------
// gla_qr: QR factorisation of large, tall and many matrices
//------------------------------------------------------------------------------

typedef struct {
  size_t size; // sizeof (gla_qr_options)
  int pivot;   // {0} nonzero: column pivoting, |diag (R)| does not grow
  int block;   // {0: by size and machine} columns of a block reflector
} gla_qr_options;

// What is wanted; data is NULL in the others, and jpvt is NULL without pivoting. k = min (m, n).
typedef struct {
  size_t size;   // sizeof (gla_qr_results)
  gla_array Q;   // m x m or m x k, orthonormal columns
  gla_array R;   // m x n or k x n, upper triangular (trapezoidal), zeros below
  gla_array C;   // Q'*B: m x r or k x r, for B of m x r; Q is not formed for it
  gla_array W;   // m x k, with
  gla_array Y;   // m x k: the m x m Q is I + W*Y', Y unit lower trapezoidal
  int64_t *jpvt; // n x P on the host: column jpvt[j] (from 0) of A is column j of Q*R
} gla_qr_results;

typedef struct {
  gla_report base; // pages_failed is 0
} gla_qr_report;

// A = Q*R of each page, A(:, jpvt) = Q*R with pivoting.
// A       m x n x P, any m and n, s d c or z; never changed. All arrays have row_stride 1 and the
//         type of A, do not overlap, and are all on the host or all on one GPU.
// B       m x r x P, or NULL; then C is not wanted.
// options NULL for the defaults. report may be NULL.
// Signs are LAPACK's: R(j,j) is real, its sign opposite to the real part of what it came from.
// NaN and Inf spread through the results of their page, as in LAPACK, and no further.
// The same page gives the same bits in every run on one device, whichever results are wanted.
// Method: Householder reflectors in blocks, in the WY representation (Bischof, Van Loan 1987;
// Schreiber, Van Loan 1989); tall matrices by a tree of blocks (Demmel, Grigori, Hoemmen, Langou
// 2012) with reconstructed reflectors (Ballard et al. 2014); column pivoting of Quintana-Orti, Sun,
// Bischof (1998) with the norms of Drmac, Bujanovic (2008).
gla_status gla_qr (gla_context *ctx, const gla_array *A, const gla_array *B,
                   const gla_qr_results *results, const gla_qr_options *options,
                   gla_qr_report *report);

//------------------------------------------------------------------------------
// gla_least_squares: min |A*x - b| for many matrices
//------------------------------------------------------------------------------

typedef struct {
  size_t size;   // sizeof (gla_least_squares_results)
  gla_array X;   // n x r x P
  int32_t *info; // host array of P, or NULL: 0 ok; k from 1 to min (m, n): the rank of A is k less
                 // than that; n+1: A or B holds NaN or Inf, and X is NaN
} gla_least_squares_results;

typedef struct {
  gla_report base;         // pages_failed: pages that hold NaN or Inf
  int64_t pages_deficient; // pages where A has less than full rank
  int64_t first_deficient; // the first of them, from 0; -1: none
} gla_least_squares_report;

// X = A \ B of each page by QR; where A has not full rank, and where m < n, the X of least norm.
// A       m x n x P, B m x r x P; s d c or z, one type for all, on the host, row_stride 1. A and B
//         are not changed; X overlaps neither.
// options of gla_qr; pivot must be 0. NULL for the defaults. report may be NULL.
// Pages are factored as by gla_qr, X = R \ (Q'*B). Those whose R may not have full rank, and all
// with m < n, are done by the CPU with column pivoting. The rank is judged with the columns of A
// brought to one length.
gla_status gla_least_squares (gla_context *ctx, const gla_array *A, const gla_array *B,
                              const gla_least_squares_results *results,
                              const gla_qr_options *options, gla_least_squares_report *report);

//------------------------------------------------------------------------------
// gla_batchsvd: singular value decompositions of many matrices
//------------------------------------------------------------------------------

typedef enum { GLA_SVD_METHOD_AUTO = 0, GLA_SVD_METHOD_QR, GLA_SVD_METHOD_JACOBI } gla_svd_method;

typedef struct {
  size_t size;           // sizeof (gla_svd_options)
  gla_svd_method method; // {GLA_SVD_METHOD_AUTO}
  double tol;     // {0: eps*sqrt (k)} of Jacobi: columns count as orthogonal where the cosine
                  // of their angle is at most tol
  int maxit;      // {0: 60} sweeps of Jacobi
  int64_t values; // {0: all} so many of the largest values are returned, at most k
} gla_svd_options;

// What is wanted; U and V may be missing (data NULL). k = min (m, n), r = values, or k where that
// is 0.
typedef struct {
  size_t size;   // sizeof (gla_svd_results)
  gla_array S;   // r x 1 x P, the real type of A; any row_stride (so it can be a diagonal);
                 // descending, not negative
  gla_array U;   // m x r, or m x m where r is k: orthonormal columns, the type of A, row_stride 1
  gla_array V;   // n x r, or n x n where r is k: the same
  int32_t *info; // host array of P, or NULL: 0 ok; k+1 the page holds NaN or Inf; 1..k: that many
                 // columns did not converge
} gla_svd_results;

typedef struct {
  gla_report base; // pages_failed: pages with info != 0
} gla_svd_report;

// A = U*diag (S)*V' of each page.
// A       m x n x P, any m and n, s d c or z; never changed. row_stride must be 1.
// A page with info != 0 is NaN in S, U and V.
// options NULL for the defaults. report may be NULL.
// A, S, U and V do not overlap, and are all on the host or all on one GPU.
// The largest element of each of the first r columns of V is real and positive, as those of
// eigenvectors with GLA_EIG_PHASE_MAX; of U alone, without V, the phases are free. Where A is zero,
// U and V are identities. With a rank below k the columns of U and V of the values that are 0 are
// completed to orthonormal ones. Accuracy: values differ from exact ones by at most a small
// multiple of k*eps times the largest; with GLA_SVD_METHOD_JACOBI, and by any method where k <= 32,
// by a small multiple of k*eps*c times themselves, for the condition number c of A with its columns
// (rows where m < n) brought to one length. (Values below 2^-90 of the largest in single precision,
// 2^-930 in double, may become 0.) The same page gives the same bits whatever the batch and its
// position in it, on one device. Methods: one-sided Jacobi (Hestenes 1958) on the triangle of a QR
// factorisation with column pivoting (Drmac, Veselic 2008); reduction to a bidiagonal matrix
// (Golub, Kahan 1965), and of that divide and conquer (Gu, Eisenstat 1995), or implicit QR (Demmel,
// Kahan 1990).
gla_status gla_batchsvd (gla_context *ctx, const gla_array *A, const gla_svd_results *results,
                         const gla_svd_options *options, gla_svd_report *report);

//------------------------------------------------------------------------------
// gla_gsvd: generalized singular value decomposition
//------------------------------------------------------------------------------

typedef enum {
  GLA_GSVD_METHOD_AUTO = 0,
  GLA_GSVD_METHOD_HZ,
  GLA_GSVD_METHOD_TANGENT
} gla_gsvd_method;
typedef enum { GLA_GSVD_BLOCKING_ORIENTED = 0, GLA_GSVD_BLOCKING_FULL } gla_gsvd_blocking;
typedef enum { GLA_GSVD_ORDERING_ME = 0, GLA_GSVD_ORDERING_MM } gla_gsvd_ordering;

typedef struct {
  size_t size;            // sizeof (gla_gsvd_options)
  gla_gsvd_method method; // {GLA_GSVD_METHOD_AUTO}
  gla_gsvd_blocking
      blocking; // {GLA_GSVD_BLOCKING_ORIENTED} one inner sweep, or until nothing rotates
  gla_gsvd_ordering ordering; // {GLA_GSVD_ORDERING_ME} Mantharam-Eberlein, or modified modulus
  int block;                  // {0: by size and machine} columns of a block
  int blank; // {0} nonzero: NaN in alpha and beta where they mean nothing, rank [A; B] < q
} gla_gsvd_options;

enum { GLA_GSVD_MAX_SWEEPS = 60 }; // at most

// What the iteration of one pair did.
typedef struct {
  gla_gsvd_method method; // the one that served; GLA_GSVD_METHOD_AUTO where nothing was iterated
  int32_t sweeps;
  int64_t rotations[GLA_GSVD_MAX_SWEEPS]; // in each sweep
} gla_gsvd_stats;

// What is wanted; data is NULL in the others. q = min (m+n, p).
typedef struct {
  size_t size;     // sizeof (gla_gsvd_results)
  gla_array alpha; // q x 1, real type: diagonal of C, alpha^2 + beta^2 = 1
  gla_array beta;  // q x 1, real type: diagonal of S; alpha ./ beta does not decrease (Inf last)
  gla_array U;     // m x m or m x min (m, q), orthonormal columns
  gla_array V;     // n x n or n x min (n, q), orthonormal columns
  gla_array X;     // p x q
  int32_t *info;   // host array of P, or NULL: 0 ok, p+1 NaN or Inf in the pair, 1 not converged,
                   // -1 the arrays are on a GPU, and m < p or n < p or B has not full column rank
  gla_gsvd_stats *stats; // host array of P, or NULL
} gla_gsvd_results;

typedef struct {
  gla_report base; // pages_failed: pages with info != 0
} gla_gsvd_report;

// A = U*C*X', B = V*S*X', C'*C + S'*S = I of each page, for any ranks.
// A       m x p x P, B n x p x P, any m, n, p; s d c or z, one type for all; never changed.
//         All arrays have row_stride 1, do not overlap, and are all on the host or all on one GPU.
// C is m x q with alpha(j) at (j - max (0, q-m), j): the first max (0, q-m) of alpha are 0.
// S is n x q with beta(j) at (j, j): those beyond n are 0 (sigma = Inf).
// Where rank [A; B] < q, X has columns of zeros or columns that depend on each other.
// A page with info != 0 is NaN in all results, but not written where it is -1. options NULL for the
// defaults; report may be NULL. The same page gives the same bits in every run on one device, and
// on any number of GPUs of one kind, with the same options. Methods: implicit Hari-Zimmermann
// (Novakovic, Singer 2021) with the step of Falk and Langemeyer; reduction to a one-sided Jacobi
// SVD (Drmac 1998).
gla_status gla_gsvd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gsvd_results *results, const gla_gsvd_options *options,
                     gla_gsvd_report *report);

//------------------------------------------------------------------------------
// gla_gevd: eigenvalues and eigenvectors of the pencil (A'*A, B'*B)
//------------------------------------------------------------------------------

// What is wanted; data is NULL in the others. q = min (m+n, p).
typedef struct {
  size_t size;           // sizeof (gla_gevd_results)
  gla_array alpha, beta; // q x 1, real type, as in gla_gsvd_results: lambda = (alpha ./ beta)^2
  gla_array Z;           // p x q, Z'*A'*A*Z = diag (alpha.^2), Z'*B'*B*Z = diag (beta.^2)
  int32_t *info;         // host array of P, or NULL: 0 ok; p+1 NaN or Inf in the pair; 1 not
                         // converged; p+2 [A; B] has less than full rank
} gla_gevd_results;

typedef struct {
  gla_report base;        // pages_failed: pages with info p+1 or 1
  int64_t pages_singular; // pages with info p+2
  int64_t first_singular; // the first of them, from 0; -1: none
} gla_gevd_report;

// A, B and options are those of gla_gsvd; all arrays are on the host. A page with info p+1 or 1 is
// NaN in all results. One with info p+2 is NaN in Z, and in those alpha and beta that mean nothing.
gla_status gla_gevd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gevd_results *results, const gla_gsvd_options *options,
                     gla_gevd_report *report);

//------------------------------------------------------------------------------
// gla_pagemul: products of the pages of two arrays
//------------------------------------------------------------------------------

typedef struct {
  size_t size;     // sizeof (gla_pagemul_options)
  char op_a, op_b; // {0: 'N'} 'N': the page; 'T': its transpose; 'C': its conjugate transpose
  // Which pages make page p of C. {0}: page p of A and of B, or the only page of one of them. Else
  // p is counted in `dims` numbers below dim_size[0], dim_size[1], .., the first of them the
  // fastest, and a step in dimension d is a_step[d] pages in A and b_step[d] in B; 0 means the same
  // page.
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagemul_options;

typedef struct {
  size_t size; // sizeof (gla_pagemul_results)
  gla_array C; // m x n x P; row_stride 1
} gla_pagemul_results;

typedef struct {
  gla_report base; // pages_failed is 0
} gla_pagemul_report;

// C = op_a (A) * op_b (B) of each page, m x k times k x n.
// A, B    pages of any number, s d c or z, one precision for all; real or complex each. row_stride
//         1. C is complex where one of them is. C overlaps neither.
// All arrays are on the host, or all on the same GPU. options NULL for the defaults; report may be
// NULL.
// Where A and B are the same array and one of op_a, op_b is 'N', the other 'C' (for real arrays
// also 'T'), C is exactly Hermitian. An element is a sum whose order depends on the sizes and types
// alone, on a CPU an ascending one that is cut every 512 terms, so the same pages give the same
// bits in every run on one device, in any batch, for any number of threads. NaN and Inf spread as
// in these sums; a real array has no imaginary part that could spread.
gla_status gla_pagemul (gla_context *ctx, const gla_array *A, const gla_array *B,
                        const gla_pagemul_results *results, const gla_pagemul_options *options,
                        gla_pagemul_report *report);

//------------------------------------------------------------------------------
// gla_pagesolve: systems of equations with the pages of two arrays, and inverses
//------------------------------------------------------------------------------

enum { GLA_PAGESOLVE_GPU_ROWS = 256 }; // a GPU does square pages of up to so many rows

typedef enum {
  GLA_SIDE_LEFT = 0, // op_a (A) * X = B
  GLA_SIDE_RIGHT     // X * op_a (A) = B
} gla_side;

typedef struct {
  size_t size;   // sizeof (gla_pagesolve_options)
  char op_a;     // {0: 'N'} 'N': the page of A; 'T': its transpose; 'C': its conjugate transpose
  gla_side side; // {GLA_SIDE_LEFT}
  // Which pages of A and B make page p of X, as in gla_pagemul_options.
  int dims;
  const int64_t *dim_size, *a_step, *b_step;
} gla_pagesolve_options;

// What is wanted; rcond.data is NULL where it is not.
typedef struct {
  size_t size;     // sizeof (gla_pagesolve_results)
  gla_array X;     // n x r x P, r x n x P on the right; row_stride 1
  gla_array rcond; // 1 x 1 x P, real type: reciprocal condition number of op_a (A), in the 1-norm,
                   // on the right in the Inf-norm
  int32_t *info;   // host array of P, or NULL: 0 ok; k from 1 to n: pivot k is exactly 0; n+1: A
                   // holds NaN or Inf
} gla_pagesolve_results;

typedef struct {
  gla_report base;        // pages_failed: pages with info n+1
  int64_t pages_singular; // pages with info 1 to n
  int64_t first_singular; // the first of them, from 0; -1: none
} gla_pagesolve_report;

// X = op_a (A) \ B of each page, or B / op_a (A); with B NULL the inverse of op_a (A).
// A       n x n, B n x r (r x n on the right), any number of pages; s d c or z, one precision for
//         all, real or complex each. row_stride 1. X is complex where one of them is, and overlaps
//         neither. All arrays are on the host or all on one GPU.
// options NULL for the defaults; report may be NULL.
// Method: triangular pages by substitution; Hermitian ones with positive diagonal as L*D*L' without
// pivoting, or by Cholesky, their inverse exactly Hermitian; all others, and those that turn out
// not to be definite, by LU with partial pivoting. Where a pivot is exactly 0, X is the solution of
// least norm of the least squares problem, as in Octave, and the inverse is Inf; rcond is 0 there.
// On a GPU such pages, and those with a pivot far out of scale, are done by the CPU.
// A page with info n+1 is NaN in X and rcond. NaN and Inf in B stay in their columns of X. rcond is
// exact to rounding for small n and LAPACK's estimate for large n. The same pages give the same
// bits in every run, in any batch, for any number of threads.
gla_status gla_pagesolve (gla_context *ctx, const gla_array *A, const gla_array *B,
                          const gla_pagesolve_results *results,
                          const gla_pagesolve_options *options, gla_pagesolve_report *report);

//------------------------------------------------------------------------------
// gla_pagenorm: norms of many matrices
//------------------------------------------------------------------------------

typedef enum {
  GLA_NORM_FRO = 0, // root of the sum of squares
  GLA_NORM_ONE,     // largest sum of magnitudes of a column
  GLA_NORM_INF,     // largest sum of magnitudes of a row
  GLA_NORM_TWO      // largest singular value
} gla_norm;

typedef struct {
  gla_report base; // pages_failed is 0
} gla_pagenorm_report;

// norms(p) = norm of page p.
// A       m x n x P, any m and n, s d c or z; never changed. row_stride must be 1.
// norms   1 x 1 x P, of the real type of A.
// Both are on the host or both on one GPU, and do not overlap; on the host with GLA_NORM_TWO.
// report may be NULL.
// A page without elements has norm 0, a page with NaN has norm NaN. Sums are formed in double
// precision; squares neither overflow nor vanish. The same page gives the same bits in every run
// on one device.
// GLA_NORM_TWO is the root of the largest eigenvalue of A*A' or A'*A, whichever is smaller, by
// gla_pagemul and gla_batcheig, and so exact to a few k*eps, k = min (m, n); it is NaN of pages
// with Inf, but Inf where k is 1.
gla_status gla_pagenorm (gla_context *ctx, const gla_array *A, gla_norm norm,
                         const gla_array *norms, gla_pagenorm_report *report);

//------------------------------------------------------------------------------
// gla_pagediag: diagonals and traces of many matrices
//------------------------------------------------------------------------------

typedef enum {
  GLA_DIAG_TAKE = 0, // the diagonal of each page, as a column
  GLA_DIAG_MAKE,     // from vectors, matrices that are 0 beside the diagonal
  GLA_DIAG_TRACE     // the sum of the diagonal
} gla_diag;

typedef struct {
  gla_report base; // pages_failed is 0
} gla_pagediag_report;

// The diagonal k of each page: element q of it is A(q, q+k) for k >= 0, A(q-k, q) for k < 0.
// A       m x n x P, s d c or z; never changed. row_stride must be 1. GLA_DIAG_MAKE: m or n is 1.
// D       TAKE: c x 1 x P, where c, at least 0, counts the elements of that diagonal;
//         MAKE: N x N x P, N = m*n + |k|; TRACE: 1 x 1 x P. Of the type of A. row_stride must be 1.
// Both are on the host or both on one GPU, and do not overlap. report may be NULL.
// Elements are copied bit by bit, NaN too. A sum begins with 0 and is formed in the precision of A
// in the order of the diagonal, so that it has the same bits everywhere; without elements it is 0.
gla_status gla_pagediag (gla_context *ctx, const gla_array *A, gla_diag what, int64_t k,
                         const gla_array *D, gla_pagediag_report *report);

//------------------------------------------------------------------------------
// gla_pagefun: functions of many Hermitian matrices
//------------------------------------------------------------------------------

typedef enum {
  GLA_FUN_EXP = 0,
  GLA_FUN_SQRT,
  GLA_FUN_ISQRT, // 1 / sqrt
  GLA_FUN_LOG,
  GLA_FUN_INV,
  GLA_FUN_POWER,    // options->power
  GLA_FUN_OCCUPIED, // 1 for the smallest eigenvalues, as many as options->occupied says, else 0
  GLA_FUN_VALUES    // options->values
} gla_fun;

// Values for GLA_FUN_VALUES, asked for once with the eigenvalues of all pages: x is n x 1 x P,
// scaled, ascending on each page before that, NaN on pages that failed. f gets the values: n x 1 x
// P on the host, of the real or complex type of F; they stay until the call has returned. F is the
// result as the caller has described it, and may be set here, where only the values tell whether it
// is real. Nonzero ends the call with GLA_ERROR_STOPPED.
typedef int (*gla_fun_values) (void *user, const gla_array *x, gla_array *f, gla_array *F);

typedef struct {
  size_t size;             // sizeof (gla_pagefun_options)
  gla_triangle triangle;   // {GLA_TRIANGLE_FULL}
  double power;            // the exponent
  const int64_t *occupied; // 0 to n, one for all pages or one for each
  int64_t occupied_count;  // 1 or P
  const double *scale;     // {NULL: 1} the function is that of scale*A
  int64_t scale_count;     // 1 or P
  int scale_complex;       // {0} nonzero: real and imaginary parts alternate; F is complex
  int raise;               // {0} nonzero: eigenvalues of A below floor times the largest magnitude
  double floor;            // on their page are raised to that; at least 0 and less than 1
  double tol;              // {0: 10*n*eps} eigenvalues of at most tol times the largest magnitude
                           // count as 0; negative: only 0 does
  int real_only;           // {0} nonzero: a page with a value that is not real fails
  gla_fun_values values;   // with GLA_FUN_VALUES
  void *user;
} gla_pagefun_options;

typedef struct {
  size_t size;   // sizeof (gla_pagefun_results)
  gla_array F;   // n x n x P, the type of A or the complex one; row_stride 1
  int32_t *info; // host array of P, or NULL: 0 ok; 1..n: that many eigenvalues did not converge;
                 // n+1: A holds NaN or Inf; n+2: a value is not finite; n+3: a value is not real,
                 // where F is real or real_only is set
} gla_pagefun_results;

typedef struct {
  gla_report base;       // pages_failed: pages with info != 0; device: where eigenvalues were found
  int64_t bad_page;      // GLA_ERROR_NOT_HERMITIAN: as in gla_eig_report
  double bad_difference; // the same
  int64_t pages_complex; // pages with info n+3
} gla_pagefun_report;

// F = f (scale*A) of each page, V*diag (f (scale*lambda))*V' with A = V*diag (lambda)*V'.
// A       n x n x P, s d c or z; never changed; or on the host a page for all scales or occupieds.
//         row_stride is 1. F does not overlap it, and is where it is; host with GLA_FUN_VALUES.
// options NULL for the defaults, with functions that need none. report may be NULL.
// F is exactly Hermitian on pages where all values are real, and unitary to n*eps where they have
// modulus 1. Square roots, logarithms and powers of negative numbers are the principal ones.
// Eigenvalues count as 0 by tol before "isqrt", "log", "inv" and negative powers; before "sqrt" and
// broken positive powers only negative ones do. floor raises what then is below it.
// A page with info n+2 is filled with the first value that is not finite: Inf where A is singular
// and the function "isqrt", "inv" or a negative power, -Inf with "log". The other pages that fail
// are NaN. The same page gives the same bits in any batch, on one device, with F of the same type.
// Method: on a GPU the kernels of gla_batcheig and of gla_pagemul on chunks of pages that stay
// there; on the CPU gla_batcheig and gla_pagemul for a group of pages at a time. With
// GLA_FUN_VALUES gla_batcheig for all pages, then products on the CPU.
gla_status gla_pagefun (gla_context *ctx, const gla_array *A, gla_fun fun,
                        const gla_pagefun_results *results, const gla_pagefun_options *options,
                        gla_pagefun_report *report);

//------------------------------------------------------------------------------
// gla_sparse, gla_spmv: sparse matrices, and their products with dense vectors
//------------------------------------------------------------------------------

// A sparse matrix by rows (CSR) that the caller owns. Row i has the entries start[i] to
// start[i+1]-1, with ascending columns, none of them twice; start[0] is 0.
typedef struct {
  gla_type type;
  int64_t rows, columns;
  int index_bytes;    // 4 or 8: start and index are int32_t or int64_t
  const void *start;  // rows+1
  const void *index;  // columns of the entries, from 0
  const void *values; // of the type; NULL: all entries are 1
} gla_csr;

// How a GPU distributes rows. On the CPU all of them mean parts of equally many entries.
typedef enum {
  GLA_SPMV_METHOD_AUTO = 0,
  GLA_SPMV_METHOD_SCALAR,  // a thread for each row
  GLA_SPMV_METHOD_VECTOR,  // a warp for each row
  GLA_SPMV_METHOD_GROUP,   // 2 to 32 threads for each row, by the mean length
  GLA_SPMV_METHOD_BALANCED // equally many entries: long rows split, short rows packed
} gla_spmv_method;

typedef struct {
  size_t size;            // sizeof (gla_sparse_options)
  gla_spmv_method method; // {GLA_SPMV_METHOD_AUTO}
  int by_columns;         // {0} nonzero: what is given are the columns of A (CSC), as in Octave
  int copy;               // {0} nonzero: the arrays are copied; else they must stay as they are
  int once;               // {0} nonzero: for one product; skips preparations that pay off later
} gla_sparse_options;

// A sparse matrix A, checked and prepared. It belongs to its context, and to the thread of that.
typedef struct gla_sparse gla_sparse;

// rows and columns of `csr` are those of A, also with by_columns (then start has columns+1 entries
// and index counts rows). options NULL for the defaults. GLA_ERROR_BAD_ARGUMENT names what is
// wrong: the type, a size, the first row that is not in order. A matrix whose stored values are all
// equal is a pattern: no values are read in its products.
gla_status gla_sparse_create (gla_context *ctx, const gla_csr *csr, gla_sparse **S,
                              const gla_sparse_options *options);
// NULL is allowed. To be called before gla_context_destroy.
void gla_sparse_destroy (gla_sparse *S);

typedef struct {
  size_t size; // sizeof (gla_sparse_info)
  gla_type type;
  int64_t rows, columns, entries;
  int64_t longest; // entries of the longest row (or column, where the columns were given)
  int pattern;     // nonzero: all stored values are equal
  int finite;      // 0: there is NaN or Inf among the values
  gla_spmv_method method;
  int gpus; // GPUs that hold a copy
} gla_sparse_info;
gla_status gla_sparse_query (gla_sparse *S, gla_sparse_info *info);

// Whether A = A', exactly. Looked for once and remembered: products with a Hermitian matrix then
// need no other orientation of it. Where not, *row and *column (from 0; may be NULL) tell an entry
// that differs, or -1 where A is not square. GLA_OK, GLA_ERROR_STOPPED, GLA_ERROR_OUT_OF_MEMORY.
gla_status gla_sparse_hermitian (gla_sparse *S, int *hermitian, int64_t *row, int64_t *column);

typedef struct {
  size_t size; // sizeof (gla_spmv_report)
  int device;  // the GPU that worked, or GLA_DEVICE_HOST
} gla_spmv_report;

// y = op(A)*x for op 'N' (A), 'T' (A.') or 'C' (A').
// x, y    columns(op(A)) x b and rows(op(A)) x b, one page, of the type of A, row_stride 1; both on
//         the host or both on one GPU; must not overlap. y is written, not added to.
// NaN and Inf spread as in the sum over stored entries. report may be NULL.
// With x and y on the host, several GPUs of GLA_PLACE_LIST share the rows of op(A), and those of
// GLA_PLACE_GPU where that is predicted to be faster or one has too little memory.
// Every row is summed in an order that depends on A, op, the options of S and the number of
// vectors, so the bits are the same in every run on one device, on the CPU also for any number of
// threads, and on 2 to 8 GPUs that share the rows. With `once` they may be others than without, and
// others after gla_sparse_hermitian. Methods: Bell, Garland 2008 (scalar, vector); rows grouped by
// mean length; balanced over entries after Merrill, Garland 2016.
gla_status gla_spmv (gla_context *ctx, gla_sparse *S, char op, const gla_array *x,
                     const gla_array *y, gla_spmv_report *report);

// The same once, on the CPU, for the columns of A (CSC; entries are not checked): nothing is
// prepared. A is d or z (values NULL: all 1), x and y of `type` d or z have `columns` columns
// without gaps. Sums have the order of the columns of A, so their bits do not depend on the number
// of threads. ctx may be NULL: nothing asks then whether to stop.
gla_status gla_spmv_once (gla_context *ctx, const gla_csr *A, char op, gla_type type, const void *x,
                          void *y, int64_t columns);

//------------------------------------------------------------------------------
// gla_factor: sparse Hermitian matrices factored, to solve with them
//------------------------------------------------------------------------------

// A - shift*I = L*D*L' but for its order, on the CPU, in one thread.
typedef struct gla_factor gla_factor;

typedef struct {
  size_t size;          // sizeof (gla_factor_options)
  const int64_t *order; // {NULL: as it is} the columns, from 0, in the order of elimination
  double most_flops;    // {0: any} what takes more is analysed only
  double smallest;      // {0} pivots must be larger
} gla_factor_options;

typedef struct {
  size_t size;      // sizeof (gla_factor_report)
  double flops;     // additions and multiplications, of complex numbers with a complex matrix
  int64_t entries;  // of L, with the zeros that are stored
  int64_t negative; // eigenvalues of A below the shift, but for rounding (Sylvester's inertia)
  int singular;     // nonzero: no pivot was found, and there is no factor
} gla_factor_report;

// A is Hermitian, d or z, its columns are given (with both triangles, in any order in a column),
// and it is not kept. Of an entry and its mirror image the value of one is read;
// GLA_ERROR_NOT_HERMITIAN where one is missing that the structure of the factor needs. *F is NULL
// where the report says why. Pivots are sought near the diagonal only, which may lose accuracy:
// check the residual of a solution.
gla_status gla_factor_create (gla_context *ctx, const gla_csr *A, double shift, gla_factor **F,
                              const gla_factor_options *options, gla_factor_report *report);
// (A - shift*I)*X = B, both n x columns of the type of A without gaps; may be the same array. The
// bits of a column depend on how many are solved for together.
gla_status gla_factor_solve (gla_factor *F, const void *B, void *X, int64_t columns);
void gla_factor_destroy (gla_factor *F); // NULL is allowed

// One thread for the BLAS of this process, where its sums are to have the same bits with any number
// of them, until the same thread hands what is returned to gla_blas_release.
int gla_blas_hold (void);
void gla_blas_release (int held);

//------------------------------------------------------------------------------
// gla_eigs: a few eigenvalues of a large Hermitian matrix
//------------------------------------------------------------------------------

// The matrix: either `sparse`, or a function that multiplies by it.
typedef struct {
  size_t size;        // sizeof (gla_operator)
  gla_sparse *sparse; // NULL: apply is used
  // Y = operator * X for packed X, Y of n x columns on the host, called from the calling thread.
  // Nonzero ends gla_eigs with GLA_ERROR_STOPPED.
  int (*apply) (void *user, const void *x, void *y, int64_t columns);
  void *user;
  gla_type type; // of X and Y, with apply
  int64_t n;     // with apply
  // Nonzero: what is given is the inverse of A - sigma*I. Eigenvalues theta of it, of largest
  // magnitude, become sigma + 1/theta; `which` must be GLA_EIGS_WHICH_LM.
  int inverse;
  double sigma;
} gla_operator;

typedef enum {
  GLA_EIGS_WHICH_LM = 0, // largest magnitude, descending in magnitude; of an inverse: nearest to
                         // sigma, descending in value
  GLA_EIGS_WHICH_LA,     // largest, descending
  GLA_EIGS_WHICH_SA,     // smallest, ascending
  GLA_EIGS_WHICH_BE      // both ends, ascending; one more of the large ones where k is odd
} gla_eigs_which;

typedef enum {
  GLA_EIGS_METHOD_RESTARTED = 0, // block Lanczos, full orthogonality, thick restarts
  GLA_EIGS_METHOD_PLAIN // three-term recurrence alone, and the test of Cullum and Willoughby
} gla_eigs_method;

typedef struct {
  size_t size;            // sizeof (gla_eigs_options)
  gla_eigs_method method; // {GLA_EIGS_METHOD_RESTARTED}
  int block;              // {0: by n and machine} 1 to 8 vectors that are multiplied at once
  int64_t basis;          // {0: by k and memory} vectors of the basis; more than k
  double tol;             // {0: 64*eps, and at least that} what residuals over the norm must reach
  int64_t maxit;          // {0: see below} restarts; products in units of the basis for PLAIN
  uint64_t seed;          // {0} of the random start
  const void *v0;         // {NULL: random} first start vector, n on the host
  int trust;              // {0} nonzero: no search for missed eigenvalues
  int64_t steps;          // {0: until converged} PLAIN: exactly so many steps
} gla_eigs_options;

typedef struct {
  size_t size;       // sizeof (gla_eigs_results)
  gla_array values;  // k x 1, real type; NaN where it has not converged
  gla_array vectors; // n x k, orthonormal columns, row_stride 1; data NULL: not wanted
  double *residuals; // k on the host, or NULL: |op*x - theta*x| for unit x, computed from products
} gla_eigs_results;

typedef struct {
  size_t size;          // sizeof (gla_eigs_report)
  int64_t converged;    // values that did; flag of eigs is converged < k
  int64_t products;     // matrix times one vector
  int64_t restarts;     // or growths of the recurrence
  int64_t steps;        // PLAIN: length of the recurrence
  int64_t basis, block; // as used; 0 where the matrix was solved densely
  int complete;         // nonzero: all were computed, or the search for missed ones found no more
  double norm;          // largest |theta| that was met
  double orthogonality; // largest |X'*X - I| of the vectors; 0 where none were formed by Lanczos
  int dense;            // nonzero: all eigenvalues were computed
  int device;           // the GPU that worked, or GLA_DEVICE_HOST
} gla_eigs_report;

// k eigenvalues, 1 <= k <= n, and eigenvectors of a Hermitian matrix of order n.
// Arrays are on the host, but vectors may be on a GPU, which then does the work. Status
// GLA_ERROR_NOT_HERMITIAN: the message names an entry of a sparse matrix that differs from its
// mirror image; a function is trusted. GLA_ERROR_BAD_ARGUMENT also for NaN or Inf in the matrix or
// in what the function returns. options NULL for the defaults; report may be NULL. Not to converge
// is no error: report->converged < k. The same call gives the same bits in every run on one device.
// PLAIN finds each eigenvalue once, whatever its multiplicity, and tells eigenvalues apart that
// differ by about 1000*eps*norm; with fixed `steps` all values that pass the test count as
// converged. Matrices of order 64 and less, and those with k near n, are solved densely by
// gla_batcheig. maxit 0 is 300, but where 40 restarts do not do for a matrix of order 1024 or less,
// that is solved densely, too (not by PLAIN, and not on ranks). Methods: thick restart (Wu, Simon
// 2000) in blocks (Golub, Underwood 1977) with two classical Gram-Schmidt sweeps (Barlow,
// Smoktunowicz 2013); Cullum, Willoughby 1985.
gla_status gla_eigs (gla_context *ctx, const gla_operator *A, int64_t k, gla_eigs_which which,
                     const gla_eigs_results *results, const gla_eigs_options *options,
                     gla_eigs_report *report);

//------------------------------------------------------------------------------
// ranks: matrices whose rows are spread over processes
//------------------------------------------------------------------------------

// One of the processes of a program that mpirun has started, or one of several threads, as it knows
// the others. It is used by one thread at a time, with any context. The functions that take ranks
// are collective: all ranks call the same one, with the same options, each with its own rows. They
// end with the same status and the same message on all ranks: "rank 3: .." names where it happened.
// Where a rank is lost, all later calls have that status, too. A library that was configured with
// GPULINALG_MPI=no has none of these functions.
typedef struct gla_ranks gla_ranks;

enum { GLA_MAX_RANKS = 65536 };

// The ranks that mpirun has started; a program that was started without it is the only rank. Needs
// the plugin __gpulinalg_mpi__.oct, beside the library or where the environment variable
// GPULINALG_MPI_PLUGIN says. Every call in a process gives the same ranks; they stay until the
// process ends: with status 0 it waits for the others, with another one it ends them. A rank waits
// for a message, or the next part of a long one, as many seconds as the environment variable
// GPULINALG_MPI_TIMEOUT says; without it for ever, while the stop callback is polled.
gla_status gla_ranks_mpi (gla_context *ctx, gla_ranks **ranks);
// ranks[0] .. ranks[count-1], one for each of `count` threads.
gla_status gla_ranks_threads (gla_context *ctx, int count, gla_ranks **ranks);
// A thread leaves; those that wait for it get GLA_ERROR_RANK_LOST. Nothing is done with the ranks
// of gla_ranks_mpi, or NULL.
void gla_ranks_destroy (gla_ranks *ranks);

typedef struct {
  size_t size;                 // sizeof (gla_ranks_info)
  int rank, ranks;             // this one, from 0, and how many there are
  int local_rank, local_ranks; // among those of this computer, which take turns on its GPUs
  char transport[128];         // "Open MPI v4.1.4", or "threads"
  // What this rank has sent and received since it joined, and how long it has waited for messages.
  int64_t messages_sent, messages_received, bytes_sent, bytes_received;
  double seconds_waited;
  // How rows of products have gone between GPUs in the last call that had any: "nccl", or "host";
  // and the version of NCCL, or why it was not used, empty where GPULINALG_NCCL does not ask for
  // it.
  char device_data[8], nccl[96];
} gla_ranks_info;
gla_status gla_ranks_query (gla_context *ctx, const gla_ranks *ranks, gla_ranks_info *info);

// What callers need to know of all ranks before they allocate results.
typedef struct {
  size_t size;       // sizeof (gla_ranks_parts)
  int64_t flags;     // in: any bits; out: those that are set on any rank
  int64_t rows[2];   // in: rows of A and B on this rank; unchanged
  int64_t before[2]; // out: the rows of A and B on the ranks before this one
  int64_t total[2];  // out: the rows of A and B in all
  int64_t columns;   // in: of A on this rank; out: the largest on any rank
  int64_t pages;     // the same
} gla_ranks_parts;

// Collective: adds up the parts.
gla_status gla_ranks_announce (gla_context *ctx, gla_ranks *ranks, gla_ranks_parts *parts);
// Replaces the collective call of the others: this rank cannot take part. All get
// the status `why`, and a message that ends with `text`.
gla_status gla_ranks_refuse (gla_context *ctx, gla_ranks *ranks, gla_status why, const char *text);

// Collective: rank r of R gets rows floor (m*r/R) to floor (m*(r+1)/R)-1 of a matrix that rank 0
// has, and rank 0 gets the matrix back. `part` has these rows, `whole` is used on rank 0 alone and
// NULL on the others; m x n x P, both on the host, row_stride 1, one type.
gla_status gla_ranks_deal (gla_context *ctx, gla_ranks *ranks, const gla_array *whole,
                           const gla_array *part);
gla_status gla_ranks_collect (gla_context *ctx, gla_ranks *ranks, const gla_array *part,
                              const gla_array *whole);

// Collective: every rank gives bytes to every rank, itself included. bytes[r] of those at `data`,
// in the order of the ranks, are for rank r, and bytes_in[r] at *received come from rank r, in the
// same order; the caller frees *received, which is NULL after an error.
gla_status gla_ranks_all_to_all (gla_context *ctx, gla_ranks *ranks, const void *data,
                                 const int64_t *bytes, void **received, int64_t *bytes_in);

// gla_qr of the matrix whose rows are those of A on rank 0, on rank 1 and so on: m rows in all.
// A       any number of rows, also 0, x n x P, on the host. B: the same rows, or NULL.
// results Q: the rows of A x k: these rows of the m x k Q, k = min (m, n). R: k x n, C: k x r, the
//         same bits on all ranks. No W and Y. With pivoting, jpvt is the same, too.
// R is that of gla_qr to rounding, with the same signs. For the same rows on each rank the results
// have the same bits in every run with gla_set_place (CPU), or (GPU) if these are of one kind.
// Method: a binary tree of factorisations (Demmel, Grigori, Hoemmen, Langou 2012): n*(n+1)/2
// numbers go from a rank to its parent, and with Q k*k back.
gla_status gla_qr_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A, const gla_array *B,
                        const gla_qr_results *results, const gla_qr_options *options,
                        gla_qr_report *report);

// gla_least_squares of such a matrix: X and info are the same on all ranks.
gla_status gla_least_squares_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                                   const gla_array *B, const gla_least_squares_results *results,
                                   const gla_qr_options *options, gla_least_squares_report *report);

// gla_gsvd and gla_gevd of two such matrices, each with its own numbers of rows: m and n in all.
// results alpha, beta, X, Z, info and stats: the same on all ranks. U: the rows of A x min (m, q),
//         V: the rows of B x min (n, q), q = min (m+n, p): these rows of the whole factor.
// Method: QR by rows of A and of B, gla_gsvd of the two triangles on rank 0. Where rank 0 has all
// rows, and both have at most 1.5*p, gla_gsvd of (A, B) on rank 0, with its bits on the same
// processors. Ranks share the sweeps over blocks of columns of a pair without other pages, where
// rank 0 does them on its CPU; each needs memory for 2*p*p numbers then.
gla_status gla_gsvd_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                          const gla_array *B, const gla_gsvd_results *results,
                          const gla_gsvd_options *options, gla_gsvd_report *report);
gla_status gla_gevd_rows (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                          const gla_array *B, const gla_gevd_results *results,
                          const gla_gsvd_options *options, gla_gevd_report *report);

// gla_gsvd and gla_gevd of a pair that rank 0 has; each rank gets its block of columns of the
// results. For one pair whose results one rank need not have as a whole.
// A, B    on rank 0 as for gla_gsvd, on the host; on the others of the same type, with the same
//         columns and pages, and without rows.
// results alpha, beta, info and stats: the same on all ranks. U: m x .., V: n x .., X and Z:
//         p x ..; of their c = min (m, q), min (n, q) and q = min (m+n, p) columns rank r of R has
//         columns floor (c*r/R) to floor (c*(r+1)/R)-1.
// Method: gla_gsvd of (A, B) on rank 0, with its bits on the same processors, however tall they
// are. Ranks share the sweeps as with gla_gsvd_rows. Columns go from rank 0 straight to their rank.
gla_status gla_gsvd_columns (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, const gla_gsvd_results *results,
                             const gla_gsvd_options *options, gla_gsvd_report *report);
gla_status gla_gevd_columns (gla_context *ctx, gla_ranks *ranks, const gla_array *A,
                             const gla_array *B, const gla_gevd_results *results,
                             const gla_gsvd_options *options, gla_gevd_report *report);

// A square sparse matrix A whose rows are spread over ranks: those of rank 0, then those of rank 1
// and so on. It belongs to its context and to its ranks.
typedef struct gla_sparse_rows gla_sparse_rows;

// Collective. csr: the rows of this rank, any number, with the columns of all of A, n = the rows of
// all ranks. options as in gla_sparse_create: without `copy` the arrays must stay as they are. The
// ranks tell each other once which rows of vectors their products need.
gla_status gla_sparse_rows_create (gla_context *ctx, gla_ranks *ranks, const gla_csr *csr,
                                   gla_sparse_rows **S, const gla_sparse_options *options);
// Not collective. NULL is allowed. To be called before gla_ranks_destroy and gla_context_destroy.
void gla_sparse_rows_destroy (gla_sparse_rows *S);

// Collective: y = A*x. x, y: the rows of this rank x b, on the host, row_stride 1.
gla_status gla_spmv_rows (gla_context *ctx, gla_sparse_rows *S, const gla_array *x,
                          const gla_array *y, gla_spmv_report *report);

// gla_eigs of such a matrix, on CPUs or on one GPU of each rank. results: values and residuals are
// the same on all ranks; vectors: these rows of them, data not NULL also where there are none.
// options: v0 are the rows of this rank. The basis is spread like A. GLA_ERROR_NOT_HERMITIAN, found
// by sums of hashes, names no element. For the same rows on each rank the results have the same
// bits in every run in one place. Random start vectors are those of gla_eigs.
gla_status gla_eigs_rows (gla_context *ctx, gla_sparse_rows *S, int64_t k, gla_eigs_which which,
                          const gla_eigs_results *results, const gla_eigs_options *options,
                          gla_eigs_report *report);

//------------------------------------------------------------------------------
// arrays that stay on a GPU
//------------------------------------------------------------------------------

// Memory of a GPU, and operations of single elements, slices and subscripts on arrays there. What a
// context does on one GPU by these functions, and by those on pages whose arrays are there once it
// has taken memory, is done in the order of the calls; a function returns before its work is done,
// except where it brings something to the host. Before another context or code of the caller works
// with it, call gla_wait; stop callbacks end that and copies. Out of memory: that of GPU `device`.

// At least one byte; aligned to 512. Memory that is given back is kept for the next
// gla_memory_take, up to a quarter of the GPU's, and gla_release frees what is kept. It belongs to
// the context: all is gone when that is destroyed, or when the GPU has failed
// (GLA_ERROR_DEVICE_FAILURE).
gla_status gla_memory_take (gla_context *ctx, int device, size_t bytes, void **memory);
void gla_memory_give (gla_context *ctx, int device, void *memory); // NULL is allowed

typedef struct {
  size_t size;  // sizeof (gla_memory_info)
  int64_t live; // bytes that were taken and not given back
  int64_t peak; // the most that there ever were
  int64_t kept; // bytes for later calls
} gla_memory_info;
gla_status gla_memory_query (gla_context *ctx, int device, gla_memory_info *info);

// Copies between the host and a GPU. When gla_memory_put returns, the host's memory has been read.
gla_status gla_memory_put (gla_context *ctx, int device, void *to, const void *from, size_t bytes);
gla_status gla_memory_get (gla_context *ctx, int device, void *to, const void *from, size_t bytes);
// Waits until all is done.
gla_status gla_wait (gla_context *ctx, int device);

// A library that was configured with GPULINALG_ARRAYS=no has none of the functions from here on.

enum { GLA_ND_DIMS = 8 };
enum { GLA_LOGICAL = 'b' }; // elements of one byte, 0 or 1

// An array on a GPU with up to GLA_ND_DIMS dimensions, or one number for all elements.
typedef struct {
  void *data;      // the first element; NULL: the number `value`
  int type;        // a gla_type or GLA_LOGICAL
  double value[2]; // real and imaginary part
  int dims;
  int64_t size[GLA_ND_DIMS];
  int64_t step[GLA_ND_DIMS]; // from element to element; 0: the same one, negative: backwards
} gla_nd;

// Operations of elements. Those marked (x) have one operand. Comparisons of complex numbers are
// those of Octave: == and != exact, the others by modulus and then argument.
typedef enum {
  GLA_ND_COPY = 0, // (x) converted to the type of the result; to logical: x != 0
  // the type of the operands
  GLA_ND_ADD,
  GLA_ND_SUB,
  GLA_ND_MUL,
  GLA_ND_DIV,
  GLA_ND_MAX, // NaN only where both are NaN; complex: the larger modulus
  GLA_ND_MIN,
  GLA_ND_NEG,   // (x)
  GLA_ND_CONJ,  // (x)
  GLA_ND_FLOOR, // (x)
  GLA_ND_CEIL,  // (x)
  GLA_ND_ROUND, // (x) halves away from 0
  GLA_ND_FIX,   // (x)
  GLA_ND_SIGN,  // (x) complex: x/|x|
  // real
  GLA_ND_REAL, // (x)
  GLA_ND_IMAG, // (x)
  GLA_ND_ABS,  // (x)
  GLA_ND_ARG,  // (x)
  // logical
  GLA_ND_EQ,
  GLA_ND_NE,
  GLA_ND_LT,
  GLA_ND_LE,
  GLA_ND_GT,
  GLA_ND_GE,
  GLA_ND_AND,
  GLA_ND_OR,
  GLA_ND_NOT,      // (x)
  GLA_ND_ISNAN,    // (x)
  GLA_ND_ISINF,    // (x)
  GLA_ND_ISFINITE, // (x)
  // the type of the operands
  GLA_ND_POW,
  GLA_ND_MOD,   // real, as Octave's mod
  GLA_ND_REM,   // real
  GLA_ND_ATAN2, // real
  GLA_ND_HYPOT, // real
  GLA_ND_EXP,   // (x), as all that follow
  GLA_ND_EXPM1,
  GLA_ND_LOG,
  GLA_ND_LOG2,
  GLA_ND_LOG10,
  GLA_ND_LOG1P,
  GLA_ND_SQRT,
  GLA_ND_SIN,
  GLA_ND_COS,
  GLA_ND_TAN,
  GLA_ND_SINH,
  GLA_ND_COSH,
  GLA_ND_TANH,
  GLA_ND_ASIN,
  GLA_ND_ACOS,
  GLA_ND_ATAN,
  GLA_ND_ASINH,
  GLA_ND_ACOSH,
  GLA_ND_ATANH,
  GLA_ND_CBRT, // real, as the next two
  GLA_ND_ERF,
  GLA_ND_ERFC,
  GLA_ND_OPS
} gla_nd_op;

// to = op (x), or op (x, y), element by element. Operands have the sizes of `to`, with step 0 where
// they are expanded; y is NULL for operations of one operand. The type of the operation is single
// if an array x or y is, and complex if one of them is; numbers do not make it single. `to` has the
// type that belongs to the operation; it does not overlap x and y, or is one of them exactly.
// outside (NULL: not wanted) tells whether an element of a real x left the domain of the operation
// (a negative one of LOG, for example), or of AND, OR, NOT and COPY to logical was NaN; finding it
// out waits. Functions of real operands may have a complex `to`: elements outside of the domain
// have complex values then.
gla_status gla_elementwise (gla_context *ctx, int device, gla_nd_op op, const gla_nd *to,
                            const gla_nd *x, const gla_nd *y, int *outside);

// Several operations in one pass: each element is read once, and only results are written.
enum { GLA_ND_SELECT = GLA_ND_OPS }; // x where z is not 0, else y; a gla_nd_step alone has it
enum { GLA_ND_INPUTS = 24, GLA_ND_ARRAYS = 8, GLA_ND_OUTPUTS = 4, GLA_ND_STEPS = 192 };

// Values are counted: the inputs first, from 0, then the results of the steps.
typedef struct {
  int op;      // a gla_nd_op, or GLA_ND_SELECT
  int type;    // of the result, as with gla_elementwise
  int x, y, z; // values before this one; y and z as the operation needs them
} gla_nd_step;

typedef struct {
  size_t size;          // sizeof (gla_nd_steps)
  const gla_nd *inputs; // at most GLA_ND_ARRAYS arrays of the outputs' sizes; and numbers
  int input_count;      // at most GLA_ND_INPUTS
  const gla_nd_step *steps;
  int step_count;        // at most GLA_ND_STEPS
  const int *results;    // output_count values
  const gla_nd *outputs; // of the types of these values
  int output_count;      // 1 to GLA_ND_OUTPUTS
} gla_nd_steps;

// As gla_elementwise for one step after the other, with the same bits. Arrays, steps and outputs
// are of one precision, or logical; a single number makes its step single. Outputs do not overlap
// inputs or each other. outside (NULL: not wanted): whether an element of a step that an output
// needs left the domain; real steps have NaN there, and must be done by gla_elementwise. More than
// 12 values that are needed at the same time, 24 real ones in single, are GLA_ERROR_BAD_ARGUMENT.
gla_status gla_elementwise_steps (gla_context *ctx, int device, const gla_nd_steps *program,
                                  int *outside);

// to[k] = from[k] for each k < count, converted as by GLA_ND_COPY, in as few launches as possible.
// All to[k] have one type, which is logical only where all from[k] are, and complex where one of
// them is; they do not overlap each other or from[j]. from[k] has the sizes of to[k].
gla_status gla_join (gla_context *ctx, int device, const gla_nd *to, const gla_nd *from, int count);

// to = x on the diagonals first to last of each page, where element (i, j) is on diagonal j - i,
// and 0 elsewhere. Both have the same type and at most 3 dimensions: rows, columns, pages.
gla_status gla_take_triangle (gla_context *ctx, int device, const gla_nd *to, const gla_nd *x,
                              int64_t first, int64_t last);

// Slices of an array without gaps, inner x n x outer: the elements with the same first and third
// subscript.
typedef struct {
  const void *x;
  int type;
  int64_t inner, n, outer;
} gla_slices;

typedef enum {
  GLA_REDUCE_SUM = 0, // of logical: double
  GLA_REDUCE_PROD,
  GLA_REDUCE_SUMSQ, // |x|^2, real
  GLA_REDUCE_ANY,   // logical; NaN counts as nonzero
  GLA_REDUCE_ALL,
  GLA_REDUCE_MAX, // NaN only where all are; complex: by modulus, then argument
  GLA_REDUCE_MIN
} gla_reduction;

// to = one element for each slice, inner x outer. index (NULL: not wanted): for MAX and MIN the
// position of the first such element, from 1. Single is summed in double. The bits depend on the
// slice alone: not on its place, nor on how many there are, nor on inner and outer.
// Method: segments of 256 elements, each in 8 sums that are then added in pairs, and so on with the
// sums of the segments.
gla_status gla_reduce (gla_context *ctx, int device, gla_reduction op, const gla_slices *slices,
                       void *to, double *index);

// to = the sums (GLA_REDUCE_SUM) or products (GLA_REDUCE_PROD) of the elements of each slice up to
// each of them, of the same sizes; of logical: double.
gla_status gla_scan (gla_context *ctx, int device, gla_reduction op, const gla_slices *slices,
                     void *to);

// to = the sorted slices, which have inner = 1, of the same type; index (NULL: not wanted) their
// positions in the slice, from 1. Equal elements keep their order. NaN is the largest; complex
// numbers are sorted by modulus, then by argument, where -pi counts as pi. `to` is not slices->x.
// At most 2^30 elements a slice. Methods: Batcher's bitonic network (1968); radix sort by CUB.
gla_status gla_sort (gla_context *ctx, int device, const gla_slices *slices, int descending,
                     void *to, double *index);

// to = the discrete Fourier transform of each slice, of the same sizes and type (GLA_TYPE_C or
// GLA_TYPE_Z): to[k] = sum over j of x[j]*exp (-2i*pi*j*k/n); with `inverse` the sign of the
// exponent is + and the sums are divided by n. `to` may be slices->x, and does not overlap it else.
// cuFFT of the CUDA Toolkit does it, which is opened at the first call; GLA_ERROR_NO_LIBRARY where
// there is none. A NaN or Inf may spread over its whole slice. The bits may depend on inner and
// outer, because cuFFT chooses its kernels by them.
gla_status gla_fft (gla_context *ctx, int device, const gla_slices *slices, int inverse, void *to);

// Subscripts of one dimension, from 0.
typedef struct {
  const int64_t *list; // on the GPU; NULL: first, first+step, ...
  int64_t first, step, count;
} gla_subscripts;

// to = x (s[0], s[1], ...), without gaps; and x (s[0], s[1], ...) = from, where `from` has the type
// of x and may be a number. As many as x.dims. Subscripts must lie within x, and those of gla_put
// must differ.
gla_status gla_take (gla_context *ctx, int device, const gla_nd *x, const gla_subscripts *s,
                     void *to);
gla_status gla_put (gla_context *ctx, int device, const gla_nd *x, const gla_subscripts *s,
                    const gla_nd *from);

// The positions of the nonzero bytes among n, in order, from 0. list (NULL: only counts) on the GPU
// has room for them.
gla_status gla_find (gla_context *ctx, int device, const void *mask, int64_t n, int64_t *list,
                     int64_t *count);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
