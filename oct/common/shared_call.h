// shared_call.h: what the functions on pages and on sparse matrices know about ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// With the option "mpi" several processes, the ranks, make a call together, by oct/ranks/. A build
// may leave that out, so nothing else includes it: it adds its functions to a list by their names,
// and code that serves both one process and ranks gets a shared_call.

#ifndef GPULINALG_SHARED_CALL_H
#define GPULINALG_SHARED_CALL_H

#include "gla_octave.h"

namespace gla
{

//------------------------------------------------------------------------------
// functions with the option "mpi"
//------------------------------------------------------------------------------

// Whether "mpi" is the name of an option among the arguments.
bool wants_mpi (const octave_value_list &args);

// The function `who` for a call that ranks make together.
typedef octave_value_list (*function_of_ranks) (octave::interpreter &interp,
                                                const octave_value_list &args, int nargout);

// A static object of a file of oct/ranks/ adds its function to the list.
struct add_of_ranks {
  add_of_ranks (const char *who, function_of_ranks function);
};

// Calls the function of the list; ends with gpulinalg:no-mpi if the build has no ranks.
octave_value_list call_of_ranks (const char *who, octave::interpreter &interp,
                                 const octave_value_list &args, int nargout);

//------------------------------------------------------------------------------
// a call of ranks
//------------------------------------------------------------------------------

// The columns of a result that belong to this process: first .. first+count-1.
struct columns_here {
  octave_idx_type first, count;
};

// A call of which this process does one part. If code takes a pointer to it, NULL says that this
// process does all.
class shared_call
{
public:
  virtual ~shared_call () = default;

  virtual bool is_root () const = 0; // of all ranks the one that gives warnings
  // The rows of A (0) or of B (1) on all ranks.
  virtual octave_idx_type total (int which) const = 0;
  // Whether A or B of any rank is single, or complex.
  virtual bool is_single () const = 0;
  virtual bool is_complex () const = 0;
  // Calls body (array, real) in the class of all ranks, as in_class_of does in that of A and B.
  template <typename Body> octave_value_list in_common_class (Body body) const
  {
    return in_class (is_single (), is_complex (), body);
  }

  // Returns those of a result with so many columns.
  virtual columns_here columns_of (octave_idx_type columns) const = 0;

  // The functions of the library without "shared_", for this part of the arrays.
  virtual void shared_least_squares (const gla_array &A, const gla_array &B,
                                     const gla_least_squares_results &results,
                                     const gla_qr_options &options,
                                     gla_least_squares_report &report) = 0;
  // by_columns: of the results each rank gets its columns.
  virtual void shared_gsvd (bool by_columns, const gla_array &A, const gla_array &B,
                            const gla_gsvd_results &results, const gla_gsvd_options &options,
                            gla_gsvd_report &report) = 0;
  virtual void shared_gevd (bool by_columns, const gla_array &A, const gla_array &B,
                            const gla_gevd_results &results, const gla_gsvd_options &options,
                            gla_gevd_report &report) = 0;
};

// Describes memory of a part of a matrix; that of a part without rows is not NULL either, because
// NULL says that a result is not wanted.
inline gla_array part (gla_array a)
{
  static double none;
  if (a.data == nullptr)
    a.data = &none;
  return a;
}

// Does gla::allocate for such a part.
template <typename A>
void allocate_part (A &a, gla_array &result, const dim_vector &dims, octave_idx_type rows,
                    octave_idx_type columns)
{
  allocate (a, result, dims, rows, columns);
  result = part (result);
}

} // namespace gla

#endif
