// plan_value.cc: the Octave type of variables that hold plans, and its operators
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan_value.h"

#include <octave/ov-bool-mat.h>
#include <octave/ov-bool.h>
#include <octave/ov-bool-sparse.h>
#include <octave/ov-complex.h>
#include <octave/ov-cx-mat.h>
#include <octave/ov-cx-sparse.h>
#include <octave/ov-float.h>
#include <octave/ov-flt-complex.h>
#include <octave/ov-flt-cx-mat.h>
#include <octave/ov-flt-re-mat.h>
#include <octave/ov-re-mat.h>
#include <octave/ov-re-sparse.h>
#include <octave/ov-scalar.h>
#include <octave/ov-typeinfo.h>

//------------------------------------------------------------------------------
// the value
//------------------------------------------------------------------------------

// Copies of a variable share the plan; it is destroyed with the last copy.
class octave_spmv_plan : public octave_base_value
{
public:
  octave_spmv_plan () {}
  explicit octave_spmv_plan (const gla::plan_view &view) : m_view (view) {}

  octave_base_value *clone () const { return new octave_spmv_plan (*this); }
  octave_base_value *empty_clone () const { return new octave_spmv_plan (); }

  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const { return m_view ? m_view.dims () : dim_vector (); }

  // One value, so that "P.matrix = ..." reaches subsasgn, which explains the error.
  octave_idx_type xnumel (const octave_value_list &) { return 1; }

  // isequal calls these before it compares by ==.
  bool isreal () const { return m_view && !m_view.is_complex (); }
  bool iscomplex () const { return m_view && m_view.is_complex (); }

  octave_value subsref (const std::string &type, const std::list<octave_value_list> &idx);
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &idx, int)
  {
    return ovl (subsref (type, idx));
  }
  octave_value subsasgn (const std::string &, const std::list<octave_value_list> &,
                         const octave_value &)
  {
    error_with_id ("gpulinalg:bad-class",
                   "spmv_plan: a plan cannot be changed; make a new plan of the new matrix");
  }

  bool print_as_scalar () const { return true; }
  void print (std::ostream &os, bool as_read_syntax = false);
  void print_raw (std::ostream &os, bool as_read_syntax = false) const;
  void short_disp (std::ostream &os) const { print_raw (os); }

  // Octave calls these for functions that expect a matrix.
  double double_value (bool = false) const { not_a_matrix (); }
  Matrix matrix_value (bool = false) const { not_a_matrix (); }
  NDArray array_value (bool = false) const { not_a_matrix (); }
  ComplexMatrix complex_matrix_value (bool = false) const { not_a_matrix (); }
  ComplexNDArray complex_array_value (bool = false) const { not_a_matrix (); }
  FloatMatrix float_matrix_value (bool = false) const { not_a_matrix (); }
  FloatComplexMatrix float_complex_matrix_value (bool = false) const { not_a_matrix (); }
  SparseMatrix sparse_matrix_value (bool = false) const { not_a_matrix (); }
  SparseComplexMatrix sparse_complex_matrix_value (bool = false) const { not_a_matrix (); }
  octave_value full_value () const { not_a_matrix (); }
  bool is_true () const { not_an_operand (); }
  octave_value resize (const dim_vector &, bool = false) const { not_an_operand (); }
  // Octave asks for it where no function is installed for an operator and these classes.
  type_conv_info numeric_conversion_function () const { return type_conv_info (refuse); }
  octave_idx_type nnz () const { return m_view.plan->matrix ().info ().entries; }

  // The last argument of save_binary was a reference before Octave 6.
  bool save_ascii (std::ostream &) { refuse_to_save (); }
  bool save_binary (std::ostream &, bool) { refuse_to_save (); }
  bool save_binary (std::ostream &, bool &) { refuse_to_save (); }
  bool save_hdf5 (octave_hdf5_id, const char *, bool) { refuse_to_save (); }

  const gla::plan_view &view () const { return m_view; }

private:
  OCTAVE_NORETURN static void refuse_to_save ()
  {
    error_with_id (
        "gpulinalg:bad-class",
        "save: a plan of spmv_plan cannot be saved; save its matrix, and make a new plan "
        "after loading it");
  }
  OCTAVE_NORETURN static void not_a_matrix ()
  {
    error_with_id ("gpulinalg:bad-class",
                   "spmv_plan: this function does not accept a plan; spmv, the operator * and "
                   "eigs_lanczos (for eigs) do; the matrix of a plan P is P.matrix");
  }
  OCTAVE_NORETURN static void not_an_operand ()
  {
    error_with_id ("gpulinalg:bad-class",
                   "spmv_plan: this operator or statement does not accept a plan; P * X and X * P "
                   "with a full matrix X, P', P.' and P == Q do; the matrix of a plan P is "
                   "P.matrix");
  }

  static octave_base_value *refuse (const octave_base_value &) { not_an_operand (); }

  gla::plan_view m_view; // has a plan, except in the value that registers the type

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_spmv_plan, "spmv_plan", "spmv_plan");

