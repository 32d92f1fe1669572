// orderings.h: the order in which pairs of columns, or of blocks, meet in a sweep of a Jacobi
// method
// SPDX-License-Identifier: GPL-3.0-or-later
//
// As in a tournament, the columns (players) 0..n-1 meet in steps of n/2 disjoint pairs (p, q), p <
// q, so all pairs of a step can be done at once. The backends share this.

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

// Writes pair k of step s to pairs[2*(s*n/2 + k)] and the number after it: steps * n numbers.
// GLA_GSVD_ORDERING_ME: Mantharam and Eberlein (1993) as generalised by Novakovic and Singer
// (2021): tables of order 2*odd, here of the circle method, and doubling. GLA_GSVD_ORDERING_MM:
// modified modulus (Novakovic, Singer, Singer 2015).
void gla_ordering_fill (gla_gsvd_ordering kind, int32_t n, int32_t *pairs);

//------------------------------------------------------------------------------
// blocks of columns that several devices share
//------------------------------------------------------------------------------
//
// The n blocks are cut into P parts of b neighbouring ones. Part c meets part c XOR h, for h = P-1
// .. 2, in b steps each; then neighbouring parts, two by two, are ordered among themselves as
// gla_ordering_fill has it. So N-1 steps (MM: N) of n/2 disjoint pairs, and for n = 2^k those of
// GLA_GSVD_ORDERING_ME. On g devices, P/2 or a half or a quarter of them, 2g shares of n/(2g)
// blocks meet in phases H = 2g-1 .. 1, share C and share C XOR H on one device; the last phase also
// has the pairs within a share. All devices have the same tables of local block numbers, and any
// number of devices makes the same pairs in the same order.

// Returns P: 2 below 64 blocks, which is the order of gla_ordering_fill, then 4, 8 and from 256 on
// 16.
int32_t gla_ordering_parts (int32_t n);
// Returns the least number of blocks from n on that is a multiple of its gla_ordering_parts.
int32_t gla_ordering_blocks (int32_t n);
// Returns the steps of phase H with so many devices, and the first of them.
int32_t gla_ordering_phase (gla_gsvd_ordering kind, int32_t n, int32_t devices, int32_t phase,
                            int32_t *first);
// Writes the pairs of one device: steps * n/devices numbers, as gla_ordering_fill. Blocks 0 ..
// n/(2*devices)-1 are those of the share with the lower number, the others follow. With one device
// they are the blocks themselves.
void gla_ordering_shared (gla_gsvd_ordering kind, int32_t n, int32_t devices, int32_t *pairs);

#ifdef __cplusplus
}
#endif

#endif
