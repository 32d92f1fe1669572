// isa.c: which instruction set the CPU backend uses
// SPDX-License-Identifier: GPL-3.0-or-later

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "isa.h"

#define TABLES(isa)                                                                                \
  {                                                                                                \
    .name = #isa, .eig = GLA_KERNEL_ROW (eig, isa), .qr = GLA_KERNEL_ROW (qr, isa),                \
    .gsvd = GLA_KERNEL_ROW (gsvd, isa), .least_squares = GLA_KERNEL_ROW (least_squares, isa),      \
    .spmv = GLA_KERNEL_ROW (spmv, isa), .product = GLA_KERNEL_ROW (product, isa),                  \
    .solve = GLA_KERNEL_ROW (solve, isa), .pairs = GLA_KERNEL_ROW (pairs, isa),                    \
    .fun = GLA_KERNEL_ROW (fun, isa), .svd = GLA_KERNEL_ROW (svd, isa),                            \
    .geev = GLA_KERNEL_ROW (geev, isa)                                                             \
  }

// From the narrowest to the widest.
static const gla_cpu_isa built[] = {
#ifdef GLA_ISA_base
    TABLES (base),
#endif
#ifdef GLA_ISA_avx2
    TABLES (avx2),
#endif
#ifdef GLA_ISA_avx512
    TABLES (avx512),
#endif
};
enum { count = sizeof built / sizeof *built };

static int runs_here (int k)
{
#ifdef __x86_64__
  __builtin_cpu_init ();
  if (strcmp (built[k].name, "avx2") == 0)
    return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
  if (strcmp (built[k].name, "avx512") == 0)
    return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
           __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("fma");
#endif
  return strcmp (built[k].name, "base") == 0;
}

const gla_cpu_isa *gla_cpu_isa_here (char *why, size_t why_size)
{
  const char *wanted = getenv ("GPULINALG_ISA");
  if (wanted == NULL || *wanted == '\0') {
    for (int k = count - 1; k >= 0; k--)
      if (runs_here (k))
        return &built[k];
    snprintf (why, why_size,
              "this processor lacks %s, the least that this build needs; build it here, or with "
              "GPULINALG_ISAS=\"base avx2 avx512\"",
              built[0].name);
    return NULL;
  }
  for (int k = 0; k < count; k++)
    if (strcmp (wanted, built[k].name) == 0) {
      if (runs_here (k))
        return &built[k];
      snprintf (why, why_size, "GPULINALG_ISA is \"%s\", which this processor lacks", wanted);
      return NULL;
    }
  if (strcmp (wanted, "base") == 0 || strcmp (wanted, "avx2") == 0 ||
      strcmp (wanted, "avx512") == 0)
    snprintf (why, why_size, "GPULINALG_ISA is \"%s\", which this build does not have", wanted);
  else
    snprintf (why, why_size,
              "GPULINALG_ISA is \"%.40s\", and must be \"base\", \"avx2\" or \"avx512\"", wanted);
  return NULL;
}

int gla_cpu_fun_here (gla_type V, gla_type F, gla_cpu_fun_kernels *kernels, char *why,
                      size_t why_size)
{
  const gla_cpu_isa *isa = gla_cpu_isa_here (why, why_size);
  if (isa == NULL)
    return 0;
  const gla_cpu_product_kernel *product = isa->product[gla_cpu_type_index (F)];
  *kernels = (gla_cpu_fun_kernels){.kernel = isa->fun[gla_cpu_type_index (V)],
                                   .workspace = product->workspace,
                                   .pages = product->pages};
  return 1;
}
