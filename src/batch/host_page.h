// host_page.h: pages on the host: copied from device memory and back, and work on them, inside of
// src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_HOST_PAGE_H
#define GPULINALG_HOST_PAGE_H

#include "context.h"
#include "qr/job.h"

//------------------------------------------------------------------------------
// pages of an array in device memory, copied to the host and back, inside of src/
//------------------------------------------------------------------------------

// Takes memory of the host for `count` pages of `device`; without data if that has none. Returns 0
// if there is no memory. The caller frees host->data.
int gla_host_pages_take (const gla_array *device, int64_t count, gla_array *host);
// Does so for one page, which represents that of any number: the stride of pages is 0.
int gla_host_page_take (const gla_array *device, gla_array *host);
// Copies pages page[0] .. page[count-1] of an array that has data; consecutive pages are copied
// together. After copies to the GPU the caller must call gla_wait.
gla_status gla_host_pages_get (gla_context *ctx, const gla_array *device, const int64_t *page,
                               int64_t count, const gla_array *host);
gla_status gla_host_pages_put (gla_context *ctx, const gla_array *device, const int64_t *page,
                               int64_t count, const gla_array *host);

//------------------------------------------------------------------------------
// work on pages on the host after gla_qr or gla_gsvd, for src/ only
//------------------------------------------------------------------------------

// Sets the type and the monitor of the job and has the CPU do it. reports: nonzero if the progress
// is reported, page by page. Nothing is done without pages.
gla_status gla_finish_pages (gla_context *ctx, gla_pages_job *job, gla_type type, int reports);

// Takes packed host memory of rows x columns x pages; data is NULL if there is none or too little.
gla_array gla_take_pages (gla_type type, int64_t rows, int64_t columns, int64_t pages);

#endif
