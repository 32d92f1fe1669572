// ranks.h: what functions with an option "mpi" share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A rank must come to every meeting that the others come to, also when its arguments are wrong or
// its memory is short. So the body of a collective function runs in `together`, which tells the
// others what it throws, and all ranks end with the same error.

#ifndef GPULINALG_RANKS_H
#define GPULINALG_RANKS_H

#include "gla_octave.h"

namespace gla
{

// Whether "mpi" is the name of an option among the arguments.
bool wants_mpi (const octave_value_list &args);

// The ranks of this process, joined at first need.
class team
{
public:
  team (const char *who, octave::interpreter &interp);

  gla::call &call () { return m_call; }
  gla_ranks *ranks () const { return m_ranks; }
  bool is_root () const { return m_root; }

  // Collective: tells the others the rows and the classes here, and learns those of all.
  void announce (const octave_value &A, const octave_value &B);
  octave_idx_type total (int which) const { return m_parts.total[which]; }

  // Calls body (array, real) in the class of all ranks, as in_class_of does in that of A and B.
  template <typename Body> octave_value_list in_common_class (Body body) const
  {
    return in_class ((m_parts.flags & 1) != 0, (m_parts.flags & 2) != 0, body);
  }

  // The status of a collective function of the library, which has met the others.
  void finish (gla_status status)
  {
    m_awaited = false;
    m_call.finish (status);
  }

  // Tells the others that this rank cannot go on, where they wait for it. Ends with the error that
  // they get, too, if they could be told.
  void refuse (gla_status status, const std::string &why);

private:
  const char *m_who;
  gla::call m_call;
  gla_ranks *m_ranks = nullptr;
  bool m_root = false;
  bool m_awaited = false; // whether the others come to a meeting next
  gla_ranks_parts m_parts = sized<gla_ranks_parts> ();
};

template <typename Body>
octave_value_list together (const char *who, octave::interpreter &interp, Body body)
{
  team t (who, interp);
  try {
    return body (t);
  } catch (const octave::execution_exception &e) {
    const std::string why = e.message ();
    const octave::execution_exception own = e;
    recover (interp);
    t.refuse (GLA_ERROR_RANKS_DIFFER, why);
    throw own;
  } catch (const std::bad_alloc &) {
    t.refuse (GLA_ERROR_OUT_OF_MEMORY, "too little memory");
    throw;
  } catch (const octave::interrupt_exception &) {
    t.refuse (GLA_ERROR_STOPPED, "stopped");
    throw;
  }
}

// Memory of a part of a matrix; that of a part without rows is not NULL either, because NULL says
// that a result is not wanted.
inline gla_array part (gla_array a)
{
  static double none;
  if (a.data == nullptr)
    a.data = &none;
  return a;
}

// gla::allocate for such a part.
template <typename A>
void allocate_part (A &a, gla_array &result, const dim_vector &dims, octave_idx_type rows,
                    octave_idx_type columns)
{
  allocate (a, result, dims, rows, columns);
  result = part (result);
}

// With "mpi" the value must be "rows", and there is no meter.
void check_mpi_options (const char *who, const options &opts);

} // namespace gla

#endif
