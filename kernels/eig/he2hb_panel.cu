// he2hb_panel.cu: the panel of a step of the reduction to band form
// SPDX-License-Identifier: GPL-3.0-or-later

#include "he2hb_panel.cuh"

namespace
{

// V with its ones and zeros.
template <class T, int G>
GLA_DEVICE void store_reflectors (const band_page<T> &p, numbers<wide<T>, 4> (&a)[G])
{
#pragma unroll
  for (int g = 0; g < G; g++) {
    if (g == 0 && p.warp == 0)
      ones_and_zeros (a[0]);
    store_rows (p, p.V, p.row (g), a[g]);
  }
}

// If eigenvectors are wanted, keeps the reflectors in A, whose columns of the panel are not read
// any more, and their factors in a.tau.
template <class T, int G>
GLA_DEVICE void keep_reflectors (const eig_args<T> &args, const band_page<T> &p, int64_t page,
                                 const wide<T> *tau, const numbers<wide<T>, 4> (&a)[G])
{
  int lane = threadIdx.x % 32, j = p.top + lane % 4 * 2;
  if (threadIdx.x < EIG_BANDWIDTH)
    args.tau[page * p.n + p.top + threadIdx.x] = narrow<T> (tau[threadIdx.x]);
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int q = 0; q < 4; q++) {
      int i = p.row (g) + lane / 4 + q / 2 * 8;
      if (i < p.rows)
        p.A[(int64_t)(j + q % 2) * p.n + p.top + EIG_BANDWIDTH + i] = narrow<T> (a[g].get (q));
    }
}

// Sets the rows after the last one to zero in V and W, in every step.
template <class T> GLA_DEVICE void clear_ends (const eig_args<T> &a, int64_t page)
{
  typedef wide<T> E;
  band_scratch<T> s (a.n);
  E *scratch = reinterpret_cast<E *> (a.panel + page * s.size ());
  for (int t = threadIdx.x; t < EIG_BAND_TILE * EIG_BANDWIDTH; t += blockDim.x)
    for (int k = 0; k < 3; k++)
      scratch[k * s.rows () + (int64_t)a.n * EIG_BANDWIDTH + t] = from_real<E> (0);
}

// Warps of a block at most.
template <int G> constexpr int panel_warps = G == 1 ? 4 : G == 2 ? 16 : HE2HB_WARPS_MOST;

// One block has a page. Each warp has G times 16 rows as fragments of the tensor cores, four lanes
// to a row with two of the eight columns each; they hold X of the previous step first, V of this
// one in the end. A column of the QR factorisation takes one barrier: the products of its part
// below the pivot with all eight columns give its norm, the update of the columns right of it, and
// a column of T.
template <class T, int G>
__global__ void __launch_bounds__ (32 * panel_warps<G>, 1)
    he2hb_panel_kernel (eig_args<T> a, int step, bool updated)
{
  typedef wide<T> E;
  extern __shared__ __align__ (16) unsigned char memory[];
  __shared__ column_exchange<E, HE2HB_WARPS_MOST> exchange;
  int64_t page = blockIdx.x;
  if (a.info[page] != 0)
    return;
  band_page<T> p (a, page, step, reinterpret_cast<E *> (memory));
  numbers<E, 4> x[G];
  if (updated) {
#pragma unroll
    for (int g = 0; g < G; g++) {
      x[g] = {};
      if (p.row (g) < p.rows)
        x[g] = load_rows<E, 4> (p.V + (p.top + EIG_BANDWIDTH + p.row (g)) * EIG_BANDWIDTH);
    }
  } else if (step > 0) {
    update_panel (p, x);
  } else {
    clear_ends (a, page);
    if (p.warp == 0)
      store_diagonal (p, load_columns<2> (p, -EIG_BANDWIDTH));
#pragma unroll
    for (int g = 0; g < G; g++)
      x[g] = load_columns<4> (p, p.row (g));
  }
#pragma unroll 1
  for (int c = 0; c < EIG_BANDWIDTH; c += 2) {
    eliminate<0> (p, exchange, c, x);
    eliminate<1> (p, exchange, c + 1, x);
  }
  __syncthreads ();
  if (threadIdx.x < EIG_BANDWIDTH)
    store_factor (p, exchange);
  if (p.warp == 0)
    store_triangle (p, x[0]);
  store_reflectors (p, x);
  if (a.chased != nullptr)
    keep_reflectors (a, p, page, exchange.tau, x);
}

template <int G, class T> cudaError_t launch (const eig_args<T> &a, int step)
{
  int groups = (a.n - (step + 1) * EIG_BANDWIDTH + 15) / 16;
  int warps = (groups + G - 1) / G;
  he2hb_panel_kernel<T, G><<<(unsigned)a.pages, 32 * warps, panel_bytes<T> (warps), a.stream>>> (
      a, step, step > 0 && he2hb_splits (a.n, step));
  return cudaGetLastError ();
}

} // namespace

template <class T> cudaError_t he2hb_panel (const eig_args<T> &a, int step)
{
  int groups = (a.n - (step + 1) * EIG_BANDWIDTH + 15) / 16;
  if (groups <= panel_warps<1>)
    return launch<1> (a, step);
  if (groups <= 2 * panel_warps<2>)
    return launch<2> (a, step);
  if (groups <= 4 * panel_warps<4>)
    return launch<4> (a, step);
  return groups <= 8 * panel_warps<8> ? launch<8> (a, step) : cudaErrorInvalidValue;
}

template cudaError_t he2hb_panel (const eig_args<float> &, int);
template cudaError_t he2hb_panel (const eig_args<double> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<float>> &, int);
template cudaError_t he2hb_panel (const eig_args<cx<double>> &, int);
