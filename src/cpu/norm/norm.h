// norm.h: what the files of the page norms share
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CPU_NORM_H
#define GPULINALG_CPU_NORM_H

#include "norm/job.h"

// Finds the norms of pages first .. first+count-1 of the chunk, for one type. work: job->m numbers.
typedef void (*gla_cpu_norm) (const gla_pagenorm_job *job, const gla_pagenorm_chunk *chunk,
                              int64_t first, int64_t count, double *work);

void gla_cpu_norm_s (const gla_pagenorm_job *, const gla_pagenorm_chunk *, int64_t, int64_t,
                     double *);
void gla_cpu_norm_d (const gla_pagenorm_job *, const gla_pagenorm_chunk *, int64_t, int64_t,
                     double *);
void gla_cpu_norm_c (const gla_pagenorm_job *, const gla_pagenorm_chunk *, int64_t, int64_t,
                     double *);
void gla_cpu_norm_z (const gla_pagenorm_job *, const gla_pagenorm_chunk *, int64_t, int64_t,
                     double *);

#endif
