// ranks.cc: what functions with an option "mpi" share
// SPDX-License-Identifier: GPL-3.0-or-later

#include "ranks.h"

namespace gla
{

bool wants_mpi (const octave_value_list &args)
{
  for (int k = 1; k < args.length (); k++)
    if (is_text (args (k)) && lower_case (args (k).string_value ()) == "mpi")
      return true;
  return false;
}

void check_mpi_options (const char *who, const options &opts)
{
  opts.word ("mpi", {"rows"});
  if (opts.value ("progress").is_defined ())
    error_with_id ("gpulinalg:bad-option", "%s: \"mpi\" cannot be combined with \"progress\"", who);
}

team::team (const char *who, octave::interpreter &interp) : m_who (who), m_call (who, interp)
{
  auto info = sized<gla_ranks_info> ();
  keep_loaded (interp);
  m_call.finish (gla_ranks_mpi (m_call.context (), &m_ranks));
  m_call.finish (gla_ranks_query (m_call.context (), m_ranks, &info));
  m_root = info.rank == 0;
  m_awaited = true;
}

void team::announce (const octave_value &A, const octave_value &B)
{
  m_parts.flags = (A.is_single_type () || B.is_single_type () ? 1 : 0) |
                  (A.iscomplex () || B.iscomplex () ? 2 : 0);
  m_parts.rows[0] = A.rows ();
  m_parts.rows[1] = B.is_defined () ? B.rows () : 0;
  finish (gla_ranks_announce (m_call.context (), m_ranks, &m_parts));
  m_awaited = true;
}

void team::refuse (gla_status status, const std::string &why)
{
  if (!m_awaited)
    return;
  m_awaited = false;
  // The message of the function begins with its name, and so will that of all.
  const std::string name = std::string (m_who) + ": ";
  const bool named = why.compare (0, name.size (), name) == 0;
  const std::string text = named ? why.substr (name.size ()) : why;
  const gla_status told = gla_ranks_refuse (m_call.context (), m_ranks, status, text.c_str ());
  if (told == status && status != GLA_ERROR_STOPPED)
    m_call.finish (told);
}

} // namespace gla
