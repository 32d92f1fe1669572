// __shift_factor__.cc: factors of A - shift*I for eigs_lanczos, and one thread for the BLAS
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_matrix.h"

#include <octave/ov-struct.h>

#include <memory>

static const char who[] = "eigs_lanczos";

//------------------------------------------------------------------------------
// the value
//------------------------------------------------------------------------------

typedef std::shared_ptr<gla_factor> shared_factor;

// Copies of the value share the factor; it is destroyed with the last copy.
class octave_gla_factor : public octave_base_value
{
public:
  octave_gla_factor () {}
  octave_gla_factor (const shared_factor &factor, octave_idx_type n, bool is_complex)
      : m_factor (factor), m_n (n), m_is_complex (is_complex)
  {
  }

  octave_base_value *clone () const { return new octave_gla_factor (*this); }
  octave_base_value *empty_clone () const { return new octave_gla_factor (); }
  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const { return dim_vector (m_n, m_n); }
  void print (std::ostream &os, bool = false)
  {
    print_raw (os);
    newline (os);
  }
  void print_raw (std::ostream &os, bool = false) const { os << "<factor>"; }

  gla_factor *factor () const { return m_factor.get (); }
  octave_idx_type order () const { return m_n; }
  bool has_complex () const { return m_is_complex; }

private:
  shared_factor m_factor;
  octave_idx_type m_n = 0;
  bool m_is_complex = false;

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_gla_factor, "gpulinalg_factor", "gpulinalg_factor");

static const octave_gla_factor *factor_of (const octave_value &v)
{
  return v.class_name () == "gpulinalg_factor"
             ? dynamic_cast<const octave_gla_factor *> (&v.get_rep ())
             : nullptr;
}

//------------------------------------------------------------------------------
// [F, info] = __shift_factor__ (A, shift, order, most_flops, smallest)
//------------------------------------------------------------------------------

static octave_value_list make_factor (octave::interpreter &interp, const octave_value_list &args)
{
  static bool registered = false;
  if (!registered) {
    gla::keep_loaded (interp); // values use its code
    octave_gla_factor::register_type ();
    registered = true;
  }
  SparseMatrix real;
  SparseComplexMatrix complex;
  gla_csr csr;
  if (args (0).iscomplex ()) {
    complex = args (0).sparse_complex_matrix_value ();
    csr = gla::columns_of (complex, GLA_TYPE_Z);
    csr.values = complex.data ();
  } else {
    real = args (0).sparse_matrix_value ();
    csr = gla::columns_of (real, GLA_TYPE_D);
    csr.values = real.data ();
  }
  NDArray given = args (2).array_value ();
  std::vector<int64_t> order (given.numel ());
  for (std::size_t k = 0; k < order.size (); k++)
    order[k] = static_cast<int64_t> (given.xelem (k)) - 1;
  if (!order.empty () && static_cast<int64_t> (order.size ()) != csr.rows)
    error_with_id ("gpulinalg:bad-value", "%s: the order must have one element for each column",
                   who);

  auto options = gla::sized<gla_factor_options> ();
  options.order = order.empty () ? nullptr : order.data ();
  options.most_flops = args (3).double_value ();
  options.smallest = args (4).double_value ();
  gla_factor *factor = nullptr;
  auto report = gla::sized<gla_factor_report> ();
  gla::call call (who, interp);
  call.finish (gla_factor_create (call.context (), &csr, args (1).double_value (), &factor,
                                  &options, &report));
  shared_factor shared (factor, gla_factor_destroy);

  octave_scalar_map info;
  info.setfield ("flops", report.flops);
  info.setfield ("entries", static_cast<double> (report.entries));
  info.setfield ("negative", static_cast<double> (report.negative));
  info.setfield ("singular", report.singular != 0);
  octave_value value = Matrix ();
  if (factor)
    value = octave_value (new octave_gla_factor (shared, csr.rows, csr.type == GLA_TYPE_Z));
  return ovl (value, info);
}

//------------------------------------------------------------------------------
// X = __shift_factor__ (F, B)
//------------------------------------------------------------------------------

template <typename Array>
static octave_value solved (const octave_gla_factor &F, const octave_value &given)
{
  Array B;
  gla::read (given, B);
  if (B.ndims () != 2 || B.dims () (0) != F.order ())
    error_with_id ("gpulinalg:bad-shape", "%s: the right-hand sides must have %lld rows, not %s",
                   who, static_cast<long long> (F.order ()), B.dims ().str ().c_str ());
  Array X = gla::unfilled<Array> (B.dims ());
  if (gla_factor_solve (F.factor (), B.data (), X.fortran_vec (), B.dims () (1)) != GLA_OK)
    throw std::bad_alloc ();
  return X;
}

// A real factor solves for the real and the imaginary parts one after the other.
static octave_value solved_in_parts (const octave_gla_factor &F, const octave_value &B)
{
  ComplexNDArray b = B.complex_array_value ();
  NDArray re = solved<NDArray> (F, real (b)).array_value ();
  NDArray im = solved<NDArray> (F, imag (b)).array_value ();
  ComplexNDArray X (b.dims ());
  for (octave_idx_type k = 0; k < X.numel (); k++)
    X.xelem (k) = Complex (re.xelem (k), im.xelem (k));
  return X;
}

