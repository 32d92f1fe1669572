// test_sparse_rows.c: products of sparse matrices whose rows are spread over ranks
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: tsan

#include "rank_rows.h"
#include "ranks/group.h"

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

typedef struct {
  const matrix *A;
  int by_columns, bytes;
  gla_array x, y;
  int64_t first[MOST_RANKS + 1];
} product;

static void product_body (member *m)
{
  const product *p = m->all->user;
  rank_rows r = take_rows (p->A, p->first[m->rank], p->first[m->rank + 1], p->by_columns, p->bytes);
  const gla_sparse_options o = {.size = sizeof o, .by_columns = p->by_columns};
  const gla_array x = crew_rows (&p->x, p->first, m->rank),
                  y = crew_rows (&p->y, p->first, m->rank);
  gla_array one_x = x, one_y = y;
  one_x.columns = one_y.columns = 1;
  gla_sparse_rows *S;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &r.csr, &S, &o);
  if (m->status == GLA_OK)
    m->status = gla_spmv_rows (m->ctx, S, &one_x, &one_y, NULL);
  gla_spmv_report report = {.size = sizeof report, .device = 7};
  if (m->status == GLA_OK)
    m->status = gla_spmv_rows (m->ctx, S, &x, &y, &report);
  m->good = (report.device == GLA_DEVICE_HOST) == (crew_place == GLA_PLACE_CPU || x.rows == 0);
  gla_sparse_rows_destroy (S);
  rows_free (&r);
}

// The largest |y - A*x| over |A|*|x| and eps.
static double product_error (const matrix *A, const gla_array *x, const gla_array *y)
{
  double worst = 0;
  for (int64_t c = 0; c < x->columns; c++)
    for (int64_t i = 0; i < A->n; i++) {
      double complex sum = get (A->type, y->data, i + c * y->column_stride);
      double size = 1e-300;
      for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        const double complex v = get (A->type, A->values, k),
                             u = get (A->type, x->data, A->index[k] + c * x->column_stride);
        sum -= v * u;
        size += cabs (v) * cabs (u);
      }
      worst = check_worst (worst, cabs (sum) / size);
    }
  return worst / gla_type_eps (A->type);
}

static double complex unsymmetric (int64_t n, int64_t i, int64_t j)
{
  (void)n;
  return (i * 7 + j * 3) % 11 == 0 ? 1 + (double)((i + 2 * j) % 5) + I * (double)(j % 3) : 0;
}

static gla_array vectors (gla_type type, int64_t n, int64_t columns)
{
  unsigned long long seed = 5;
  gla_array a = gla_array_packed (malloc ((size_t)((n + 3) * columns) * 16 + 16), type, n, columns,
                                  1, GLA_DEVICE_HOST);
  a.column_stride = n + 3;
  for (int64_t k = 0; k < a.column_stride * columns; k++)
    set (type, a.data, k, check_random (&seed) + check_random (&seed) * I);
  return a;
}

static void test_product (gla_type type, int64_t n, element f, int ranks, int split)
{
  matrix A = make (type, n, f, 1);
  product p = {.A = &A, .by_columns = (ranks + split) % 2, .bytes = split < 2 ? 8 : 4};
  p.x = vectors (type, n, 3);
  p.y = vectors (type, n, 3);
  crew_split (n, ranks, split, p.first);
  crew_run (&all, ranks, product_body, &p);
  crew_expect (&all, GLA_OK, "", "a product");
  for (int r = 0; r < ranks; r++)
    CHECK (all.members[r].good, "the report of rank %d", r);
  const double error = product_error (&A, &p.x, &p.y);
  CHECK (error < 40, "product %c, n %lld, %d ranks, split %d: %g", type, (long long)n, ranks, split,
         error);
  free (p.x.data);
  free (p.y.data);
  matrix_free (&A);
}

//------------------------------------------------------------------------------
// traffic
//------------------------------------------------------------------------------

// What one rank has sent: to create a matrix, in a product with one vector, and with three.
typedef struct {
  product p;
  gla_ranks_info at[MOST_RANKS][4];
} traffic;

static void traffic_body (member *m)
{
  traffic *t = m->all->user;
  const product *p = &t->p;
  gla_ranks_info *at = t->at[m->rank];
  rank_rows r = take_rows (p->A, p->first[m->rank], p->first[m->rank + 1], 0, 8);
  gla_array x = crew_rows (&p->x, p->first, m->rank), y = crew_rows (&p->y, p->first, m->rank);
  gla_sparse_rows *S;
  for (int k = 0; k < 4; k++)
    at[k].size = sizeof at[k];
  gla_ranks_query (m->ctx, m->ranks, &at[0]);
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &r.csr, &S, NULL);
  for (int k = 1; k < 4 && m->status == GLA_OK; k++) {
    gla_ranks_query (m->ctx, m->ranks, &at[k]);
    x.columns = y.columns = k == 1 ? 1 : 3;
    if (k < 3)
      m->status = gla_spmv_rows (m->ctx, S, &x, &y, NULL);
  }
  gla_sparse_rows_destroy (S);
  rows_free (&r);
}

