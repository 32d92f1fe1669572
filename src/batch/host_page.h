// host_page.h: a page of an array in device memory, copied to the host and back, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOST_PAGE_H
#define GPULINALG_HOST_PAGE_H

#include "context.h"

// Memory of the host for one page of `device`; without data where that has none. The stride of
// pages is 0, so it stands for a page of any number. Returns 0 where there is no memory. What
// host->data points to is freed by the caller.
int gla_host_page_take (const gla_array *device, gla_array *host);
// Copies that page of an array that has data. After copies to the GPU, gla_wait.
gla_status gla_host_page_get (gla_context *ctx, const gla_array *device, int64_t page,
                              const gla_array *host);
gla_status gla_host_page_put (gla_context *ctx, const gla_array *device, int64_t page,
                              const gla_array *host);

#endif
