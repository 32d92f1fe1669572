// test_isa.c: GPULINALG_ISA chooses the instruction set of the CPU kernels
// SPDX-License-Identifier: GPL-3.0-or-later

#include "frame/calls.h"
#include "frame/check.h"

// The status, eigenvalues and message of a call on the CPU with GPULINALG_ISA=word.
static gla_status solve (const char *word, double *values, char *message, size_t size)
{
  enum { n = 6, pages = 37 };
  static double a[n * n * pages];
  unsigned long long seed = 5;
  for (int p = 0; p < pages; p++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= j; i++)
        a[i + n * j + n * n * p] = a[j + n * i + n * n * p] = check_random (&seed);
  check_setenv ("GPULINALG_ISA", word);
  gla_context *ctx;
  gla_context_create (&ctx);
  gla_set_place (ctx, GLA_PLACE_CPU, NULL, 0);
  gla_array A = gla_array_packed (a, GLA_TYPE_D, n, n, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (values, GLA_TYPE_D, n, 1, pages, GLA_DEVICE_HOST);
  gla_status status = call_batcheig (ctx, &A, &l, NULL, NULL, NULL, NULL);
  snprintf (message, size, "%s", gla_message (ctx));
  gla_context_destroy (ctx);
  check_setenv ("GPULINALG_ISA", "");
  return status;
}

// Returns whether the word was taken. Every processor has base, which only a build may lack.
static int test_word (const char *word, const double *expected)
{
  double values[6 * 37];
  char message[512];
  gla_status status = solve (word, values, message, sizeof message);
  if (status == GLA_ERROR_BAD_ARGUMENT) { // GPULINALG_ISAS may have left it out
    CHECK (strstr (message, word) &&
               (strstr (message, "this build") ||
                (strcmp (word, "base") != 0 && strstr (message, "this processor"))),
           "%s", message);
    printf ("%s\n", message);
    return 0;
  }
  CHECK (status == GLA_OK, "%s: status %d: %s", word, status, message);
  double worst = 0;
  for (int i = 0; i < 6 * 37; i++)
    worst = check_worst (worst, fabs (values[i] - expected[i]));
  CHECK (worst < 1e-14, "%s: %g", word, worst);
  return 1;
}

int main (void)
{
  double expected[6 * 37], values[6 * 37];
  char message[512];
  CHECK (solve ("", expected, message, sizeof message) == GLA_OK, "without a choice: %s", message);
  const int taken =
      test_word ("base", expected) + test_word ("avx2", expected) + test_word ("avx512", expected);
  CHECK (taken > 0, "no instruction set is taken");
  CHECK (solve ("sse9", values, message, sizeof message) == GLA_ERROR_BAD_ARGUMENT,
         "sse9 is accepted");
  CHECK (strstr (message, "GPULINALG_ISA is \"sse9\", and must be \"base\"") != NULL, "%s",
         message);
  return check_report ("test_isa");
}
