// tests/c/test_costs.c: "auto" measures calls, saves the costs and chooses by them
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linked with mock backends, which compute nothing and take a given time by a mock clock.

#include "auto_calls.h"

#include <sys/stat.h>

static char folder[64];

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
  gla_context *ctx = new_context ();
  unlink (file_of (ctx));
  gla_context_destroy (ctx);
}

// Writes text over the file of costs, or at its end.
static void corrupt_file (const char *mode, const char *text)
{
  gla_context *ctx = new_context ();
  FILE *file = fopen (file_of (ctx), mode);
  CHECK (file != NULL, "%s", file_of (ctx));
  if (file != NULL) {
    fputs (text, file);
    fclose (file);
  }
  gla_context_destroy (ctx);
}

// Changes the file to that of a version of the package with a longer name.
static void make_other_version (void)
{
  static char text[1 << 16], other[1 << 16];
  gla_context *ctx = new_context ();
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
  corrupt_file ("w", other);
}

// Wrong formulas: the GPU is four times as slow as its formula.
static void wrong_machine (void)
{
  usual_machine ();
  gpu_call = 30e-3;
  gpu_formula = 0.25;
}

// Where a call of 1000 pages runs in a new context with the GPU open: 10 ms on the CPU, 30.5 ms on
// the GPU.
static int first_choice (void)
{
  gla_context *ctx = open_context ();
  const int device = solve (ctx, N, 1000);
  CHECK (warnings == 0 && strcmp (gla_message (ctx), "") == 0, "%s", gla_message (ctx));
  gla_context_destroy (ctx);
  CHECK (opened == 0, "left open");
  return device;
}

// Many calls in one context: the ratio of their mean time to that of the better place.
static double ratio_of_many (int calls, int pages)
{
  gla_context *ctx = open_context ();
  double total = 0;
  for (int k = 0; k < calls; k++)
    total += time_of (ctx, pages);
  gla_context_destroy (ctx);
  return total / (calls * fmin (on_cpu (pages), on_gpu (pages)));
}

static void test_file (void)
{
  wrong_machine ();
  remove_file ();
  CHECK (first_choice () == 0, "the formula is not wrong enough");
  ratio_of_many (100, 1000);
  CHECK (first_choice () == GLA_DEVICE_HOST, "not kept");
  gla_context *ctx = new_context ();
  struct stat s;
  CHECK (stat (file_of (ctx), &s) == 0 && s.st_size > 10, "no file %s", file_of (ctx));
  CHECK (strncmp (file_of (ctx), folder, strlen (folder)) == 0, "file %s", file_of (ctx));
  CHECK (gla_costs_measured (ctx) >= 3, "%d costs", gla_costs_measured (ctx));
  gla_context_destroy (ctx);
  const struct {
    const char *name, *mode, *text;
  } bad[] = {
      {"line cut off", "a", "eig z,16,vectors,auto"},
      {"counts that do not ascend", "a", "eig z,16,values,auto cpu 1:5 1:6\n"},
      {"no value", "a", "eig z,16,values,auto cpu 1:\n"},
      {"empty file", "w", ""},
      {"another file", "w", "\xff\x01 what is this\n\n\n"},
      {"an older file", "w", "# What calls of gpulinalg took on this machine, for the choice\n"}};
  for (int k = 0; k < (int)(sizeof bad / sizeof *bad); k++) {
    corrupt_file (bad[k].mode, bad[k].text);
    CHECK (first_choice () == 0, "%s: believed", bad[k].name);
    remove_file ();
    ratio_of_many (100, 1000);
    CHECK (first_choice () == GLA_DEVICE_HOST, "%s: not kept again", bad[k].name);
  }
  make_other_version ();
  CHECK (first_choice () == 0, "another version: believed");
  remove_file ();
}

static void test_deleted_while_running (void)
{
  wrong_machine ();
  ratio_of_many (100, 1000);
  gla_context *ctx = open_context ();
  CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST && gla_costs_measured (ctx) >= 3, "not known");
  unlink (file_of (ctx));
  CHECK (gla_costs_measured (ctx) == 0, "not forgotten");
  CHECK (ratio_of_many (100, 1000) < 1.5, "not learned again");
  gla_context_destroy (ctx);
  remove_file ();
}