octave_value octave_spmv_plan::subsref (const std::string &type,
                                        const std::list<octave_value_list> &idx)
{
  std::string name;
  if (type[0] == '.' && idx.front ().length () == 1 && idx.front () (0).is_string ())
    name = idx.front () (0).string_value ();
  if (name != "matrix" && name != "precision")
    error_with_id ("gpulinalg:bad-class",
                   "spmv_plan: a plan cannot be indexed; its matrix is P.matrix");
  octave_value x = name == "matrix" ? m_view.matrix () : octave_value (m_view.precision ());
  return type.length () == 1 ? x : x.next_subsref (type, idx);
}

void octave_spmv_plan::print (std::ostream &os, bool as_read_syntax)
{
  print_raw (os, as_read_syntax);
  newline (os);
}

void octave_spmv_plan::print_raw (std::ostream &os, bool) const
{
  gla_sparse_info info = m_view.plan->matrix ().info ();
  dim_vector size = dims ();
  os << "<spmv_plan: " << size (0) << "x" << size (1) << " " << m_view.precision ()
     << (gla_type_is_complex (info.type) ? " complex" : "") << ", " << info.entries << " nonzeros"
     << (info.pattern ? ", all equal" : "") << (m_view.transposed ? ", transposed" : "")
     << (m_view.conjugated ? ", conjugated" : "") << ", method " << gla::method_name (info.method);
  if (info.gpus > 0)
    os << ", copies on " << info.gpus << (info.gpus == 1 ? " GPU" : " GPUs");
  os << ">";
}

//------------------------------------------------------------------------------
// views
//------------------------------------------------------------------------------

namespace gla
{

// Real matrices are never marked as conjugated, so that P' and P.' are equal.
plan_view plan_view::then (bool transpose, bool conjugate) const
{
  plan_view v = *this;
  v.transposed = transposed != transpose;
  v.conjugated = is_complex () && conjugated != conjugate;
  return v;
}

dim_vector plan_view::dims () const
{
  dim_vector d = plan->matrix ().matrix ().dims ();
  return transposed ? dim_vector (d (1), d (0)) : d;
}

static octave_value applied (const char *function, const octave_value &x)
{
  return gla::feval (gla::the_interpreter (), function, ovl (x)) (0);
}

octave_value plan_view::matrix () const
{
  octave_value A = plan->matrix ().matrix ();
  if (transposed)
    return applied (conjugated ? "ctranspose" : "transpose", A);
  return conjugated ? applied ("conj", A) : A;
}

bool plan_view::is_complex () const
{
  return plan->matrix ().matrix ().iscomplex ();
}

const char *plan_view::precision () const
{
  gla_type type = plan->matrix ().info ().type;
  return type == GLA_TYPE_S || type == GLA_TYPE_C ? "single" : "double";
}

plan_view plan_of (const octave_value &v)
{
  const octave_spmv_plan *value = nullptr;
  if (v.class_name () == "spmv_plan")
    value = dynamic_cast<const octave_spmv_plan *> (&v.get_rep ());
  return value ? value->view () : plan_view ();
}

octave_value value_of (const plan_view &view)
{
  return octave_value (new octave_spmv_plan (view));
}

} // namespace gla

//------------------------------------------------------------------------------
// operators
//------------------------------------------------------------------------------

static const gla::plan_view &view_of (const octave_base_value &v)
{
  return dynamic_cast<const octave_spmv_plan &> (v).view ();
}

static octave_value transposed (const octave_base_value &a)
{
  return gla::value_of (view_of (a).then (true, false));
}

static octave_value hermitian (const octave_base_value &a)
{
  return gla::value_of (view_of (a).then (true, true));
}

static octave_value transpose (const octave_value &x)
{
  if (x.ndims () != 2)
    return x; // multiply_plan gives the error about its shape
  return gla::feval (gla::the_interpreter (), "transpose", ovl (x)) (0);
}

static octave_value factor_value (const octave_base_value &x)
{
  octave_value X (x.clone ());
  return X.islogical () && !X.issparse () ? X.as_double () : X;
}

// Whether a number stands where a product needs a matrix of `size` rows or columns.
static bool is_number (const octave_base_value &x, octave_idx_type size)
{
  return size != 1 && x.dims ().numel () == 1 && x.ndims () == 2;
}

