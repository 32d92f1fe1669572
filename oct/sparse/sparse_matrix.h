// sparse_matrix.h: sparse matrices of Octave prepared for the library, and plans
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPARSE_MATRIX_H
#define GPULINALG_SPARSE_MATRIX_H

#include "common/shared_call.h"

#include <functional>
#include <memory>

namespace gla
{

// Describes the columns of a sparse matrix of Octave to the library, without its values.
template <typename Matrix> gla_csr columns_of (const Matrix &A, gla_type type)
{
  gla_csr csr = {};
  csr.type = type;
  csr.rows = A.rows ();
  csr.columns = A.cols ();
  csr.index_bytes = sizeof (octave_idx_type);
  csr.start = A.cidx ();
  csr.index = A.ridx ();
  return csr;
}

// A prepared sparse matrix, for one call or for as long as a plan exists. The library reads the
// indices and double values in Octave's own memory, so this object holds a copy-on-write reference
// to the matrix.
class sparse_matrix
{
public:
  struct settings {
    bool single;            // compute in single precision
    gla_spmv_method method; // how a GPU distributes the rows
    bool once;              // the matrix is used for one product only
  };

  // A must be sparse: real, complex or logical. Anything else ends with gpulinalg:bad-class.
  sparse_matrix (gla::call &call, const char *who, const octave_value &A, const settings &how);
  // The rows of this process, of a square matrix whose rows are spread over ranks: what `make`
  // makes of them, which products need, lives as long as this object. complex: that of any rank is.
  typedef std::function<std::shared_ptr<void> (const gla_csr &csr,
                                               const gla_sparse_options &options)>
      maker_of_rows;
  sparse_matrix (const char *who, const octave_value &A, const settings &how, bool complex,
                 const maker_of_rows &make);
  ~sparse_matrix () { gla_sparse_destroy (m_sparse); }
  sparse_matrix (const sparse_matrix &) = delete;
  sparse_matrix &operator= (const sparse_matrix &) = delete;

  gla_sparse *get () const { return m_sparse; }
  void *rows () const { return m_rows.get (); }            // NULL: the matrix is here as a whole
  const octave_value &matrix () const { return m_matrix; } // the argument A
  gla_sparse_info info () const;

private:
  // Reads A, as complex numbers if it is or `complex` is set.
  gla_csr describe (const char *who, const octave_value &A, const settings &how, bool complex);

  octave_value m_matrix;
  SparseMatrix m_real; // one of these three holds the indices
  SparseComplexMatrix m_complex;
  SparseBoolMatrix m_logical;
  FloatNDArray m_single_values; // copies of the values in single precision, if `single` is set
  FloatComplexNDArray m_single_complex_values;
  gla_sparse *m_sparse = nullptr;
  std::shared_ptr<void> m_rows;
  gla_sparse_info m_rows_info = sized<gla_sparse_info> ();
};

// The option "method"; GLA_SPMV_METHOD_AUTO if it was not given.
gla_spmv_method method_of (const options &opts);
const char *method_name (gla_spmv_method method);

// Whether the option "precision" is "single".
bool single_of (const options &opts);

// The object that variables with a plan share. It has its own context, because a prepared matrix
// and its copies on GPUs belong to one context.
class plan
{
public:
  plan (octave::interpreter &interp, const octave_value &A, const octave_value &device,
        const sparse_matrix::settings &how);
  // Of a matrix that `make` prepares with the context of the plan; it sets the option "device".
  typedef std::function<std::unique_ptr<sparse_matrix> (gla_context *context, octave_value &device)>
      maker;
  plan (octave::interpreter &interp, const maker &make);
  ~plan ();
  plan (const plan &) = delete;
  plan &operator= (const plan &) = delete;

  const sparse_matrix &matrix () const { return *m_matrix; }

  // Marks the plan as busy while a function uses it. Ends with gpulinalg:busy if it is busy
  // already, which happens when a progress function uses the plan of the running call.
  class use
  {
  public:
    use (const char *who, const std::shared_ptr<plan> &p);
    ~use () { m_plan->m_busy = false; }
    use (const use &) = delete;
    use &operator= (const use &) = delete;
    gla_context *context () const { return m_plan->m_context; }
    // The option "device" of this call, or that of spmv_plan if this call has none.
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
