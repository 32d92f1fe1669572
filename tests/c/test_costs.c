// tests/c/test_costs.c: what "auto" measures, keeps and chooses
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with its own list of backends, which compute nothing and take a known time for it.

#include "check.h"
#include "stand_ins.h"

#include <sys/stat.h>
#include <unistd.h>

enum { N = 16, FEW = 100, MANY = 4000 };

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

static double complex A[N * N * MANY], V[N * N * MANY];
static double lambda[N * MANY];
static int32_t info[4 * MANY];
static int warnings, progressed, stops, stop_at;
static char folder[64];

static void on_warning (void *user, const char *id, const char *text)
{
  (void)user, (void)id, (void)text;
  warnings++;
}
static void on_progress (void *user, int64_t done, int64_t total)
{
  (void)user;
  progressed += total == *(int64_t *)user && done <= total ? 0 : 1;
}
static int on_stop (void *user)
{
  (void)user;
  return ++stops == stop_at;
}

static gla_context *context (void)
{
  gla_context *ctx = NULL;
  CHECK (gla_context_create (&ctx) == GLA_OK, "context");
  gla_set_warning (ctx, on_warning, NULL);
  gla_set_stop (ctx, on_stop, NULL);
  warnings = progressed = stops = stop_at = 0;
  finished = fail = 0;
  return ctx;
}

// The device that a call ran on, GLA_HOST or 0; -2 where it did not end well.
static int solve (gla_context *ctx, int64_t n, int64_t pages)
{
  gla_array a = gla_array_packed (A, GLA_Z, n, n, pages, GLA_HOST);
  gla_array v = gla_array_packed (V, GLA_Z, n, n, pages, GLA_HOST);
  gla_array l = gla_array_packed (lambda, GLA_D, n, 1, pages, GLA_HOST);
  gla_eig_options options = {.triangle = GLA_LOWER}; // any numbers will do
  gla_eig_report report = {0};
  gla_set_progress (ctx, on_progress, &pages);
  gla_status status = gla_batcheig (ctx, &a, &l, &v, info, &options, &report);
  gla_set_progress (ctx, NULL, NULL);
  return status == GLA_OK ? report.device : -2;
}

// Opens the GPU, because "auto" does not do that for a short call.
static gla_context *open_context (void)
{
  gla_context *ctx = context ();
  gla_set_place (ctx, GLA_GPU, NULL, 0);
  CHECK (solve (ctx, N, 1) == 0, "on the GPU");
  gla_set_place (ctx, GLA_AUTO, NULL, 0);
  finished = 0;
  return ctx;
}

//------------------------------------------------------------------------------
// the file
//------------------------------------------------------------------------------

static const char *file_of (gla_context *ctx)
{
  static char path[1024];
  snprintf (path, sizeof path, "%s", gla_costs_path (ctx));
  return path;
}

static void remove_file (void)
{
  gla_context *ctx = context ();
  unlink (file_of (ctx));
  gla_context_destroy (ctx);
}

// Writes text over the file of costs, or at its end.
static void spoil (const char *mode, const char *text)
{
  gla_context *ctx = context ();
  FILE *file = fopen (file_of (ctx), mode);
  CHECK (file != NULL, "%s", file_of (ctx));
  if (file != NULL) {
    fputs (text, file);
    fclose (file);
  }
  gla_context_destroy (ctx);
}

// Puts the file as a version of the package with a longer name would have left it.
static void make_other_version (void)
{
  static char text[1 << 16], other[1 << 16];
  gla_context *ctx = context ();
  FILE *file = fopen (file_of (ctx), "r");
  size_t length = file != NULL ? fread (text, 1, sizeof text - 1, file) : 0;
  text[length] = '\0';
  char *version = strstr (text, "\ngpulinalg ");
  CHECK (version != NULL, "no version in %s", file_of (ctx));
  if (version != NULL)
    snprintf (other, sizeof other, "%.*s\ngpulinalg 9%s", (int)(version - text), text,
              version + 11);
  if (file != NULL)
    fclose (file);
  gla_context_destroy (ctx);
  spoil ("w", other);
}

