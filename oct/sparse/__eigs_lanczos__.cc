// __eigs_lanczos__.cc: calls gla_eigs for inst/eigs_lanczos.m
// SPDX-License-Identifier: GPL-3.0-or-later

#include "eigs_lanczos.h"
#include "plan_value.h"

#include <algorithm>

static const char who[] = "eigs_lanczos";

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

static gla_eigs_which which_of (const std::string &name)
{
  return name == "la"   ? GLA_EIGS_WHICH_LA
         : name == "sa" ? GLA_EIGS_WHICH_SA
         : name == "be" ? GLA_EIGS_WHICH_BE
                        : GLA_EIGS_WHICH_LM;
}

eigs_request eigs_read_request (const octave_value_list &args, int nargout)
{
  octave_scalar_map fields = args (1).scalar_map_value ();
  eigs_request want = {};
  want.eigs = gla::sized<gla_eigs_options> ();
  want.A = args (0);
  want.device = fields.getfield ("device");
  want.progress = fields.getfield ("progress");
  want.doubt = fields.getfield ("doubt");
  want.n = fields.getfield ("n").idx_type_value ();
  want.k = fields.getfield ("k").int64_value ();
  want.which = which_of (fields.getfield ("which").string_value ());
  want.eigs.method = fields.getfield ("method").string_value () == "plain"
                         ? GLA_EIGS_METHOD_PLAIN
                         : GLA_EIGS_METHOD_RESTARTED;
  want.eigs.block = fields.getfield ("block").int_value ();
  want.eigs.basis = fields.getfield ("basis").int64_value ();
  want.eigs.tol = fields.getfield ("tol").double_value ();
  want.eigs.maxit = fields.getfield ("maxit").int64_value ();
  want.eigs.seed = fields.getfield ("seed").uint64_value ();
  want.eigs.trust = !fields.getfield ("certify").bool_value ();
  want.eigs.steps = fields.getfield ("steps").int64_value ();
  want.v0 = fields.getfield ("v0");
  want.inverse = fields.getfield ("inverse").bool_value ();
  want.sigma = fields.getfield ("shift").double_value ();
  want.single = fields.getfield ("single").bool_value ();
  want.is_complex = fields.getfield ("complex").bool_value ();
  want.block_function = fields.getfield ("block_function").bool_value ();
  want.vectors = nargout > 3;
  want.resident = fields.getfield ("resident").bool_value ();
  return want;
}

//------------------------------------------------------------------------------
// another way than products
//------------------------------------------------------------------------------

// Asks once, after 40 restarts and if not all has converged, whether the caller has a way that
// takes less time than the remaining restarts, and then ends the call: its results are not needed.
// The library reports its progress after each restart, but not while it looks for missed values. It
// must be constructed after call.set_progress.
class doubtful_call
{
public:
  doubtful_call (gla::call &call, octave::interpreter &interp, const octave_value &doubt)
      : m_call (call), m_interp (interp), m_doubt (doubt)
  {
    if (m_doubt.is_function_handle ())
      gla_set_progress (call.context (), on_progress, this);
  }

  // Does what call.finish does; returns whether the call was given up.
  bool finish (gla_status status)
  {
    try {
      m_call.finish (status);
    } catch (const given_up &) {
      return true;
    }
    return false;
  }

private:
  struct given_up {
  };
  enum { RESTARTS = 40 };

  static void on_progress (void *self, int64_t done, int64_t total)
  {
    doubtful_call *c = static_cast<doubtful_call *> (self);
    c->m_call.caught ([=] () { c->report (done, total); });
  }

  void report (int64_t done, int64_t total)
  {
    m_call.report (done, total);
    if (++m_restarts != RESTARTS || done >= total)
      return;
    const octave_value_list answer =
        gla::feval (m_interp, m_doubt, ovl (static_cast<double> (done)));
    if (answer (0).is_true ())
      throw given_up ();
  }

  gla::call &m_call;
  octave::interpreter &m_interp;
  octave_value m_doubt;
  int m_restarts = 0;
};

//------------------------------------------------------------------------------
// a function instead of a matrix
//------------------------------------------------------------------------------

