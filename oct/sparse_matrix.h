// sparse_matrix.h: sparse matrices of Octave as the library sees them, and plans
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPARSE_MATRIX_H
#define GPULINALG_SPARSE_MATRIX_H

#include "gla_octave.h"

#include <memory>

namespace gla
{

// A prepared sparse matrix, for one call or for as long as a plan lives. Indices are Octave's own,
// and so are double values: the Octave matrix is held, so nothing of it changes or goes away.
class sparse_matrix
{
public:
  struct settings {
    bool single;            // computations in single precision
    gla_spmv_method method; // of products
    bool once;              // one product only
  };

  // A is sparse, real, complex or logical; anything else ends with gpulinalg:bad-class.
  sparse_matrix (gla::call &call, const char *who, const octave_value &A, const settings &how);
  ~sparse_matrix () { gla_sparse_destroy (m_sparse); }
  sparse_matrix (const sparse_matrix &) = delete;
  sparse_matrix &operator= (const sparse_matrix &) = delete;

  gla_sparse *get () const { return m_sparse; }
  const octave_value &matrix () const { return m_matrix; } // as it was given
  gla_sparse_info info () const;

private:
  octave_value m_matrix;
  SparseMatrix m_real; // one of these three holds the indices
  SparseComplexMatrix m_complex;
  SparseBoolMatrix m_logical;
  FloatNDArray m_single_values; // where they are single
  FloatComplexNDArray m_single_complex_values;
  gla_sparse *m_sparse = nullptr;
};

// "method": one of the names, or not defined.
gla_spmv_method method_of (const options &opts);
const char *method_name (gla_spmv_method method);

// "device": what gla::call::set_place takes. True for "precision", "single".
bool single_of (const options &opts);

// What a variable that holds a plan refers to. It has a context of its own, because a prepared
// matrix belongs to one; the copies on GPUs are in it.
class plan
{
public:
  plan (octave::interpreter &interp, const octave_value &A, const octave_value &device,
        const sparse_matrix::settings &how);
  ~plan ();
  plan (const plan &) = delete;
  plan &operator= (const plan &) = delete;

  const sparse_matrix &matrix () const { return *m_matrix; }

  // Holds the plan while a function works with it; ends with gpulinalg:busy where one does already,
  // which a progress function can bring about.
  class use
  {
  public:
    use (const char *who, const std::shared_ptr<plan> &p);
    ~use () { m_plan->m_busy = false; }
    use (const use &) = delete;
    use &operator= (const use &) = delete;
    gla_context *context () const { return m_plan->m_context; }
    // The place that was asked for now, or else when the plan was made.
    octave_value place (const octave_value &device) const
    {
      return device.is_defined () ? device : m_plan->m_device;
    }

  private:
    std::shared_ptr<plan> m_plan;
  };

private:
  gla_context *m_context;
  octave_value m_device;
  std::unique_ptr<sparse_matrix> m_matrix;
  bool m_busy = false;
};

} // namespace gla

#endif
