// rows.c: QR of a matrix whose rows are spread over ranks, up and down the tree of ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sizes of messages follow from the rows that the ranks announced when they met. So a rank that has
// failed, or knows that another one has, still sends and receives what the others expect.

#include "rows.h"

static int64_t least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

//------------------------------------------------------------------------------
// sizes
//------------------------------------------------------------------------------

// Rows of the top on some ranks, and all others. One rank alone has no other rows: it factors its
// matrix as gla_qr does.
typedef struct {
  int64_t top, rest;
} row_counts;

static row_counts count_rows (const gla_rows *rows, int first, int ranks)
{
  const int64_t top = rows->ranks->transport.ranks > 1 ? rows->n : INT64_MAX;
  row_counts sum = {0, 0};
  int64_t before = 0;
  for (int r = 0; r < first + ranks; r++) {
    const int64_t m = rows->ranks->cards[r].rows[rows->which];
    const int64_t t = before < top ? least (top - before, m) : 0;
    before += m;
    sum.top += r >= first ? t : 0;
    sum.rest += r >= first ? m - t : 0;
  }
  return sum;
}

static row_counts count_below (const gla_rows *rows, int rank)
{
  return count_rows (rows, rank, gla_tree_size (rank, rows->ranks->transport.ranks));
}

// Bytes of rows x columns on all pages, of an upper trapezoid with n columns of that.
static size_t bytes_of (const gla_rows *rows, int64_t numbers)
{
  return (size_t)(numbers * rows->pages) * gla_type_size (rows->A.type);
}

// The message of a rank to its parent: its top with right-hand sides, the triangle of all other
// rows below it, and their C.
static size_t bytes_up (const gla_rows *rows, row_counts below)
{
  const int64_t n = rows->n, k = least (below.rest, n);
  return bytes_of (rows, below.top * (n + rows->rhs) + k * n - k * (k - 1) / 2 + k * rows->rhs);
}

static size_t bytes_down (const gla_rows *rows, row_counts below, int64_t columns)
{
  return bytes_of (rows, (below.top + least (below.rest, rows->n)) * columns);
}

size_t gla_rows_message (const gla_array *A, int64_t rhs)
{
  size_t numbers, bytes;
  const size_t n = (size_t)A->columns, width = n + (size_t)rhs + 1;
  if (__builtin_mul_overflow (2 * n, width, &numbers) ||
      __builtin_mul_overflow (numbers, (size_t)A->pages, &numbers) ||
      __builtin_mul_overflow (numbers, gla_type_size (A->type), &bytes) || bytes > SIZE_MAX / 2)
    return 0;
  return bytes + 1;
}

//------------------------------------------------------------------------------
// up
//------------------------------------------------------------------------------

void gla_rows_start (gla_rows *rows)
{
  int64_t before;
  rows->n = rows->A.columns;
  rows->pages = rows->A.pages;
  gla_ranks_sum (rows->ranks, rows->which, &before, &rows->total);
  rows->k = least (rows->total, rows->n);
  rows->base.device = GLA_DEVICE_HOST;
  rows->base.first_failed = -1;
  rows->leaf.device = GLA_DEVICE_HOST;
}

// The rows of this rank: its part of the top is copied, the others are factored.
static void start_leaf (gla_rows *rows)
{
  const row_counts mine = count_rows (rows, rows->ranks->transport.rank, 1);
  const gla_array top = gla_rows_part (&rows->A, 0, mine.top),
                  rest = gla_rows_part (&rows->A, mine.top, mine.rest);
  gla_array b = rows->B;
  if (rows->rhs == 0)
    b = gla_array_packed (NULL, rows->A.type, rows->A.rows, 0, rows->pages, GLA_DEVICE_HOST);
  const gla_array b_top = gla_rows_part (&b, 0, mine.top),
                  b_rest = gla_rows_part (&b, mine.top, mine.rest);
  rows->T = gla_rows_stack (rows, &top, 0);
  rows->BT = gla_rows_stack (rows, &b_top, 0);
  gla_leaf_factor (rows, &rest, &b_rest);
}