// Both choices in a new context; whether they are right, and the GPU's calls for measuring.
static int choose_both (const char *name)
{
  gla_context *ctx = open_context ();
  CHECK (solve (ctx, N, FEW) == GLA_HOST, "%s: few pages not on the CPU", name);
  int calls = finished;
  CHECK (solve (ctx, N, MANY) == 0, "%s: many pages not on the GPU", name);
  CHECK (finished == calls + 1, "%s: measured at the second call", name);
  CHECK (warnings == 0 && progressed == 0, "%s: %d warnings, %d wrong progress", name, warnings,
         progressed);
  gla_context_destroy (ctx);
  CHECK (opened == 0, "%s: %d left open", name, opened);
  return calls;
}

//------------------------------------------------------------------------------
// cases
//------------------------------------------------------------------------------

static void test_file (void)
{
  CHECK (choose_both ("first") > 1, "nothing was measured");
  gla_context *ctx = context ();
  struct stat s;
  CHECK (stat (file_of (ctx), &s) == 0 && s.st_size > 10, "no file %s", file_of (ctx));
  CHECK (strncmp (file_of (ctx), folder, strlen (folder)) == 0, "file %s", file_of (ctx));
  CHECK (gla_costs_measured (ctx) == 2, "%d costs", gla_costs_measured (ctx));
  gla_context_destroy (ctx);
  CHECK (choose_both ("kept") == 0, "measured twice");
  remove_file ();
  CHECK (choose_both ("deleted") > 1, "not measured again");
  spoil ("a", "eig z,16,vectors,auto");
  CHECK (choose_both ("line cut off") > 1, "not measured again");
  spoil ("a", "eig z,16,values,auto cpu 1:5 1:6\n");
  CHECK (choose_both ("counts that do not ascend") > 1, "not measured again");
  spoil ("w", "");
  CHECK (choose_both ("empty file") > 1, "not measured again");
  spoil ("w", "\xff\x01 what is this\n\n\n");
  CHECK (choose_both ("another file") > 1, "not measured again");
  make_other_version ();
  CHECK (choose_both ("another version") > 1, "not measured again");
  CHECK (choose_both ("kept again") == 0, "measured twice");
}

static void test_deleted_while_running (void)
{
  gla_context *ctx = open_context ();
  CHECK (solve (ctx, N, FEW) == GLA_HOST && finished == 0, "known, %d calls", finished);
  unlink (file_of (ctx));
  CHECK (solve (ctx, N, FEW) == GLA_HOST && finished > 1, "%d calls", finished);
  gla_context_destroy (ctx);
}

// What one context measures is neither lost nor measured anew by another one that runs beside it.
static void test_two_at_once (void)
{
  remove_file ();
  gla_context *one = open_context (), *two = open_context ();
  CHECK (solve (one, N, FEW) == GLA_HOST && finished > 1, "%d calls", finished);
  finished = 0;
  CHECK (solve (two, N, FEW) == GLA_HOST && finished == 0, "%d calls", finished);
  CHECK (solve (two, 8, 4 * FEW) != -2 && solve (one, 4, 4 * MANY) != -2, "other sizes");
  gla_context_destroy (one);
  gla_context_destroy (two);
  gla_context *three = context ();
  CHECK (gla_costs_measured (three) >= 4, "%d costs", gla_costs_measured (three));
  gla_context_destroy (three);
}

static void test_no_file (void)
{
  setenv ("GPULINALG_CACHE", "", 1);
  gla_context *ctx = open_context ();
  CHECK (strcmp (gla_costs_path (ctx), "") == 0, "file %s", gla_costs_path (ctx));
  CHECK (solve (ctx, N, FEW) == GLA_HOST && finished > 1, "%d calls", finished);
  finished = 0;
  CHECK (solve (ctx, N, MANY) == 0 && finished == 1, "kept in memory, %d", finished);
  gla_context_destroy (ctx);

  char path[128]; // a folder that cannot be made, even by root: a file is in the way
  snprintf (path, sizeof path, "%s/file", folder);
  FILE *file = fopen (path, "w");
  CHECK (file != NULL && fclose (file) == 0, "%s", path);
  strcat (path, "/below");
  setenv ("GPULINALG_CACHE", path, 1);
  ctx = open_context ();
  CHECK (solve (ctx, N, FEW) == GLA_HOST && finished > 1, "%d calls", finished);
  finished = 0;
  CHECK (solve (ctx, N, MANY) == 0 && finished == 1, "kept in memory, %d", finished);
  CHECK (warnings == 0 && strcmp (gla_message (ctx), "") == 0, "%s", gla_message (ctx));
  gla_context_destroy (ctx);

  // below a folder that is not there yet
  snprintf (path, sizeof path, "%s/a/b", folder);
  setenv ("GPULINALG_CACHE", path, 1);
  choose_both ("new folder");
  CHECK (choose_both ("new folder, kept") == 0, "measured twice");
  setenv ("GPULINALG_CACHE", folder, 1);
}

