// fun.c: the kernels of functions of pages for this processor
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cpu/fun/fun.h"

#include "cpu/engine.h"
#include "cpu/isa.h"
#include "cpu/product/product.h"

GLA_KERNEL_LIST (fun);

int gla_cpu_fun_here (gla_type V, gla_type F, gla_cpu_fun_product *kernels, char *why,
                      size_t why_size)
{
  const int isa = gla_cpu_isa_here (why, why_size);
  if (isa < 0)
    return 0;
  const gla_cpu_product_kernel *product = gla_cpu_product_kernels[isa][gla_cpu_type_index (F)];
  *kernels = (gla_cpu_fun_product){.kernel = gla_cpu_fun_kernels[isa][gla_cpu_type_index (V)],
                                   .workspace = product->workspace,
                                   .pages = product->pages};
  return 1;
}
