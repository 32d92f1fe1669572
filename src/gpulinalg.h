// gpulinalg.h: the public face of the C library
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matrix decompositions of many matrices at once, on an NVIDIA GPU where there is one and on the
// CPU where there is none. Every function returns a gla_status and never prints, exits or aborts.
// A context belongs to one thread at a time; several contexts may work in parallel. A child of fork
// may use the contexts that it has inherited and new ones: GLA_AUTO is the CPU there.

#ifndef GPULINALG_H
#define GPULINALG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

//------------------------------------------------------------------------------
// status, types, arrays
//------------------------------------------------------------------------------

typedef enum {
  GLA_OK = 0,
  GLA_BAD_ARGUMENT,   // gla_message names the argument and the value
  GLA_NOT_HERMITIAN,  // the report names the page and the largest |A - A'|
  GLA_OUT_OF_MEMORY,  // on the host; device memory is handled inside
  GLA_NO_DEVICE,      // a GPU was asked for and there is none (with that number)
  GLA_DEVICE_FAILURE, // a GPU failed and the CPU was not allowed to help
  GLA_STOPPED,        // the stop callback asked for it
  GLA_FORKED          // a GPU was asked for in a child of the process that made the context
} gla_status;

// The letters of LAPACK: single, double, complex single, complex double.
typedef enum { GLA_S = 's', GLA_D = 'd', GLA_C = 'c', GLA_Z = 'z' } gla_type;

// A stack of column-major matrices that the caller owns. Element (i, j) of page p stands at
// data + i*row_stride + j*column_stride + p*page_stride, counted in elements of the type
// (a complex number is one element, real part first).
typedef struct {
  void *data;
  gla_type type;
  int64_t rows, columns, pages;
  int64_t row_stride, column_stride, page_stride;
  int device; // GLA_HOST, or the number of the GPU that holds the data
} gla_array;

enum { GLA_HOST = -1 };

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

// Called from the calling thread only, every 50 ms or so while a function works.
// A stop callback that returns nonzero ends the function with GLA_STOPPED.
void gla_set_stop (gla_context *ctx, int (*stop) (void *user), void *user);
void gla_set_progress (gla_context *ctx, void (*progress) (void *user, int64_t done, int64_t total),
                       void *user);
// Called from the calling thread by gla_gsvd, where a pair is worked on by itself, or several on a
// GPU: after each of their sweeps, with the number of these. done and total count pages as above.
// Where several GPUs work, sweeps that end together may be told as one.
void gla_set_sweeps (gla_context *ctx,
                     void (*swept) (void *user, int64_t done, int64_t total, int sweeps),
                     void *user);
// Told once per call and kind: id is "device-failed" or "device-memory".
void gla_set_warning (gla_context *ctx,
                      void (*warning) (void *user, const char *id, const char *text), void *user);

// Where functions of this context run. GLA_AUTO (the default) picks the faster place and uses the
// CPU where there is no GPU; GLA_CPU; GLA_GPU: all GPUs; GLA_LIST: the GPUs in devices[0..count-1].
typedef enum { GLA_AUTO = 0, GLA_CPU, GLA_GPU, GLA_LIST } gla_place;
gla_status gla_set_place (gla_context *ctx, gla_place place, const int *devices, int count);

// Number of usable GPUs; 0 where there is no driver, no GPU, or no CUDA in this build.
int gla_device_count (gla_context *ctx);

typedef struct {
  char name[256];
  int major, minor; // compute capability
  int multiprocessors;
  int64_t memory_total; // bytes
  int64_t memory_free;  // -1 of a GPU that is not started: it cannot tell
  int started;          // whether this process has started it
  // What the contexts of this process keep between calls, in bytes: work space and the copies of
  // sparse matrices on the GPU, and pinned memory of the host. 0 for the CPU.
  int64_t memory_kept, host_kept;
} gla_device_info;
gla_status gla_device_query (gla_context *ctx, int device, gla_device_info *info);