// Ends with an error unless the user's function has returned an array of the host of class single
// or double.
static void check_class (const octave_value &y)
{
  if (y.is_undefined ())
    error_with_id ("gpulinalg:bad-function", "%s: the function returns nothing", who);
  if (gla::is_gpu_array (y))
    error_with_id ("gpulinalg:bad-function",
                   "%s: the function must return an ordinary array, not a gpuArray; use gather",
                   who);
  if (!y.isnumeric () || y.isinteger () || y.isobject ())
    error_with_id ("gpulinalg:bad-function",
                   "%s: the function must return a single or double vector, not %s", who,
                   y.class_name ().c_str ());
}

// Calls the user's function with arrays of the class of the computation.
template <typename Array> class function_operator
{
public:
  function_operator (gla::call &call, octave::interpreter &interp, const eigs_request &want)
      : m_call (call), m_interp (interp), m_want (want)
  {
  }

  static int apply (void *self, const void *x, void *y, int64_t columns)
  {
    function_operator *f = static_cast<function_operator *> (self);
    return f->m_call.caught ([=] () {
      typedef typename Array::element_type T;
      octave_idx_type n = f->m_want.n, step = f->m_want.block_function ? columns : 1;
      for (octave_idx_type j = 0; j < columns; j += step)
        f->multiply (static_cast<const T *> (x) + j * n, static_cast<T *> (y) + j * n, step);
    });
  }

private:
  template <typename T> void multiply (const T *x, T *y, octave_idx_type columns)
  {
    octave_idx_type n = m_want.n;
    Array X (dim_vector (n, columns));
    std::copy (x, x + n * columns, X.fortran_vec ());
    octave_value_list results = gla::feval (m_interp, m_want.A, ovl (X));
    octave_value result = results.length () > 0 ? results (0) : octave_value ();
    check (result, columns);
    Array Y;
    gla::read (result.full_value (), Y);
    std::copy (Y.data (), Y.data () + n * columns, y);
  }

  void check (const octave_value &y, octave_idx_type columns) const
  {
    check_class (y);
    if (y.ndims () > 2 || y.rows () != m_want.n || y.columns () != columns)
      error_with_id ("gpulinalg:bad-function",
                     "%s: the function must return a column of %lld elements, but returns %s", who,
                     static_cast<long long> (m_want.n), y.dims ().str ().c_str ());
    if (y.iscomplex () && !m_want.is_complex)
      error_with_id ("gpulinalg:bad-function",
                     "%s: the function returns complex numbers; set opts.isreal = false", who);
  }

  gla::call &m_call;
  octave::interpreter &m_interp;
  const eigs_request &m_want;
};

//------------------------------------------------------------------------------
// the call
//------------------------------------------------------------------------------

octave_scalar_map eigs_stats_of (const gla_eigs_report &report)
{
  octave_scalar_map stats;
  stats.setfield ("converged", static_cast<double> (report.converged));
  stats.setfield ("products", static_cast<double> (report.products));
  stats.setfield ("restarts", static_cast<double> (report.restarts));
  stats.setfield ("steps", static_cast<double> (report.steps));
  stats.setfield ("basis", static_cast<double> (report.basis));
  stats.setfield ("block", static_cast<double> (report.block));
  stats.setfield ("complete", report.complete != 0);
  stats.setfield ("norm", report.norm);
  stats.setfield ("orthogonality", report.orthogonality);
  stats.setfield ("dense", report.dense != 0);
  stats.setfield ("device", report.device == GLA_DEVICE_HOST
                                ? octave_value ("cpu")
                                : octave_value (static_cast<double> (report.device)));
  return stats;
}

// Returns the GPU that the vectors stay on; -1: they are copied to the host.
static int device_of_vectors (const eigs_request &want, const octave_value &place)
{
  const bool cpu = gla::is_text (place) && gla::lower_case (place.string_value ()) == "cpu";
  if (!want.resident || !want.vectors || cpu)
    return -1;
  const int device = gla::device_of (who, ovl (want.v0));
  return device >= 0 ? device : gla::gpu_device ();
}

