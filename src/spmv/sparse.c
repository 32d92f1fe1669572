// sparse.c: sparse matrices: create, query, prepare for engines, destroy
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/status.h"
#include "sparse.h"
#include "threads/pool.h"
#include "structs.h"
#include "backend.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

//------------------------------------------------------------------------------
// check
//------------------------------------------------------------------------------

static gla_status check (gla_context *ctx, const gla_csr *c, const gla_sparse_options *o)
{
  if (gla_type_size (c->type) == 0)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "csr has type %d, it must be one of s d c z",
                     (int)c->type);
  GLA_TRY (gla_check_csr (ctx, "csr", c, o->by_columns));
  if (o->method < GLA_SPMV_METHOD_AUTO || o->method > GLA_SPMV_METHOD_BALANCED)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "method = %d is not a gla_spmv_method",
                     (int)o->method);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// values
//------------------------------------------------------------------------------

enum { VALUES_AT_A_TIME = 1 << 16 }; // of a thread

typedef struct {
  const gla_spmv_matrix *M;
  int parts, single;
  pthread_mutex_t lock; // for what is found
  double most;
  int bad, differ;
} value_look;

static void look_at_values (void *user, int64_t from, int64_t to)
{
  value_look *l = user;
  const float *f = l->M->csr.values;
  const double *d = l->M->csr.values;
  const int parts = l->parts, single = l->single;
  double most = 0;
  int bad = 0, differ = 0;
  for (int64_t k = from; k < to; k++) {
    double x = single ? (double)f[k] : d[k], first = single ? (double)f[k % parts] : d[k % parts];
    double a = fabs (x);
    most = a > most ? a : most;
    bad |= !(a <= DBL_MAX);
    differ |= !(x == first);
  }
  pthread_mutex_lock (&l->lock);
  l->most = most > l->most ? most : l->most;
  l->bad |= bad;
  l->differ |= differ;
  pthread_mutex_unlock (&l->lock);
}

// Reads all values: the largest magnitude, and whether all are equal to the first.
static void scan_values (const gla_spmv_matrix *M, double *largest, int *equal)
{
  value_look l = {.M = M, .lock = PTHREAD_MUTEX_INITIALIZER};
  l.parts = 1 + gla_type_is_complex (M->csr.type);
  l.single = gla_type_real (M->csr.type) == GLA_TYPE_S;
  const int64_t count = M->entries * l.parts;
  gla_pool_ranges (count, M->entries >= GLA_SPARSE_SHARED ? VALUES_AT_A_TIME : count + 1,
                   look_at_values, &l);
  *largest = l.bad ? NAN : l.most;
  *equal = !l.differ && !l.bad;
}

void gla_sparse_scan (gla_sparse *S)
{
  gla_spmv_matrix *M = &S->faces[0].M;
  int equal;
  if (S->scanned)
    return;
  scan_values (M, &S->largest, &equal);
  S->scanned = 1;
}

// Makes a matrix whose values are all equal a pattern.
static void find_pattern (gla_sparse *S)
{
  gla_spmv_matrix *M = &S->faces[0].M;
  int equal = 1;
  if (M->csr.values == NULL) {
    M->value[0] = S->largest = 1;
  } else if (S->options.once) {
    return;
  } else {
    scan_values (M, &S->largest, &equal);
    const int complex = gla_type_is_complex (M->csr.type);
    if (equal && M->entries > 0 && gla_type_real (M->csr.type) == GLA_TYPE_S) {
      const float *f = M->csr.values;
      M->value[0] = f[0];
      M->value[1] = complex ? f[1] : 0;
    } else if (equal && M->entries > 0) {
      const double *d = M->csr.values;
      M->value[0] = d[0];
      M->value[1] = complex ? d[1] : 0;
    }
  }
  M->pattern = equal;
  S->scanned = 1;
}

//------------------------------------------------------------------------------
// create, destroy, query
//------------------------------------------------------------------------------

