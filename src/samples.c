// samples.c: inputs and results of the calls that "auto" measures
// SPDX-License-Identifier: GPL-3.0-or-later

#include "choose.h"
#include "host_memory.h"

#include <stdlib.h>
#include <string.h>

double gla_sample_random (uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

gla_status gla_sample_fill (gla_sample_run *r, int64_t pages, size_t bytes, const void *job,
                            void (*fill) (const void *job, void *page, uint64_t seed))
{
  const int64_t different = bytes <= 16384 ? 32 : 4;
  char *memory = r->memory = malloc ((size_t)pages * bytes);
  if (memory == NULL)
    return GLA_OUT_OF_MEMORY;
  for (int64_t p = 0; p < pages && p < different; p++)
    fill (job, memory + (size_t)p * bytes, (uint64_t)p + 1);
#pragma omp parallel for schedule(static)
  for (int64_t p = different; p < pages; p++)
    memcpy (memory + (size_t)p * bytes, memory + (size_t)(p % different) * bytes, bytes);
  return GLA_OK;
}

void *gla_sample_results (size_t bytes)
{
  void *memory = malloc (bytes + 1);
  if (memory != NULL)
    gla_host_prefer_huge_pages (memory, bytes);
  return memory;
}
