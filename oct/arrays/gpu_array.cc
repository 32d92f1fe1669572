// gpu_array.cc: the Octave type of variables of class gpuArray
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_join.h"
#include "gpu_operators.h"
#include "gpu_trace.h"
#include "sparse/plan_value.h"

#include <octave/ov-cell.h>
#include <octave/ov-typeinfo.h>

using gla::gpu_value;

namespace
{

OCTAVE_NORETURN void no_conversion ()
{
  gla::gather_needed ("gpuArray");
}

// Copies of a variable share the elements.
class octave_gpu_array : public octave_base_value
{
public:
  octave_gpu_array () {}
  explicit octave_gpu_array (const gpu_value &value) : m_value (value) {}

  octave_base_value *clone () const { return new octave_gpu_array (*this); }
  octave_base_value *empty_clone () const
  {
    return new octave_gpu_array (gla::resized (m_value, dim_vector (0, 0)));
  }

  const gpu_value &value () const { return m_value; }
  void set (const gpu_value &value) { m_value = value; }

  //----------------------------------------------------------------------------
  // what it is
  //----------------------------------------------------------------------------

  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const { return m_value.dims (); }
  std::size_t byte_size () const { return m_value.byte_size (); }
  bool islogical () const { return m_value.type () == 'b'; }
  bool isnumeric () const { return !islogical (); }
  bool isfloat () const { return !islogical (); }
  bool iscomplex () const { return gla::is_complex (m_value.type ()); }
  bool isreal () const { return !iscomplex (); }
  bool is_single_type () const { return gla::is_single (m_value.type ()); }
  bool is_double_type () const { return isfloat () && !is_single_type (); }
  bool is_matrix_type () const { return true; } // "for" asks for this

  //----------------------------------------------------------------------------
  // elements
  //----------------------------------------------------------------------------

  octave_value subsref (const std::string &type, const std::list<octave_value_list> &idx);
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &idx, int)
  {
    return ovl (subsref (type, idx));
  }
  octave_value subsasgn (const std::string &type, const std::list<octave_value_list> &idx,
                         const octave_value &rhs);
  // index_op has another name before Octave 7
  octave_value do_index_op (const octave_value_list &idx, bool = false)
  {
    return wrapped (gla::index (m_value, idx));
  }
  octave_value index_op (const octave_value_list &idx, bool = false)
  {
    return wrapped (gla::index (m_value, idx));
  }

  octave_value reshape (const dim_vector &d) const { return wrapped (gla::reshaped (m_value, d)); }
  octave_value permute (const Array<int> &order, bool inverse = false) const
  {
    return wrapped (gla::permuted (m_value, order, inverse));
  }
  octave_value resize (const dim_vector &d, bool = false) const
  {
    // the parts of [x, y] are written into an empty array that gets the size of the result
    return wrapped (m_value.on_gpu () && m_value.numel () == 0 && d.numel () > 0
                        ? gla::on_gpu::begun_join (m_value, d)
                        : gla::resized (m_value, d));
  }
  octave_value squeeze () const
  {
    // 1 x 1 x n becomes a column, as Octave's arrays do; dim_vector makes it a row
    const dim_vector d = dims ().squeeze ();
    return reshape (ndims () > 2 && d.ndims () == 2 && d (0) == 1 ? dim_vector (d (1), 1) : d);
  }
  octave_value full_value () const { return wrapped (m_value); }
  octave_value as_double () const
  {
    return wrapped (gla::converted (m_value, gla::type_letter (false, iscomplex ())));
  }
  octave_value as_single () const
  {
    return wrapped (gla::converted (m_value, gla::type_letter (true, iscomplex ())));
  }
  octave_value diag (octave_idx_type k = 0) const
  {
    return gla::gpu_function ("diag", ovl (wrapped (m_value), k), 1) (0);
  }
  octave_value diag (octave_idx_type m, octave_idx_type n) const
  {
    return gla::gpu_function ("diag", ovl (wrapped (m_value), m, n), 1) (0);
  }
  octave_value all (int dim = 0) const { return reduced ("all", dim); }
  octave_value any (int dim = 0) const { return reduced ("any", dim); }
  octave_value map (unary_mapper_t f) const;

