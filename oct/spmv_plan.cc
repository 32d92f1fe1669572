// spmv_plan.cc: spmv_plan for Octave, and the values that hold plans
// SPDX-License-Identifier: GPL-3.0-or-later

#include "sparse_matrix.h"

//------------------------------------------------------------------------------
// the value
//------------------------------------------------------------------------------

// Copies of the value share the plan, which goes with the last of them.
class octave_spmv_plan : public octave_base_value
{
public:
  octave_spmv_plan () {}
  explicit octave_spmv_plan (const std::shared_ptr<gla::plan> &p) : m_plan (p) {}

  octave_base_value *clone () const { return new octave_spmv_plan (*this); }
  octave_base_value *empty_clone () const { return new octave_spmv_plan (); }

  bool is_defined () const { return true; }
  bool is_constant () const { return true; }
  dim_vector dims () const;

  octave_value subsref (const std::string &type, const std::list<octave_value_list> &idx);
  octave_value_list subsref (const std::string &type, const std::list<octave_value_list> &idx, int)
  {
    return ovl (subsref (type, idx));
  }

  bool print_as_scalar () const { return true; }
  void print (std::ostream &os, bool as_read_syntax = false);
  void print_raw (std::ostream &os, bool as_read_syntax = false) const;
  void short_disp (std::ostream &os) const { print_raw (os); }

  // The last argument was a reference before Octave 7.
  bool save_ascii (std::ostream &) { return refuse_to_save (); }
  bool save_binary (std::ostream &, bool) { return refuse_to_save (); }
  bool save_binary (std::ostream &, bool &) { return refuse_to_save (); }
  bool save_hdf5 (octave_hdf5_id, const char *, bool) { return refuse_to_save (); }

  const std::shared_ptr<gla::plan> &plan () const { return m_plan; }

private:
  static bool refuse_to_save ()
  {
    error_with_id ("gpulinalg:bad-class",
                   "save: a plan of spmv_plan cannot be saved; save its matrix and make the plan "
                   "anew");
  }

  std::shared_ptr<gla::plan> m_plan; // null only in the one that registers the type

  DECLARE_OV_TYPEID_FUNCTIONS_AND_DATA
};

DEFINE_OV_TYPEID_FUNCTIONS_AND_DATA (octave_spmv_plan, "spmv_plan", "spmv_plan");

dim_vector octave_spmv_plan::dims () const
{
  return m_plan ? m_plan->matrix ().matrix ().dims () : dim_vector ();
}

octave_value octave_spmv_plan::subsref (const std::string &type,
                                        const std::list<octave_value_list> &idx)
{
  std::string name;
  if (type[0] == '.' && idx.front ().length () == 1 && idx.front () (0).is_string ())
    name = idx.front () (0).string_value ();
  if (name != "matrix")
    error_with_id ("gpulinalg:bad-class",
                   "spmv_plan: a plan cannot be indexed; its matrix is P.matrix");
  octave_value A = m_plan->matrix ().matrix ();
  return type.length () == 1 ? A : A.next_subsref (type, idx);
}

void octave_spmv_plan::print (std::ostream &os, bool as_read_syntax)
{
  print_raw (os, as_read_syntax);
  newline (os);
}

void octave_spmv_plan::print_raw (std::ostream &os, bool) const
{
  gla_sparse_info info = m_plan->matrix ().info ();
  bool single = info.type == GLA_S || info.type == GLA_C;
  os << "<spmv_plan: " << info.rows << "x" << info.columns << (single ? " single" : " double")
     << (gla_type_is_complex (info.type) ? " complex" : "") << ", " << info.entries << " nonzeros"
     << (info.pattern ? ", all equal" : "") << ", method " << gla::method_name (info.method);
  if (info.gpus > 0)
    os << ", copies on " << info.gpus << (info.gpus == 1 ? " GPU" : " GPUs");
  os << ">";
}

std::shared_ptr<gla::plan> gla::plan_of (const octave_value &v)
{
  const octave_spmv_plan *value = nullptr;
  if (v.class_name () == "spmv_plan")
    value = dynamic_cast<const octave_spmv_plan *> (&v.get_rep ());
  return value ? value->plan () : nullptr;
}