void gla_sparse_free (gla_context *ctx, int device, const gla_engine *engine, void *prepared)
{
  const int host = device == GLA_DEVICE_HOST;
  gla_engine *now = host ? ctx->cpu : ctx->gpus[device];
  const gla_backend *backend = host ? ctx->cpu_backend : ctx->gpu_backend;
  if (prepared != NULL && (host || !gla_forked ()))
    backend->spmv->free (now == engine ? now : NULL, prepared);
}

// Frees what engine k, and all after it, have made of the orientation.
static void free_prepared (gla_sparse *S, gla_face *face, int first)
{
  for (int k = first; k <= GLA_MAX_DEVICES; k++) {
    gla_sparse_free (S->ctx, k == 0 ? GLA_DEVICE_HOST : k - 1, face->engines[k], face->prepared[k]);
    face->prepared[k] = NULL;
  }
  gla_sparse_unshare (S, face);
}

void gla_sparse_leave_gpus (gla_sparse *S)
{
  free_prepared (S, &S->faces[0], 1);
  free_prepared (S, &S->faces[1], 1);
}

static void free_face (gla_sparse *S, gla_face *face)
{
  free_prepared (S, face, 0);
  for (int k = 0; k < 3; k++)
    free (face->memory[k]);
}

void gla_sparse_destroy (gla_sparse *S)
{
  if (S == NULL)
    return;
  gla_context_forked (S->ctx);
  free_face (S, &S->faces[0]);
  free_face (S, &S->faces[1]);
  free (S);
}

// Copies one array of the matrix into its own memory.
static int own (void **memory, const void **array, size_t bytes)
{
  if (*array == NULL)
    return 1;
  *memory = malloc (bytes > 0 ? bytes : 1);
  if (*memory == NULL)
    return 0;
  memcpy (*memory, *array, bytes);
  *array = *memory;
  return 1;
}

static gla_status own_all (gla_face *face)
{
  gla_csr *c = &face->M.csr;
  const size_t entries = (size_t)face->M.entries, bytes = (size_t)c->index_bytes;
  if (face->M.pattern)
    c->values = NULL;
  return own (&face->memory[0], &c->start, ((size_t)c->rows + 1) * bytes) &&
                 own (&face->memory[1], &c->index, entries * bytes) &&
                 own (&face->memory[2], &c->values, entries * gla_type_size (c->type))
             ? GLA_OK
             : GLA_ERROR_OUT_OF_MEMORY;
}

gla_status gla_sparse_create (gla_context *ctx, const gla_csr *csr, gla_sparse **S_out,
                              const gla_sparse_options *options)
{
  gla_sparse_options o;
  if (S_out != NULL)
    *S_out = NULL;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  if (csr == NULL || S_out == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", csr == NULL ? "csr" : "S");
  ctx->message[0] = '\0';
  if (!gla_take_options (ctx, "options", options, &o, sizeof o))
    return GLA_ERROR_BAD_ARGUMENT;
  gla_status status = check (ctx, csr, &o);
  if (status != GLA_OK)
    return status;

  gla_sparse *S = calloc (1, sizeof *S);
  if (S == NULL)
    return gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "out of memory");
  gla_spmv_matrix *M = &S->faces[0].M;
  S->ctx = ctx;
  S->options = o;
  S->rows = csr->rows;
  S->columns = csr->columns;
  S->hermitian = csr->rows == csr->columns ? -1 : 0;
  S->differs[0] = S->differs[1] = -1;
  M->csr = *csr;
  if (o.by_columns) {
    M->csr.rows = csr->columns;
    M->csr.columns = csr->rows;
  }
  M->method = o.method;
  const int64_t bad = gla_csr_bad_row (&M->csr, &M->longest);
  if (bad >= 0)
    status =
        gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                  "%s %lld (from 0) is not in order: start must ascend from 0, and index must "
                  "ascend inside of the %s",
                  o.by_columns ? "column" : "row", (long long)bad, o.by_columns ? "column" : "row");
  if (status == GLA_OK) {
    M->entries = gla_csr_at (csr->start, csr->index_bytes, M->csr.rows);
    find_pattern (S);
    if (o.copy)
      status = own_all (&S->faces[0]);
    if (status != GLA_OK)
      gla_fail (ctx, status, "out of memory");
  }
  if (status != GLA_OK) {
    gla_sparse_destroy (S);
    return status;
  }
  *S_out = S;
  return GLA_OK;
}