// A context keeps device memory for its next call: as much as its largest call needed, and when a
// call ends no more than an eighth of the device's memory. This gives back what it keeps on the GPU
// `device`, or on all of them (GLA_ALL_GPUS), and the pinned memory that transfers use; the next
// call takes it again. Copies of matrices stay as long as their gla_sparse. Starts no device.
enum { GLA_ALL_GPUS = -2 };
gla_status gla_release (gla_context *ctx, int device);

// What GLA_AUTO goes by: the file that keeps what calls took on this machine ("" where none is
// kept; the file may not exist yet; delete it to have all measured anew), and how many costs are
// known.
const char *gla_costs_path (gla_context *ctx);
int gla_costs_measured (gla_context *ctx);
// Writes to the file what it does not know yet; gla_context_destroy does that, too.
void gla_costs_save (gla_context *ctx);

// One line about the backends: what was built, and why there is no GPU if there is none.
const char *gla_backend_note (gla_context *ctx);
// The text of the last failure in this context; "" after a success.
const char *gla_message (const gla_context *ctx);
const char *gla_status_text (gla_status status);
const char *gla_version (void);

//------------------------------------------------------------------------------
// gla_batcheig: eigenvalues and eigenvectors of many Hermitian matrices
//------------------------------------------------------------------------------

typedef enum { GLA_METHOD_AUTO = 0, GLA_METHOD_QR, GLA_METHOD_JACOBI } gla_eig_method;

typedef enum {
  GLA_FULL = 0, // both triangles are read, checked, and (A+A')/2 is solved
  GLA_LOWER,    // only the lower triangle is read
  GLA_UPPER     // only the upper triangle is read
} gla_triangle;

typedef struct {
  gla_eig_method method; // {GLA_METHOD_AUTO}
  gla_triangle triangle; // {GLA_FULL}
  double tol;            // {0: eps of the type} entries below tol*|A| count as zero
  int maxit;             // {0: 30} sweeps of Jacobi; QR iterations per eigenvalue
} gla_eig_options;

typedef struct {
  int64_t pages_failed;  // pages with info != 0
  int64_t first_failed;  // the first of them, from 0; -1 if none
  int64_t bad_page;      // GLA_NOT_HERMITIAN: the first such page, from 0
  double bad_difference; // GLA_NOT_HERMITIAN: largest |A - A'| on that page
  int device;            // the first GPU that worked, or GLA_HOST
  int64_t chunk_pages;   // pages in the largest chunk that was in flight at once
} gla_eig_report;

// A       n x n x P, s d c or z; never changed. row_stride must be 1.
// lambda  n x 1 x P, the real type of A; any row_stride (so it can be a diagonal); ascending.
// V       n x n x P, the type of A, orthonormal columns, A V = V diag (lambda); row_stride 1;
//         NULL for eigenvalues only. Must not overlap A.
// info    host array of P, or NULL: 0 ok; n+1 the page holds NaN or Inf; 1..n: that many
//         eigenvalues did not converge. A page with info != 0 is NaN in lambda and V.
// options NULL for the defaults. report may be NULL.
// A, lambda and V are all on the host or all on one GPU.
// The same page gives the same bits whatever the batch and its position in it, on one device.
// Methods: Householder tridiagonalisation and implicitly shifted QL/QR (Cosnuau 2014), on a GPU
// divide and conquer (Cuppen 1981; Gu, Eisenstat 1994);
// Jacobi, two-sided in fast memory and one-sided by blocks above (Huang, Liu, Zhao 2023).
gla_status gla_batcheig (gla_context *ctx, const gla_array *A, const gla_array *lambda,
                         const gla_array *V, int32_t *info, const gla_eig_options *options,
                         gla_eig_report *report);

//------------------------------------------------------------------------------
// gla_qr: QR factorisation of large, tall and many matrices
//------------------------------------------------------------------------------