// Without GPULINALG_CACHE: XDG_CACHE_HOME, then HOME.
static void test_folders (void)
{
  char expected[128];
  unsetenv ("GPULINALG_CACHE");
  gla_context *ctx = context ();
  setenv ("XDG_CACHE_HOME", "/xdg", 1);
  CHECK (strncmp (gla_costs_path (ctx), "/xdg/gpulinalg/costs-", 21) == 0, "%s", file_of (ctx));
  setenv ("XDG_CACHE_HOME", "", 1);
  setenv ("HOME", folder, 1);
  snprintf (expected, sizeof expected, "%s/.cache/gpulinalg/costs-", folder);
  CHECK (strncmp (gla_costs_path (ctx), expected, strlen (expected)) == 0, "%s", file_of (ctx));
  unsetenv ("HOME");
  CHECK (strcmp (gla_costs_path (ctx), "") == 0, "%s", file_of (ctx));
  setenv ("GPULINALG_CACHE", folder, 1);
  gla_context_destroy (ctx);
}

static void test_stop (void)
{
  remove_file ();
  gla_context *ctx = open_context ();
  for (int k = 1; k < 60; k += 6) {
    stops = 0;
    stop_at = k;
    gla_array a = gla_array_packed (A, GLA_Z, N, N, MANY, GLA_HOST);
    gla_array l = gla_array_packed (lambda, GLA_D, N, 1, MANY, GLA_HOST);
    gla_status status = gla_batcheig (ctx, &a, &l, NULL, info, NULL, NULL);
    CHECK (status == GLA_STOPPED || (status == GLA_OK && stops < k), "stop %d: %d", k, status);
  }
  stop_at = 0;
  CHECK (solve (ctx, N, FEW) == GLA_HOST && solve (ctx, N, MANY) == 0, "after the stops");
  CHECK (warnings == 0 && progressed == 0, "%d warnings, %d progress", warnings, progressed);
  gla_context_destroy (ctx);
}

// A GPU that fails while it is measured is not used, and nobody hears of it.
static void test_failure (void)
{
  for (int k = 1; k <= 2; k++) {
    remove_file ();
    gla_context *ctx = open_context ();
    fail = k;
    CHECK (solve (ctx, N, MANY) == GLA_HOST, "failure %d: on the GPU", k);
    CHECK (solve (ctx, N, MANY) == GLA_HOST && finished == k, "failure %d: used again", k);
    CHECK (warnings == 0 && progressed == 0, "failure %d: %d warnings", k, warnings);
    gla_context_destroy (ctx);
  }
  remove_file ();
}

// A measurement that another process disturbed does not spoil larger calls, and is not kept.
static void test_busy_machine (void)
{
  remove_file ();
  stall = 20e-3;
  choose_both ("busy");
  stall = 0;
  CHECK (choose_both ("quiet again") == 0, "the GPU, which was not disturbed, measured twice");
  gla_context *ctx = context ();
  CHECK (gla_costs_measured (ctx) == 2, "%d costs", gla_costs_measured (ctx));
  gla_context_destroy (ctx);
}

// Short calls do not open the GPU; many of them do.
static void test_short_calls (void)
{
  gla_context *ctx = context ();
  CHECK (solve (ctx, N, 10) == GLA_HOST && opened == 0, "opened for 10 pages");
  CHECK (solve (ctx, N, FEW) == GLA_HOST && opened == 0, "opened for one short call");
  for (int k = 0; k < 200; k++)
    solve (ctx, N, FEW);
  CHECK (opened == 1, "%d open after many calls", opened);
  gla_context_destroy (ctx);
}

