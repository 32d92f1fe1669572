// gla_octave.cc: what the Octave functions of gpulinalg share
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/quit.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gla
{

std::string lower_case (std::string s)
{
  for (char &c : s)
    c = static_cast<char> (std::tolower (static_cast<unsigned char> (c)));
  return s;
}

static bool contains (const std::vector<std::string> &words, const std::string &word)
{
  return std::find (words.begin (), words.end (), word) != words.end ();
}

std::string quoted_list (const std::vector<std::string> &words)
{
  std::string list;
  for (std::size_t k = 0; k < words.size (); k++) {
    if (k > 0)
      list += k + 1 == words.size () ? " or " : ", ";
    list += "\"" + words[k] + "\"";
  }
  return list;
}

// "cell", or "char of size 1x3x2" where the shape is what is wrong.
static std::string shape_and_class (const octave_value &v)
{
  return v.class_name () + (v.is_string () ? " of size " + v.dims ().str () : "");
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

// octave_quit throws where the user has pressed Ctrl-C, in every version of Octave; the flags that
// it reads have changed their types. No exception may cross the library.
static int keep_interrupt (void *exception)
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
  if (gla_host_zero (memory, bytes, keep_interrupt, &interrupt))
    std::rethrow_exception (interrupt);
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

void check_counts (const char *who, const octave_value_list &args, int least, int most, int nargout,
                   int most_outputs)
{
  if (args.length () < least || args.length () > most)
    print_usage ();
  if (nargout > most_outputs)
    error_with_id ("Octave:invalid-fun-call", "%s: function called with too many outputs", who);
}

bool is_zero (const octave_value &v)
{
  return (v.isnumeric () || v.islogical ()) && v.isreal () && !v.issparse () && v.numel () == 1 &&
         v.double_value () == 0;
}

options::options (const char *who, const octave_value_list &args, int first,
                  const std::vector<std::string> &flags, const std::vector<std::string> &names,
                  const std::vector<std::string> &not_here)
    : m_who (who)
{
  std::vector<std::string> known (flags);
  known.insert (known.end (), names.begin (), names.end ());

  for (int k = first; k < args.length (); k++) {
    if (!is_text (args (k)))
      error_with_id ("gpulinalg:bad-option",
                     "%s: argument %d must be the name of an option, not of class %s; known are %s",
                     who, k + 1, shape_and_class (args (k)).c_str (), quoted_list (known).c_str ());
    std::string given = args (k).string_value ();
    std::string name = lower_case (given);
    if (contains (flags, name) || contains (not_here, name)) {
      m_flags.push_back (name);
    } else if (contains (names, name)) {
      if (++k == args.length ())
        error_with_id ("gpulinalg:bad-option", "%s: option \"%s\" needs a value", who,
                       name.c_str ());
      m_values.emplace_back (name, args (k));
    } else {
      error_with_id ("gpulinalg:bad-option", "%s: unknown option \"%s\"; known are %s", who,
                     given.c_str (), quoted_list (known).c_str ());
    }
  }
}

std::string options::last_flag (const std::vector<std::string> &of) const
{
  std::string last;
  for (const std::string &flag : m_flags)
    if (contains (of, flag))
      last = flag;
  return last;
}

octave_value options::value (const std::string &name) const
{
  octave_value last;
  for (const auto &pair : m_values)
    if (pair.first == name)
      last = pair.second;
  return last;
}

std::string options::word (const std::string &name, const std::vector<std::string> &words) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return "";
  std::string text = is_text (v) ? lower_case (v.string_value ()) : "";
  if (!contains (words, text))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be %s%s", m_who, name.c_str (),
                   quoted_list (words).c_str (),
                   is_text (v) ? (", not \"" + v.string_value () + "\"").c_str ()
                               : (", not of class " + shape_and_class (v)).c_str ());
  return text;
}

