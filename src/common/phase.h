// phase.h: the phase of eigenvectors, the same in all backends
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An eigenvector is multiplied by the number of modulus 1 that makes its largest component real and
// positive. Of components whose moduli differ by less than one in a thousand the first one is
// taken, so that components that are equal but for rounding give the same phase everywhere.

#ifndef GPULINALG_PHASE_H
#define GPULINALG_PHASE_H

// The first component with at least this part of the largest modulus is taken.
#define GLA_PHASE_NEAR 0.999

#endif
