// isa.c: which instruction set the CPU backend uses
// SPDX-License-Identifier: GPL-3.0-or-later

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

// From the narrowest to the widest, as common/kernel_table.h has them.
static const char *const built[] = {
#ifdef GLA_ISA_base
    "base",
#endif
#ifdef GLA_ISA_avx2
    "avx2",
#endif
#ifdef GLA_ISA_avx512
    "avx512",
#endif
};
enum { count = sizeof built / sizeof *built };

static int runs_here (int k)
{
#ifdef __x86_64__
  __builtin_cpu_init ();
  if (strcmp (built[k], "avx2") == 0)
    return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
  if (strcmp (built[k], "avx512") == 0)
    return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512dq") &&
           __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("fma");
#endif
  return strcmp (built[k], "base") == 0;
}

int gla_cpu_isa_here (char *why, size_t why_size)
{
  const char *wanted = getenv ("GPULINALG_ISA");
  if (wanted == NULL || *wanted == '\0') {
    for (int k = count - 1; k >= 0; k--)
      if (runs_here (k))
        return k;
    snprintf (why, why_size,
              "this processor lacks %s, the least that this build needs; build it here, or with "
              "GPULINALG_ISAS=\"base avx2 avx512\"",
              built[0]);
    return -1;
  }
  for (int k = 0; k < count; k++)
    if (strcmp (wanted, built[k]) == 0) {
      if (runs_here (k))
        return k;
      snprintf (why, why_size, "GPULINALG_ISA is \"%s\", which this processor lacks", wanted);
      return -1;
    }
  if (strcmp (wanted, "base") == 0 || strcmp (wanted, "avx2") == 0 ||
      strcmp (wanted, "avx512") == 0)
    snprintf (why, why_size, "GPULINALG_ISA is \"%s\", which this build does not have", wanted);
  else
    snprintf (why, why_size,
              "GPULINALG_ISA is \"%.40s\", and must be \"base\", \"avx2\" or \"avx512\"", wanted);
  return -1;
}
