// sparse_rows.c: a sparse matrix whose rows are spread over ranks: create, destroy
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_rows.h"
#include "structs.h"

#include <stdlib.h>
#include <string.h>

void gla_sparse_rows_destroy (gla_sparse_rows *S)
{
  if (S == NULL)
    return;
  gla_sparse_destroy (S->local);
  free (S->first);
  free (S->start);
  free (S->index);
  free (S->take);
  free (S->give);
  free (S->extended);
  void *const messages[] = {S->columns, S->given,    S->counts, S->out,
                            S->in,      S->swap_out, S->swap_in};
  for (size_t k = 0; k < sizeof messages / sizeof *messages; k++)
    gla_ranks_drop (S->ranks, messages[k]);
  free (S);
}

gla_status gla_sparse_rows_check (gla_context *ctx, const gla_sparse_rows *S)
{
  if (S == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "S must not be NULL");
  return S->ctx == ctx ? GLA_OK
                       : gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "S belongs to another context");
}

//------------------------------------------------------------------------------
// the columns that this rank needs
//------------------------------------------------------------------------------

static int is_here (const gla_sparse_rows *S, int64_t j)
{
  const int rank = S->ranks->transport.rank;
  return j >= S->first[rank] && j < S->first[rank + 1];
}

// A bit for each column that has an entry.
static unsigned char *used_columns (const gla_csr *csr, int by_columns)
{
  unsigned char *used = calloc ((size_t)csr->columns / 8 + 1, 1);
  if (used == NULL)
    return NULL;
  const int bytes = csr->index_bytes;
  for (int64_t j = 0; j < csr->columns && by_columns; j++)
    if (gla_csr_at (csr->start, bytes, j + 1) > gla_csr_at (csr->start, bytes, j))
      used[j / 8] |= (unsigned char)(1 << j % 8);
  const int64_t entries = by_columns ? 0 : gla_csr_at (csr->start, bytes, csr->rows);
  for (int64_t k = 0; k < entries; k++) {
    const int64_t j = gla_csr_at (csr->index, bytes, k);
    used[j / 8] |= (unsigned char)(1 << j % 8);
  }
  return used;
}

// Lists the columns of other ranks, and where each rank's begin.
static gla_status list_halo (gla_sparse_rows *S, const gla_csr *csr, int by_columns)
{
  unsigned char *used = used_columns (csr, by_columns);
  if (used == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t j = 0; j < S->n; j++)
    S->halo += used[j / 8] >> j % 8 & 1 && !is_here (S, j);
  S->columns = malloc ((size_t)S->halo * sizeof *S->columns + 1);
  if (S->columns == NULL) {
    free (used);
    return GLA_ERROR_OUT_OF_MEMORY;
  }
  int64_t k = 0;
  for (int r = 0; r < S->ranks->transport.ranks; r++) {
    S->take[r] = k;
    for (int64_t j = S->first[r]; j < S->first[r + 1] && r != S->ranks->transport.rank; j++)
      if (used[j / 8] >> j % 8 & 1)
        S->columns[k++] = j;
    S->take[r + 1] = k;
  }
  free (used);
  S->left = S->take[S->ranks->transport.rank];
  S->reach = S->rows + S->halo;
  return GLA_OK;
}

//------------------------------------------------------------------------------
// what the ranks tell each other
//------------------------------------------------------------------------------

// How many rows every rank needs of this one.
static void exchange_counts (gla_sparse_rows *S)
{
  const int rank = S->ranks->transport.rank, count = S->ranks->transport.ranks;
  for (int k = 1; k < count; k++) {
    const int to = (rank + k) % count, from = (rank + count - k) % count;
    int64_t *wanted = &S->counts[count + from];
    *wanted = S->take[from + 1] - S->take[from];
    // the one that is asked is the one that sends in a product
    if (gla_ranks_exchange (S->ranks, from, wanted, sizeof *wanted, to, &S->counts[to],
                            sizeof S->counts[to]))
      return;
  }
}