// Puts what a child has sent below what is here: its top below the top, its triangle below the
// triangle, and factors the two triangles.
static void join_child (gla_rows *rows, int level, row_counts below)
{
  const int64_t k = least (below.rest, rows->n), above = rows->R.rows;
  gla_rows_node *node = &rows->nodes[level];
  gla_array T = gla_rows_stack (rows, &rows->T, below.top),
            BT = gla_rows_stack (rows, &rows->BT, below.top),
            R = gla_rows_stack (rows, &rows->R, k), C = gla_rows_stack (rows, &rows->C, k);
  const gla_array parts[4] = {gla_rows_part (&T, rows->T.rows, below.top),
                              gla_rows_part (&BT, rows->T.rows, below.top),
                              gla_rows_part (&R, above, k), gla_rows_part (&C, above, k)};
  if (gla_ranks_well (rows->ranks)) {
    const char *at = gla_ranks_bytes (rows->ranks);
    at = gla_get_full (at, &parts[0]);
    at = gla_get_full (at, &parts[1]);
    at = gla_get_upper (at, &parts[2]);
    (void)gla_get_full (at, &parts[3]);
  }
  gla_rows_drop (&rows->T);
  gla_rows_drop (&rows->BT);
  rows->T = T;
  rows->BT = BT;
  node->above = above;
  node->below = k;
  if (above > 0 && k > 0) {
    gla_rows_factor (rows, &R, &C, &node->Q);
    gla_rows_drop (&R);
    gla_rows_drop (&C);
  } else {
    gla_rows_drop (&rows->R);
    gla_rows_drop (&rows->C);
    rows->R = R;
    rows->C = C;
  }
}

static void finish_root (gla_rows *rows)
{
  const int64_t t = rows->T.rows, k = rows->R.rows;
  gla_array S = gla_rows_stack (rows, &rows->T, k), C = gla_rows_stack (rows, &rows->BT, k);
  const gla_array s = gla_rows_part (&S, t, k), c = gla_rows_part (&C, t, k);
  if (gla_ranks_well (rows->ranks)) {
    gla_rows_copy (&s, &rows->R);
    gla_rows_copy (&c, &rows->C);
  }
  gla_rows_factor (rows, &S, &C, &rows->last);
  gla_rows_drop (&S);
  gla_rows_drop (&C);
}

void gla_rows_up (gla_rows *rows)
{
  gla_ranks *ranks = rows->ranks;
  const int rank = ranks->transport.rank, count = ranks->transport.ranks;
  if (count == 1) { // all rows are the top, and are factored as they are
    gla_leaf_factor (rows, &rows->A, &rows->B);
    return;
  }
  start_leaf (rows);
  for (int level = 0; level < gla_tree_levels (rank, count); level++) {
    const int child = gla_tree_child (rank, count, level);
    const row_counts below = count_below (rows, child);
    if (gla_ranks_receive (ranks, child, bytes_up (rows, below)))
      return;
    join_child (rows, level, below);
  }
  if (rank == 0) {
    finish_root (rows);
    return;
  }
  if (gla_ranks_well (ranks)) {
    char *at = gla_ranks_bytes (ranks);
    at = gla_put_full (at, &rows->T);
    at = gla_put_full (at, &rows->BT);
    at = gla_put_upper (at, &rows->R);
    (void)gla_put_full (at, &rows->C);
  }
  gla_ranks_send (ranks, gla_tree_parent (rank), bytes_up (rows, count_below (rows, rank)));
}

//------------------------------------------------------------------------------
// down
//------------------------------------------------------------------------------

// What a rank and those below it still need: a row for each row of their top, then one for each row
// of their triangle. `owned` is the memory.
typedef struct {
  gla_array top, rest;
  gla_array owned[GLA_TREE_LEVELS + 1];
  int count;
} flow;

