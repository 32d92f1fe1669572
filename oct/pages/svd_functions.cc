// svd_functions.cc: arguments of pagepinv, pagelsqminnorm, pagerank and pagecond
// SPDX-License-Identifier: GPL-3.0-or-later

#include "svd_functions.h"

namespace gla
{

NDArray read_page_numbers (const char *who, const char *what, const octave_value &given,
                           const dim_vector &dims, double most)
{
  const octave_value v = gathered (given);
  if (!v.isnumeric () || !v.isreal ())
    error_with_id ("gpulinalg:bad-value",
                   "%s: %s must be a number that is not negative, not of class %s and size %s", who,
                   what, v.class_name ().c_str (), v.dims ().str ().c_str ());
  const NDArray x = v.array_value ();
  for (octave_idx_type k = 0; k < x.numel (); k++)
    if (!(x.xelem (k) >= 0 && x.xelem (k) <= most))
      error_with_id ("gpulinalg:bad-value", "%s: %s must be a number that is not negative, not %s",
                     who, what, text_of (x.xelem (k)).c_str ());
  if (x.numel () == 1)
    return x;
  const octave_idx_type pages = pages_of (dims);
  if (x.numel () != pages)
    error_with_id ("gpulinalg:bad-value",
                   "%s: %s must be a number, or one for each page of A, not %lld for %lld page%s",
                   who, what, static_cast<long long> (x.numel ()), static_cast<long long> (pages),
                   pages == 1 ? "" : "s");
  return x.reshape (svd_dims (dims, 1, 1));
}

octave_value read_tolerance (const char *who, const octave_value_list &args, int &at)
{
  if (args.length () <= at || args (at).is_string ())
    return octave_value ();
  return read_page_numbers (who, "tol", args (at++), args (0).dims (), octave_Inf);
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

} // namespace gla