template <typename Array, typename Real>
static octave_value_list solve (gla::call &call, octave::interpreter &interp, gla_sparse *sparse,
                                eigs_request want, int device)
{
  function_operator<Array> function (call, interp, want);
  auto op = gla::sized<gla_operator> ();
  op.sparse = sparse;
  if (!sparse) {
    op.apply = function_operator<Array>::apply;
    op.user = &function;
  }
  op.type = gla::type_of (Array ());
  op.n = want.n;
  op.inverse = want.inverse;
  op.sigma = want.sigma;

  eigs_outputs<Array, Real> out (want, want.n, device);
  auto report = gla::sized<gla_eigs_report> ();
  doubtful_call doubtful (call, interp, want.doubt);
  const bool given_up = doubtful.finish (
      gla_eigs (call.context (), &op, want.k, want.which, &out.results, &want.eigs, &report));
  return out.values (report, given_up);
}

static octave_value_list solve_in_type (gla::call &call, octave::interpreter &interp,
                                        gla_sparse *sparse, const eigs_request &want, int device)
{
  return gla::in_class (want.single, want.is_complex, [&] (auto array, auto real) {
    return solve<decltype (array), decltype (real)> (call, interp, sparse, want, device);
  });
}

//------------------------------------------------------------------------------
// the function
//------------------------------------------------------------------------------

static octave_value_list eigs_body (octave::interpreter &interp, const octave_value_list &args,
                                    int nargout)
{
  if (args.length () == 1 && args (0).is_string ())
    return gla::call_of_ranks (who, interp, args, nargout);
  if (args.length () != 2 || !args (1).isstruct ())
    print_usage ();
  if (args (1).scalar_map_value ().getfield ("by_rows").is_true ())
    return gla::call_of_ranks (who, interp, args, nargout);
  eigs_request want = eigs_read_request (args, nargout);
  if (gla::plan_view view = gla::plan_of (want.A)) {
    if (view.plan->matrix ().rows ())
      error_with_id ("gpulinalg:bad-class",
                     "eigs_lanczos: of a plan made with \"mpi\" take P.matrix, and the option "
                     "\"mpi\" here");
    // a Hermitian matrix equals its ctranspose, but not its transpose
    if (view.is_complex () && view.transposed != view.conjugated)
      error_with_id ("gpulinalg:bad-class",
                     "eigs_lanczos: the plan is a transpose; use the plan itself, or one of "
                     "P.matrix");
    const std::shared_ptr<gla::plan> &plan = view.plan;
    gla_type type = plan->matrix ().info ().type;
    want.single = type == GLA_TYPE_S || type == GLA_TYPE_C;
    gla::plan::use use (who, plan);
    gla::call call (who, interp, use.context ());
    const octave_value place = use.place (want.device);
    call.set_place (place);
    call.set_progress (want.progress, "eigenvalues");
    return solve_in_type (call, interp, plan->matrix ().get (), want,
                          device_of_vectors (want, place));
  }
  gla::call call (who, interp);
  call.set_place (want.device);
  call.set_progress (want.progress, "eigenvalues");
  if (want.A.is_string ()) {
    const std::string name = want.A.string_value ();
    if (!gla::is_function (interp, name))
      error_with_id ("gpulinalg:bad-function", "%s: there is no function \"%s\"", who,
                     name.c_str ());
  }
  if (!want.A.issparse ())
    return solve_in_type (call, interp, nullptr, want, -1);
  gla::sparse_matrix::settings how = {};
  how.single = want.single;
  gla::sparse_matrix A (call, who, want.A, how);
  return solve_in_type (call, interp, A.get (), want, device_of_vectors (want, want.device));
}

DEFMETHOD_DLD (__eigs_lanczos__, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn {gpulinalg} {[@var{d}, @var{residuals}, @var{stats}, @var{V}] =} __eigs_lanczos__ (@var{A}, @var{options})
Internal function of @code{eigs_lanczos}.

@end deftypefn)doc")
{
  return gla::guarded (who, [&] () { return eigs_body (interp, args, nargout); });
}

/*
%!error <Invalid call> __eigs_lanczos__ ()
%!error <Invalid call> __eigs_lanczos__ (1, 2)
*/
