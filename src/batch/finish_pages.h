// finish_pages.h: work on pages on the host after gla_qr or gla_gsvd, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_FINISH_PAGES_H
#define GPULINALG_FINISH_PAGES_H

#include "context.h"

// Sets the type and the monitor of the job and has the CPU do it. reports: nonzero where the
// progress is reported, page by page. Nothing is done without pages.
gla_status gla_finish_pages (gla_context *ctx, gla_pages_job *job, gla_type type, int reports);

// Packed host memory of rows x columns x pages; data is NULL where there is none or too little.
gla_array gla_take_pages (gla_type type, int64_t rows, int64_t columns, int64_t pages);

#endif
