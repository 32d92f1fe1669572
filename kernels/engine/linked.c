// linked.c: the backends of a program that has the kernels in itself, as tests and benchmarks do
// SPDX-License-Identifier: GPL-3.0-or-later

#include "backend.h"

gla_backend_list gla_backends (void)
{
  return (gla_backend_list){.cpu = &gla_backend_cpu, .gpu = &gla_backend_cuda, .about = "linked"};
}
