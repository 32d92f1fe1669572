// test_limits.c: with little address space calls are right or end with out of memory
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: cuda
//
// The program starts itself again under each limit, as `ulimit -v` in batch systems. OpenBLAS
// allocates a buffer of 128 MB for every thread that calls it, and retries without end if that
// fails.

#include "frame/calls.h"
#include "frame/check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { M = 600, N = 500, G = 240, E = 260, PAGES = 6 };

// The exit status of a process.
enum { RIGHT = 0, SHORT = 10, WRONG = 11 };

static double *random_numbers (int64_t count)
{
  unsigned long long seed = 4;
  double *a = malloc ((size_t)count * sizeof *a);
  for (int64_t k = 0; a != NULL && k < count; k++)
    a[k] = check_random (&seed);
  return a;
}

// |A|_F = |R|_F, to rounding.
static gla_status qr (gla_context *ctx, int *right)
{
  double *a = random_numbers (M * N), *r = malloc (N * N * sizeof *r), whole = 0, kept = 0;
  if (a == NULL || r == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, M, N, 1, GLA_DEVICE_HOST);
  gla_qr_results results = {.size = sizeof results};
  results.R = gla_array_packed (r, GLA_TYPE_D, N, N, 1, GLA_DEVICE_HOST);
  const gla_status status = gla_qr (ctx, &A, NULL, &results, NULL, NULL);
  for (int64_t k = 0; k < M * N; k++)
    whole += a[k] * a[k];
  for (int64_t k = 0; k < N * N; k++)
    kept += r[k] * r[k];
  *right = fabs (whole - kept) < 1e-10 * whole;
  free (a);
  free (r);
  return status;
}

// alpha^2 + beta^2 = 1
static gla_status gsvd (gla_context *ctx, int *right)
{
  double *a = random_numbers (2 * G * G), c[G], s[G];
  if (a == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, G, G, 1, GLA_DEVICE_HOST);
  const gla_array B = gla_array_packed (a + G * G, GLA_TYPE_D, G, G, 1, GLA_DEVICE_HOST);
  gla_gsvd_results results = {.size = sizeof results};
  results.alpha = gla_array_packed (c, GLA_TYPE_D, G, 1, 1, GLA_DEVICE_HOST);
  results.beta = gla_array_packed (s, GLA_TYPE_D, G, 1, 1, GLA_DEVICE_HOST);
  const gla_status status = gla_gsvd (ctx, &A, &B, &results, NULL, NULL);
  *right = 1;
  for (int k = 0; status == GLA_OK && k < G; k++)
    *right = *right && fabs (c[k] * c[k] + s[k] * s[k] - 1) < 1e-12;
  free (a);
  return status;
}

// Whether the eigenvalues of each page add up to its trace over `divisor`.
static int sums_are_traces (const double *lambda, const double complex *a, double divisor)
{
  int right = 1;
  for (int p = 0; p < PAGES; p++) {
    double trace = 0, sum = 0;
    for (int k = 0; k < E; k++) {
      trace += creal (a[p * E * E + k * (E + 1)]);
      sum += lambda[p * E + k];
    }
    right = right && fabs (trace / divisor - sum) < 1e-9;
  }
  return right;
}

