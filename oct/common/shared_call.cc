// shared_call.cc: the list of functions with the option "mpi"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "shared_call.h"

#include <map>

namespace gla
{

bool wants_mpi (const octave_value_list &args)
{
  for (int k = 1; k < args.length (); k++)
    if (is_text (args (k)) && lower_case (args (k).string_value ()) == "mpi")
      return true;
  return false;
}

// The first user makes the list: other files add to it before Octave calls a function.
static std::map<std::string, function_of_ranks> &functions ()
{
  static std::map<std::string, function_of_ranks> list;
  return list;
}

add_of_ranks::add_of_ranks (const char *who, function_of_ranks function)
{
  functions ()[who] = function;
}

octave_value_list call_of_ranks (const char *who, octave::interpreter &interp,
                                 const octave_value_list &args, int nargout)
{
  const auto at = functions ().find (who);
  if (at == functions ().end ())
    error_with_id ("gpulinalg:no-mpi",
                   "%s: this build has no ranks; GPULINALG_MPI=no has left out the option \"mpi\"",
                   who);
  return at->second (interp, args, nargout);
}

} // namespace gla