static gla_array flow_take (gla_rows *rows, flow *f, int64_t r, int64_t c)
{
  return f->owned[f->count++] = gla_rows_new (rows, r, c);
}

// On rank 0 the last Q, times G; else what the parent sends.
static int begin_flow (gla_rows *rows, const gla_array *G, int64_t columns, flow *f)
{
  gla_ranks *ranks = rows->ranks;
  const int rank = ranks->transport.rank;
  const row_counts mine = count_below (rows, rank);
  const int64_t k = least (mine.rest, rows->n);
  gla_array all = rows->last;
  if (rank > 0 || G->data != NULL)
    all = flow_take (rows, f, mine.top + k, columns);
  if (rank == 0 && G->data != NULL)
    gla_rows_multiply (rows, &rows->last, G, &all);
  f->top = gla_rows_part (&all, 0, mine.top);
  f->rest = gla_rows_part (&all, mine.top, k);
  if (rank == 0)
    return 0;
  if (gla_ranks_receive (ranks, gla_tree_parent (rank), bytes_down (rows, mine, columns)))
    return 1;
  if (gla_ranks_well (ranks))
    (void)gla_get_full (gla_get_full (gla_ranks_bytes (ranks), &f->top), &f->rest);
  return 0;
}

// Multiplies by the Q of this level and sends the child its rows.
static int send_child (gla_rows *rows, int level, int64_t columns, flow *f)
{
  gla_ranks *ranks = rows->ranks;
  const gla_rows_node *node = &rows->nodes[level];
  const int child = gla_tree_child (ranks->transport.rank, ranks->transport.ranks, level);
  const row_counts below = count_below (rows, child);
  const int64_t k = least (below.rest, rows->n), t = f->top.rows - below.top;
  gla_array all = f->rest;
  if (node->Q.data != NULL) {
    all = flow_take (rows, f, node->above + node->below, columns);
    gla_rows_multiply (rows, &node->Q, &f->rest, &all);
  }
  if (gla_ranks_well (ranks)) {
    const gla_array top = gla_rows_part (&f->top, t, below.top),
                    rest = gla_rows_part (&all, node->above, k);
    (void)gla_put_full (gla_put_full (gla_ranks_bytes (ranks), &top), &rest);
  }
  f->top = gla_rows_part (&f->top, 0, t);
  f->rest = gla_rows_part (&all, 0, node->above);
  return gla_ranks_send (ranks, child, bytes_down (rows, below, columns));
}

void gla_rows_down (gla_rows *rows, const gla_array *G, const gla_array *Q)
{
  gla_ranks *ranks = rows->ranks;
  flow f = {.count = 0};
  if (ranks->transport.ranks == 1) {
    gla_leaf_multiply (rows, G->data != NULL ? G : NULL, Q);
    return;
  }
  int lost = begin_flow (rows, G, Q->columns, &f);
  const int levels = gla_tree_levels (ranks->transport.rank, ranks->transport.ranks);
  for (int level = levels - 1; level >= 0 && !lost; level--)
    lost = send_child (rows, level, Q->columns, &f);
  if (gla_ranks_well (ranks)) {
    const gla_array top = gla_rows_part (Q, 0, f.top.rows),
                    rest = gla_rows_part (Q, f.top.rows, rows->leaf.rows);
    gla_rows_copy (&top, &f.top);
    gla_leaf_multiply (rows, &f.rest, &rest);
  }
  for (int k = 0; k < f.count; k++)
    gla_rows_drop (&f.owned[k]);
}

void gla_rows_end (gla_rows *rows)
{
  gla_rows_drop (&rows->T);
  gla_rows_drop (&rows->BT);
  gla_rows_drop (&rows->R);
  gla_rows_drop (&rows->C);
  gla_leaf_end (rows);
  gla_rows_drop (&rows->last);
  for (int level = 0; level < GLA_TREE_LEVELS; level++)
    gla_rows_drop (&rows->nodes[level].Q);
}