typedef struct {
  int pivot; // {0} nonzero: column pivoting, |diag (R)| does not grow
  int block; // {0: by size and machine} columns of a block reflector
} gla_qr_options;

// What is wanted; data is NULL in the others, and jpvt is NULL without pivoting. k = min (m, n).
typedef struct {
  gla_array Q;   // m x m or m x k, orthonormal columns
  gla_array R;   // m x n or k x n, upper triangular (trapezoidal), zeros below
  gla_array C;   // Q'*B: m x r or k x r, for B of m x r; Q is not formed for it
  gla_array W;   // m x k, with
  gla_array Y;   // m x k: the m x m Q is I + W*Y', Y unit lower trapezoidal
  int64_t *jpvt; // n x P on the host: column jpvt[j] (from 0) of A is column j of Q*R
} gla_qr_results;

typedef struct {
  int device;          // the first GPU that worked, or GLA_HOST
  int64_t chunk_pages; // pages in the largest chunk that was in flight at once
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
  int64_t pages_failed, first_failed;       // pages that hold NaN or Inf; the first, from 0, or -1
  int64_t pages_deficient, first_deficient; // pages where A has less than full rank
  gla_qr_report qr;
} gla_least_squares_report;

// X = A \ B of each page by QR; where A has not full rank, and where m < n, the X of least norm.
// A       m x n x P, B m x r x P, X n x r x P; s d c or z, one type for all, on the host,
// row_stride
//         1. A and B are not changed; X overlaps neither.
// info    host array of P, or NULL: 0 ok; k from 1 to min (m, n): the rank of A is k less than
//         that; n+1: A or B holds NaN or Inf, and X is NaN.
// options of gla_qr; pivot must be 0. NULL for the defaults. report may be NULL.
// Pages are factored as by gla_qr, X = R \ (Q'*B). Those whose R may not have full rank, and all
// with m < n, are done by the CPU with column pivoting. The rank is judged with the columns of A
// brought to one length.
gla_status gla_least_squares (gla_context *ctx, const gla_array *A, const gla_array *B,
                              const gla_array *X, int32_t *info, const gla_qr_options *options,
                              gla_least_squares_report *report);

//------------------------------------------------------------------------------
// gla_gsvd: generalized singular value decomposition
//------------------------------------------------------------------------------

typedef enum { GLA_GSVD_AUTO = 0, GLA_GSVD_HZ, GLA_GSVD_TANGENT } gla_gsvd_method;
typedef enum { GLA_BLOCK_ORIENTED = 0, GLA_FULL_BLOCK } gla_gsvd_blocking;
typedef enum { GLA_ORDER_ME = 0, GLA_ORDER_MM } gla_gsvd_ordering;

typedef struct {
  gla_gsvd_method method;     // {GLA_GSVD_AUTO}
  gla_gsvd_blocking blocking; // {GLA_BLOCK_ORIENTED} one inner sweep, or until nothing rotates
  gla_gsvd_ordering ordering; // {GLA_ORDER_ME} Mantharam-Eberlein, or modified modulus
  int block;                  // {0: by size and machine} columns of a block
  int blank; // {0} nonzero: NaN in alpha and beta where they mean nothing, rank [A; B] < q
} gla_gsvd_options;

enum { GLA_GSVD_SWEEPS = 60 }; // at most

// What the iteration of one pair did.
typedef struct {
  gla_gsvd_method method; // the one that served; GLA_GSVD_AUTO where nothing was iterated
  int32_t sweeps;
  int64_t rotations[GLA_GSVD_SWEEPS]; // in each sweep
} gla_gsvd_stats;

// What is wanted; data is NULL in the others. q = min (m+n, p).
typedef struct {
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
  int64_t pages_failed; // pages with info != 0
  int64_t first_failed; // the first of them, from 0; -1 if none
  int device;           // the first GPU that worked, or GLA_HOST
  int64_t chunk_pages;  // pages in the largest chunk that was in flight at once
} gla_gsvd_report;

