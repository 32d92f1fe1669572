// gpu_value.cc: operations on gpuArrays, on a GPU or by the interpreter
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_join.h"
#include "gpu_trace.h"

#include <octave/interpreter.h>
#include <octave/ov-complex.h>
#include <octave/ov-cx-mat.h>
#include <octave/ov-flt-complex.h>
#include <octave/ov-flt-cx-mat.h>

namespace gla
{

//------------------------------------------------------------------------------
// elements
//------------------------------------------------------------------------------

static char letter_of (const octave_value &v, bool complex)
{
  return v.islogical () ? 'b' : type_letter (v.is_single_type (), complex);
}

// Makes the type of the value itself, because an octave_value of a complex array is real if all
// imaginary parts are 0.
static octave_value as_complex (const octave_value &v)
{
  if (v.numel () == 1 && v.is_single_type ())
    return octave_value (new octave_float_complex (v.float_complex_value ()));
  if (v.numel () == 1)
    return octave_value (new octave_complex (v.complex_value ()));
  if (v.is_single_type ())
    return octave_value (new octave_float_complex_matrix (v.float_complex_array_value ()));
  return octave_value (new octave_complex_matrix (v.complex_array_value ()));
}

gpu_value::gpu_value (const octave_value &host, bool complex)
    : m_host (host.full_value ()), m_type (letter_of (host, complex || host.iscomplex ()))
{
  if (gpu_device () >= 0)
    *this = to_gpu (m_host, m_type);
  else if (is_complex (m_type))
    m_host = as_complex (m_host);
}

const char *gpu_value::class_name () const
{
  return m_type == 'b' ? "logical" : is_single (m_type) ? "single" : "double";
}

std::size_t gpu_value::byte_size () const
{
  const std::size_t size = m_type == 'b' ? 1 : gla_type_size (static_cast<gla_type> (m_type));
  return static_cast<std::size_t> (numel ()) * size;
}

int gpu_value::device () const
{
  return m_block->device ();
}

void *gpu_value::data () const
{
  return m_block->data ();
}

void gpu_value::own ()
{
  if (m_block.use_count () == 1)
    return;
  gpu_value copy = new_on_gpu (device (), m_type, m_dims);
  elementwise (device (), GLA_ND_COPY, nd_of (copy), nd_of (*this), nullptr);
  *this = copy;
}

octave_value gathered (const octave_value &v)
{
  if (is_traced (v))
    not_traced ("gather");
  if (!is_gpu_array (v))
    return v;
  const gpu_value &x = gpu_value_of (v);
  if (x.on_gpu ())
    return from_gpu (x);
  switch (x.type ()) {
  case 'z':
    return x.host ().complex_array_value ();
  case 'c':
    return x.host ().float_complex_array_value ();
  case 'b':
    return x.host ().bool_array_value ();
  case 's':
    return x.host ().float_array_value ();
  default:
    return x.host ().array_value ();
  }
}

octave_value_list gathered (const octave_value_list &args)
{
  octave_value_list all = args;
  for (octave_idx_type k = 0; k < args.length (); k++)
    all (k) = gathered (args (k));
  return all;
}

char element_type (const char *who, const octave_value &v)
{
  if (is_traced (v))
    not_traced (who);
  if (is_gpu_array (v))
    return gpu_value_of (v).type ();
  const bool served = v.islogical () || v.isfloat ();
  if (!served || v.issparse () || v.is_string ())
    error_with_id ("gpulinalg:bad-class",
                   "%s: a gpuArray has elements of class single, double or logical, and goes with "
                   "full arrays of these, not with %s; convert it, or gather the gpuArray",
                   who, v.issparse () ? "sparse matrices" : v.class_name ().c_str ());
  return letter_of (v, v.iscomplex ());
}

gpu_value moved (const char *who, const octave_value &v)
{
  (void)element_type (who, v);
  return is_gpu_array (v) ? gpu_value_of (v) : gpu_value (v, false);
}

void gather_needed (const char *who)
{
  error_with_id ("gpulinalg:gather-needed",
                 "%s: this is not done with a gpuArray; gather (G) copies it to the host", who);
}

//------------------------------------------------------------------------------
// operations
//------------------------------------------------------------------------------

static octave_value with_zero_parts (const octave_value &v)
{
  if (is_gpu_array (v))
    return gpu_value_of (v).on_gpu () ? v : gpu_value_of (v).host ();
  return v.is_diag_matrix () ? v.full_value () : v;
}

octave_value_list on_host (const char *name, const octave_value_list &args, int outputs)
{
  octave_value_list host = args;
  for (octave_idx_type k = 0; k < args.length (); k++)
    host (k) = with_zero_parts (args (k));
  return feval (the_interpreter (), name, host, outputs);
}

gpu_value on_host_as (const char *name, const octave_value_list &args, bool complex)
{
  return gpu_value (on_host (name, args) (0), complex);
}

gpu_value turned_on_host (octave_value::compound_binary_op op, const octave_value &x,
                          const octave_value &y)
{
  const bool complex =
      is_complex (element_type ("mtimes", x)) || is_complex (element_type ("mtimes", y));
#if OCTAVE_MAJOR_VERSION >= 7
  using octave::binary_op;
#else
  const auto binary_op = [] (octave::type_info &types, octave_value::compound_binary_op o,
                             const octave_value &a,
                             const octave_value &b) { return do_binary_op (types, o, a, b); };
#endif
  octave::type_info &types = the_interpreter ().get_type_info ();
  return gpu_value (binary_op (types, op, with_zero_parts (x), with_zero_parts (y)), complex);
}

static bool is_product (gpu_op op)
{
  return op >= gpu_op::mtimes && op <= gpu_op::mpower;
}

// Refuses a sparse matrix times a gpuArray.
static void refuse_sparse (gpu_op op, const octave_value &x, const octave_value &y)
{
  if (op == gpu_op::mtimes && x.issparse ())
    error_with_id ("gpulinalg:bad-class",
                   "mtimes: a sparse matrix A times a gpuArray G is spmv (A, G)");
  if (op == gpu_op::mtimes && y.issparse ())
    error_with_id ("gpulinalg:bad-class",
                   "mtimes: a gpuArray G times a sparse matrix A is spmv (A, G.', "
                   "\"transpose\").'");
}

gpu_value binary (gpu_op op, const octave_value &x, const octave_value &y)
{
  refuse_sparse (op, x, y);
  const char *name = name_of (op);
  const bool complex = is_complex (element_type (name, x)) || is_complex (element_type (name, y));
  if (any_on_gpu (ovl (x, y)))
    return is_product (op) ? on_gpu::product (op, x, y) : on_gpu::binary (op, x, y);
  return on_host_as (name, ovl (x, y), complex && !is_always_real (op));
}

gpu_value unary (gpu_op op, const gpu_value &x)
{
  if (x.on_gpu ())
    return on_gpu::unary (op, x);
  return on_host_as (name_of (op), ovl (x.host ()), is_complex (x.type ()) && !is_always_real (op));
}

static octave_value_list host_indices (const octave_value_list &idx)
{
  return gathered (idx);
}

gpu_value index (const gpu_value &x, const octave_value_list &idx)
{
  if (x.on_gpu ())
    return on_gpu::index (x, idx);
  // index_op has another name before Octave 7
  octave_value host = x.host ();
  return gpu_value (host.single_subsref ("(", host_indices (idx)), is_complex (x.type ()));
}

void gpu_value::assign (const octave_value_list &idx, const octave_value &rhs)
{
  if (on_gpu ()) {
    gla::on_gpu::assign (*this, idx, rhs);
    return;
  }
  const bool empties = rhs.isnull (); // []
  const char type = empties ? m_type : element_type ("=", rhs);
  const std::list<octave_value_list> where (1, host_indices (idx));
  m_host.assign (octave_value::op_asn_eq, "(", where, with_zero_parts (rhs));
  *this = gpu_value (m_host, is_complex (m_type) || is_complex (type));
}

gpu_value reshaped (const gpu_value &x, const dim_vector &dims)
{
  if (x.on_gpu ()) {
    if (dims.numel () != x.numel ())
      error_with_id ("Octave:nonconformant-args", "reshape: can't reshape %s array to %s array",
                     x.dims ().str ().c_str (), dims.str ().c_str ());
    dim_vector d = dims;
    d.chop_trailing_singletons ();
    return gpu_value (x.block (), x.type (), d);
  }
  return gpu_value (x.host ().reshape (dims), is_complex (x.type ()));
}

// Returns the order of permute from that of ipermute; it must be complete and without repetitions.
static Array<int> checked_order (const Array<int> &order, int least, bool inverse)
{
  const octave_idx_type count = order.numel ();
  Array<int> turned (dim_vector (count, 1), -1);
  bool good = count >= least;
  for (octave_idx_type k = 0; k < count && good; k++) {
    good = order (k) >= 0 && order (k) < count && turned (order (k)) < 0;
    if (good)
      turned (order (k)) = static_cast<int> (k);
  }
  if (!good)
    error_with_id ("Octave:undefined-function", "%s: invalid permutation vector",
                   inverse ? "ipermute" : "permute");
  return inverse ? turned : order;
}

gpu_value permuted (const gpu_value &x, const Array<int> &order, bool inverse)
{
  if (x.on_gpu ())
    return on_gpu::permuted (x, checked_order (order, x.dims ().ndims (), inverse));
  return gpu_value (x.host ().permute (order, inverse), is_complex (x.type ()));
}

gpu_value resized (const gpu_value &x, const dim_vector &dims)
{
  if (x.on_gpu ())
    return on_gpu::resized (x, dims);
  if (dims.any_zero ()) // Octave does not resize to fewer dimensions
    return reshaped (index (x, ovl (NDArray (dim_vector (1, 0)))), dims);
  return gpu_value (x.host ().resize (dims, true), is_complex (x.type ()));
}

gpu_value converted (const gpu_value &x, char type)
{
  if (type == x.type ())
    return x;
  if (x.on_gpu ())
    return on_gpu::converted (x, type);
  if (type == 'b')
    return on_host_as ("logical", ovl (x.host ()), false);
  return on_host_as (is_single (type) ? "single" : "double", ovl (x.host ()), is_complex (type));
}

gpu_value inserted (const gpu_value &x, const octave_value &y, const Array<octave_idx_type> &at)
{
  const dim_vector dims = y.dims ();
  const char other = element_type ("concatenation", y);
  const char type = joined_type (x.type (), other);
  if (x.on_gpu () && x.block ()->join () != nullptr)
    return on_gpu::joined (x, type, y, at);
  gpu_value z = converted (x, type);
  if (z.on_gpu ()) {
    on_gpu::insert (z, converted (moved_to (z.device (), "concatenation", y), type), at);
    return z;
  }
  const octave_idx_type count = std::max<octave_idx_type> (at.numel (), dims.ndims ());
  octave_value_list idx;
  for (octave_idx_type k = 0; k < count; k++) {
    const octave_idx_type first = k < at.numel () ? at (k) : 0,
                          size = k < dims.ndims () ? dims (static_cast<int> (k)) : 1;
    NDArray where (dim_vector (1, size));
    for (octave_idx_type j = 0; j < size; j++)
      where.xelem (j) = static_cast<double> (first + j + 1);
    idx.append (octave_value (where));
  }
  z.assign (idx, y);
  return z;
}

} // namespace gla
