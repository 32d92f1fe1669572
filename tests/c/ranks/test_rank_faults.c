// test_rank_faults.c: ranks that call other functions, pass what does not fit, stop or leave
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs also: tsan

#include "small_calls.h"

#include <time.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// ranks that differ
//------------------------------------------------------------------------------

typedef enum {
  OTHER_COLUMNS,
  OTHER_TYPE,
  OTHER_PAGES,
  OTHER_OUTPUTS,
  OTHER_BLOCK,
  OTHER_RIGHT_SIDES,
  OTHER_CALL,
  OTHER_VERSION,
  BAD_ARGUMENT,
  BAD_RESULT,
  REFUSES,
  DIFFERENCES
} difference;

// All ranks but one call alike.
static void differ_body (member *m)
{
  const difference kind = *(const difference *)m->all->user;
  const int odd = m->rank == m->all->count - 1;
  static __thread double a[M * N * 2], b[M * RIGHT * 2], q[M * N * 2], r[N * N * 2];
  numbers (a, M * N, m->rank);
  numbers (b, M * RIGHT, 1000 + m->rank);
  gla_array A = matrix (a, M, N), B = matrix (b, M, RIGHT);
  gla_qr_options o = {.size = sizeof o};
  gla_qr_results results = {.size = sizeof results, .Q = matrix (q, M, N), .R = matrix (r, N, N)};
  if (odd && kind == OTHER_OUTPUTS)
    results.Q.data = NULL;
  if (odd && kind == OTHER_BLOCK)
    o.block = 2;
  if (odd && kind == OTHER_RIGHT_SIDES)
    B.columns = 1;
  if (odd && kind == OTHER_VERSION)
    m->ranks->version = 99;
  if (odd && kind == BAD_ARGUMENT)
    A.row_stride = 2;
  if (odd && kind == BAD_RESULT)
    results.R = matrix (r, N - 1, N);
  if (odd && kind == OTHER_CALL)
    ls_body (m);
  else if (odd && kind == REFUSES)
    m->status = gla_ranks_refuse (m->ctx, m->ranks, GLA_ERROR_RANKS_DIFFER, "x is a cell");
  else
    m->status = gla_qr_rows (m->ctx, m->ranks, &A, &B, &results, &o, NULL);
  // All have left the call, so another one works.
  gla_ranks_parts parts = {.size = sizeof parts, .flags = 1 << m->rank, .rows = {m->rank, 1}};
  char message[512];
  snprintf (message, sizeof message, "%s", gla_message (m->ctx));
  const gla_status again = gla_ranks_announce (m->ctx, m->ranks, &parts);
  m->good =
      kind == OTHER_VERSION || (again == GLA_OK && parts.flags == (1 << m->all->count) - 1 &&
                                parts.total[1] == m->all->count && parts.before[1] == m->rank);
  gla_fail (m->ctx, m->status, "%s", message);
}