static octave_value_list body (octave::interpreter &interp, const octave_value_list &args)
{
  const octave_gla_factor *F = args.length () == 2 ? factor_of (args (0)) : nullptr;
  if (F && F->has_complex ())
    return ovl (solved<ComplexNDArray> (*F, args (1)));
  if (F)
    return ovl (args (1).isreal () ? solved<NDArray> (*F, args (1))
                                   : solved_in_parts (*F, args (1)));
  if (args.length () == 1 && gla::is_text (args (0)) && args (0).string_value () == "hold")
    return ovl (static_cast<double> (gla_blas_hold ()));
  if (args.length () == 2 && gla::is_text (args (0)) && args (0).string_value () == "release") {
    gla_blas_release (args (1).int_value ());
    return octave_value_list ();
  }
  if (args.length () != 5 || !args (0).issparse ())
    print_usage ();
  return make_factor (interp, args);
}

DEFMETHOD_DLD (__shift_factor__, interp, args, , R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {[@var{F}, @var{info}] =} __shift_factor__ (@var{A}, @var{shift}, @var{order}, @var{most_flops}, @var{smallest})
 @deftypefnx {gpulinalg} {@var{X} =} __shift_factor__ (@var{F}, @var{B})
 @deftypefnx {gpulinalg} {@var{held} =} __shift_factor__ ("hold")
 @deftypefnx {gpulinalg} {} __shift_factor__ ("release", @var{held})
Internal function of @code{eigs_lanczos}.

@end deftypefn)doc")
{
  return gla::guarded (who, [&] () { return body (interp, args); });
}

/*
%!function check (A, shift)
%!  n = rows (A);
%!  for order = {[], amd(A), symamd(A), n:-1:1}
%!    [F, info] = __shift_factor__ (A, shift, order{1}, 0, 1e-13);
%!    B = A - shift * speye (n);
%!    for c = [1, 2, 8, 9]
%!      X = rand (n, c) - 0.5;
%!      if (iscomplex (A))
%!        X += 1i * rand (n, c);
%!      endif
%!      left = B * __shift_factor__ (F, B * X) - B * X;
%!      assert (all (sum (abs (left), 1) <= 1e-10 * norm (B, 1) * norm (X, 1)));
%!    endfor
%!    ## twice, by real numbers: eig of complex ones may end Octave with OpenBLAS 0.3.21
%!    assert (2 * info.negative, sum (eig (full ([real(B), -imag(B); imag(B), real(B)])) < 0));
%!    assert (__shift_factor__ (F, X), __shift_factor__ (F, X));
%!  endfor
%!endfunction
%!test
%! rand ("twister", 4);
%! for n = [1, 2, 3, 10, 49, 65, 130, 300]
%!   A = sprand (n, n, min (1, 4 / n));
%!   A = A + A' + spdiags (rand (n, 1) - 0.5, 0, n, n);
%!   for shift = [0.05, -0.3, 5]
%!     check (A, shift);
%!     check (A + 1i * (triu (A, 1) - tril (A, -1)), shift);
%!   endfor
%! endfor
%! check (sparse (ones (130) + 5 * eye (130)), 0.5);
%! check (kron (speye (3), ba_graph (60, 3)), 0.1);

%!## real factors, complex right-hand sides
%!test
%! A = gallery ("poisson", 6);
%! F = __shift_factor__ (A, 0, [], 0, 0);
%! B = complex (rand (36, 2), rand (36, 2));
%! assert (A * __shift_factor__ (F, B), B, 1e-13);

%!## a singular matrix, a limit of the work, an empty matrix
%!test
%! [F, info] = __shift_factor__ (sparse (5, 5), 0, [], 0, 1e-13);
%! assert ({F, info.singular}, {[], true});
%! [F, info] = __shift_factor__ (speye (5), 1, [], 0, 1e-13);
%! assert ({F, info.singular}, {[], true});
%! [F, info] = __shift_factor__ (speye (5), 0, [], 4, 1e-13);
%! assert ({F, info.singular, info.flops}, {[], false, 5});
%! [F, info] = __shift_factor__ (sparse (0, 0), 0, [], 0, 1e-13);
%! assert (size (__shift_factor__ (F, zeros (0, 2))), [0, 2]);

%!error <Invalid call> __shift_factor__ ()
%!error <Invalid call> __shift_factor__ (1, 2)
%!error <must be square> __shift_factor__ (sparse (2, 3), 0, [], 0, 0)
%!error <order must be a permutation> __shift_factor__ (speye (2), 0, [1, 1], 0, 0)
%!error <one element for each column> __shift_factor__ (speye (2), 0, [1, 2, 3], 0, 0)
%!error <must have 2 rows, not 3x1> __shift_factor__ (__shift_factor__ (speye (2), 0, [], 0, 0), [1; 2; 3])
*/
