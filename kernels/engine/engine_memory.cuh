// engine_memory.cuh: memory of a GPU that the caller holds, and copies of it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// These are the functions of gla_nd_ops that all other operations need, too. A build without arrays
// has no others.

#ifndef GPULINALG_ENGINE_MEMORY_CUH
#define GPULINALG_ENGINE_MEMORY_CUH

#include "arrays/job.h"

void engine_watch (gla_engine *engine, const gla_monitor *monitor);
gla_status engine_take (gla_engine *engine, size_t bytes, void **memory);
void engine_give (gla_engine *engine, void *memory);
void engine_memory (gla_engine *engine, gla_memory_info *info);
gla_status engine_put (gla_engine *engine, void *to, const void *from, size_t bytes);
gla_status engine_get (gla_engine *engine, void *to, const void *from, size_t bytes);
gla_status engine_finish (gla_engine *engine);
gla_status engine_fetch (gla_engine *engine, void *to, gla_engine *other, const void *from,
                         size_t bytes);

#endif