OCTAVE_NORETURN static void refuse_number (const gla::plan_view &p)
{
  error_with_id ("gpulinalg:bad-shape",
                 "spmv_plan: P cannot be multiplied by a number; multiply X or P*X by it, or make "
                 "a plan of the matrix times the number; P is %s",
                 p.dims ().str ().c_str ());
}

// Of the rows of ranks each may have one; the ranks check them together.
static bool is_by_rows (const gla::plan_view &p)
{
  return p.plan->matrix ().rows () != nullptr;
}

static octave_value plan_times (const octave_base_value &p, const octave_base_value &x)
{
  octave_value_list y = gla::guarded ("spmv", [&] () {
    if (!is_by_rows (view_of (p)) && is_number (x, view_of (p).dims () (1)))
      refuse_number (view_of (p));
    return ovl (gla::multiply_plan (gla::the_interpreter (), view_of (p), factor_value (x),
                                    octave_value ()));
  });
  return y (0);
}

// x*P = (P.'*x.').'
static octave_value times_plan (const octave_base_value &x, const octave_base_value &p)
{
  const gla::plan_view &view = view_of (p);
  octave_value_list y = gla::guarded ("spmv", [&] () {
    if (!is_by_rows (view) && is_number (x, view.dims () (0)))
      refuse_number (view);
    if (!is_by_rows (view) && x.ndims () == 2 && x.columns () != view.dims () (0))
      error_with_id ("gpulinalg:bad-shape",
                     "spmv_plan: in X*P, X must have as many columns as P has rows, but X is %s "
                     "and P is %s",
                     x.dims ().str ().c_str (), view.dims ().str ().c_str ());
    octave_value y = gla::multiply_plan (gla::the_interpreter (), view.then (true, false),
                                         transpose (factor_value (x)), octave_value ());
    return ovl (transpose (y));
  });
  return y (0);
}

// Whether both are the same plan, or plans of equal matrices in the same precision.
static octave_value equal (const octave_base_value &a, const octave_base_value &b)
{
  const gla::plan_view &p = view_of (a), &q = view_of (b);
  if (p.plan == q.plan && p.transposed == q.transposed && p.conjugated == q.conjugated)
    return true;
  if (p.dims () != q.dims () || p.plan->matrix ().info ().type != q.plan->matrix ().info ().type)
    return false;
  octave_value_list same =
      gla::feval (gla::the_interpreter (), "isequal", ovl (p.matrix (), q.matrix ()));
  return same (0);
}

void gla::register_plans (octave::interpreter &interp)
{
  static bool registered = false;
  if (registered)
    return;
  gla::refuse_second_copy (interp, "spmv_plan");
  gla::keep_loaded (interp); // values use its code
  octave_spmv_plan::register_type ();
  octave::type_info &types = gla::types_of (interp);
  const int plan = octave_spmv_plan::static_type_id ();
  const int factors[] = {octave_matrix::static_type_id (),
                         octave_complex_matrix::static_type_id (),
                         octave_float_matrix::static_type_id (),
                         octave_float_complex_matrix::static_type_id (),
                         octave_scalar::static_type_id (),
                         octave_complex::static_type_id (),
                         octave_float_scalar::static_type_id (),
                         octave_float_complex::static_type_id (),
                         octave_bool_matrix::static_type_id (),
                         octave_bool::static_type_id (),
                         octave_sparse_matrix::static_type_id (),
                         octave_sparse_complex_matrix::static_type_id (),
                         octave_sparse_bool_matrix::static_type_id ()};
  for (int factor : factors) {
    types.install_binary_op (octave_value::op_mul, plan, factor, plan_times);
    types.install_binary_op (octave_value::op_mul, factor, plan, times_plan);
  }
  types.install_binary_op (octave_value::op_eq, plan, plan, equal);
  types.install_unary_op (octave_value::op_transpose, plan, transposed);
  types.install_unary_op (octave_value::op_hermitian, plan, hermitian);
  register_products_of_gpu_arrays (types);
  registered = true;
}

void gla::register_products_of_gpu_arrays (octave::type_info &types)
{
  const octave_value plan = types.lookup_type ("spmv_plan"), gpu = types.lookup_type ("gpuArray");
  if (!plan.is_defined () || !gpu.is_defined ())
    return;
  types.install_binary_op (octave_value::op_mul, plan.type_id (), gpu.type_id (), plan_times);
  types.install_binary_op (octave_value::op_mul, gpu.type_id (), plan.type_id (), times_plan);
}