// A path: one number crosses each border between ranks, in both directions. The formulas are those
// of doc/scaling.md.
static void test_traffic (void)
{
  for (int c = 0; c < 5; c++) {
    static traffic t;
    const int64_t R = counts[c], edges = R - 1, borders = 2 * (R - 1);
    int64_t messages[3] = {0}, bytes[3] = {0};
    matrix A = make (GLA_TYPE_D, 64, path, 1);
    t.p = (product){.A = &A, .x = vectors (GLA_TYPE_D, 64, 3), .y = vectors (GLA_TYPE_D, 64, 3)};
    crew_split (64, (int)R, 0, t.p.first);
    crew_run (&all, (int)R, traffic_body, &t);
    crew_expect (&all, GLA_OK, "", "traffic");
    for (int r = 0; r < R; r++)
      for (int k = 0; k < 3; k++) {
        messages[k] += t.at[r][k + 1].messages_sent - t.at[r][k].messages_sent;
        bytes[k] += t.at[r][k + 1].bytes_sent - t.at[r][k].bytes_sent;
      }
    CHECK (messages[0] == 6 * edges + R * (R - 1) + borders, "%lld ranks: %lld messages to create",
           (long long)R, (long long)messages[0]);
    for (int k = 1; k < 3; k++)
      CHECK (messages[k] == 4 * edges + borders, "%lld ranks: %lld messages of a product",
             (long long)R, (long long)messages[k]);
    CHECK (bytes[2] - bytes[1] == 2 * 8 * borders, "%lld ranks: %lld and %lld bytes", (long long)R,
           (long long)bytes[1], (long long)bytes[2]);
    free (t.p.x.data);
    free (t.p.y.data);
    matrix_free (&A);
  }
}

//------------------------------------------------------------------------------
// errors
//------------------------------------------------------------------------------

// Rows that make no square matrix, and arrays that do not fit.
static void shapes_body (member *m)
{
  const int64_t start[3] = {0, 1, 2}, index[2] = {0, 1};
  const double values[2] = {1, 2};
  double x[4] = {1, 1, 1, 1}, y[4];
  const int64_t columns = 2 * m->all->count;
  const gla_csr csr = {GLA_TYPE_D, 2, columns + 1, 8, start, index, values};
  gla_csr good = csr, bad = csr;
  gla_sparse_rows *S;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &csr, &S, NULL);
  m->good = m->status == GLA_ERROR_BAD_ARGUMENT && S == NULL &&
            strstr (gla_message (m->ctx), "it must be square") != NULL;
  good.columns = columns;
  bad.columns = m->rank == 0 ? columns : columns + 3;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &bad, &S, NULL);
  m->good &= m->status == (m->all->count > 1 ? GLA_ERROR_RANKS_DIFFER : GLA_OK);
  gla_sparse_rows_destroy (S);
  bad = good;
  bad.index_bytes = m->rank == 0 ? 3 : 8;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &bad, &S, NULL);
  m->good &= m->status == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (m->ctx), "rank 0: index_bytes = 3") != NULL;
  m->status = gla_sparse_rows_create (m->ctx, m->ranks, &good, &S, NULL);
  m->good &= m->status == GLA_OK;
  const gla_array ax = gla_array_packed (x, GLA_TYPE_D, 2, 1, 1, GLA_DEVICE_HOST),
                  ay =
                      gla_array_packed (y, GLA_TYPE_D, m->rank == 0 ? 1 : 2, 1, 1, GLA_DEVICE_HOST);
  m->status = gla_spmv_rows (m->ctx, S, &ax, &ay, NULL);
  m->good &=
      m->status == GLA_ERROR_BAD_ARGUMENT && strstr (gla_message (m->ctx), "rank 0: y") != NULL;
  m->good &= gla_spmv_rows (m->ctx, NULL, &ax, &ay, NULL) == GLA_ERROR_BAD_ARGUMENT;
  gla_array none = ax;
  none.columns = -1;
  m->status = gla_spmv_rows (m->ctx, S, &none, &none, NULL);
  m->good &= m->status == GLA_ERROR_BAD_ARGUMENT &&
             strstr (gla_message (m->ctx), "rank 0: x is 2x-1x1") != NULL;
  gla_sparse_rows_destroy (S);
  gla_sparse_rows_destroy (NULL);
}

//------------------------------------------------------------------------------
// a rank that is lost
//------------------------------------------------------------------------------

// A transport as MPI is where it moves messages by itself: what was to be received is written, and
// what was to be sent is read, at any time after a rank has given up.
typedef struct {
  gla_transport plain;
  char *in, *out; // of the last message that was started; NULL: it is done
  size_t in_bytes, out_bytes;
  int sends; // so many, then none gets through
} late;
enum { LATE_RANKS = 3 };
static late lates[LATE_RANKS];
static int last_send;