// A = U*C*X', B = V*S*X', C'*C + S'*S = I of each page, for any ranks.
// A       m x p x P, B n x p x P, any m, n, p; s d c or z, one type for all; never changed.
//         All arrays have row_stride 1, do not overlap, and are all on the host or all on one GPU.
// C is m x q with alpha(j) at (j - max (0, q-m), j): the first max (0, q-m) of alpha are 0.
// S is n x q with beta(j) at (j, j): those beyond n are 0 (sigma = Inf).
// Where rank [A; B] < q, X has columns of zeros or columns that depend on each other.
// A page with info != 0 is NaN in all results, but not written where it is -1. options NULL for the
// defaults; report may be NULL. The same page gives the same bits in every run on one device with
// the same options. Methods: implicit Hari-Zimmermann (Novakovic, Singer 2021) with the step of
// Falk and Langemeyer; reduction to a one-sided Jacobi SVD (Drmac 1998).
gla_status gla_gsvd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gsvd_results *results, const gla_gsvd_options *options,
                     gla_gsvd_report *report);

//------------------------------------------------------------------------------
// gla_gevd: eigenvalues and eigenvectors of the pencil (A'*A, B'*B)
//------------------------------------------------------------------------------

// What is wanted; data is NULL in the others. q = min (m+n, p).
typedef struct {
  gla_array alpha, beta; // q x 1, real type, as in gla_gsvd_results: lambda = (alpha ./ beta)^2
  gla_array Z;           // p x q, Z'*A'*A*Z = diag (alpha.^2), Z'*B'*B*Z = diag (beta.^2)
  int32_t *info;         // host array of P, or NULL: 0 ok; p+1 NaN or Inf in the pair; 1 not
                         // converged; p+2 [A; B] has less than full rank
} gla_gevd_results;

typedef struct {
  int64_t pages_failed, first_failed;     // pages with info p+1 or 1; the first, from 0, or -1
  int64_t pages_singular, first_singular; // pages with info p+2
  gla_gsvd_report gsvd;
} gla_gevd_report;

// A, B and options are those of gla_gsvd; all arrays are on the host. A page with info p+1 or 1 is
// NaN in all results. One with info p+2 is NaN in Z, and in those alpha and beta that mean nothing.
gla_status gla_gevd (gla_context *ctx, const gla_array *A, const gla_array *B,
                     const gla_gevd_results *results, const gla_gsvd_options *options,
                     gla_gevd_report *report);

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

// How rows are dealt out on a GPU. On the CPU all of them mean parts of equally many entries.
typedef enum {
  GLA_SPMV_AUTO = 0,
  GLA_SPMV_SCALAR,  // a thread for each row
  GLA_SPMV_VECTOR,  // a warp for each row
  GLA_SPMV_GROUP,   // 2 to 32 threads for each row, by the mean length
  GLA_SPMV_BALANCED // equally many entries: long rows split, short rows packed
} gla_spmv_method;

typedef struct {
  gla_spmv_method method; // {GLA_SPMV_AUTO}
  int by_columns;         // {0} nonzero: what is given are the columns of A (CSC), as in Octave
  int copy;               // {0} nonzero: the arrays are copied; else they must stay as they are
  int once;               // {0} nonzero: for one product; spares preparations that pay later
} gla_sparse_options;

// A sparse matrix A, checked and prepared. It belongs to its context, and to the thread of that.
typedef struct gla_sparse gla_sparse;

// rows and columns of `csr` are those of A, also with by_columns (then start has columns+1 entries
// and index counts rows). options NULL for the defaults. GLA_BAD_ARGUMENT names what is wrong: the
// type, a size, the first row that is not in order. A matrix whose stored values are all equal is a
// pattern: no values are read in its products.
gla_status gla_sparse_create (gla_context *ctx, const gla_csr *csr,
                              const gla_sparse_options *options, gla_sparse **S);
// NULL is allowed. To be called before gla_context_destroy.
void gla_sparse_destroy (gla_sparse *S);