static gla_status list_given (gla_sparse_rows *S)
{
  const int count = S->ranks->transport.ranks;
  for (int r = 0; r < count; r++)
    S->give[r + 1] = S->give[r] + S->counts[r];
  S->given = malloc ((size_t)S->give[count] * sizeof *S->given + 1);
  return S->given != NULL ? GLA_OK : GLA_ERROR_OUT_OF_MEMORY;
}

static void exchange_lists (gla_sparse_rows *S)
{
  const int rank = S->ranks->transport.rank, count = S->ranks->transport.ranks;
  const size_t size = sizeof *S->given;
  for (int k = 1; k < count; k++) {
    const int to = (rank + k) % count, from = (rank + count - k) % count;
    const int64_t takes = S->take[from + 1] - S->take[from], gives = S->give[to + 1] - S->give[to];
    if ((takes > 0 || gives > 0) &&
        gla_ranks_exchange (S->ranks, from, S->columns + S->take[from], (size_t)takes * size, to,
                            S->given + S->give[to], (size_t)gives * size))
      return;
  }
  for (int64_t i = 0; i < S->give[count]; i++)
    S->given[i] -= S->first[rank];
}

//------------------------------------------------------------------------------
// the matrix with these columns alone
//------------------------------------------------------------------------------

static void put_index (void *array, int bytes, int64_t k, int64_t x)
{
  if (bytes == 4)
    ((int32_t *)array)[k] = (int32_t)x;
  else
    ((int64_t *)array)[k] = x;
}

