// test_factor_memory.c: sparse Hermitian factors where memory is short
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The sources of the factor are part of this program, with an allocator that fails when it is told
// to. The linker takes them in place of those of the library.

#include "factor_matrices.h"

static int64_t calls, fail_at, blocks;

// Whether this call is to fail.
static int fails (void)
{
  return ++calls == fail_at;
}

static void *limited_malloc (size_t bytes)
{
  void *block = fails () ? NULL : malloc (bytes);
  blocks += block != NULL;
  return block;
}

static void *limited_calloc (size_t count, size_t bytes)
{
  void *block = fails () ? NULL : calloc (count, bytes);
  blocks += block != NULL;
  return block;
}

static void *limited_realloc (void *block, size_t bytes)
{
  void *more = fails () ? NULL : realloc (block, bytes);
  blocks += block == NULL && more != NULL;
  return more;
}

static void counted_free (void *block)
{
  blocks -= block != NULL;
  free (block);
}

#define malloc limited_malloc
#define calloc limited_calloc
#define realloc limited_realloc
#define free counted_free
#define element element_of_front // a name of eigs_matrices.h, too
#include "lanczos/factor/factor.c"
#include "lanczos/factor/factor_symbolic.c"
#define GLA_T d
#include "lanczos/factor/factor_types.c"
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef element

//------------------------------------------------------------------------------
// tests
//------------------------------------------------------------------------------

static gla_status factor (const matrix *A, gla_factor **F, gla_factor_report *report)
{
  const gla_csr c = {A->type, A->n, A->n, 8, A->start, A->index, A->values};
  *F = (gla_factor *)F; // must not stay
  *report = (gla_factor_report){.size = sizeof *report};
  return gla_factor_create (ctx, &c, 0.3, F, NULL, report);
}

// Each allocation fails in turn: the status says so, nothing is left, and the next call is right.
static void test_create (const matrix *A, const char *what)
{
  gla_factor_report report;
  gla_factor *F;
  blocks = calls = fail_at = 0;
  CHECK (factor (A, &F, &report) == GLA_OK && F != NULL, "%s: %s", what, gla_message (ctx));
  const int64_t all = calls, kept = blocks;
  CHECK (all >= 20 && kept >= 8, "%s: %lld allocations, %lld blocks", what, (long long)all,
         (long long)kept);
  gla_factor_destroy (F);
  CHECK (blocks == 0, "%s: %lld blocks are left", what, (long long)blocks);
  for (int64_t n = 1; n <= all; n++) {
    calls = 0;
    fail_at = n;
    const gla_status status = factor (A, &F, &report);
    CHECK (status == GLA_ERROR_OUT_OF_MEMORY && F == NULL && blocks == 0,
           "%s, allocation %lld of %lld: status %d, %lld blocks are left", what, (long long)n,
           (long long)all, (int)status, (long long)blocks);
    CHECK (gla_message (ctx)[0] != '\0' && !report.singular, "%s, allocation %lld: \"%s\"", what,
           (long long)n, gla_message (ctx));
  }
  fail_at = 0;
  CHECK (factor (A, &F, &report) == GLA_OK && F != NULL && blocks == kept, "%s: afterwards", what);
  gla_factor_destroy (F);
}

// A solve takes memory for the vectors once, and more where there are more of them.
static void test_solve (const matrix *A, const char *what)
{
  enum { COLUMNS = 9 };
  const size_t bytes = (size_t)A->n * gla_type_size (A->type);
  gla_factor_report report;
  gla_factor *F;
  fail_at = 0;
  CHECK (factor (A, &F, &report) == GLA_OK && F != NULL, "%s: %s", what, gla_message (ctx));
  char *b = right_sides (A->type, A->n, COLUMNS), *x = malloc (COLUMNS * bytes);
  const int64_t before = blocks;
  static const int64_t columns[] = {1, 2, COLUMNS};
  for (int k = 0; k < 3; k++) {
    calls = 0;
    fail_at = 1;
    CHECK (gla_factor_solve (F, b, x, columns[k]) == GLA_ERROR_OUT_OF_MEMORY && calls == 1,
           "%s, %lld columns: %lld allocations", what, (long long)columns[k], (long long)calls);
    CHECK (gla_factor_solve (F, b, x, columns[k]) == GLA_OK && calls == 2 && blocks == before + 1,
           "%s, %lld columns afterwards: %lld allocations", what, (long long)columns[k],
           (long long)calls);
    CHECK (gla_factor_solve (F, b, x, columns[0]) == GLA_OK && calls == 2,
           "%s: memory that was not kept", what);
    CHECK (residual (A, 0.3, x, b) <= 10, "%s: residual %g", what, residual (A, 0.3, x, b));
  }
  fail_at = 0;
  gla_factor_destroy (F);
  CHECK (blocks == 0, "%s: %lld blocks are left", what, (long long)blocks);
  free (b);
  free (x);
}

// Nothing is left either where there is no factor for another reason.
static int stop (void *user)
{
  (void)user;
  return 1;
}

static void test_other_ends (const matrix *dense, const matrix *singular)
{
  gla_factor_report report;
  gla_factor *F;
  fail_at = blocks = 0;
  CHECK (factor (singular, &F, &report) == GLA_OK && F == NULL && report.singular && blocks == 0,
         "singular: %lld blocks are left", (long long)blocks);
  gla_set_stop (ctx, stop, NULL);
  CHECK (factor (dense, &F, &report) == GLA_ERROR_STOPPED && F == NULL && blocks == 0,
         "stopped: %lld blocks are left", (long long)blocks);
  gla_set_stop (ctx, NULL, NULL);
  const gla_csr c = {dense->type, dense->n, dense->n, 8, dense->start, dense->index, dense->values};
  const gla_factor_options few = {.size = sizeof few, .most_flops = 5};
  CHECK (gla_factor_create (ctx, &c, 0, &F, &few, NULL) == GLA_OK && F == NULL && blocks == 0,
         "too many flops: %lld blocks are left", (long long)blocks);
  int64_t order[2] = {0, 0};
  const gla_csr two = {GLA_TYPE_D, 2, 2, 8, dense->start, dense->index, dense->values};
  const gla_factor_options twice = {.size = sizeof twice, .order = order};
  CHECK (gla_factor_create (ctx, &two, 0, &F, &twice, NULL) == GLA_ERROR_BAD_ARGUMENT &&
             F == NULL && blocks == 0,
         "no order: %lld blocks are left", (long long)blocks);
}

// Elements 0.3, which the shift takes away.
static double complex as_the_shift (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return i == j ? 0.3 : 0;
}

int main (void)
{
  CHECK (gla_context_create (&ctx) == GLA_OK, "no context");
  matrix A[] = {make_known (GLA_TYPE_D, 150, dominated), make_known (GLA_TYPE_D, SIDE * SIDE, grid),
                make_known (GLA_TYPE_D, 1300, paths), make_known (GLA_TYPE_D, 1000, complete),
                make_known (GLA_TYPE_D, 9, as_the_shift)};
  static const char *const names[] = {"dominated", "grid", "paths"};
  for (int k = 0; k < 3; k++) {
    test_create (&A[k], names[k]);
    test_solve (&A[k], names[k]);
  }
  test_other_ends (&A[3], &A[4]);
  for (int k = 0; k < 5; k++)
    matrix_free (&A[k]);
  gla_context_destroy (ctx);
  return check_report ("test_factor_memory");
}