typedef struct {
  gla_type type;
  int64_t rows, columns, entries;
  int64_t longest; // entries of the longest row (or column, where the columns were given)
  int pattern;     // nonzero: all stored values are equal
  int finite;      // 0: there is NaN or Inf among the values
  gla_spmv_method method;
  int gpus; // GPUs that hold a copy
} gla_sparse_info;
void gla_sparse_query (gla_sparse *S, gla_sparse_info *info);

// Whether A = A', exactly. Looked for once and remembered: products with a Hermitian matrix then
// need no other orientation of it. Where not, *row and *column (from 0; may be NULL) tell an entry
// that differs, or -1 where A is not square. GLA_OK, GLA_STOPPED, GLA_OUT_OF_MEMORY.
gla_status gla_sparse_hermitian (gla_sparse *S, int *hermitian, int64_t *row, int64_t *column);

typedef struct {
  int device; // the GPU that worked, or GLA_HOST
} gla_spmv_report;

// y = op(A)*x for op 'N' (A), 'T' (A.') or 'C' (A').
// x, y    columns(op(A)) x b and rows(op(A)) x b, one page, of the type of A, row_stride 1; both on
//         the host or both on one GPU; must not overlap. y is written, not added to.
// NaN and Inf spread as in the sum over stored entries. report may be NULL.
// Every row is summed in an order that depends on A, op, the options of S and the number of
// vectors, so the bits are the same in every run on one device, on the CPU also for any number of
// threads. With `once` they may be others than without, and others after gla_sparse_hermitian.
// Methods: Bell, Garland 2008 (scalar, vector); rows grouped by mean length; balanced over entries
// after Merrill, Garland 2016.
gla_status gla_spmv (gla_context *ctx, gla_sparse *S, char op, const gla_array *x,
                     const gla_array *y, gla_spmv_report *report);

// The same once, on the CPU, for the columns of A (CSC, which are not checked): nothing is
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
  const int64_t *order; // {NULL: as it is} the columns, from 0, in the order of elimination
  double most_flops;    // {0: any} what takes more is analysed only
  double smallest;      // {0} pivots must be larger
} gla_factor_options;

typedef struct {
  double flops;     // additions and multiplications, of complex numbers with a complex matrix
  int64_t entries;  // of L, with the zeros that are stored
  int64_t negative; // eigenvalues of A below the shift, but for rounding (Sylvester's inertia)
  int singular;     // nonzero: no pivot was found, and there is no factor
} gla_factor_report;

// A is Hermitian, d or z, its columns are given (with both triangles, in any order in a column),
// and it is not kept. *F is NULL where the report says why. Pivots are sought near the diagonal
// only, which may lose accuracy: check the residual of a solution.
gla_status gla_factor_create (gla_context *ctx, const gla_csr *A, double shift,
                              const gla_factor_options *options, gla_factor **F,
                              gla_factor_report *report);
// (A - shift*I)*X = B, both n x columns of the type of A without gaps; may be the same array. The
// bits of a column depend on how many are solved for together.
gla_status gla_factor_solve (gla_factor *F, const void *B, void *X, int64_t columns);
void gla_factor_destroy (gla_factor *F); // NULL is allowed

// One thread for the BLAS of this process, where its sums are to have the same bits with any number
// of them, until what is returned is handed to gla_blas_release.
int gla_blas_hold (void);
void gla_blas_release (int held);

//------------------------------------------------------------------------------
// gla_eigs: a few eigenvalues of a large Hermitian matrix
//------------------------------------------------------------------------------

// The matrix: either `sparse`, or a function that multiplies by it.
typedef struct {
  gla_sparse *sparse; // NULL: apply is used
  // Y = operator * X for packed X, Y of n x columns on the host, called from the calling thread.
  // Nonzero ends gla_eigs with GLA_STOPPED.
  int (*apply) (void *user, const void *x, void *y, int64_t columns);
  void *user;
  gla_type type; // of X and Y, with apply
  int64_t n;     // with apply
  // Nonzero: what is given is the inverse of A - sigma*I. Eigenvalues theta of it, of largest
  // magnitude, become sigma + 1/theta; `which` must be GLA_EIGS_LM.
  int inverse;
  double sigma;
} gla_operator;

