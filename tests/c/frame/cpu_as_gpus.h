// cpu_as_gpus.h: the CPU backend under another name, as several GPUs
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef CPU_AS_GPUS_H
#define CPU_AS_GPUS_H

#include "cpu_as_gpu.h"

static int gpus_there, open_fails; // how many, and the one that does not open; -1: all do

static int count_gpus (char *why, size_t size)
{
  if (size > 0)
    why[0] = '\0';
  return gpus_there;
}

static gla_status open_numbered (int device, gla_engine **engine)
{
  if (device == open_fails)
    return GLA_ERROR_DEVICE_FAILURE;
  const gla_status status = open_gpu (device, engine);
  if (status == GLA_OK)
    (*engine)->device = device;
  return status;
}

// After make_gpu.
static void make_gpus (int count)
{
  gpus_there = count;
  gpu_backend.device_count = count_gpus;
  gpu_backend.open = open_numbered;
}

#endif
