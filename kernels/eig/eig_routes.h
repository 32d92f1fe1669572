// eig_routes.h: which kernels batcheig uses on a GPU, by type and n
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of methods "qr" and "auto"; the first row whose n_to is not below n counts. Measured;
// `make tune` measures it again on a GPU and prints it in this form.

#ifndef GPULINALG_EIG_ROUTES_H
#define GPULINALG_EIG_ROUTES_H

typedef enum {
  EIG_STAGES, // a kernel for each stage
  EIG_WHOLE,  // whole pages in one kernel (small.cu, n <= 32)
  EIG_WARP,   // by stages, of which one kernel reads and reduces (hetrd_warp.cu, n <= 128, z: 96)
  EIG_BAND,   // by stages, by way of a band matrix (he2hb.cuh, hb2st.cu)
  EIG_LARGE   // one page after the other, each by the whole GPU (large.cuh)
} gla_eig_way;

typedef struct {
  int n_to;
  gla_eig_way way;
  int strip; // columns of V to a block of the back-transform (unmtr_blocked.cu: 8, 16, 32); 0: a
             // column to some lanes (unmtr_page.cu, unmtr.cu). Where a strip does not fit, a
             // narrower one serves. Of most columns of large complex double pages products of
             // pages serve instead (unmtr_wide.cu).
} gla_eig_route;

typedef struct {
  char type;
  gla_eig_route rows[8];   // with eigenvectors
  gla_eig_route values[4]; // without
} gla_eig_route_table;

static const gla_eig_route_table gla_eig_routes[4] = {
    {'z',
     {{16, EIG_WHOLE, 0},
      {80, EIG_WARP, 0},
      {96, EIG_STAGES, 0},
      {192, EIG_STAGES, 16},
      {480, EIG_STAGES, 8},
      {1088, EIG_BAND, 8},
      {1536, EIG_STAGES, 8},
      {32768, EIG_LARGE, 0}},
     {{16, EIG_WHOLE, 0}, {80, EIG_WARP, 0}, {2048, EIG_BAND, 0}, {32768, EIG_LARGE, 0}}},
    {'c',
     {{16, EIG_WHOLE, 0},
      {28, EIG_WARP, 0},
      {32, EIG_WHOLE, 0},
      {112, EIG_WARP, 0},
      {128, EIG_STAGES, 0},
      {192, EIG_STAGES, 16},
      {1536, EIG_STAGES, 8},
      {32768, EIG_LARGE, 0}},
     {{16, EIG_WHOLE, 0}, {88, EIG_WARP, 0}, {2048, EIG_BAND, 0}, {32768, EIG_LARGE, 0}}},
    {'d',
     {{16, EIG_WHOLE, 0},
      {112, EIG_WARP, 0},
      {224, EIG_STAGES, 32},
      {384, EIG_STAGES, 16},
      {1792, EIG_BAND, 16},
      {32768, EIG_LARGE, 0}},
     {{16, EIG_WHOLE, 0}, {68, EIG_WARP, 0}, {2048, EIG_BAND, 0}, {32768, EIG_LARGE, 0}}},
    {'s',
     {{32, EIG_WHOLE, 0},
      {128, EIG_WARP, 0},
      {224, EIG_STAGES, 32},
      {480, EIG_STAGES, 16},
      {1792, EIG_BAND, 16},
      {32768, EIG_LARGE, 0}},
     {{16, EIG_WHOLE, 0}, {88, EIG_WARP, 0}, {2048, EIG_BAND, 0}, {32768, EIG_LARGE, 0}}},
};

#endif
