// svd_functions.cc: arguments of pagepinv, pagelsqminnorm, pagerank and pagecond
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_functions.h"

namespace gla
{

octave_value read_tolerance (const char *who, const octave_value_list &args, int &at)
{
  if (args.length () <= at || args (at).is_string ())
    return octave_value ();
  const octave_value given = args (at++), tol = gathered (given);
  if (!(tol.isnumeric () && tol.isreal () && tol.numel () == 1 && tol.double_value () >= 0))
    error_with_id ("gpulinalg:bad-value", "%s: tol must be a number that is not negative%s", who,
                   not_this_number (tol).c_str ());
  return given;
}

svd_arguments read_svd_arguments (const char *who, const octave_value_list &args,
                                  bool takes_tolerance)
{
  svd_arguments given;
  given.A = args (0);
  check_float_array (who, "A", given.A);
  int at = 1;
  if (takes_tolerance)
    given.tol = read_tolerance (who, args, at);
  given.device = options (who, args, at, {}, {"device"}).value ("device");
  return given;
}

octave_value_list by_svd_on_gpu (const char *who, const octave_value &A, const octave_value &tol,
                                 const octave_value &device, const octave_value_list &more)
{
  octave_value_list args = ovl (who, A, tol.is_defined () ? tol : octave_value (NDArray ()),
                                device.is_defined () ? device : octave_value ("auto"));
  args.append (more);
  return gpu_pages_function ("by_svd", args);
}

} // namespace gla
