// diag.h: what the files of the diagonals share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_DIAG_H
#define GPULINALG_CPU_DIAG_H

#include "diag/job.h"

// Does pages first .. first+count-1 of the chunk, for one type.
typedef void (*gla_cpu_diag) (const gla_pagediag_job *job, const gla_pagediag_chunk *chunk,
                              int64_t first, int64_t count);

void gla_cpu_diag_s (const gla_pagediag_job *, const gla_pagediag_chunk *, int64_t, int64_t);
void gla_cpu_diag_d (const gla_pagediag_job *, const gla_pagediag_chunk *, int64_t, int64_t);
void gla_cpu_diag_c (const gla_pagediag_job *, const gla_pagediag_chunk *, int64_t, int64_t);
void gla_cpu_diag_z (const gla_pagediag_job *, const gla_pagediag_chunk *, int64_t, int64_t);

#endif
