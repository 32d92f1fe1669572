// call.cc: one call of the library: its context, its place, its status
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"
#include "arrays/gpu_value.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace gla
{

//------------------------------------------------------------------------------
// contexts
//------------------------------------------------------------------------------

// The lists of all contexts, of those that no call or plan holds, and of those in use by a call.
// They are never freed, see take_context.
struct context_lists {
  std::vector<gla_context *> all, idle, in_use;
};
static context_lists &contexts ()
{
  static auto *lists = new context_lists;
  return *lists;
}

// Waits for a GPU that is being started, while the driver still works, and frees kept memory.
static octave_value_list end_starts (octave::interpreter &, const octave_value_list &, int)
{
  const std::vector<gla_context *> &in_use = contexts ().in_use;
  for (gla_context *context : contexts ().all)
    if (std::find (in_use.begin (), in_use.end (), context) == in_use.end ())
      gla_release (context, GLA_DEVICE_ALL_GPUS);
  return octave_value_list ();
}

static const char *const end_name = "__gpulinalg_end__";
static bool ends_registered = false;

// Registers the work for the end of the process, once. Functions that the user has given to atexit
// before run after end_starts; the library waits for a GPU that those start.
static void register_ends (octave::interpreter &interp)
{
  if (ends_registered)
    return;
  call_at_end (interp, end_name, end_starts);
  ends_registered = true;
}

bool another_copy_was_used (octave::interpreter &interp)
{
  return calls_at_end (interp, end_name) > (ends_registered ? 1 : 0);
}

gla_context *take_context (const char *who, octave::interpreter &interp)
{
  std::vector<gla_context *> &idle = contexts ().idle;
  gla_context *context = nullptr;
  if (!idle.empty ()) {
    context = idle.back ();
    idle.pop_back ();
  } else {
    keep_loaded (interp); // the context uses its code
    register_ends (interp);
    std::vector<gla_context *> &all = contexts ().all;
    all.reserve (all.size () + 1); // so that push_back below cannot throw
    idle.reserve (all.size () + 1);
    gla_status status = gla_context_create (&context);
    if (status != GLA_OK)
      error_with_id ("Octave:bad-alloc", "%s: the library cannot start: %s", who,
                     gla_status_text (status));
    all.push_back (context);
  }
  return context;
}

void give_context (gla_context *context)
{
  contexts ().idle.push_back (context);
}

void release_memory (const char *who, octave::interpreter &interp, int device)
{
  call first (who, interp); // checks the number of the device
  first.finish (gla_release (first.context (), device));
  const std::vector<gla_context *> &in_use = contexts ().in_use;
  for (gla_context *context : contexts ().all)
    if (std::find (in_use.begin (), in_use.end (), context) == in_use.end ())
      gla_release (context, device);
}

call *call::innermost = nullptr;

call::call (const char *who, octave::interpreter &interp, gla_context *own)
    : m_who (who), m_interp (interp), m_context (own ? own : take_context (who, interp)),
      m_callers_context (own), m_outer (innermost)
{
  contexts ().in_use.push_back (m_context);
  gla_set_stop (m_context, on_stop, this);
  gla_set_progress (m_context, nullptr, nullptr);
  gla_set_sweeps (m_context, nullptr, nullptr);
  gla_set_warning (m_context, on_warning, this);
  innermost = this;
}

// An outer call of the same context, which works with gpuArrays, gets its callbacks back.
call::~call ()
{
  std::vector<gla_context *> &in_use = contexts ().in_use;
  in_use.erase (std::find (in_use.begin (), in_use.end (), m_context));
  call *outer = m_outer != nullptr && m_outer->m_context == m_context ? m_outer : nullptr;
  gla_set_stop (m_context, outer != nullptr ? on_stop : nullptr, outer);
  gla_set_progress (m_context, nullptr, nullptr);
  gla_set_sweeps (m_context, nullptr, nullptr);
  gla_set_warning (m_context, outer != nullptr ? on_warning : nullptr, outer);
  if (!m_callers_context)
    give_context (m_context);
  innermost = m_outer;
}

bool call::works_with (const gla_context *context)
{
  return innermost != nullptr && innermost->m_context == context;
}

//------------------------------------------------------------------------------
// place and status
//------------------------------------------------------------------------------

void call::set_place (const octave_value &given)
{
  if (given.is_defined ())
    set_place (given, "option \"device\"");
  else
    set_place (place_of_session ().device, place_of_session ().name);
}

void call::set_place (const octave_value &given, const char *name)
{
  const octave_value device = gathered (given);
  gla_place place = GLA_PLACE_AUTO;
  std::vector<int> numbers;

  if (is_text (device)) {
    std::string word = lower_case (device.string_value ());
    if (word == "cpu")
      place = GLA_PLACE_CPU;
    else if (word == "gpu")
      place = GLA_PLACE_GPU;
    else if (word != "auto")
      error_with_id ("gpulinalg:bad-value",
                     "%s: %s must be \"auto\", \"cpu\", \"gpu\" or numbers of GPUs, "
                     "not \"%s\"",
                     m_who, name, device.string_value ().c_str ());
  } else if (device.is_defined ()) {
    if (!device.isnumeric () || !device.isreal () || device.isempty ())
      error_with_id ("gpulinalg:bad-value",
                     "%s: %s must be \"auto\", \"cpu\", \"gpu\" or numbers of GPUs, "
                     "not %s%s",
                     m_who, name, device.isempty () ? "an empty " : "of class ",
                     device.isempty () ? "array" : device.class_name ().c_str ());
    NDArray values = device.array_value ();
    for (octave_idx_type k = 0; k < values.numel (); k++) {
      double x = values.xelem (k);
      if (!(x >= 0 && x <= INT_MAX && x == std::floor (x)))
        error_with_id ("gpulinalg:bad-value",
                       "%s: %s must be numbers of GPUs, counted from 0, not %s", m_who, name,
                       text_of (x).c_str ());
      numbers.push_back (static_cast<int> (x));
    }
    place = GLA_PLACE_LIST;
  }
  finish (gla_set_place (m_context, place, numbers.data (), static_cast<int> (numbers.size ())));
}

void call::finish (gla_status status)
{
  end_meter ();
  if (m_exception) {
    std::exception_ptr thrown;
    std::swap (thrown, m_exception);
    std::rethrow_exception (thrown);
  }
  std::vector<std::pair<std::string, std::string>> warnings;
  std::swap (warnings, m_warnings);
  for (const auto &w : warnings)
    warning_with_id (("gpulinalg:" + w.first).c_str (), "%s: %s", m_who, w.second.c_str ());

  const std::string text = gla_message (m_context);
  const char *message = text.c_str ();
  if (status == GLA_ERROR_DEVICE_FAILURE)
    note_lost_arrays (m_context);
  switch (status) {
  case GLA_OK:
    return;
  case GLA_ERROR_OUT_OF_MEMORY:
    error_with_id ("Octave:bad-alloc", "%s: out of memory: %s", m_who, message);
  case GLA_ERROR_NO_DEVICE:
    error_with_id ("gpulinalg:no-device", "%s: %s", m_who, message);
  case GLA_ERROR_DEVICE_FAILURE:
    error_with_id ("gpulinalg:device-failed", "%s: %s", m_who, message);
  case GLA_ERROR_NOT_HERMITIAN:
    error_with_id ("gpulinalg:not-hermitian", "%s: %s", m_who, message);
  case GLA_ERROR_BAD_ARGUMENT:
    error_with_id ("gpulinalg:bad-value", "%s: %s", m_who, message);
  case GLA_ERROR_FORKED:
    error_with_id ("gpulinalg:forked", "%s: %s", m_who, message);
  case GLA_ERROR_NO_MPI:
    error_with_id ("gpulinalg:no-mpi", "%s: %s", m_who, message);
  case GLA_ERROR_RANKS_DIFFER:
    error_with_id ("gpulinalg:mpi-mismatch", "%s: %s", m_who, message);
  case GLA_ERROR_RANK_LOST:
    error_with_id ("gpulinalg:mpi-failed", "%s: %s", m_who, message);
  case GLA_ERROR_NO_LIBRARY:
    error_with_id ("gpulinalg:no-library",
                   "%s: %s; gather (G) copies to the host, which needs none", m_who, message);
  case GLA_ERROR_STOPPED:
    break;
  }
  error_with_id ("gpulinalg:internal", "%s: %s: %s", m_who, gla_status_text (status), message);
}

} // namespace gla