// gla_costs_save writes the costs of a context that is not destroyed.
static void test_save (void)
{
  wrong_machine ();
  remove_file ();
  gla_context *ctx = open_context ();
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  solve (ctx, N, 1000);
  solve (ctx, N, 1000);
  CHECK (access (file_of (ctx), F_OK) != 0, "written for 10 ms");
  gla_costs_save (ctx);
  CHECK (access (file_of (ctx), F_OK) == 0, "not written");
  gla_context_destroy (ctx);
  remove_file ();
}

// The costs that one context has written are not lost when another one writes later.
static void test_two_at_once (void)
{
  wrong_machine ();
  remove_file ();
  gla_context *one = open_context (), *two = open_context ();
  for (int k = 0; k < 60; k++) {
    CHECK (solve (one, N, 1000) != -2, "%s", gla_message (one));
    CHECK (solve (two, 2, 1000) != -2, "%s", gla_message (two));
  }
  gla_context_destroy (one);
  gla_context_destroy (two);
  gla_context *three = open_context ();
  CHECK (solve (three, N, 1000) == GLA_DEVICE_HOST && solve (three, 2, 1000) == GLA_DEVICE_HOST,
         "lost");
  gla_context_destroy (three);
  remove_file ();
}

static void test_no_file (void)
{
  char path[128];
  wrong_machine ();
  setenv ("GPULINALG_CACHE", "", 1);
  gla_context *ctx = new_context ();
  CHECK (strcmp (gla_costs_path (ctx), "") == 0, "file %s", gla_costs_path (ctx));
  gla_context_destroy (ctx);
  CHECK (ratio_of_many (1000, 1000) < 1.05 && first_choice () == 0, "no file");

  // a folder that not even root can make, because a file has its name
  snprintf (path, sizeof path, "%s/file", folder);
  FILE *file = fopen (path, "w");
  CHECK (file != NULL && fclose (file) == 0, "%s", path);
  strcat (path, "/below");
  setenv ("GPULINALG_CACHE", path, 1);
  CHECK (ratio_of_many (1000, 1000) < 1.05 && first_choice () == 0, "file in the way");

  // below a folder that does not exist yet
  snprintf (path, sizeof path, "%s/a/b", folder);
  setenv ("GPULINALG_CACHE", path, 1);
  ratio_of_many (100, 1000);
  CHECK (first_choice () == GLA_DEVICE_HOST, "new folder");
  setenv ("GPULINALG_CACHE", folder, 1);
}

