// sparse_matrix.cc: prepared sparse matrices, and plans
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_matrix.h"

#include <algorithm>

namespace gla
{

//------------------------------------------------------------------------------
// a prepared matrix
//------------------------------------------------------------------------------

template <typename Matrix, typename Values>
static void narrow_values (const Matrix &A, Values &values, gla_csr &csr)
{
  typedef typename Values::element_type T;
  values = unfilled<Values> (dim_vector (A.nnz (), 1));
  std::transform (A.data (), A.data () + A.nnz (), values.fortran_vec (),
                  [] (const typename Matrix::element_type &x) { return static_cast<T> (x); });
  csr.values = values.data ();
}

gla_csr sparse_matrix::describe (const char *who, const octave_value &A, const settings &how,
                                 bool complex)
{
  if (!A.issparse ()) {
    const std::string name = A.class_name ();
    const bool full = A.isfloat () || A.islogical ();
    error_with_id (
        "gpulinalg:bad-class", "%s: A must be a sparse matrix or a plan of spmv_plan, not %s%s%s",
        who, full ? "a full array of class " : "", name.c_str (), full ? "; use sparse (A)" : "");
  }
  gla_csr csr;
  if (A.islogical () && !complex) {
    // A logical matrix stores only true, so the library needs no values.
    m_logical = A.sparse_bool_matrix_value ();
    csr = columns_of (m_logical, how.single ? GLA_TYPE_S : GLA_TYPE_D);
  } else if (A.iscomplex () || complex) {
    m_complex = A.sparse_complex_matrix_value ();
    csr = columns_of (m_complex, how.single ? GLA_TYPE_C : GLA_TYPE_Z);
    if (how.single)
      narrow_values (m_complex, m_single_complex_values, csr);
    else
      csr.values = m_complex.data ();
  } else {
    m_real = A.sparse_matrix_value ();
    csr = columns_of (m_real, how.single ? GLA_TYPE_S : GLA_TYPE_D);
    if (how.single)
      narrow_values (m_real, m_single_values, csr);
    else
      csr.values = m_real.data ();
  }
  return csr;
}

static gla_sparse_options options_of (const sparse_matrix::settings &how)
{
  auto options = gla::sized<gla_sparse_options> ();
  options.method = how.method;
  options.by_columns = 1;
  options.once = how.once;
  return options;
}

sparse_matrix::sparse_matrix (gla::call &call, const char *who, const octave_value &A,
                              const settings &how)
    : m_matrix (A)
{
  const gla_csr csr = describe (who, A, how, false);
  const gla_sparse_options options = options_of (how);
  call.finish (gla_sparse_create (call.context (), &csr, &m_sparse, &options));
}

sparse_matrix::sparse_matrix (const char *who, const octave_value &A, const settings &how,
                              bool complex, const maker_of_rows &make)
    : m_matrix (A)
{
  const gla_csr csr = describe (who, A, how, complex);
  m_rows_info.type = csr.type;
  m_rows_info.rows = csr.rows;
  m_rows_info.columns = csr.columns;
  m_rows_info.entries = A.nnz ();
  m_rows_info.method = how.method;
  m_rows = make (csr, options_of (how));
}

gla_sparse_info sparse_matrix::info () const
{
  if (m_rows)
    return m_rows_info;
  auto info = gla::sized<gla_sparse_info> ();
  (void)gla_sparse_query (m_sparse, &info); // neither is NULL
  return info;
}

//------------------------------------------------------------------------------
// options of spmv and spmv_plan
//------------------------------------------------------------------------------

static const std::vector<std::string> method_names = {"auto", "scalar", "vector", "group",
                                                      "balanced"};
static const gla_spmv_method methods[] = {GLA_SPMV_METHOD_AUTO, GLA_SPMV_METHOD_SCALAR,
                                          GLA_SPMV_METHOD_VECTOR, GLA_SPMV_METHOD_GROUP,
                                          GLA_SPMV_METHOD_BALANCED};

gla_spmv_method method_of (const options &opts)
{
  std::string name = opts.word ("method", method_names);
  auto at = std::find (method_names.begin (), method_names.end (), name);
  return at == method_names.end () ? GLA_SPMV_METHOD_AUTO : methods[at - method_names.begin ()];
}

const char *method_name (gla_spmv_method method)
{
  auto at = std::find (std::begin (methods), std::end (methods), method);
  return method_names[at - std::begin (methods)].c_str ();
}

bool single_of (const options &opts)
{
  return opts.word ("precision", {"single", "double"}) == "single";
}

//------------------------------------------------------------------------------
// plans
//------------------------------------------------------------------------------

plan::plan (octave::interpreter &interp, const octave_value &A, const octave_value &device,
            const sparse_matrix::settings &how)
    : plan (interp, [&] (gla_context *context, octave_value &place) {
        place = device;
        gla::call call ("spmv_plan", interp, context);
        call.set_place (device); // a bad device is an error here, not at the first product
        return std::unique_ptr<sparse_matrix> (new sparse_matrix (call, "spmv_plan", A, how));
      })
{
}

plan::plan (octave::interpreter &interp, const maker &make)
    : m_context (take_context ("spmv_plan", interp))
{
  try {
    m_matrix = make (m_context, m_device);
  } catch (...) {
    give_context (m_context);
    throw;
  }
}

plan::~plan ()
{
  m_matrix.reset ();
  give_context (m_context);
}

plan::use::use (const char *who, const std::shared_ptr<plan> &p) : m_plan (p)
{
  if (m_plan->m_busy)
    error_with_id (
        "gpulinalg:busy",
        "%s: this plan is in use by a call that has not ended; make a second plan for the "
        "function that this call runs",
        who);
  m_plan->m_busy = true;
}

} // namespace gla