  //----------------------------------------------------------------------------
  // seen from the host
  //----------------------------------------------------------------------------

  bool is_true () const { return host ().is_true (); }
  gla::idx_vector index_vector (bool integers = false) const
  {
    return host ().index_vector (integers);
  }
  octave_idx_type nnz () const
  {
    return gla::gathered (gla::gpu_function ("nnz", ovl (wrapped (m_value)), 1) (0))
        .idx_type_value ();
  }

  bool print_as_scalar () const { return host ().print_as_scalar (); }
  void print (std::ostream &os, bool as_read_syntax = false) { host ().print (os, as_read_syntax); }
  void print_raw (std::ostream &os, bool as_read_syntax = false) const
  {
    host ().print_raw (os, as_read_syntax);
  }
  bool print_name_tag (std::ostream &os, const std::string &name) const
  {
    return host ().print_name_tag (os, name);
  }
  void short_disp (std::ostream &os) const { host ().short_disp (os); }

  // Files hold the elements in a cell, and whether they are complex.
  bool save_ascii (std::ostream &os) { return saved ().save_ascii (os); }
  bool load_ascii (std::istream &is)
  {
    octave_value v = Cell ();
    return v.load_ascii (is) && loaded (v);
  }
  bool save_binary (std::ostream &os, bool floats) { return saved ().save_binary (os, floats); }
  bool load_binary (std::istream &is, bool swap, octave::mach_info::float_format format)
  {
    octave_value v = Cell ();
    return v.load_binary (is, swap, format) && loaded (v);
  }
  bool save_hdf5 (octave_hdf5_id id, const char *name, bool floats)
  {
    return saved ().save_hdf5 (id, name, floats);
  }
  bool load_hdf5 (octave_hdf5_id id, const char *name)
  {
    octave_value v = Cell ();
    return v.load_hdf5 (id, name) && loaded (v);
  }