// Without GPULINALG_CACHE: XDG_CACHE_HOME, then HOME.
static void test_folders (void)
{
  char expected[128];
  unsetenv ("GPULINALG_CACHE");
  gla_context *ctx = new_context ();
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

//------------------------------------------------------------------------------
// learning
//------------------------------------------------------------------------------

// With wrong formulas 1000 calls take at most 1.3 times the time of the better place, and the last
// call runs there.
static void test_wrong_formulas (void)
{
  static const double wrong[] = {0.2, 0.4, 1, 2.5, 5};
  setenv ("GPULINALG_CACHE", "", 1);
  for (int c = 0; c < 5; c++)
    for (int g = 0; g < 5; g++)
      for (int pages = 20; pages <= 5000; pages *= 5) {
        usual_machine ();
        load_seconds = 5e-3;
        gpu_call = 3e-3;
        cpu_formula = wrong[c];
        gpu_formula = wrong[g];
        const double better = fmin (on_cpu (pages), on_gpu (pages));
        gla_context *ctx = open_context ();
        double total = 0, last = 0;
        for (int k = 0; k < 1000; k++)
          total += last = time_of (ctx, pages);
        gla_context_destroy (ctx);
        const double off = fmax (wrong[c] / wrong[g], wrong[g] / wrong[c]);
        if (off <= 2.6) // the error of real formulas; with larger ones the choice may remain wrong
          CHECK (last < 1.3 * better, "%g, %g, %d pages: ends with %g s, not %g", wrong[c],
                 wrong[g], pages, last, better);
        if (off <= 2.6)
          CHECK (total < 1300 * better, "%g, %g, %d pages: %g s, not %g", wrong[c], wrong[g], pages,
                 total, 1000 * better);
      }
  setenv ("GPULINALG_CACHE", folder, 1);
}

// The first call on a GPU, which loads code, is not measured; short calls never wait for it.
static void test_load (void)
{
  setenv ("GPULINALG_CACHE", "", 1);
  usual_machine ();
  load_seconds = 0.1;
  CHECK (ratio_of_many (1000, 1000) < 1.25, "calls of 1 ms");
  gla_context *ctx = new_context ();
  gla_set_place (ctx, GLA_PLACE_GPU, NULL, 0);
  CHECK (gla_device_count (ctx) == 1 && solve (ctx, 64, 1) == 0, "another size, to open the GPU");
  gla_set_place (ctx, GLA_PLACE_AUTO, NULL, 0);
  double total = 0;
  for (int k = 0; k < 200; k++)
    total += time_of (ctx, 1000);
  CHECK (total < 2.1 * (load_seconds + 200 * on_gpu (1000)), "%g s with the load", total);
  gla_context_destroy (ctx);
  setenv ("GPULINALG_CACHE", folder, 1);
}

// Calls that were interrupted by other processes are not measured.
static void test_busy_machine (void)
{
  setenv ("GPULINALG_CACHE", "", 1);
  usual_machine ();
  gpu_call = 20e-3;
  gla_context *ctx = open_context ();
  for (int k = 0; k < 40; k++)
    CHECK (solve (ctx, N, 1000) != -2, "%s", gla_message (ctx));
  CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST, "quiet");
  stall = 50e-3;
  for (int k = 0; k < 20; k++) {
    gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
    CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST, "busy");
  }
  gla_set_place (ctx, GLA_PLACE_AUTO, NULL, 0);
  CHECK (solve (ctx, N, 1000) == 0, "60 ms were not noted");
  gla_context_destroy (ctx);

  stall = 0;
  ctx = open_context ();
  for (int k = 0; k < 40; k++)
    CHECK (solve (ctx, N, 1000) != -2, "%s", gla_message (ctx));
  CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST, "quiet");
  stall = 50e-3;
  interrupting = 100;
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  for (int k = 0; k < 20; k++)
    CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST, "busy");
  interrupting = 0;
  stall = 0;
  gla_set_place (ctx, GLA_PLACE_AUTO, NULL, 0);
  CHECK (solve (ctx, N, 1000) == GLA_DEVICE_HOST, "what was disturbed was noted");
  gla_context_destroy (ctx);
  setenv ("GPULINALG_CACHE", folder, 1);
}

// A GPU that fails is not used again, and the CPU does the call.
static void test_failure (void)
{
  usual_machine ();
  gla_context *ctx = open_context ();
  fail = 1;
  CHECK (solve (ctx, N, 10000) == 0 && warnings == 1, "%d warnings", warnings);
  CHECK (solve (ctx, N, 10000) == GLA_DEVICE_HOST && warnings == 1 && opened == 0, "used again");
  gla_context_destroy (ctx);
}

//------------------------------------------------------------------------------
// gla_qr
//------------------------------------------------------------------------------

enum { PAGES = 1000 };

typedef struct {
  int64_t m, n;
  int q, pivot; // q: compute Q and R, otherwise R alone
} qr_shape;

// Makes a call and returns the device that it ran on, GLA_DEVICE_HOST or 0; -2 if it failed.
static int factor (gla_context *ctx, qr_shape s, int64_t pages)
{
  static int64_t jpvt[64 * PAGES];
  const int64_t k = s.m < s.n ? s.m : s.n;
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, s.m, s.n, pages, GLA_DEVICE_HOST);
  const gla_qr_results results = {
      .size = sizeof results,
      .Q = gla_array_packed (s.q ? V : NULL, GLA_TYPE_D, s.m, k, pages, GLA_DEVICE_HOST),
      .R =
          gla_array_packed ((double *)V + N * N * MOST, GLA_TYPE_D, k, s.n, pages, GLA_DEVICE_HOST),
      .jpvt = jpvt};
  const gla_qr_options options = {.size = sizeof options, .pivot = s.pivot};
  gla_qr_report report = {.base.size = sizeof report};
  await_start_end (ctx);
  gla_status status = gla_qr (ctx, &a, NULL, &results, &options, &report);
  return status == GLA_OK ? report.base.device : -2;
}