//------------------------------------------------------------------------------
// the function
//------------------------------------------------------------------------------

static octave_value_list spmv_plan_body (octave::interpreter &interp, const octave_value_list &args,
                                         int nargout)
{
  if (args.length () < 1 || nargout > 1)
    print_usage ();
  gla::options opts ("spmv_plan", args, 1, {}, {"device", "method", "precision"});
  gla::sparse_matrix::settings how = {};
  how.method = gla::method_of (opts);
  how.single = gla::single_of (opts);

  static bool registered = false;
  if (!registered) {
    // A value must not lose its code: "clear all" may not unload this file from here on.
    interp.mlock ();
    octave_spmv_plan::register_type ();
    registered = true;
  }
  octave_value A = args (0);
  if (std::shared_ptr<gla::plan> given = gla::plan_of (A))
    A = given->matrix ().matrix (); // other options for the same matrix
  auto p = std::make_shared<gla::plan> (interp, A, opts.value ("device"), how);
  return ovl (octave_value (new octave_spmv_plan (p)));
}

DEFMETHOD_DLD (spmv_plan, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{P} =} spmv_plan (@var{A})
 @deftypefnx {gpulinalg} {@var{P} =} spmv_plan (@var{A}, @var{name}, @var{value}, @dots{})
Prepare a sparse matrix for many products.

@var{P} stands for the sparse matrix @var{A} in @code{spmv} and
@code{eigs_lanczos}.  What a product needs to know about @var{A} is found out
once, and where a GPU multiplies, it keeps its copy of @var{A} for as long as
@var{P} or a copy of @var{P} lives.  On the host nothing is copied: @var{P} shares
the memory of @var{A}.  Changing the variable @var{A} later does not change
@var{P}.

Options, each followed by its value, names in upper or lower case:

@table @asis
@item @qcode{"device"}
Where products are computed unless a call says otherwise.  @qcode{"auto"}
(default): the faster place.  @qcode{"cpu"}.  @qcode{"gpu"}.  A vector of numbers:
these GPUs, as @code{gpulinalg_info} counts them, from 0.

@item @qcode{"method"}
How rows are dealt out on a GPU.  @qcode{"auto"} (default) chooses by the lengths
of the rows.  @qcode{"scalar"}: one thread for each row.  @qcode{"vector"}: one
warp for each row.  @qcode{"group"}: 2 to 32 threads for each row, by the mean
length (Bell and Garland 2008).  @qcode{"balanced"}: equally many nonzeros for
all, long rows split and short rows packed; where it pays, as for graphs with
hubs, the elements of one vector at the columns with the most nonzeros are kept
close to the processors, which takes 4 bytes more for each nonzero.  On the CPU
all of them are parts of equally many nonzeros.

@item @qcode{"precision"}
@qcode{"double"} (default) or @qcode{"single"}: the values are rounded once, and
all computations are single.
@end table

@code{size (@var{P})}, @code{rows (@var{P})} and @code{columns (@var{P})} are those
of @var{A}, and @code{@var{P}.matrix} is @var{A}.  A plan cannot be indexed
otherwise, nor saved to a file.

@example
@group
A = ba_graph (100000, 3);
P = spmv_plan (A)
   @result{} P = <spmv_plan: 100000x100000 double, 599982 nonzeros, all equal, method balanced>
x = ones (100000, 1);
for k = 1:50
  x = spmv (P, x);
  x /= norm (x);
endfor
@end group
@end example

@seealso{spmv, eigs_lanczos}
@end deftypefn)doc")
{
  return gla::guarded ("spmv_plan", [&] () { return spmv_plan_body (interp, args, nargout); });
}

