// test_gsvd_team.c: one pair on several devices: the order, what moves, when it ends
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The driver of src/gsvd/gsvd_team.c leads members that are arrays of this test. A step does to a
// pair of blocks what depends on both, on which of them is the first and on all that was done to
// them before; so equal results of 1, 2, 4 and 8 members show that the same pairs were made in the
// same order, of the right columns.

#include "frame/check.h"
#include "gsvd/gsvd_team.h"
#include "common/orderings.h"

//------------------------------------------------------------------------------
// the order
//------------------------------------------------------------------------------

// How often each pair meets in a sweep; every block is in each step once.
static void check_pairs (gla_gsvd_ordering kind, int n)
{
  const int steps = gla_ordering_steps (kind, n);
  int32_t *pairs = malloc ((size_t)steps * (size_t)n * sizeof *pairs);
  int *met = calloc ((size_t)n * (size_t)n, sizeof *met), twice = 0, never = 0, bad = 0;
  gla_ordering_shared (kind, n, 1, pairs);
  for (int s = 0; s < steps; s++) {
    char *seen = calloc ((size_t)n, 1);
    for (int k = 0; k < n; k += 2) {
      const int32_t p = pairs[s * n + k], q = pairs[s * n + k + 1];
      if (p < 0 || q >= n || p >= q || seen[p]++ || seen[q]++)
        bad++;
      else
        met[p * n + q]++;
    }
    free (seen);
  }
  for (int p = 0; p < n; p++)
    for (int q = p + 1; q < n; q++) {
      never += met[p * n + q] == 0;
      twice += met[p * n + q] > 1;
    }
  // modified modulus meets b of 2b blocks twice, in each two neighbouring parts
  CHECK (bad == 0 && never == 0 && twice == (kind == GLA_GSVD_ORDERING_MM ? n / 2 : 0),
         "ordering %d of %d blocks: %d bad, %d pairs never, %d twice", (int)kind, n, bad, never,
         twice);
  free (pairs);
  free (met);
}

// Below 64 blocks, and for powers of two, the order is that of gla_ordering_fill.
static void check_same (gla_gsvd_ordering kind, int n)
{
  const int steps = gla_ordering_steps (kind, n), count = steps * n;
  int32_t *a = malloc ((size_t)count * sizeof *a), *b = malloc ((size_t)count * sizeof *b);
  int32_t *partner = malloc ((size_t)n * sizeof *partner);
  int others = 0;
  gla_ordering_shared (kind, n, 1, a);
  gla_ordering_fill (kind, n, b);
  for (int s = 0; s < steps; s++) {
    for (int k = 0; k < n; k += 2)
      partner[b[s * n + k]] = b[s * n + k + 1];
    for (int k = 0; k < n; k += 2)
      others += partner[a[s * n + k]] != a[s * n + k + 1];
  }
  CHECK (others == 0, "ordering %d of %d blocks: %d other pairs", (int)kind, n, others);
  free (a);
  free (b);
  free (partner);
}

static void test_order (void)
{
  const int sizes[] = {2, 6, 62, 64, 68, 76, 124, 128, 136, 200, 256, 272, 336};
  for (int k = 0; k < 13; k++)
    for (int kind = 0; kind < 2; kind++)
      check_pairs ((gla_gsvd_ordering)kind, sizes[k]);
  for (int n = 2; n < 64; n += 2)
    for (int kind = 0; kind < 2; kind++)
      check_same ((gla_gsvd_ordering)kind, n);
  for (int n = 64; n <= 512; n *= 2)
    check_same (GLA_GSVD_ORDERING_ME, n);
  for (int n = 2; n < 1100; n += 1) {
    const int blocks = gla_ordering_blocks (n), parts = gla_ordering_parts (blocks);
    CHECK (blocks >= n && blocks < n + parts && blocks % parts == 0 && (n < 64 || parts >= 4) &&
               (blocks - n) * 15 <= n + 15,
           "%d blocks become %d in %d parts", n, blocks, parts);
  }
}

//------------------------------------------------------------------------------
// members of this process
//------------------------------------------------------------------------------

enum { COLUMNS = 4, ROWS = 24 };

