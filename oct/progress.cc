// progress.cc: what a call of the library hears and tells while it works
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <octave/quit.h>

namespace gla
{

//------------------------------------------------------------------------------
// callbacks
//------------------------------------------------------------------------------

int call::on_stop (void *self)
{
  return static_cast<call *> (self)->kept ([] () { octave_quit (); });
}

void call::on_progress (void *self, int64_t done, int64_t total)
{
  call *c = static_cast<call *> (self);
  c->kept ([=] () { c->show_progress (done, total, 0); });
}

void call::on_sweep (void *self, int64_t done, int64_t total, int sweeps)
{
  call *c = static_cast<call *> (self);
  c->kept ([=] () { c->show_progress (done, total, sweeps); });
}

// Kept until the library has returned, because a warning may be turned into an error.
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

// Functions that Octave cannot count the arguments of, such as built-in ones, take two.
bool call::takes_sweeps ()
{
  if (m_progress_function.is_undefined ())
    return false;
  try {
    int takes = m_interp.feval ("nargin", ovl (m_progress_function), 1) (0).int_value ();
    return takes < 0 || takes > 2; // below 0: varargin is the last
  } catch (const octave::execution_exception &) {
    m_interp.recover_from_exception ();
  }
  return false;
}

void call::show_sweeps ()
{
  m_function_sweeps = takes_sweeps ();
  if (m_meter || m_function_sweeps)
    gla_set_sweeps (m_context, on_sweep, this);
}

// sweeps: of the pages at work; 0: pages have come to their end.
void call::show_progress (int64_t done, int64_t total, int sweeps)
{
  if (m_meter) {
    show_meter (done, total, sweeps);
    return;
  }
  octave_value_list args = ovl (static_cast<double> (done), static_cast<double> (total));
  if (m_function_sweeps)
    args.append (octave_value (static_cast<double> (sweeps)));
  m_interp.feval (m_progress_function, args, 0);
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
  if (width < m_meter_width) // blanks over the rest of the last one
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