  // A single element may be a size, a bound or a condition. Code that needs an array of the host
  // must call gather.
  double double_value (bool = false) const { return scalar ().double_value (); }
  float float_value (bool = false) const { return scalar ().float_value (); }
  bool bool_value (bool = false) const { return scalar ().bool_value (); }
  Complex complex_value (bool = false) const { return scalar ().complex_value (); }
  FloatComplex float_complex_value (bool = false) const { return scalar ().float_complex_value (); }
  Cell cell_value () const { no_conversion (); }
  Matrix matrix_value (bool = false) const { no_conversion (); }
  FloatMatrix float_matrix_value (bool = false) const { no_conversion (); }
  NDArray array_value (bool = false) const { no_conversion (); }
  FloatNDArray float_array_value (bool = false) const { no_conversion (); }
  ComplexMatrix complex_matrix_value (bool = false) const { no_conversion (); }
  FloatComplexMatrix float_complex_matrix_value (bool = false) const { no_conversion (); }
  ComplexNDArray complex_array_value (bool = false) const { no_conversion (); }
  FloatComplexNDArray float_complex_array_value (bool = false) const { no_conversion (); }
  boolMatrix bool_matrix_value (bool = false) const { no_conversion (); }
  boolNDArray bool_array_value (bool = false) const { no_conversion (); }
  charMatrix char_matrix_value (bool = false) const { no_conversion (); }
  charNDArray char_array_value (bool = false) const { no_conversion (); }
  SparseMatrix sparse_matrix_value (bool = false) const { no_conversion (); }
  SparseComplexMatrix sparse_complex_matrix_value (bool = false) const { no_conversion (); }
  SparseBoolMatrix sparse_bool_matrix_value (bool = false) const { no_conversion (); }
  DiagMatrix diag_matrix_value (bool = false) const { no_conversion (); }
  ComplexDiagMatrix complex_diag_matrix_value (bool = false) const { no_conversion (); }
  PermMatrix perm_matrix_value () const { no_conversion (); }
  MatrixType matrix_type () const { no_conversion (); }
  MatrixType matrix_type (const MatrixType &) const { no_conversion (); }
  int8NDArray int8_array_value () const { no_conversion (); }
  int16NDArray int16_array_value () const { no_conversion (); }
  int32NDArray int32_array_value () const { no_conversion (); }
  int64NDArray int64_array_value () const { no_conversion (); }
  uint8NDArray uint8_array_value () const { no_conversion (); }
  uint16NDArray uint16_array_value () const { no_conversion (); }
  uint32NDArray uint32_array_value () const { no_conversion (); }
  uint64NDArray uint64_array_value () const { no_conversion (); }
  octave_value as_int8 () const { no_conversion (); }
  octave_value as_int16 () const { no_conversion (); }
  octave_value as_int32 () const { no_conversion (); }
  octave_value as_int64 () const { no_conversion (); }
  octave_value as_uint8 () const { no_conversion (); }
  octave_value as_uint16 () const { no_conversion (); }
  octave_value as_uint32 () const { no_conversion (); }
  octave_value as_uint64 () const { no_conversion (); }
  octave_value convert_to_str_internal (bool, bool, char) const { no_conversion (); }
  octave_value sort (octave_idx_type, sortmode = ASCENDING) const { no_conversion (); }
  octave_value sort (Array<octave_idx_type> &, octave_idx_type, sortmode = ASCENDING) const
  {
    no_conversion ();
  }
  sortmode issorted (sortmode = UNSORTED) const { no_conversion (); }
  Array<octave_idx_type> sort_rows_idx (sortmode = ASCENDING) const { no_conversion (); }
  sortmode is_sorted_rows (sortmode = UNSORTED) const { no_conversion (); }
  int write (octave::stream &, int, oct_data_conv::data_type, int,
             octave::mach_info::float_format) const
  {
    no_conversion ();
  }

private:
  static octave_value wrapped (const gpu_value &x) { return gla::value_of (x); }
  // Returns the elements as an array of Octave.
  octave_value host () const { return gla::gathered (wrapped (m_value)); }
  octave_value scalar () const
  {
    if (m_value.numel () != 1)
      no_conversion ();
    return host ();
  }
  octave_value reduced (const char *name, int dim) const
  {
    octave_value_list args = ovl (wrapped (m_value));
    if (dim >= 0)
      args.append (octave_value (dim + 1));
    return gla::gpu_function (name, args, 1) (0);
  }
  octave_value saved () const
  {
    Cell parts (1, 2);
    parts (0) = host ();
    parts (1) = iscomplex ();
    return parts;
  }
  bool loaded (const octave_value &v)
  {
    const Cell parts = v.cell_value ();
    if (parts.numel () != 2)
      return false;
    (void)gla::element_type ("load", parts (0));
    gla::replace_functions (gla::the_interpreter ());
    m_value = gpu_value (parts (0), parts (1).is_true ());
    return true;
  }

  gpu_value m_value;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gpu_array, "gpuArray", "gpuArray");

octave_value octave_gpu_array::subsref (const std::string &type,
                                        const std::list<octave_value_list> &idx)
{
  if (type[0] != '(')
    error_with_id ("gpulinalg:bad-class", "gpuArray: a gpuArray has no %s; index it with ( )",
                   type[0] == '{' ? "cells" : "fields");
  octave_value part = wrapped (gla::index (m_value, idx.front ()));
  return type.length () == 1 ? part : part.next_subsref (type, idx);
}

octave_value octave_gpu_array::subsasgn (const std::string &type,
                                         const std::list<octave_value_list> &idx,
                                         const octave_value &rhs)
{
  if (type != "(")
    error_with_id ("gpulinalg:bad-class",
                   "gpuArray: elements of a gpuArray are assigned as G(...) = ...");
  m_value.assign (idx.front (), rhs);
  return octave_value (this, true);
}

} // namespace

