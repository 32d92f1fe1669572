// orderings.h: in which order pairs of columns, or of blocks, meet in a sweep of a Jacobi method
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As in a tournament, the columns (players) 0..n-1 meet in steps of n/2 disjoint pairs (p, q), p <
// q, so all pairs of a step can be worked on at once. Shared by the backends.

#ifndef GPULINALG_ORDERINGS_H
#define GPULINALG_ORDERINGS_H

#include "gpulinalg.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pairs of an ordering of `players`, an even number, as gla_ordering_fill writes them.
typedef struct {
  int players, steps;
  int32_t *pairs;
} gla_column_order;

// n even. GLA_GSVD_ORDERING_ME has n-1 steps, in which every pair meets once; GLA_GSVD_ORDERING_MM
// has n steps, in which every pair meets and the pairs (i, i+n/2) meet twice.
int32_t gla_ordering_steps (gla_gsvd_ordering kind, int32_t n);

// Writes pair k of step s to pairs[2*(s*n/2 + k)] and behind it: steps * n numbers.
// GLA_GSVD_ORDERING_ME: Mantharam and Eberlein (1993) as generalised by Novakovic and Singer
// (2021): tables of order 2*odd, here of the circle method, and doubling. GLA_GSVD_ORDERING_MM:
// modified modulus (Novakovic, Singer, Singer 2015).
void gla_ordering_fill (gla_gsvd_ordering kind, int32_t n, int32_t *pairs);

#ifdef __cplusplus
}
#endif

#endif