// As Octave shows a number.
static std::string text_of (double x)
{
  if (std::isnan (x))
    return "NaN";
  if (std::isinf (x))
    return x > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf (text, sizeof text, "%g", x);
  return text;
}

static bool is_real_scalar (const octave_value &v)
{
  return v.isnumeric () && v.isreal () && !v.issparse () && v.numel () == 1;
}

double options::number (const std::string &name, double lowest, double highest,
                        double otherwise) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return otherwise;
  if (!is_real_scalar (v))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a real scalar", m_who,
                   name.c_str ());
  double x = v.double_value ();
  if (!(x > lowest && x < highest))
    error_with_id ("gpulinalg:bad-value",
                   "%s: option \"%s\" must be greater than %g and less than %g, not %s", m_who,
                   name.c_str (), lowest, highest, text_of (x).c_str ());
  return x;
}

int options::count (const std::string &name, int otherwise) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return otherwise;
  if (!is_real_scalar (v))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a positive integer", m_who,
                   name.c_str ());
  double x = v.double_value ();
  if (!(x >= 1 && x <= INT_MAX && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a positive integer, not %s",
                   m_who, name.c_str (), text_of (x).c_str ());
  return static_cast<int> (x);
}

void check_float_array (const char *who, const char *name, const octave_value &x)
{
  if (x.issparse ())
    error_with_id ("gpulinalg:bad-class", "%s: %s must be a full array, not sparse; use full (%s)",
                   who, name, name);
  if (!x.isfloat () || x.isobject ())
    error_with_id ("gpulinalg:bad-class", "%s: %s must be a single or double array, not %s", who,
                   name, x.class_name ().c_str ());
}

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

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

//------------------------------------------------------------------------------
// a call of the library: context, place, whether progress is wanted
//------------------------------------------------------------------------------

// All contexts, those that nobody holds, and those that a call works with. Never freed: see the
// header.
struct context_lists {
  std::vector<gla_context *> all, idle, at_work;
};
static context_lists &contexts ()
{
  static auto *lists = new context_lists;
  return *lists;
}

// Contexts are never destroyed, so this is how what they have learned is kept.
static void save_costs ()
{
  for (gla_context *context : contexts ().all)
    gla_costs_save (context);
}

