// gpu_products.cc: products of matrices on a GPU, and division by them
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu_pages.h"
#include "gpu_steps.h"

#include <octave/lo-array-errwarn.h>

#include <cmath>

namespace gla
{

namespace on_gpu
{

namespace
{

// Returns a matrix of this precision, on the GPU of the other operand.
gpu_value matrix_of (const char *name, const octave_value &v, bool single, int device)
{
  const gpu_value x = moved_to (device, name, v);
  return gla::converted (x, type_letter (single, is_complex (x.type ())));
}

gla_array array_of (const gpu_value &x)
{
  const dim_vector d = x.dims ();
  return gla_array_packed (x.numel () > 0 ? x.data () : nullptr, static_cast<gla_type> (x.type ()),
                           d (0), d (1), 1, x.device ());
}

gpu_value zeros_on (int device, char type, const dim_vector &dims)
{
  gpu_value z = new_on_gpu (device, type, dims);
  gla_nd zero = {};
  zero.type = type;
  elementwise (device, GLA_ND_COPY, nd_of (z), zero, nullptr);
  return z;
}

bool is_scalar_value (const octave_value &v)
{
  return v.numel () == 1;
}

dim_vector dims_of (const octave_value &v, char op)
{
  const dim_vector d = v.dims ();
  return op == 'N' || d.ndims () != 2 ? d : dim_vector (d (1), d (0));
}

// Returns op_x (x) * op_y (y), where an op is 'N', 'T' or 'C'.
gpu_value multiply (const octave_value &x, char op_x, const octave_value &y, char op_y, int device)
{
  const char p = element_type ("mtimes", x), q = element_type ("mtimes", y);
  const bool single = is_single (p) || is_single (q);
  const dim_vector dx = dims_of (x, op_x), dy = dims_of (y, op_y);
  if (dx.ndims () != 2 || dy.ndims () != 2 || dx (1) != dy (0))
    octave::err_nonconformant ("operator *", dx, dy);
  const char type = type_letter (single, is_complex (p) || is_complex (q));
  if (dx (0) == 0 || dx (1) == 0 || dy (1) == 0)
    return zeros_on (device, type, dim_vector (dx (0), dy (1)));
  // gla_pagemul makes a product of the same array exactly Hermitian
  auto on = [] (const octave_value &v) { return is_gpu_array (v) && gpu_value_of (v).on_gpu (); };
  const bool same =
      p == q && on (x) && on (y) && gpu_value_of (x).data () == gpu_value_of (y).data ();
  const gpu_value X = matrix_of ("mtimes", x, single, device),
                  Y = same && x.dims () == y.dims () ? X : matrix_of ("mtimes", y, single, device);
  gpu_value Z = new_on_gpu (device, type, dim_vector (dx (0), dy (1)));
  const gla_array A = array_of (X), B = array_of (Y);
  auto options = sized<gla_pagemul_options> ();
  options.op_a = op_x;
  options.op_b = op_y;
  auto results = sized<gla_pagemul_results> ();
  results.C = array_of (Z);
  call c ("mtimes", the_interpreter (), array_context ());
  c.finish (gla_pagemul (c.context (), &A, &B, &results, &options, nullptr));
  return Z;
}

enum class solver { qr, svd };

// Returns A \ B, or B / A with `right`, as least squares.
gpu_value solve_by (solver way, const char *name, const gpu_value &a, const gpu_value &b,
                    bool right)
{
  auto left = [right] (const gpu_value &v) {
    return right ? value_of (gla::unary (gpu_op::ctranspose, v)) : value_of (v);
  };
  const octave_value A = left (a), B = left (b);
  octave_value_list found;
  if (way == solver::svd)
    found = in_name_of (
        name, [&] () { return feval (the_interpreter (), "pagelsqminnorm", ovl (A, B)); });
  else if (A.rows () != A.columns ())
    found = least_squares (name, A, B, {});
  else {
    found = in_name_of (name, [&] () { return gpu_pages_function ("divide", ovl (A, B), 3); });
    const int info = found (2).int_value ();
    if (info > 0 && info <= A.columns ())
      octave::warn_singular_matrix ();
  }
  return gpu_value_of (left (gpu_value_of (found (0))));
}

// Solves X = A \ B, or B / A with `right`.
gpu_value solve (const char *name, const octave_value &a, const octave_value &b, bool right,
                 int device)
{
  const char p = element_type (name, a), q = element_type (name, b);
  const bool single = is_single (p) || is_single (q);
  const dim_vector da = a.dims (), db = b.dims ();
  if (da.ndims () != 2 || db.ndims () != 2 || da (right ? 1 : 0) != db (right ? 1 : 0))
    octave::err_nonconformant (right ? "operator /" : "operator \\", right ? db : da,
                               right ? da : db);
  const char type = type_letter (single, is_complex (p) || is_complex (q));
  if (a.isempty () || b.isempty ())
    return zeros_on (device, type,
                     right ? dim_vector (db (0), da (0)) : dim_vector (da (1), db (1)));
  const gpu_value A = matrix_of (name, a, single, device), B = matrix_of (name, b, single, device);
  if (da (0) != da (1) || da (0) > GLA_PAGESOLVE_GPU_ROWS)
    return solve_by (solver::qr, name, A, B, right);
  gpu_value X = new_on_gpu (device, type, db);
  const gla_array A1 = array_of (A), B1 = array_of (B);
  auto options = sized<gla_pagesolve_options> ();
  options.side = right ? GLA_SIDE_RIGHT : GLA_SIDE_LEFT;
  auto results = sized<gla_pagesolve_results> ();
  int32_t info = 0;
  gpu_value rcond = new_on_gpu (device, single ? 's' : 'd', dim_vector (1, 1));
  results.X = array_of (X);
  results.rcond = array_of (rcond);
  results.info = &info;
  {
    call c (name, the_interpreter (), array_context ());
    c.finish (gla_pagesolve (c.context (), &A1, &B1, &results, &options, nullptr));
  }
  // as in Octave: at most half an eps
  const double r = info != 0 ? 0 : gathered (value_of (rcond)).double_value ();
  if (!(single ? 1 + static_cast<float> (r) == 1 : 1 + r == 1))
    return X;
  octave::warn_singular_matrix (r);
  return info > da (0) ? X : solve_by (solver::svd, name, A, B, right);
}

gpu_value power (const octave_value &x, const octave_value &y)
{
  const octave_value p = gathered (y);
  const double n = p.is_real_scalar () ? p.double_value () : 0;
  const dim_vector d = x.dims ();
  if (d.ndims () != 2 || d (0) != d (1) || !(n >= 1 && n == std::floor (n) && n < 1e6))
    error_with_id ("gpulinalg:gather-needed",
                   "mpower: a gpuArray has powers of square matrices with exponents 1, 2, ..; "
                   "gather (G) copies it to the host");
  octave_value square = x, result;
  for (int left = static_cast<int> (n); left > 0; left /= 2) {
    if (left % 2 == 1)
      result =
          result.is_undefined () ? square : value_of (gla::binary (gpu_op::mtimes, result, square));
    if (left > 1)
      square = value_of (gla::binary (gpu_op::mtimes, square, square));
  }
  return gpu_value_of (result);
}

} // namespace

// Does products, quotients and powers of matrices, also if an operand is a single element.
gpu_value product (gpu_op op, const octave_value &x, const octave_value &y)
{
  const char *name = name_of (op);
  const int device = device_of (name, ovl (x, y));
  const bool one_x = is_scalar_value (x), one_y = is_scalar_value (y);
  if (op == gpu_op::mtimes)
    return one_x || one_y ? on_gpu::binary (gpu_op::times, x, y)
                          : multiply (x, 'N', y, 'N', device);
  if (op == gpu_op::mrdivide)
    return one_y ? on_gpu::binary (gpu_op::rdivide, x, y) : solve (name, y, x, true, device);
  if (op == gpu_op::mldivide)
    return one_x ? on_gpu::binary (gpu_op::ldivide, x, y) : solve (name, x, y, false, device);
  return one_x && one_y ? on_gpu::binary (gpu_op::power, x, y) : power (x, y);
}

gpu_value product_turned (const octave_value &x, char op_x, const octave_value &y, char op_y)
{
  return multiply (x, op_x, y, op_y, device_of ("mtimes", ovl (x, y)));
}

} // namespace on_gpu

} // namespace gla