gla_status gla_sparse_query (gla_sparse *S, gla_sparse_info *info)
{
  if (S == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  if (info == NULL)
    return gla_fail (S->ctx, GLA_ERROR_BAD_ARGUMENT, "info must not be NULL");
  if (!gla_check_report (S->ctx, "info", info))
    return GLA_ERROR_BAD_ARGUMENT;
  const gla_spmv_matrix *M = &S->faces[0].M;
  gla_context_forked (S->ctx);
  gla_sparse_scan (S);
  gla_sparse_info own = {.type = M->csr.type,
                         .rows = S->rows,
                         .columns = S->columns,
                         .entries = M->entries,
                         .longest = M->longest,
                         .pattern = M->pattern,
                         .finite = !isnan (S->largest),
                         .method = M->method};
  for (int d = 0; d < S->ctx->n_gpus; d++) {
    int there = gla_sparse_has_shares (S, d);
    for (int f = 0; f < 2; f++)
      there |= S->faces[f].prepared[d + 1] != NULL && S->faces[f].engines[d + 1] == S->ctx->gpus[d];
    own.gpus += there;
  }
  gla_give_struct (info, &own, sizeof own);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// on engines
//------------------------------------------------------------------------------

void *gla_sparse_prepared (const gla_sparse *S, const gla_face *face, const gla_engine *engine)
{
  (void)S;
  const int k = engine->device == GLA_DEVICE_HOST ? 0 : engine->device + 1;
  return face->engines[k] == engine ? face->prepared[k] : NULL;
}

gla_status gla_sparse_prepare (gla_sparse *S, gla_face *face, gla_engine *engine, void **prepared)
{
  const int k = engine->device == GLA_DEVICE_HOST ? 0 : engine->device + 1;
  *prepared = gla_sparse_prepared (S, face, engine);
  if (*prepared != NULL)
    return GLA_OK;
  const gla_monitor monitor = {gla_poll_stop, S->ctx};
  gla_status status = engine->backend->spmv->prepare (engine, &face->M, &monitor, prepared);
  face->engines[k] = engine;
  face->prepared[k] = status == GLA_OK ? *prepared : NULL;
  return status;
}

gla_status gla_sparse_scaled (gla_sparse *S, int exponent, gla_sparse **scaled)
{
  const gla_spmv_matrix *M = &S->faces[0].M;
  gla_csr *c;
  *scaled = calloc (1, sizeof **scaled);
  if (*scaled == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  **scaled = *S;
  memset ((*scaled)->faces, 0, sizeof (*scaled)->faces);
  (*scaled)->faces[0].M = *M;
  (*scaled)->faces[0].M.value[0] = ldexp (M->value[0], exponent);
  (*scaled)->faces[0].M.value[1] = ldexp (M->value[1], exponent);
  (*scaled)->largest = ldexp (S->largest, exponent);
  if (M->pattern)
    return GLA_OK;
  c = &(*scaled)->faces[0].M.csr;
  if (!own (&(*scaled)->faces[0].memory[2], &c->values,
            (size_t)M->entries * gla_type_size (c->type))) {
    gla_sparse_destroy (*scaled);
    *scaled = NULL;
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  const int64_t count = M->entries * (1 + gla_type_is_complex (c->type));
  float *f = (*scaled)->faces[0].memory[2];
  double *d = (*scaled)->faces[0].memory[2];
  for (int64_t i = 0; i < count; i++)
    if (gla_type_real (c->type) == GLA_TYPE_S)
      f[i] = ldexpf (f[i], exponent);
    else
      d[i] = ldexp (d[i], exponent);
  return GLA_OK;
}