// Where the vectors have column j.
static int64_t number_of (const gla_sparse_rows *S, int64_t j)
{
  int64_t low = 0, high = S->halo;
  if (is_here (S, j))
    return j - S->first[S->ranks->transport.rank] + S->left;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (S->columns[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  return low < S->left ? low : low + S->rows;
}

// Of columns only the starts change: those that fall away are empty.
static gla_status renumber_columns (gla_sparse_rows *S, gla_csr *csr)
{
  const int bytes = csr->index_bytes;
  const int64_t before = S->first[S->ranks->transport.rank];
  S->start = malloc ((size_t)(S->reach + 1) * (size_t)bytes);
  if (S->start == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  int64_t at = 0;
  for (int64_t k = 0; k < S->left; k++)
    put_index (S->start, bytes, at++, gla_csr_at (csr->start, bytes, S->columns[k]));
  for (int64_t j = 0; j < S->rows; j++)
    put_index (S->start, bytes, at++, gla_csr_at (csr->start, bytes, before + j));
  for (int64_t k = S->left; k < S->halo; k++)
    put_index (S->start, bytes, at++, gla_csr_at (csr->start, bytes, S->columns[k]));
  put_index (S->start, bytes, at, gla_csr_at (csr->start, bytes, S->n));
  csr->start = S->start;
  return GLA_OK;
}

static gla_status renumber_rows (gla_sparse_rows *S, gla_csr *csr)
{
  const int bytes = csr->index_bytes;
  const int64_t entries = gla_csr_at (csr->start, bytes, csr->rows);
  S->index = malloc ((size_t)entries * (size_t)bytes + 1);
  if (S->index == NULL)
    return GLA_ERROR_OUT_OF_MEMORY;
  for (int64_t k = 0; k < entries; k++)
    put_index (S->index, bytes, k, number_of (S, gla_csr_at (csr->index, bytes, k)));
  csr->index = S->index;
  return GLA_OK;
}

static gla_status create_local (gla_sparse_rows *S, const gla_csr *csr, const gla_sparse_options *o)
{
  gla_csr local = *csr;
  const gla_status status =
      o->by_columns ? renumber_columns (S, &local) : renumber_rows (S, &local);
  local.columns = S->reach;
  return status == GLA_OK ? gla_sparse_create (S->ctx, &local, &S->local, o) : status;
}

//------------------------------------------------------------------------------
// gla_sparse_rows_create
//------------------------------------------------------------------------------

// The arrays of a gla_csr are looked at before the ranks meet.
static gla_status check_csr (gla_context *ctx, const gla_csr *csr, const gla_sparse_options *o)
{
  gla_sparse_options once = *o;
  gla_sparse *S = NULL;
  once.size = sizeof once;
  once.once = 1;
  once.copy = 0;
  const gla_status status = gla_sparse_create (ctx, csr, &S, &once);
  gla_sparse_destroy (S);
  return status;
}

static gla_sparse_rows *new_rows (gla_context *ctx, gla_ranks *ranks, const gla_csr *csr)
{
  gla_sparse_rows *S = calloc (1, sizeof *S);
  const size_t count = (size_t)ranks->transport.ranks + 1;
  if (S == NULL)
    return NULL;
  *S = (gla_sparse_rows){
      .ctx = ctx, .ranks = ranks, .type = csr->type, .rows = csr->rows, .hermitian = -1};
  S->first = calloc (count, sizeof *S->first);
  S->take = calloc (count, sizeof *S->take);
  S->give = calloc (count, sizeof *S->give);
  S->counts = calloc (2 * count, sizeof *S->counts);
  if (S->first && S->take && S->give && S->counts)
    return S;
  gla_sparse_rows_destroy (S);
  return NULL;
}

// After the ranks have met. All ranks come to the same messages.
static void build (gla_sparse_rows *S, const gla_csr *csr, const gla_sparse_options *o)
{
  gla_ranks *ranks = S->ranks;
  double none = 0;
  for (int r = 0; r < ranks->transport.ranks; r++)
    S->first[r + 1] = S->first[r] + ranks->cards[r].rows[0];
  gla_status status = list_halo (S, csr, o->by_columns);
  exchange_counts (S);
  if (status == GLA_OK)
    status = list_given (S);
  if (status == GLA_OK)
    status = create_local (S, csr, o);
  if (status == GLA_OK)
    status = gla_sparse_rows_room (S, 1);
  if (status == GLA_ERROR_OUT_OF_MEMORY)
    gla_fail (S->ctx, status, "too little memory");
  gla_ranks_note (ranks, status);
  if (gla_ranks_add (ranks, &none, 1) == 0)
    exchange_lists (S);
}

gla_status gla_sparse_rows_create (gla_context *ctx, gla_ranks *ranks, const gla_csr *csr,
                                   gla_sparse_rows **S_out, const gla_sparse_options *options)
{
  gla_sparse_options o = {.size = 0};
  if (S_out != NULL)
    *S_out = NULL;
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  gla_status status = gla_ranks_check (ctx, ranks);
  if (status != GLA_OK)
    return status;

  // check inputs; what is wrong is sent to the others
  gla_sparse_rows *S = NULL;
  gla_rank_card card = {.call = GLA_CALL_SPARSE};
  if (csr == NULL || S_out == NULL)
    status =
        gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "%s must not be NULL", csr == NULL ? "csr" : "S");
  else if (!gla_take_options (ctx, "options", options, &o, sizeof o))
    status = GLA_ERROR_BAD_ARGUMENT;
  if (status == GLA_OK)
    status = check_csr (ctx, csr, &o);

  // allocate, and meet
  if (status == GLA_OK) {
    o.size = sizeof o;
    S = new_rows (ctx, ranks, csr);
    if (S == NULL || gla_ranks_reserve_sums (ranks) != GLA_OK)
      status = gla_fail (ctx, GLA_ERROR_OUT_OF_MEMORY, "too little memory");
    card.rows[0] = csr->rows;
    card.facts[GLA_FACT_TYPE] = csr->type;
    card.facts[GLA_FACT_COLUMNS] = csr->columns;
  }
  card.status = status;
  status = gla_ranks_meet (ctx, ranks, &card);

  if (status == GLA_OK) {
    int64_t before;
    gla_ranks_sum (ranks, 0, &before, &S->n);
    if (S->n != csr->columns)
      status = gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT,
                         "A has %lld rows on all ranks and %lld columns, it must be square",
                         (long long)S->n, (long long)csr->columns);
  }
  if (status == GLA_OK) {
    build (S, csr, &o);
    status = gla_ranks_agree (ranks);
  }
  if (status != GLA_OK) {
    gla_sparse_rows_destroy (S);
    return gla_end_call (ctx, status);
  }
  *S_out = S;
  return GLA_OK;
}
