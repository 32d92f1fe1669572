// progress.cc: callbacks during a call of the library: Ctrl-C, progress, warnings
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/quit.h>

#include <cmath>

namespace gla
{

//------------------------------------------------------------------------------
// callbacks
//------------------------------------------------------------------------------

int call::on_stop (void *self)
{
  return static_cast<call *> (self)->caught ([] () { octave_quit (); });
}

void call::on_progress (void *self, int64_t done, int64_t total)
{
  call *c = static_cast<call *> (self);
  c->caught ([=] () { c->show_progress (done, total, 0); });
}

void call::on_sweep (void *self, int64_t done, int64_t total, int sweeps)
{
  call *c = static_cast<call *> (self);
  c->caught ([=] () { c->show_progress (done, total, sweeps); });
}

// Stores the warning until the library has returned, because Octave may turn it into an error.
void call::on_warning (void *self, const char *id, const char *text)
{
  call *c = static_cast<call *> (self);
  try {
    c->m_warnings.emplace_back (id, text);
  } catch (...) {
    c->m_exception = std::current_exception ();
  }
}

//------------------------------------------------------------------------------
// progress
//------------------------------------------------------------------------------

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

void call::report (int64_t done, int64_t total)
{
  octave_quit ();
  if (m_meter || m_progress_function.is_defined ())
    show_progress (done, total, 0);
}

// Whether the progress function has a third argument, the number of sweeps. Functions whose
// arguments Octave cannot count, such as built-in ones, are called with two.
bool call::function_takes_sweeps ()
{
  if (m_progress_function.is_undefined ())
    return false;
  try {
    int count = feval (m_interp, "nargin", ovl (m_progress_function)) (0).int_value ();
    return count < 0 || count > 2; // negative: the last argument is varargin
  } catch (const octave::execution_exception &) {
    recover (m_interp);
  }
  return false;
}

void call::show_sweeps ()
{
  m_function_takes_sweeps = function_takes_sweeps ();
  if (m_meter || m_function_takes_sweeps)
    gla_set_sweeps (m_context, on_sweep, this);
}

// sweeps: the number of the sweep that ended; 0 if pages were finished.
void call::show_progress (int64_t done, int64_t total, int sweeps)
{
  if (m_meter) {
    show_meter (done, total, sweeps);
    return;
  }
  octave_value_list args = ovl (static_cast<double> (done), static_cast<double> (total));
  if (m_function_takes_sweeps)
    args.append (octave_value (static_cast<double> (sweeps)));
  feval (m_interp, m_progress_function, args, 0);
}

void call::show_meter (int64_t done, int64_t total, int sweeps)
{
  auto now = std::chrono::steady_clock::now ();
  if (m_meter_width > 0 && done < total && now - m_meter_time < std::chrono::milliseconds (200))
    return;
  m_meter_time = now;
  std::string line = std::string (m_who) + ": " + std::to_string (done) + " of " +
                     std::to_string (total) + " " + m_units + ", " +
                     std::to_string (total > 0 ? 100 * done / total : 100) + " %";
  if (sweeps > 0)
    line += ", sweep " + std::to_string (sweeps);
  std::size_t width = line.size ();
  if (width < m_meter_width) // blanks overwrite the rest of the line before
    line.append (m_meter_width - width, ' ');
  m_meter_width = width;
  octave_stdout << "\r" << line << std::flush;
}

void call::end_meter ()
{
  if (m_meter_width > 0)
    octave_stdout << std::endl;
  m_meter_width = 0;
}

} // namespace gla