typedef enum {
  GLA_EIGS_LM = 0, // largest magnitude, descending in magnitude; of an inverse: nearest to sigma,
                   // descending in value
  GLA_EIGS_LA,     // largest, descending
  GLA_EIGS_SA,     // smallest, ascending
  GLA_EIGS_BE      // both ends, ascending; one more of the large ones where k is odd
} gla_eigs_which;

typedef enum {
  GLA_EIGS_RESTARTED = 0, // block Lanczos, full orthogonality, thick restarts
  GLA_EIGS_PLAIN          // three-term recurrence alone, and the test of Cullum and Willoughby
} gla_eigs_method;

typedef struct {
  gla_eigs_method method; // {GLA_EIGS_RESTARTED}
  int block;              // {0: by n and machine} 1 to 8 vectors that are multiplied at once
  int64_t basis;          // {0: by k and memory} vectors of the basis; more than k
  double tol;             // {0: 64*eps, and at least that} what residuals over the norm must reach
  int64_t maxit;          // {0: 300} restarts; products in units of the basis for PLAIN
  uint64_t seed;          // {0} of the random start
  const void *v0;         // {NULL: random} first start vector, n on the host
  int trust;              // {0} nonzero: no search for eigenvalues that were missed
  int64_t steps;          // {0: until converged} PLAIN: exactly so many steps
} gla_eigs_options;

typedef struct {
  gla_array values;  // k x 1, real type; NaN where it has not converged
  gla_array vectors; // n x k, orthonormal columns, row_stride 1; data NULL: not wanted
  double *residuals; // k on the host, or NULL: |op*x - theta*x| for unit x, computed from products
} gla_eigs_results;

typedef struct {
  int64_t converged;    // values that did; flag of eigs is converged < k
  int64_t products;     // matrix times one vector
  int64_t restarts;     // or growths of the recurrence
  int64_t steps;        // PLAIN: length of the recurrence
  int64_t basis, block; // as used; 0 where the matrix was solved densely
  int complete;         // nonzero: all were computed, or the search for missed ones found no more
  double norm;          // largest |theta| that was met
  double orthogonality; // largest |X'*X - I| of the vectors; 0 where none were formed by Lanczos
  int dense;            // nonzero: n is so small that all eigenvalues were computed
  int device;           // the GPU that worked, or GLA_HOST
} gla_eigs_report;

// k eigenvalues, 1 <= k <= n, and eigenvectors of a Hermitian matrix of order n.
// Arrays are on the host. GLA_NOT_HERMITIAN: the message names an entry of a sparse matrix
// that differs from its mirror image; a function is trusted. GLA_BAD_ARGUMENT also for NaN or Inf
// in the matrix or in what the function returns. options NULL for the defaults; report may be NULL.
// Not to converge is no error: report->converged < k.
// The same call gives the same bits in every run on one device.
// PLAIN finds each eigenvalue once, whatever its multiplicity, and tells eigenvalues apart that
// differ by about 1000*eps*norm; with fixed `steps` all values that pass the test count as
// converged. Matrices of order 64 and less, and those with k near n, are solved densely by
// gla_batcheig. Methods: thick restart (Wu, Simon 2000) in blocks (Golub, Underwood 1977) with two
// classical Gram-Schmidt sweeps (Barlow, Smoktunowicz 2013); Cullum, Willoughby 1985.
gla_status gla_eigs (gla_context *ctx, const gla_operator *A, int64_t k, gla_eigs_which which,
                     const gla_eigs_results *results, const gla_eigs_options *options,
                     gla_eigs_report *report);

#ifdef __cplusplus
}
#endif

#endif