gla_context *take_context (const char *who, octave::interpreter &interp)
{
  std::vector<gla_context *> &idle = contexts ().idle;
  gla_context *context = nullptr;
  if (!idle.empty ()) {
    context = idle.back ();
    idle.pop_back ();
  } else {
    // A context must not lose its code: "clear all" may not unload this file from here on.
    interp.mlock ();
    std::vector<gla_context *> &all = contexts ().all;
    all.reserve (all.size () + 1); // so that what follows cannot throw
    idle.reserve (all.size () + 1);
    gla_status status = gla_context_create (&context);
    if (status != GLA_OK)
      error_with_id ("Octave:bad-alloc", "%s: the library cannot start: %s", who,
                     gla_status_text (status));
    all.push_back (context);
    if (all.size () == 1)
      std::atexit (save_costs);
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
  const std::vector<gla_context *> &at_work = contexts ().at_work;
  for (gla_context *context : contexts ().all)
    if (std::find (at_work.begin (), at_work.end (), context) == at_work.end ())
      gla_release (context, device); // one that works needs its memory
}

call::call (const char *who, octave::interpreter &interp, gla_context *own)
    : m_who (who), m_interp (interp), m_context (own ? own : take_context (who, interp)),
      m_owned (own)
{
  contexts ().at_work.push_back (m_context);
  gla_set_stop (m_context, on_stop, this);
  gla_set_progress (m_context, nullptr, nullptr);
  gla_set_sweeps (m_context, nullptr, nullptr);
  gla_set_warning (m_context, on_warning, this);
}

call::~call ()
{
  std::vector<gla_context *> &at_work = contexts ().at_work;
  at_work.erase (std::find (at_work.begin (), at_work.end (), m_context));
  gla_set_stop (m_context, nullptr, nullptr);
  gla_set_progress (m_context, nullptr, nullptr);
  gla_set_sweeps (m_context, nullptr, nullptr);
  gla_set_warning (m_context, nullptr, nullptr);
  if (!m_owned)
    give_context (m_context);
}

void call::set_place (const octave_value &device)
{
  gla_place place = GLA_AUTO;
  std::vector<int> numbers;

  if (is_text (device)) {
    std::string word = lower_case (device.string_value ());
    if (word == "cpu")
      place = GLA_CPU;
    else if (word == "gpu")
      place = GLA_GPU;
    else if (word != "auto")
      error_with_id ("gpulinalg:bad-value",
                     "%s: option \"device\" must be \"auto\", \"cpu\", \"gpu\" or numbers of GPUs, "
                     "not \"%s\"",
                     m_who, device.string_value ().c_str ());
  } else if (device.is_defined ()) {
    if (!device.isnumeric () || !device.isreal () || device.isempty ())
      error_with_id ("gpulinalg:bad-value",
                     "%s: option \"device\" must be \"auto\", \"cpu\", \"gpu\" or numbers of GPUs, "
                     "not %s%s",
                     m_who, device.isempty () ? "an empty " : "of class ",
                     device.isempty () ? "array" : device.class_name ().c_str ());
    NDArray values = device.array_value ();
    for (octave_idx_type k = 0; k < values.numel (); k++) {
      double x = values.xelem (k);
      if (!(x >= 0 && x <= INT_MAX && x == std::floor (x)))
        error_with_id ("gpulinalg:bad-value",
                       "%s: option \"device\" must hold numbers of GPUs, from 0, not %s", m_who,
                       text_of (x).c_str ());
      numbers.push_back (static_cast<int> (x));
    }
    place = GLA_LIST;
  }
  finish (gla_set_place (m_context, place, numbers.data (), static_cast<int> (numbers.size ())));
}

void call::set_progress (const octave_value &progress, const char *units)
{
  m_units = units;
  if (progress.is_undefined ())
    return;
  if (progress.is_function_handle ())
    m_progress_function = progress;
  else if (is_real_scalar (progress) && std::isnan (progress.double_value ()))
    error_with_id ("gpulinalg:bad-value",
                   "%s: option \"progress\" must be true, false or a function handle, not NaN",
                   m_who);
  else if ((progress.islogical () || is_real_scalar (progress)) && progress.numel () == 1)
    m_meter = progress.bool_value ();
  else
    error_with_id ("gpulinalg:bad-value",
                   "%s: option \"progress\" must be true, false or a function handle, not of "
                   "class %s",
                   m_who, progress.class_name ().c_str ());
  if (m_meter || m_progress_function.is_defined ())
    gla_set_progress (m_context, on_progress, this);
}

//------------------------------------------------------------------------------
// a call of the library: status
//------------------------------------------------------------------------------

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

  const char *message = gla_message (m_context);
  switch (status) {
  case GLA_OK:
    return;
  case GLA_OUT_OF_MEMORY:
    error_with_id ("Octave:bad-alloc", "%s: out of memory: %s", m_who, message);
  case GLA_NO_DEVICE:
    error_with_id ("gpulinalg:no-device", "%s: %s", m_who, message);
  case GLA_DEVICE_FAILURE:
    error_with_id ("gpulinalg:device-failed", "%s: %s", m_who, message);
  case GLA_NOT_HERMITIAN:
    error_with_id ("gpulinalg:not-hermitian", "%s: %s", m_who, message);
  case GLA_BAD_ARGUMENT:
    error_with_id ("gpulinalg:bad-value", "%s: %s", m_who, message);
  case GLA_FORKED:
    error_with_id ("gpulinalg:forked", "%s: %s", m_who, message);
  case GLA_STOPPED:
    break;
  }
  error_with_id ("gpulinalg:internal", "%s: %s: %s", m_who, gla_status_text (status), message);
}

} // namespace gla
