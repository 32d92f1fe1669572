// eigs_lanczos.h: the request of __eigs_lanczos__, and its results
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_EIGS_LANCZOS_H
#define GPULINALG_EIGS_LANCZOS_H

#include "arrays/gpu_device.h"
#include "common/shared_call.h"

#include <octave/ov-struct.h>

// The fields of the second argument; eigs_lanczos.m has checked what the user gave.
struct eigs_request {
  octave_value A; // sparse, a plan, or a function
  octave_value device, progress;
  octave_value doubt; // a function that says whether to give up; empty: none
  octave_idx_type n;
  int64_t k;
  gla_eigs_which which;
  gla_eigs_options eigs;
  octave_value v0;
  bool inverse; // the function multiplies by the inverse of A - sigma*I
  double sigma;
  bool single, is_complex;
  bool block_function; // the function accepts several columns
  bool vectors;        // return eigenvectors
  bool resident;       // as a gpuArray if a GPU may do the work
};

eigs_request eigs_read_request (const octave_value_list &args, int nargout);

octave_scalar_map eigs_stats_of (const gla_eigs_report &report);

// The start vector and the results of a call, for vectors with so many rows.
template <typename Array, typename Real> class eigs_outputs
{
public:
  eigs_outputs (eigs_request &want, octave_idx_type rows, int device = -1)
  {
    if (!want.v0.isempty ()) {
      gla::read (gla::gathered (want.v0), m_v0);
      want.eigs.v0 = m_v0.data ();
    }
    m_d = gla::unfilled<Real> (dim_vector (want.k, 1));
    results.values = gla::output (m_d);
    if (!want.vectors)
      return;
    // without vectors the residuals would take k extra products for no output
    m_residuals.resize (dim_vector (want.k, 1));
    results.residuals = m_residuals.fortran_vec ();
    const dim_vector dims (rows, want.k);
    if (device < 0) {
      m_V = gla::unfilled<Array> (dims);
      results.vectors = gla::part (gla::output (m_V));
      return;
    }
    const gla_type type = gla::type_of (m_V);
    m_resident = gla::new_on_gpu (device, static_cast<char> (type), dims);
    results.vectors = gla_array_packed (m_resident.data (), type, rows, want.k, 1, device);
    gla::wait_for_gpu (device);
  }

  // Returns no results of a call that was given up.
  octave_value_list values (gla_eigs_report report, bool given_up = false) const
  {
    if (given_up) {
      report.converged = 0;
      return ovl (Matrix (), Matrix (), eigs_stats_of (report), Matrix ());
    }
    octave_value_list all = ovl (m_d, m_residuals, eigs_stats_of (report), m_V);
    if (m_resident.on_gpu ())
      all (3) = gla::value_of (m_resident);
    return all;
  }

  gla_eigs_results results = gla::sized<gla_eigs_results> ();

private:
  Array m_v0, m_V;
  gla::gpu_value m_resident; // instead of m_V
  Real m_d;
  NDArray m_residuals;
};

#endif