bool gla::find_mapper (octave_base_value::unary_mapper_t f, gpu_op *op)
{
  typedef octave_base_value base;
  static const std::pair<base::unary_mapper_t, gpu_op> mappers[] = {
      {base::umap_abs, gpu_op::abs},           {base::umap_acos, gpu_op::acos},
      {base::umap_acosh, gpu_op::acosh},       {base::umap_angle, gpu_op::arg},
      {base::umap_arg, gpu_op::arg},           {base::umap_asin, gpu_op::asin},
      {base::umap_asinh, gpu_op::asinh},       {base::umap_atan, gpu_op::atan},
      {base::umap_atanh, gpu_op::atanh},       {base::umap_cbrt, gpu_op::cbrt},
      {base::umap_ceil, gpu_op::ceil},         {base::umap_conj, gpu_op::conj},
      {base::umap_cos, gpu_op::cos},           {base::umap_cosh, gpu_op::cosh},
      {base::umap_erf, gpu_op::erf},           {base::umap_erfc, gpu_op::erfc},
      {base::umap_exp, gpu_op::exp},           {base::umap_expm1, gpu_op::expm1},
      {base::umap_isfinite, gpu_op::isfinite}, {base::umap_fix, gpu_op::fix},
      {base::umap_floor, gpu_op::floor},       {base::umap_imag, gpu_op::imag},
      {base::umap_isinf, gpu_op::isinf},       {base::umap_isnan, gpu_op::isnan},
      {base::umap_log, gpu_op::log},           {base::umap_log2, gpu_op::log2},
      {base::umap_log10, gpu_op::log10},       {base::umap_log1p, gpu_op::log1p},
      {base::umap_real, gpu_op::real},         {base::umap_round, gpu_op::round},
      {base::umap_signum, gpu_op::sign},       {base::umap_sin, gpu_op::sin},
      {base::umap_sinh, gpu_op::sinh},         {base::umap_sqrt, gpu_op::sqrt},
      {base::umap_tan, gpu_op::tan},           {base::umap_tanh, gpu_op::tanh},
  };
  for (const auto &entry : mappers)
    if (entry.first == f) {
      *op = entry.second;
      return true;
    }
  return false;
}

namespace
{

octave_value octave_gpu_array::map (unary_mapper_t f) const
{
  gla::gpu_op op;
  if (!gla::find_mapper (f, &op))
    gla::gather_needed (get_umap_name (f));
  return wrapped (gla::unary (op, m_value));
}

} // namespace

//------------------------------------------------------------------------------
// values of Octave
//------------------------------------------------------------------------------

namespace gla
{

bool is_gpu_array (const octave_value &v)
{
  return v.type_id () == octave_gpu_array::static_type_id ();
}

const gpu_value &gpu_value_of (const octave_base_value &v)
{
  return static_cast<const octave_gpu_array &> (v).value ();
}

const gpu_value &gpu_value_of (const octave_value &v)
{
  return gpu_value_of (v.get_rep ());
}

void set_gpu_value (octave_base_value &v, const gpu_value &x)
{
  static_cast<octave_gpu_array &> (v).set (x);
}

octave_value value_of (const gpu_value &x)
{
  return octave_value (new octave_gpu_array (x));
}

void refuse_other_gpu_arrays (octave::interpreter &interp)
{
  if (octave_gpu_array::static_type_id () < 0)
    refuse_second_copy (interp, "gpuArray");
}

void begin_gpu_arrays (octave::interpreter &interp)
{
  if (octave_gpu_array::static_type_id () < 0) {
    refuse_second_copy (interp, "gpuArray");
    keep_loaded (interp); // values use its code
    octave_gpu_array::register_type ();
    register_gpu_operators (types_of (interp), octave_gpu_array::static_type_id (),
                            register_traced_type (types_of (interp)));
    register_products_of_gpu_arrays (types_of (interp));
  }
  replace_functions (interp);
}

} // namespace gla