//------------------------------------------------------------------------------
// gla_qr
//------------------------------------------------------------------------------

typedef struct {
  int64_t m, n;
  int q, pivot; // q: whether Q is wanted, else R alone
} qr_shape;

// The device that a call ran on, GLA_HOST or 0; -2 where it did not end well.
static int factor (gla_context *ctx, qr_shape s, int64_t pages)
{
  static int64_t jpvt[64 * MANY];
  const int64_t k = s.m < s.n ? s.m : s.n;
  const gla_array a = gla_array_packed (A, GLA_D, s.m, s.n, pages, GLA_HOST);
  const gla_qr_results results = {
      .Q = gla_array_packed (s.q ? V : NULL, GLA_D, s.m, k, pages, GLA_HOST),
      .R = gla_array_packed ((double *)V + N * N * MANY, GLA_D, k, s.n, pages, GLA_HOST),
      .jpvt = jpvt};
  const gla_qr_options options = {s.pivot, 0};
  gla_qr_report report = {0};
  gla_set_progress (ctx, on_progress, &pages);
  gla_status status = gla_qr (ctx, &a, NULL, &results, &options, &report);
  gla_set_progress (ctx, NULL, NULL);
  return status == GLA_OK ? report.device : -2;
}

// Few pages on the CPU and many on the GPU, whatever the shape; all of that is measured at the
// first call and kept for the next context. Q and pivoting are measured apart.
static void test_qr (void)
{
  static const qr_shape shapes[] = {{16, 16, 1, 0}, {16, 16, 0, 0}, {16, 16, 1, 1},
                                    {7, 5, 1, 0},   {5, 50, 1, 0},  {90, 1, 1, 0},
                                    {1, 1, 0, 0},   {250, 1, 0, 1}, {1, 256, 1, 0}};
  remove_file ();
  int before = -1;
  for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++)
    for (int again = 0; again < 2; again++) {
      gla_context *ctx = open_context ();
      CHECK (factor (ctx, shapes[s], FEW) == GLA_HOST, "qr %d: few pages not on the CPU", s);
      const int calls = finished, known = gla_costs_measured (ctx);
      CHECK (factor (ctx, shapes[s], MANY) == 0, "qr %d: many pages not on the GPU", s);
      CHECK (finished == calls + 1, "qr %d: measured at the second call", s);
      if (again)
        CHECK (calls == 0 && known == before, "qr %d: measured twice", s);
      else
        CHECK (calls > 1 && known > before, "qr %d: not measured", s);
      CHECK (warnings == 0 && progressed == 0, "qr %d: %d warnings", s, warnings);
      before = known;
      gla_context_destroy (ctx);
    }
}

// A stop while samples are measured ends the call.
static void test_qr_stop (void)
{
  const qr_shape shape = {16, 16, 1, 0};
  remove_file ();
  gla_context *ctx = open_context ();
  for (int k = 1; k < 40; k += 6) {
    stops = 0;
    stop_at = k;
    const int device = factor (ctx, shape, MANY);
    CHECK (device == -2 || stops < k, "stop %d: %d", k, device);
  }
  stop_at = 0;
  CHECK (factor (ctx, shape, FEW) == GLA_HOST && factor (ctx, shape, MANY) == 0, "after the stops");
  gla_context_destroy (ctx);
}

int main (void)
{
  snprintf (folder, sizeof folder, "/tmp/gpulinalg-test-XXXXXX");
  CHECK (mkdtemp (folder) != NULL, "%s", folder);
  setenv ("GPULINALG_CACHE", folder, 1);
  use_stand_ins ();
  test_file ();
  test_deleted_while_running ();
  test_two_at_once ();
  test_no_file ();
  test_folders ();
  test_stop ();
  test_failure ();
  test_busy_machine ();
  test_short_calls ();
  test_qr ();
  test_qr_stop ();
  char command[128];
  snprintf (command, sizeof command, "rm -rf '%s'", folder);
  CHECK (system (command) == 0, "%s", command);
  return check_report ("test_costs");
}
