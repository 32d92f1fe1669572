// gla_octave.cc: outputs filled with zeros, and the warning about pages that failed
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/quit.h>

namespace gla
{

// Stores the exception that octave_quit throws after Ctrl-C, because none may cross the library.
// Its flags are not read directly: their types differ between versions of Octave.
static int store_interrupt (void *exception)
{
  try {
    octave_quit ();
  } catch (...) {
    *static_cast<std::exception_ptr *> (exception) = std::current_exception ();
    return 1;
  }
  return 0;
}

void zero (void *memory, std::size_t bytes)
{
  std::exception_ptr interrupt;
  if (gla_host_zero (memory, bytes, store_interrupt, &interrupt))
    std::rethrow_exception (interrupt);
}

void warn_of_failed_pages (const char *who, const int32_t *info, octave_idx_type pages,
                           int32_t not_finite)
{
  long long bad = 0, first_bad = 0, stuck = 0, first_stuck = 0;
  for (octave_idx_type p = pages - 1; p >= 0; p--) {
    if (info[p] == not_finite)
      bad++, first_bad = p + 1;
    else if (info[p] != 0)
      stuck++, first_stuck = p + 1;
  }
  const char *id = "gpulinalg:pages-failed";
  long long all = pages;
  if (bad > 0 && stuck > 0)
    warning_with_id (
        id,
        "%s: %lld of %lld pages hold NaN or Inf (the first is page %lld), and %lld did "
        "not converge (the first is page %lld); they are NaN in the result",
        who, bad, all, first_bad, stuck, first_stuck);
  else if (bad + stuck > 0)
    warning_with_id (id,
                     "%s: %lld of %lld pages %s and are NaN in the result; the first is page %lld",
                     who, bad + stuck, all, bad > 0 ? "hold NaN or Inf" : "did not converge",
                     bad > 0 ? first_bad : first_stuck);
}

} // namespace gla