static int late_send (void *self, int peer, const void *data, size_t bytes, char *why, size_t room)
{
  late *l = self;
  snprintf (why, room, "the network is down");
  if (l->sends++ >= last_send && l == &lates[LATE_RANKS - 1])
    return 1;
  l->out = (char *)(uintptr_t)data;
  l->out_bytes = bytes;
  return l->plain.send (l->plain.self, peer, data, bytes, why, room);
}
static int late_receive (void *self, int peer, void *data, size_t bytes, char *why, size_t room)
{
  late *l = self;
  l->in = data;
  l->in_bytes = bytes;
  return l->plain.receive (l->plain.self, peer, data, bytes, why, room);
}
static int late_test (void *self, char *why, size_t room)
{
  late *l = self;
  const int done = l->plain.test (l->plain.self, why, room);
  if (done == 1)
    l->in = l->out = NULL;
  return done;
}
static void late_leave (void *self, int status)
{
  late *l = self;
  l->plain.leave (l->plain.self, status);
}

// Whether memory of the size that the message had is given to others now.
static int is_free (const char *message, size_t bytes)
{
  enum { TRIES = 64 };
  char *tried[TRIES];
  int found = 0;
  for (int k = 0; k < TRIES && message != NULL; k++) {
    tried[k] = malloc (bytes + 1);
    found |= tried[k] <= message && message < tried[k] + bytes + 1;
  }
  for (int k = 0; k < TRIES && message != NULL; k++)
    free (tried[k]);
  return found;
}

// The last rank is lost at one of its sends; the others give their matrices back, then what they
// were waiting for comes.
static void lost_body (member *m)
{
  late *l = &lates[m->rank];
  *l = (late){.plain = m->ranks->transport};
  m->ranks->transport.self = l;
  m->ranks->transport.send = late_send;
  m->ranks->transport.receive = late_receive;
  m->ranks->transport.test = late_test;
  m->ranks->transport.leave = late_leave;
  product_body (m);
  m->good =
      m->status == GLA_OK || (!is_free (l->in, l->in_bytes) && !is_free (l->out, l->out_bytes));
  if (m->status == GLA_OK || !SLOW)
    return;
  volatile char seen = 0;
  for (size_t k = 0; l->in != NULL && k < l->in_bytes; k++)
    l->in[k] = 1; // AddressSanitizer looks at it
  for (size_t k = 0; l->out != NULL && k < l->out_bytes; k++)
    seen ^= l->out[k];
}

static void test_lost (void)
{
  matrix A = make (GLA_TYPE_D, 60, unsymmetric, 1);
  product p = {.A = &A, .bytes = 8, .x = vectors (GLA_TYPE_D, 60, 3)};
  p.y = vectors (GLA_TYPE_D, 60, 3);
  crew_split (60, LATE_RANKS, 0, p.first);
  all.members[0].status = GLA_ERROR_RANK_LOST;
  for (last_send = 0; last_send == 0 || all.members[0].status != GLA_OK; last_send++) {
    crew_run (&all, LATE_RANKS, lost_body, &p);
    for (int r = 0; r < LATE_RANKS; r++)
      CHECK (all.members[r].good, "rank %d, lost at send %d: memory of a message is free", r,
             last_send);
  }
  CHECK (last_send > 10, "%d sends", last_send);
  free (p.x.data);
  free (p.y.data);
  matrix_free (&A);
}

static void test_on_gpus (void)
{
  for (int t = 0; t < 4; t++)
    for (int c = 0; c < 3; c++)
      for (int split = c % 2; split < SPLITS; split += 2) {
        test_product (types[t], 60, unsymmetric, counts[c], split);
        test_product (types[t], 700, path, counts[c], split);
      }
}

int main (int argc, char **argv)
{
  static const int64_t sizes[] = {1, 2, 7, 60};
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  if (crew_on_gpus (argc, argv)) {
    test_on_gpus ();
    gla_context_destroy (ctx);
    return check_report ("test_sparse_rows on GPUs");
  }
  for (int t = 0; t < 4; t++)
    for (int c = 0; c < 5; c++)
      for (int split = 0; split < SPLITS; split++)
        for (int s = 0; s < 4; s++) {
          test_product (types[t], sizes[s], unsymmetric, counts[c], split);
          test_product (types[t], sizes[s], path, counts[c], split);
        }
  test_traffic ();
  for (int ranks = 1; ranks < 5; ranks++) {
    crew_run (&all, ranks, shapes_body, NULL);
    for (int r = 0; r < ranks; r++)
      CHECK (all.members[r].good, "shapes, rank %d of %d: %s", r, ranks, all.members[r].message);
  }
  test_lost ();
  gla_context_destroy (ctx);
  return check_report ("test_sparse_rows");
}