// The sum of the eigenvalues is the trace.
static gla_status eig (gla_context *ctx, int *right)
{
  double complex *a = malloc ((size_t)E * E * PAGES * sizeof *a),
                 *v = malloc ((size_t)E * E * PAGES * sizeof *v);
  double l[E * PAGES];
  if (a == NULL || v == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  check_fill (a, E, PAGES, 1);
  const gla_array A = gla_array_packed (a, GLA_TYPE_Z, E, E, PAGES, GLA_DEVICE_HOST);
  const gla_array L = gla_array_packed (l, GLA_TYPE_D, E, 1, PAGES, GLA_DEVICE_HOST);
  const gla_array V = gla_array_packed (v, GLA_TYPE_Z, E, E, PAGES, GLA_DEVICE_HOST);
  const gla_status status = call_batcheig (ctx, &A, &L, &V, NULL, NULL, NULL);
  *right = status == GLA_OK && sums_are_traces (l, a, 1);
  free (a);
  free (v);
  return status;
}

// The largest eigenvalue of a path of a million nodes is just below 4.
static gla_status eigs (gla_context *ctx, int *right)
{
  enum { NODES = 300000 };
  int32_t *start = malloc ((NODES + 1) * sizeof *start),
          *index = malloc (3 * NODES * sizeof *index);
  double *values = malloc (3 * NODES * sizeof *values), value = 0;
  if (start == NULL || index == NULL || values == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  int32_t at = 0;
  for (int32_t i = 0; i < NODES; i++) {
    start[i] = at;
    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < NODES; j++) {
      index[at] = j;
      values[at++] = i == j ? 2 : -1;
    }
  }
  start[NODES] = at;
  const gla_csr csr = {GLA_TYPE_D, NODES, NODES, 4, start, index, values};
  const gla_eigs_options few = {.size = sizeof few, .maxit = 1, .basis = 20, .trust = 1};
  gla_operator A = {.size = sizeof A, .sparse = NULL};
  gla_eigs_results results = {.size = sizeof results};
  results.values = gla_array_packed (&value, GLA_TYPE_D, 1, 1, 1, GLA_DEVICE_HOST);
  gla_status status = gla_sparse_create (ctx, &csr, &A.sparse, NULL);
  if (status == GLA_OK)
    status = gla_eigs (ctx, &A, 1, GLA_EIGS_WHICH_LA, &results, &few, NULL);
  gla_sparse_destroy (A.sparse);
  *right = !(value > 4);
  free (start);
  free (index);
  free (values);
  return status;
}

// The squares of the singular values add up to |A|^2.
static gla_status svd (gla_context *ctx, int *right)
{
  double *a = random_numbers (G * G * PAGES), *u = malloc (G * G * PAGES * sizeof *u),
         *v = malloc (G * G * PAGES * sizeof *v), s[G * PAGES], whole = 0, kept = 0;
  if (a == NULL || u == NULL || v == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, G, G, PAGES, GLA_DEVICE_HOST);
  gla_svd_results results = {.size = sizeof results};
  results.S = gla_array_packed (s, GLA_TYPE_D, G, 1, PAGES, GLA_DEVICE_HOST);
  results.U = gla_array_packed (u, GLA_TYPE_D, G, G, PAGES, GLA_DEVICE_HOST);
  results.V = gla_array_packed (v, GLA_TYPE_D, G, G, PAGES, GLA_DEVICE_HOST);
  const gla_status status = gla_batchsvd (ctx, &A, &results, NULL, NULL);
  for (int64_t k = 0; k < G * G * PAGES; k++)
    whole += a[k] * a[k];
  for (int64_t k = 0; status == GLA_OK && k < G * PAGES; k++)
    kept += s[k] * s[k];
  *right = fabs (whole - kept) < 1e-10 * whole;
  free (a);
  free (u);
  free (v);
  return status;
}

// A*X = A has the solution I.
static gla_status solve (gla_context *ctx, int *right)
{
  double *a = random_numbers (N * N), *x = malloc (N * N * sizeof *x);
  if (a == NULL || x == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t k = 0; k < N; k++)
    a[k * (N + 1)] += N;
  const gla_array A = gla_array_packed (a, GLA_TYPE_D, N, N, 1, GLA_DEVICE_HOST);
  gla_pagesolve_results results = {.size = sizeof results};
  results.X = gla_array_packed (x, GLA_TYPE_D, N, N, 1, GLA_DEVICE_HOST);
  const gla_status status = gla_pagesolve (ctx, &A, &A, &results, NULL, NULL);
  *right = 1;
  for (int64_t k = 0; status == GLA_OK && k < N * N; k++)
    *right = *right && fabs (x[k] - (k % (N + 1) == 0)) < 1e-10;
  free (a);
  free (x);
  return status;
}

// With B = 2*I the sum of the eigenvalues is half of the trace.
static gla_status pairs (gla_context *ctx, int *right)
{
  double complex *a = malloc ((size_t)E * E * PAGES * sizeof *a),
                 *b = calloc ((size_t)E * E * PAGES, sizeof *b);
  double l[E * PAGES];
  if (a == NULL || b == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  check_fill (a, E, PAGES, 1);
  for (int k = 0; k < E * PAGES; k++)
    b[k / E * E * E + k % E * (E + 1)] = 2;
  const gla_array A = gla_array_packed (a, GLA_TYPE_Z, E, E, PAGES, GLA_DEVICE_HOST);
  const gla_array B = gla_array_packed (b, GLA_TYPE_Z, E, E, PAGES, GLA_DEVICE_HOST);
  gla_eig_pairs_results results = {.size = sizeof results};
  results.lambda = gla_array_packed (l, GLA_TYPE_D, E, 1, PAGES, GLA_DEVICE_HOST);
  const gla_status status = gla_batcheig_pairs (ctx, &A, &B, &results, NULL, NULL);
  *right = status == GLA_OK && sums_are_traces (l, a, 2);
  free (a);
  free (b);
  return status;
}

typedef gla_status (*calculation) (gla_context *ctx, int *right);
static const calculation calculations[] = {qr, gsvd, eig, eigs, svd, solve, pairs};
enum { CALCULATIONS = sizeof calculations / sizeof *calculations };

static int calculate (int which)
{
  gla_context *ctx = NULL;
  int right = 0;
  gla_status status = gla_context_create (&ctx);
  if (status == GLA_OK)
    status = gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  if (status == GLA_OK)
    status = calculations[which](ctx, &right);
  gla_context_destroy (ctx);
  return status == GLA_ERROR_OUT_OF_MEMORY ? SHORT : status == GLA_OK && right ? RIGHT : WRONG;
}

// The exit status under a limit in kB (0: none); negative if the process did not end by itself
// within 60 s.
static int under (long limit, int which, const char *program)
{
  char number[16];
  const pid_t child = fork ();
  if (child == 0) {
    const struct rlimit space = {(rlim_t)limit * 1024, (rlim_t)limit * 1024};
    snprintf (number, sizeof number, "%d", which);
    setenv ("OMP_NUM_THREADS", "4", 1);
    setenv ("OPENBLAS_NUM_THREADS", "1", 1); // its own threads would allocate buffers, too
    if (limit > 0)
      setrlimit (RLIMIT_AS, &space);
    execl (program, program, number, (char *)NULL);
    _exit (WRONG);
  }
  for (int k = 0; child > 0 && k < 6000; k++) {
    const struct timespec nap = {0, 10000000};
    int status;
    if (waitpid (child, &status, WNOHANG) == child)
      return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
    nanosleep (&nap, NULL);
  }
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  return -2;
}

// The size of the program in kB. With kernels it alone would fill the smallest limits.
static long size_of (const char *program)
{
  struct stat file;
  return stat (program, &file) == 0 ? (long)(file.st_size / 1024) : 0;
}

// The limits are for what the program takes beside itself.
int main (int argc, char **argv)
{
  static const long limits[] = {200000, 250000, 300000, 400000, 500000,
                                600000, 700000, 800000, 900000};
  long enough = 4000000;
  size_t count = sizeof limits / sizeof *limits;
  if (argc > 1)
    return calculate (atoi (argv[1]));
#if defined(__SANITIZE_ADDRESS__) ||                                                               \
    defined(__SANITIZE_THREAD__) // reserve terabytes for themselves
  enough = 0;
  count = 0;
#endif
  for (int which = 0; which < CALCULATIONS; which++) {
    for (size_t k = 0; k < count; k++) {
      const int got = under (limits[k] + size_of (argv[0]), which, argv[0]);
      CHECK (got == RIGHT || got == SHORT, "calculation %d in %ld kB: %d", which, limits[k], got);
    }
    const int got = under (enough, which, argv[0]);
    CHECK (got == RIGHT, "calculation %d with enough memory: %d", which, got);
  }
  return check_report ("limits");
}