/*
%!function text = shown (P)
%!  text = evalc ("P");
%!endfunction

%!test
%! A = sparse ([1, 1, 3], [1, 2, 2], [10, 20, 30]);
%! P = spmv_plan (A);
%! assert (class (P), "spmv_plan");
%! assert ({size(P), rows(P), columns(P), numel(P)}, {[3, 2], 3, 2, 6});
%! assert (P.matrix, A);
%! assert (full (P.matrix(3,2)), 30);
%! assert (spmv (P, [1; 2]), [50; 0; 60]);
%! assert (! isempty (regexp (shown (P), '^P = <spmv_plan: 3x2 double, 3 nonzeros, method \w+')));
%! assert (! isempty (strfind (shown (spmv_plan (A > 0)), "3 nonzeros, all equal, method")));
%! assert (! isempty (strfind (shown (spmv_plan (A * 1i)), "3x2 double complex")));
%! assert (! isempty (strfind (shown (spmv_plan (A, "precision", "single")), "3x2 single, ")));
%! assert (! isempty (strfind (disp (spmv_plan (A, "method", "Vector")), "method vector")));

%!## a plan lives as long as a copy of it, whatever becomes of the matrix
%!test
%! A = sprand (300, 300, 0.1);
%! x = rand (300, 1);
%! P = spmv_plan (A);
%! y = spmv (P, x);
%! assert (y, A * x, 1e-12);
%! A(7,:) = 5;
%! assert (spmv (P, x), y);
%! clear A
%! Q = {P, struct("plan", P)};
%! clear P
%! assert (spmv (Q{2}.plan, x), y);
%! Q{1} = [];
%! assert (spmv (Q{2}.plan, x), y);
%! f = @(x) spmv (Q{2}.plan, x);
%! clear Q
%! assert (f (x), y);
%! for k = 1:100
%!   P = spmv_plan (speye (k));
%! endfor
%! assert (spmv (P, (1:100).'), (1:100).');

%!## single precision; a plan of a plan
%!test
%! A = sprand (60, 40, 0.2);
%! x = rand (40, 2);
%! P = spmv_plan (A, "precision", "single");
%! y = spmv (P, x);
%! assert (class (y), "single");
%! assert (y, single (A * x), 1e-5);
%! assert (spmv (P, single (x)), y);
%! z = spmv (P, complex (x, 2 * x));
%! assert ({class(z), real(z)}, {"single", y});
%! assert (imag (z), 2 * y, 1e-5);
%! Pz = spmv_plan (A * (1 + 1i), "precision", "single");
%! assert (spmv (Pz, x), single (A * x * (1 + 1i)), 1e-5);
%! D = spmv_plan (P, "precision", "double");
%! assert (spmv (D, x), A * x, 1e-13);
%! assert (class (spmv (D, single (x))), "single");

%!## places
%!test
%! A = sprand (60, 40, 0.2);
%! x = rand (40, 2);
%! for place = [{"cpu", "auto"}, num2cell(0:numel (gpulinalg_info ().devices) - 1)]
%!   P = spmv_plan (A, "device", place{1});
%!   assert (spmv (P, x), A * x, 1e-13);
%!   assert (spmv (P, x, "device", "cpu"), A * x, 1e-13);
%! endfor

%!## plans are not for files
%!test
%! P = spmv_plan (speye (3));
%! name = tempname ();
%! for format = {"-text", "-binary"}
%!   err.identifier = err.message = "";
%!   try
%!     save (format{1}, name, "P");
%!   catch err
%!   end_try_catch
%!   if (exist (name, "file"))
%!     unlink (name);
%!   endif
%!   assert (err.identifier, "gpulinalg:bad-class");
%!   assert (! isempty (strfind (err.message, "a plan of spmv_plan cannot be saved")));
%! endfor
%! assert (spmv (P, [1; 2; 3]), [1; 2; 3]);

%!error <Invalid call> spmv_plan ()
%!error <Invalid call> [a, b] = spmv_plan (speye (2))
%!error id=gpulinalg:bad-class spmv_plan (eye (2))
%!error <spmv_plan: A must be a sparse matrix or a plan of spmv_plan, not double> spmv_plan (ones (2))
%!error <unknown option "tol"; known are "device", "method" or "precision"> spmv_plan (speye (2), "tol", 1)
%!error <option "precision" must be "single" or "double", not "half"> spmv_plan (speye (2), "precision", "half")
%!error id=gpulinalg:no-device spmv_plan (speye (2), "device", 77)
%!error <a plan cannot be indexed; its matrix is P.matrix> spmv_plan (speye (2))(1)
%!error <a plan cannot be indexed; its matrix is P.matrix> spmv_plan (speye (2)).values
%!error spmv_plan (speye (2)) + 1
*/