// A block holds a word that tells its history, and real columns where the test is of those.
typedef struct {
  uint64_t word;
  double column[COLUMNS][ROWS];
} block;

typedef struct {
  gla_team_task task;
  int jacobi;               // whether a step turns columns
  int fail_at, calls;       // the call that fails
  int sweeps_wanted;        // without columns
  int sweeps, moves, bytes; // what was counted
  int32_t *table;
  block *place[GLA_TEAM_MOST][GLA_TEAM_PLACES];
  gla_team_finding found;
} team;

static int share_blocks (const team *t)
{
  return t->task.blocks / (2 * t->task.members);
}

static gla_status next_call (team *t)
{
  return ++t->calls == t->fail_at ? GLA_ERROR_OUT_OF_MEMORY : GLA_OK;
}

static uint64_t mix (uint64_t a, uint64_t b)
{
  uint64_t x = a * 0x9e3779b97f4a7c15u + (b ^ (b >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 31);
}

static void largest (uint64_t *bits, double x)
{
  uint64_t own;
  memcpy (&own, &x, sizeof own);
  *bits = own > *bits ? own : *bits;
}

// One-sided Jacobi on two columns, the longer one first.
static void turn (team *t, double *x, double *y)
{
  double a = 0, b = 0, c = 0;
  for (int i = 0; i < ROWS; i++) {
    a += x[i] * x[i];
    b += y[i] * y[i];
    c += x[i] * y[i];
  }
  if (a < b * (1 - 0x1p-20)) {
    t->found.unseen = 1;
    for (int i = 0; i < ROWS; i++) {
      const double keep = x[i];
      x[i] = y[i];
      y[i] = keep;
    }
    const double keep = a;
    a = b;
    b = keep;
  }
  if (!(c * c > t->task.tol * t->task.tol * a * b))
    return;
  const double zeta = (b - a) / (2 * c);
  const double tangent = copysign (1, zeta) / (fabs (zeta) + sqrt (1 + zeta * zeta));
  const double cosine = 1 / sqrt (1 + tangent * tangent), sine = cosine * tangent;
  for (int i = 0; i < ROWS; i++) {
    const double keep = x[i];
    x[i] = cosine * keep - sine * y[i];
    y[i] = sine * keep + cosine * y[i];
  }
  t->found.rotations++;
  largest (&t->found.cosine2, c * c / (a * b));
  largest (&t->found.angle2, sine * sine);
}

static void do_pair (team *t, block *x, block *y)
{
  const uint64_t a = x->word, b = y->word;
  x->word = mix (a, b);
  y->word = mix (b + 1, a);
  for (int i = 0; i < 2 * COLUMNS && t->jacobi; i++)
    for (int j = i + 1; j < 2 * COLUMNS; j++)
      turn (t, i < COLUMNS ? x->column[i] : y->column[i - COLUMNS],
            j < COLUMNS ? x->column[j] : y->column[j - COLUMNS]);
}

static gla_status work (void *user, int member, const gla_team_seat *seat, int first, int count)
{
  team *t = user;
  const int half = share_blocks (t);
  CHECK (seat->share[0] < seat->share[1] && seat->place[0] != seat->place[1], "member %d", member);
  for (int s = first; s < first + count; s++)
    for (int k = 0; k < half; k++) {
      const int32_t *pair = t->table + ((int64_t)s * half + k) * 2;
      block *b[2];
      for (int i = 0; i < 2; i++)
        b[i] = t->place[member][seat->place[pair[i] >= half]] + pair[i] % half;
      do_pair (t, b[0], b[1]);
    }
  return next_call (t);
}

static gla_status swap (void *user, const gla_team_move *moves)
{
  team *t = user;
  for (int k = 0; k < t->task.members; k++) {
    const gla_team_move *m = &moves[k];
    CHECK (moves[m->peer].peer == k && m->peer != k && moves[m->peer].to != m->from,
           "move of member %d", k);
    memcpy (t->place[m->peer][m->to], t->place[k][m->from],
            (size_t)share_blocks (t) * sizeof (block));
    t->bytes += share_blocks (t);
  }
  for (int k = 0; k < t->task.members; k++) // what went is not read again
    memset (t->place[k][moves[k].from], 0x77, (size_t)share_blocks (t) * sizeof (block));
  t->moves++;
  return next_call (t);
}

static gla_status agree (void *user, gla_team_finding *found)
{
  team *t = user;
  *found = t->found;
  if (!t->jacobi && t->sweeps + 1 < t->sweeps_wanted)
    found->unseen = 1;
  t->found = (gla_team_finding){0};
  return next_call (t);
}

static void swept (void *user, int sweeps)
{
  team *t = user;
  CHECK (sweeps == t->sweeps + 1, "sweep %d after %d", sweeps, t->sweeps);
  t->sweeps = sweeps;
}

static const gla_team_ops ops = {work, swap, agree, swept};

static void put_blocks (team *t, block *all, const gla_team_state *state, int back)
{
  const int half = share_blocks (t);
  for (int k = 0; k < t->task.members; k++)
    for (int i = 0; i < 2; i++) {
      block *here = t->place[k][state->seats[k].place[i]];
      block *there = all + state->seats[k].share[i] * half;
      memcpy (back ? there : here, back ? here : there, (size_t)half * sizeof *all);
    }
}

// Sweeps over all blocks with so many members.
static gla_status run (team *t, int members, block *all, gla_team_state *state)
{
  const int steps = gla_ordering_steps (t->task.ordering, t->task.blocks);
  t->task.members = members;
  t->sweeps = t->moves = t->bytes = t->calls = 0;
  t->found = (gla_team_finding){0};
  t->table = malloc ((size_t)steps * (size_t)(t->task.blocks / members) * sizeof *t->table);
  gla_ordering_shared (t->task.ordering, t->task.blocks, members, t->table);
  for (int k = 0; k < members; k++)
    for (int place = 0; place < GLA_TEAM_PLACES; place++)
      t->place[k][place] = malloc ((size_t)share_blocks (t) * sizeof (block));
  gla_team_start (state, members);
  put_blocks (t, all, state, 0);
  const gla_status status = gla_team_sweeps (&t->task, &ops, t, state);
  put_blocks (t, all, state, 1);
  for (int k = 0; k < members; k++)
    for (int place = 0; place < GLA_TEAM_PLACES; place++)
      free (t->place[k][place]);
  free (t->table);
  return status;
}

static block *random_blocks (int blocks)
{
  block *all = calloc ((size_t)blocks, sizeof *all);
  uint64_t seed = 12345;
  for (int k = 0; k < blocks; k++) {
    all[k].word = (uint64_t)k;
    for (int j = 0; j < COLUMNS; j++)
      for (int i = 0; i < ROWS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        all[k].column[j][i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
      }
  }
  return all;
}

// Members 2, 4, 8 give what one gives, and move one share each from one phase to the next.
static void check_members (int blocks, gla_gsvd_ordering kind, int sweeps)
{
  team t = {.task = {.blocks = blocks, .ordering = kind, .tol = 1e-15, .p = blocks},
            .sweeps_wanted = sweeps};
  block *one = random_blocks (blocks);
  gla_team_state alone, state;
  CHECK (run (&t, 1, one, &alone) == GLA_OK && alone.converged && alone.sweeps == sweeps,
         "%d blocks, one member: %d sweeps", blocks, alone.sweeps);
  CHECK (t.moves == 0, "one member has nobody to send to");
  for (int members = 2; members <= gla_ordering_parts (blocks) / 2; members *= 2) {
    block *all = random_blocks (blocks);
    CHECK (run (&t, members, all, &state) == GLA_OK, "%d members", members);
    int other = 0;
    for (int k = 0; k < blocks; k++)
      other += all[k].word != one[k].word;
    CHECK (other == 0, "%d blocks, ordering %d, %d members: %d blocks differ", blocks, (int)kind,
           members, other);
    const int phases = (2 * members - 1) * sweeps - 1;
    CHECK (t.moves == phases && t.bytes == phases * blocks / 2, "%d members: %d swaps of %d blocks",
           members, t.moves, t.bytes);
    free (all);
  }
  free (one);
}

//------------------------------------------------------------------------------
// columns
//------------------------------------------------------------------------------

// Columns become orthogonal, with the same bits and the same rotations for all members. As
// many columns are not zero as there are rows.
static void check_jacobi (int blocks, gla_gsvd_ordering kind)
{
  team t = {.task = {.blocks = blocks, .ordering = kind, .tol = 1e-14, .p = ROWS}, .jacobi = 1};
  block *one = random_blocks (blocks);
  for (int k = ROWS / COLUMNS; k < blocks; k++)
    memset (one[k].column, 0, sizeof one[k].column);
  block *start = malloc ((size_t)blocks * sizeof *start);
  memcpy (start, one, (size_t)blocks * sizeof *start);
  gla_team_state alone, state;
  CHECK (run (&t, 1, one, &alone) == GLA_OK && alone.converged && alone.sweeps > 3,
         "%d blocks: %d sweeps", blocks, alone.sweeps);
  double worst = 0;
  for (int a = 0; a < ROWS; a++)
    for (int b = 0; b < a; b++) {
      double sum = 0;
      for (int i = 0; i < ROWS; i++)
        sum += one[a / COLUMNS].column[a % COLUMNS][i] * one[b / COLUMNS].column[b % COLUMNS][i];
      worst = check_worst (worst, fabs (sum));
    }
  CHECK (worst < 1e-12, "columns are not orthogonal: %g", worst);
  for (int members = 2; members <= gla_ordering_parts (blocks) / 2; members *= 2) {
    block *all = malloc ((size_t)blocks * sizeof *all);
    memcpy (all, start, (size_t)blocks * sizeof *all);
    CHECK (run (&t, members, all, &state) == GLA_OK, "%d members", members);
    CHECK (memcmp (all, one, (size_t)blocks * sizeof *all) == 0, "%d members: other bits", members);
    CHECK (state.sweeps == alone.sweeps && state.converged == alone.converged &&
               memcmp (state.rotations, alone.rotations, sizeof alone.rotations) == 0,
           "%d members: %d sweeps, not %d", members, state.sweeps, alone.sweeps);
    free (all);
  }
  free (start);
  free (one);
}

// Any call may fail; then no other follows.
static void check_failures (int blocks, int members)
{
  team t = {.task = {.blocks = blocks, .tol = 1e-15, .p = blocks}, .sweeps_wanted = 2};
  gla_team_state state;
  block *all = random_blocks (blocks);
  CHECK (run (&t, members, all, &state) == GLA_OK, "%d members", members);
  const int calls = t.calls;
  for (int at = 1; at <= calls; at += 1 + calls / 50) {
    t.fail_at = at;
    CHECK (run (&t, members, all, &state) == GLA_ERROR_OUT_OF_MEMORY && t.calls == at,
           "call %d of %d fails, %d were made", at, calls, t.calls);
  }
  free (all);
}

// Where nothing converges, the sweeps end all the same.
static void check_endless (int blocks, int members)
{
  team t = {.task = {.blocks = blocks, .tol = 1e-15, .p = blocks}, .sweeps_wanted = 1000};
  gla_team_state state;
  block *all = random_blocks (blocks);
  CHECK (run (&t, members, all, &state) == GLA_OK && !state.converged &&
             state.sweeps == GLA_GSVD_MAX_SWEEPS,
         "%d sweeps without an end", state.sweeps);
  free (all);
}

int main (void)
{
  const int sizes[] = {2, 10, 64, 68, 76, 128, 136, 200, 256, 272, 368};
  test_order ();
  for (int k = 0; k < 11; k++)
    for (int kind = 0; kind < 2; kind++) {
      check_members (sizes[k], (gla_gsvd_ordering)kind, 1);
      check_members (sizes[k], (gla_gsvd_ordering)kind, 3);
    }
  for (int kind = 0; kind < 2; kind++) {
    check_jacobi (68, (gla_gsvd_ordering)kind);
    check_jacobi (272, (gla_gsvd_ordering)kind);
  }
  check_failures (272, 8);
  check_failures (64, 2);
  check_endless (64, 2);
  return check_report ("test_gsvd_team");
}
