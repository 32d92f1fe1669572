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

// Counts the pages that have an info of this reason, and returns the number of the first.
static std::pair<long long, long long> count_pages (const int32_t *info, octave_idx_type pages,
                                                    const page_failure &reason)
{
  long long count = 0, first = 0;
  for (octave_idx_type p = pages - 1; p >= 0; p--)
    if (info[p] >= reason.least && info[p] <= reason.most)
      count++, first = p + 1;
  return {count, first};
}

void warn_of_failed_pages (const char *who, const int32_t *info, octave_idx_type pages,
                           const std::vector<page_failure> &reasons)
{
  std::string one, several; // the texts for one reason and for several
  std::string becomes = "NaN";
  int kinds = 0;
  for (const page_failure &reason : reasons) {
    const auto found = count_pages (info, pages, reason);
    if (found.first == 0)
      continue;
    const std::string first = "the first is page " + std::to_string (found.second);
    const std::string what = std::to_string (found.first) +
                             (kinds == 0 ? " of " + std::to_string (pages) + " pages " : " ") +
                             reason.what;
    one = what + " and are " + reason.becomes + " in the result; " + first;
    several += (kinds == 0 ? "" : ", and ") + what + " (" + first + ")";
    if (becomes == "NaN")
      becomes = reason.becomes;
    kinds++;
  }
  several += "; they are " + becomes + " in the result";
  if (kinds > 0)
    warning_with_id ("gpulinalg:pages-failed", "%s: %s", who,
                     (kinds == 1 ? one : several).c_str ());
}

} // namespace gla