// All kinds of shapes are measured; calls with Q, without Q and with pivoting are separate.
static void test_qr (void)
{
  static const qr_shape shapes[] = {{16, 16, 1, 0}, {16, 16, 0, 0}, {16, 16, 1, 1},
                                    {7, 5, 1, 0},   {5, 50, 1, 0},  {90, 1, 1, 0},
                                    {1, 1, 0, 0},   {250, 1, 0, 1}, {1, 256, 1, 0}};
  remove_file ();
  wrong_machine ();
  for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++) {
    gla_context *ctx = open_context ();
    const int known = gla_costs_measured (ctx);
    int last = 0;
    for (int k = 0; k < 60; k++)
      last = factor (ctx, shapes[s], PAGES);
    CHECK (last == GLA_DEVICE_HOST, "qr %d: on the GPU, which is slower", s);
    CHECK (gla_costs_measured (ctx) > known, "qr %d: nothing noted", s);
    gla_context_destroy (ctx);
    ctx = open_context ();
    CHECK (factor (ctx, shapes[s], PAGES) == GLA_DEVICE_HOST, "qr %d: not kept", s);
    gla_context_destroy (ctx);
  }
}

// Products of n x n pages; `solve`: the systems A*X = A instead.
static int page_function (gla_context *ctx, int64_t n, int solve, int64_t pages)
{
  const gla_array a = gla_array_packed (A, GLA_TYPE_D, n, n, pages, GLA_DEVICE_HOST);
  const gla_array v = gla_array_packed (V, GLA_TYPE_D, n, n, pages, GLA_DEVICE_HOST);
  const gla_pagemul_results product = {.size = sizeof product, .C = v};
  const gla_pagesolve_results solution = {.size = sizeof solution, .X = v};
  gla_pagemul_report of_product = {.base.size = sizeof of_product};
  gla_pagesolve_report of_solution = {.base.size = sizeof of_solution};
  await_start_end (ctx);
  const gla_status status = solve ? gla_pagesolve (ctx, &a, &a, &solution, NULL, &of_solution)
                                  : gla_pagemul (ctx, &a, &a, &product, NULL, &of_product);
  return status != GLA_OK ? -2 : solve ? of_solution.base.device : of_product.base.device;
}

// Products and systems are measured, each by itself.
static void test_page_functions (void)
{
  for (int solve = 0; solve < 2; solve++) {
    remove_file ();
    wrong_machine ();
    gla_context *ctx = open_context ();
    const int known = gla_costs_measured (ctx);
    int last = 0;
    for (int k = 0; k < 60; k++)
      last = page_function (ctx, 4, solve, PAGES);
    CHECK (last == GLA_DEVICE_HOST, "pages %d: on the GPU, which is slower", solve);
    CHECK (gla_costs_measured (ctx) > known, "pages %d: nothing noted", solve);
    gla_context_destroy (ctx);
    ctx = open_context ();
    CHECK (page_function (ctx, 4, solve, PAGES) == GLA_DEVICE_HOST, "pages %d: not kept", solve);
    gla_context_destroy (ctx);
  }
}

int main (void)
{
  snprintf (folder, sizeof folder, "/tmp/gpulinalg-test-XXXXXX");
  CHECK (mkdtemp (folder) != NULL, "%s", folder);
  setenv ("GPULINALG_CACHE", folder, 1);
  use_mocks ();
  test_file ();
  test_deleted_while_running ();
  test_save ();
  test_two_at_once ();
  test_no_file ();
  test_folders ();
  test_wrong_formulas ();
  test_load ();
  test_busy_machine ();
  test_failure ();
  test_qr ();
  test_page_functions ();
  char command[128];
  snprintf (command, sizeof command, "rm -rf '%s'", folder);
  CHECK (system (command) == 0, "%s", command);
  return check_report ("test_costs");
}
