// fake_octave.c: the stand-in of fake_cuda.h below Octave; GPULINALG_FAKE_TRACE=FILE traces
// SPDX-License-Identifier: GPL-3.0-or-later

#include "fake_cuda.h"

#include <stdlib.h>

__attribute__ ((constructor)) static void begin (void)
{
  const char *path = getenv ("GPULINALG_FAKE_TRACE");
  FILE *file = path != NULL ? fopen (path, "w") : NULL;
  if (file != NULL)
    setvbuf (file, NULL, _IOLBF, 0);
  fake_cuda_trace (file);
  fake_cuda_alike = 1; // builds may have code for one of them only
}
