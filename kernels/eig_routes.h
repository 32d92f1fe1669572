// eig_routes.h: which kernels serve batcheig on a GPU, by type and n
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of methods "qr" and "auto"; the first row whose n_to is not below n counts. Measured;
// `make tune` measures it again on a GPU and prints it in this form.

#ifndef GPULINALG_EIG_ROUTES_H
#define GPULINALG_EIG_ROUTES_H

typedef struct {
  int n_to;
  int whole; // 1: whole pages in one kernel (small.cu, n <= 32); 0: stage by stage
  int strip; // columns of V to a block of the back-transform (unmtr_blocked.cu: 8, 16, 32); 0: a
             // column to some lanes (unmtr.cu). Where a strip does not fit, a narrower one serves.
  int band;  // 1: eigenvalues alone by way of a band matrix (he2hb.cu, hb2st.cu)
} gla_eig_route;

// n_to above 0: this row serves, whatever the table says (for measuring the table).
extern gla_eig_route gla_eig_route_override;

typedef struct {
  char type;
  gla_eig_route rows[4];   // with eigenvectors
  gla_eig_route values[3]; // without
} gla_eig_route_table;

static const gla_eig_route_table gla_eig_routes[4] = {
    {'z',
     {{16, 1, 0, 0}, {64, 0, 0, 0}, {192, 0, 16, 0}, {2048, 0, 8, 0}},
     {{16, 1, 0, 0}, {64, 0, 0, 0}, {2048, 0, 0, 1}}},
    {'c',
     {{32, 1, 0, 0}, {80, 0, 0, 0}, {192, 0, 16, 0}, {2048, 0, 8, 0}},
     {{32, 1, 0, 0}, {64, 0, 0, 0}, {2048, 0, 0, 1}}},
    {'d',
     {{32, 1, 0, 0}, {64, 0, 0, 0}, {224, 0, 32, 0}, {2048, 0, 16, 0}},
     {{32, 1, 0, 0}, {64, 0, 0, 0}, {2048, 0, 0, 1}}},
    {'s',
     {{32, 1, 0, 0}, {64, 0, 0, 0}, {224, 0, 32, 0}, {2048, 0, 16, 0}},
     {{32, 1, 0, 0}, {64, 0, 0, 0}, {2048, 0, 0, 1}}},
};

#endif
