// qr_pivot_blocks.cu: QR with column pivoting block by block: memory, order of work
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_plan.cuh"

// Blocks that are launched before the host waits, fewer of several pages: meanwhile it may be busy
// for longer than one takes.
enum { BLOCKS_AHEAD = 8 };

// Single precision is too narrow for squares of norms without scaling.
template <class T> qr_sketch<T>::qr_sketch (const gla_qr_job &job, int64_t pages, carver &c)
{
  const bool done = job.pivot == QR_PIVOT_BLOCKS && qr_pivots_blocks (job.m, job.n) &&
                    sizeof (real_t<T>) == sizeof (double);
  const int64_t ld = QR_SKETCH_ROWS, groups = done ? 2 * QR_SKETCH_GROUPS : 0;
  rows = done ? (int)QR_SKETCH_ROWS : 0;
  G = {c.take<T> (rows * job.m * pages), ld, ld * job.m};
  S = {c.take<T> (rows * job.n * pages), ld, ld * job.n};
  column = c.take<T> (groups * ld);
  offer = c.take<qr_offer> (groups);
  flag = c.take<int> (groups);
  chosen = c.take<int> (done ? pages * QR_BLOCK : 0);
}

// A sketch, its columns, their place, the block, all that is right of it.
template <class T> gla_status qr_factor_sketched (const qr_worker<T> &w, const qr_pause &pause)
{
  const qr_plan<T> &p = w.p;
  const int ahead = p.pages < BLOCKS_AHEAD ? BLOCKS_AHEAD / (int)p.pages : 1;
  GLA_TRY (qr_sketch_start (p, w.stream));
  for (int64_t J = 0; J < p.k; J += p.block) {
    const int count = p.k - J < p.block ? (int)(p.k - J) : p.block;
    GLA_TRY (w.gemm ('N', 'N', p.sketch.rows, p.n - J, p.m - J, 1, p.sketch.G.at (0, J),
                     p.Y.at (J, J), 0, p.sketch.S));
    GLA_TRY (qr_sketch_choose (p, J, count, w.stream));
    GLA_TRY (qr_sketch_permute (p, J, count, w.stream));
    GLA_TRY (w.factor_block (J, J, count));
    GLA_TRY (
        w.apply_adjoint (J, count, qr_block_factor (p, J), p.Y.at (J, J + count), p.n - J - count));
    if (J / p.block % ahead == ahead - 1)
      GLA_TRY (pause.wait (pause.user));
  }
  return GLA_OK;
}

#define GLA_INSTANTIATE(T) template qr_sketch<T>::qr_sketch (const gla_qr_job &, int64_t, carver &);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
template gla_status qr_factor_sketched (const qr_worker<double> &, const qr_pause &);
template gla_status qr_factor_sketched (const qr_worker<cx<double>> &, const qr_pause &);
