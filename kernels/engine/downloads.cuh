// downloads.cuh: copies arrays of several GPUs to the host at the same time
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_DOWNLOADS_CUH
#define GPULINALG_DOWNLOADS_CUH

#include "engine.cuh"

// An array without gaps on a GPU, and where it goes. Without rows or columns nothing is copied.
struct download_part {
  cuda_engine *e;
  gla_array to;
  const void *device;
};

// Does engine_download for each part, after previous work of the first slot of its engine. All
// links transfer at once, and all threads copy what has arrived. In the end the current GPU is that
// of any part; *failed is the part that has failed, if one has.
gla_status downloads_together (const download_part *parts, int count, int *failed);

#endif
