// eig_pages.c: uses the C library without Octave for the eigenvalues of many 2 x 2 matrices
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   cc eig_pages.c $(pkg-config --cflags --libs gpulinalg)

#include "gpulinalg.h"

#include <stdio.h>

int main (void)
{
  // page p is [p 1; 1 p]: eigenvalues p-1 and p+1
  enum { pages = 1000 };
  static double A[pages][2][2], V[pages][2][2], lambda[pages][2];
  for (int p = 0; p < pages; p++) {
    A[p][0][0] = A[p][1][1] = p;
    A[p][0][1] = A[p][1][0] = 1;
  }

  gla_context *ctx;
  gla_status status = gla_context_create (&ctx);
  if (status != GLA_OK) {
    fprintf (stderr, "%s\n", gla_status_text (status));
    return 1;
  }
  gla_array a = gla_array_packed (A, GLA_TYPE_D, 2, 2, pages, GLA_DEVICE_HOST);
  gla_array v = gla_array_packed (V, GLA_TYPE_D, 2, 2, pages, GLA_DEVICE_HOST);
  gla_array l = gla_array_packed (lambda, GLA_TYPE_D, 2, 1, pages, GLA_DEVICE_HOST);
  gla_eig_results results = {.size = sizeof results, .lambda = l, .V = v};
  status = gla_batcheig (ctx, &a, &results, NULL, NULL);
  if (status != GLA_OK)
    fprintf (stderr, "%s\n", gla_message (ctx));
  else
    printf ("page 7: %.10f %.10f\n", lambda[7][0], lambda[7][1]);
  gla_context_destroy (ctx);
  return status != GLA_OK;
}