static void test_differences (void)
{
  char versions[64];
  snprintf (versions, sizeof versions, "has version 99 of gpulinalg, rank 0 has %d",
            GLA_VERSION_NUMBER);
  const struct {
    gla_status status;
    const char *says;
  } expected[DIFFERENCES] = {
      [OTHER_OUTPUTS] = {GLA_ERROR_RANKS_DIFFER, "has other outputs than rank 0"},
      [OTHER_BLOCK] = {GLA_ERROR_RANKS_DIFFER,
                       "the option \"block\" is not the same: 0 on rank 0, 2 on rank"},
      [OTHER_RIGHT_SIDES] = {GLA_ERROR_RANKS_DIFFER,
                             "the number of columns of B is not the same: 2 on rank 0, 1 on"},
      [OTHER_CALL] = {GLA_ERROR_RANKS_DIFFER,
                      "has come to a least squares problem, rank 0 to a QR factorization"},
      [OTHER_VERSION] = {GLA_ERROR_RANKS_DIFFER, versions},
      [BAD_ARGUMENT] = {GLA_ERROR_BAD_ARGUMENT, "A has row stride 2"},
      [BAD_RESULT] = {GLA_ERROR_BAD_ARGUMENT, "R is 2x3x1, it must be 3x3x1"},
      [REFUSES] = {GLA_ERROR_RANKS_DIFFER, "x is a cell"}};
  for (int kind = OTHER_OUTPUTS; kind < DIFFERENCES; kind++)
    for (int ranks = 2; ranks <= 5; ranks++) {
      difference k = (difference)kind;
      char what[40], who[20];
      snprintf (what, sizeof what, "difference %d", kind);
      snprintf (who, sizeof who, "rank %d", ranks - 1);
      crew_run (&all, ranks, differ_body, &k);
      crew_expect (&all, expected[kind].status, expected[kind].says, what);
      crew_expect (&all, expected[kind].status, who, what);
      for (int r = 1; r < ranks; r++)
        CHECK (strcmp (all.members[r].message, all.members[0].message) == 0,
               "%s: rank %d has another message", what, r);
      for (int r = 0; r < ranks; r++)
        CHECK (all.members[r].good, "%s: rank %d cannot go on", what, r);
    }
}

// Columns, types and pages differ in calls that are right on each rank.
static void shape_body (member *m)
{
  const difference kind = *(const difference *)m->all->user;
  const int odd = m->rank == m->all->count - 1;
  static __thread double a[M * N * 2], r[N * N * 2];
  numbers (a, M * N * 2, m->rank);
  gla_array A = matrix (a, M, N - (odd && kind == OTHER_COLUMNS));
  if (odd && kind == OTHER_TYPE)
    A.type = GLA_TYPE_Z;
  if (odd && kind == OTHER_PAGES)
    A.pages = 2;
  const gla_array R = gla_array_packed (r, A.type, A.columns, A.columns, A.pages, GLA_DEVICE_HOST);
  const gla_qr_results results = {.size = sizeof results, .R = R};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, NULL, &results, NULL, NULL);
}

static void test_shapes (void)
{
  static const char *const says[] = {
      "the number of columns of A is not the same: 3 on rank 0, 2 on rank 2",
      "the type of A is not the same: d on rank 0, z on rank 2",
      "the number of pages is not the same: 1 on rank 0, 2 on rank 2"};
  for (int kind = OTHER_COLUMNS; kind <= OTHER_PAGES; kind++) {
    difference k = (difference)kind;
    crew_run (&all, 3, shape_body, &k);
    crew_expect (&all, GLA_ERROR_RANKS_DIFFER, says[kind], "shape");
  }
}

//------------------------------------------------------------------------------
// ranks that stop, fail or leave
//------------------------------------------------------------------------------

static int stop_at_once (void *user)
{
  (void)user;
  return 1;
}

// A rank is stopped while it works; the others must not wait for it.
static void stop_body (member *m)
{
  enum { TALL = 60000, WIDE = 40 };
  if (m->rank == 2)
    gla_set_stop (m->ctx, stop_at_once, NULL);
  const int rows = m->rank == 2 ? TALL : 100;
  double *a = malloc ((size_t)rows * WIDE * sizeof *a), r[WIDE * WIDE];
  numbers (a, rows * WIDE, m->rank);
  const gla_array A = matrix (a, rows, WIDE);
  const gla_qr_results results = {.size = sizeof results, .R = matrix (r, WIDE, WIDE)};
  m->status = gla_qr_rows (m->ctx, m->ranks, &A, NULL, &results, NULL, NULL);
  free (a);
}

static void test_stop (void)
{
  crew_run (&all, 4, stop_body, NULL);
  for (int r = 0; r < 4; r++) {
    const member *m = &all.members[r];
    CHECK (m->status == (r == 2 ? GLA_ERROR_STOPPED : GLA_ERROR_RANK_LOST) &&
               strstr (m->message, "rank 2") != NULL,
           "stop: rank %d: status %d \"%s\"", r, (int)m->status, m->message);
  }
}

