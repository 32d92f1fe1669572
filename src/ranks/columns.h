// columns.h: a matrix of rank 0 goes to all ranks by columns
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_RANKS_COLUMNS_H
#define GPULINALG_RANKS_COLUMNS_H

#include "group.h"

// The columns that belong to a rank, of a matrix that may have no data.
gla_array gla_columns_part (const gla_array *whole, int rank, int ranks);

// In a call for which ranks have met and reserved memory for the largest part: copies each rank's
// columns of `whole`, which rank 0 has, to its `mine`. If a rank has failed nothing is written.
void gla_columns_deal (gla_ranks *ranks, const gla_array *whole, const gla_array *mine);

#endif
