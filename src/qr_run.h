// qr_run.h: a call of gla_qr, inside of src/
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_QR_RUN_H
#define GPULINALG_QR_RUN_H

#include "lanes.h"

// What is described here belongs to a gla_run of the same call.
typedef struct {
  gla_run pages;
  gla_qr_job job;
  gla_qr_chunk all; // the whole arrays
  gla_qr_report report;
} gla_qr_run;

int gla_qr_kinds (const void *call, gla_kind *kinds); // qr_costs.c; `call` is a gla_qr_run

#endif
