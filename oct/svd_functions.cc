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
  if (given.tol.is_defined () && !is_gpu_array (given.A))
    given.tol = gathered (given.tol);
  given.device = options (who, args, at, {}, {"device"}).value ("device");
  return given;
}

} // namespace gla