static void leave_body (member *m)
{
  const int who = *(const int *)m->all->user;
  if (m->rank == who)
    return;
  qr_body (m);
  const gla_status first = m->status;
  qr_body (m);
  m->good = first == m->status;
}

static void test_leave (void)
{
  for (int who = 0; who < 5; who++) {
    const time_t start = time (NULL);
    crew_run (&all, 5, leave_body, &who);
    for (int r = 0; r < 5; r++)
      if (r != who)
        CHECK (all.members[r].status == GLA_ERROR_RANK_LOST &&
                   strstr (all.members[r].message, "it has left") != NULL,
               "%d left: rank %d: status %d \"%s\"", who, r, (int)all.members[r].status,
               all.members[r].message);
    for (int r = 0; r < 5; r++)
      CHECK (r == who || all.members[r].good, "rank %d: a lost rank stays lost", r);
    CHECK (time (NULL) - start < 5, "ranks have waited");
  }
}

// A rank that ends its program tells the others, and so they know it in their next call.
static void end_body (member *m)
{
  if (m->rank == 1)
    m->status = gla_ranks_finish (m->ctx, m->ranks);
  else
    qr_body (m);
}

static void test_end (void)
{
  crew_run (&all, 3, end_body, NULL);
  crew_expect (&all, GLA_ERROR_RANKS_DIFFER,
               "rank 1 has come to the end of its program, rank 0 to a QR factorization", "end");
}

static void late_body (member *m)
{
  m->ranks->timeout = 0.2;
  if (m->rank == 1)
    usleep (1500000);
  qr_body (m);
}

static void test_timeout (void)
{
  crew_run (&all, 2, late_body, NULL);
  CHECK (all.members[0].status == GLA_ERROR_RANK_LOST &&
             strstr (all.members[0].message, "rank 0 has waited 0.2 seconds for rank 1") != NULL,
         "timeout: \"%s\"", all.members[0].message);
}

//------------------------------------------------------------------------------
// a message that takes longer than a rank waits
//------------------------------------------------------------------------------

// To rank 0 comes the first message in PARTS parts, each in less than its timeout, all of them in
// more. `answer`: what the transport says of a part, 2 (some of it has come) or 0 (nothing has).
enum { PARTS = 4, PART_MICROSECONDS = 250000 };
static int (*test_message) (void *self, char *why, size_t room);
static int answer, parts_left;

static int test_slowly (void *self, char *why, size_t room)
{
  if (parts_left == 0)
    return test_message (self, why, room);
  parts_left--;
  usleep (PART_MICROSECONDS);
  return answer;
}

static void slow_body (member *m)
{
  if (m->rank == 0) {
    m->ranks->timeout = 0.4;
    test_message = m->ranks->transport.test;
    m->ranks->transport.test = test_slowly;
  }
  qr_body (m);
}

static void test_slow_message (void)
{
  parts_left = PARTS;
  answer = 2;
  crew_run (&all, 2, slow_body, NULL);
  crew_expect (&all, GLA_OK, "", "a message that is slow");
  CHECK (parts_left == 0 && all.members[0].info.seconds_waited > 0.4,
         "%d parts have not come, rank 0 has waited %g seconds", parts_left,
         all.members[0].info.seconds_waited);
  parts_left = PARTS;
  answer = 0;
  crew_run (&all, 2, slow_body, NULL);
  crew_expect (&all, GLA_ERROR_RANK_LOST, "", "a message that does not come");
  CHECK (strstr (all.members[0].message, "rank 0 has waited 0.4 seconds for rank 1") != NULL,
         "timeout: \"%s\"", all.members[0].message);
}

int main (void)
{
  test_differences ();
  test_shapes ();
  test_stop ();
  test_leave ();
  test_end ();
  test_timeout ();
  test_slow_message ();
  return check_report ("test_rank_faults");
}
