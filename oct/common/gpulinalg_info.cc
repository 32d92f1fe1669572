// gpulinalg_info.cc: gpulinalg_info for Octave
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"
#include "common/system.h"

#include <octave/oct-map.h>

static octave_map device_table (gla::call &call)
{
  octave_idx_type count = gla_device_count (call.context ());
  dim_vector dims (count, 1);
  Cell number (dims), name (dims), capability (dims), multiprocessors (dims);
  Cell started (dims), memory_total (dims), memory_free (dims), memory_kept (dims);
  Cell host_memory_kept (dims), memory_arrays (dims);
  for (octave_idx_type k = 0; k < count; k++) {
    auto info = gla::sized<gla_device_info> ();
    call.finish (gla_device_query (call.context (), static_cast<int> (k), &info));
    number (k) = static_cast<double> (k);
    name (k) = std::string (info.name);
    capability (k) = std::to_string (info.major) + "." + std::to_string (info.minor);
    multiprocessors (k) = static_cast<double> (info.multiprocessors);
    memory_total (k) = static_cast<double> (info.memory_total);
    started (k) = info.started != 0;
    memory_free (k) = info.memory_free < 0 ? octave_NaN : static_cast<double> (info.memory_free);
    memory_kept (k) = static_cast<double> (info.memory_kept);
    host_memory_kept (k) = static_cast<double> (info.host_kept);
    memory_arrays (k) = static_cast<double> (info.memory_arrays);
  }
  octave_map table (dims);
  table.assign ("number", number);
  table.assign ("name", name);
  table.assign ("compute_capability", capability);
  table.assign ("multiprocessors", multiprocessors);
  table.assign ("started", started);
  table.assign ("memory_total", memory_total);
  table.assign ("memory_free", memory_free);
  table.assign ("memory_kept", memory_kept);
  table.assign ("host_memory_kept", host_memory_kept);
  table.assign ("memory_arrays", memory_arrays);
  return table;
}

// Prints the free memory, or "not started" if this process has not used the GPU yet.
static void print_memory (const octave_scalar_map &device)
{
  auto gigabytes = [&] (const char *name) { return device.getfield (name).double_value () / 1e9; };
  if (!device.getfield ("started").bool_value ())
    octave_stdout << gigabytes ("memory_total") << " GB, not started\n";
  else
    octave_stdout << gigabytes ("memory_free") << " of " << gigabytes ("memory_total")
                  << " GB free, " << gigabytes ("memory_kept") << " GB kept for later calls\n";
}

static std::string about_plugin ()
{
  const char *about;
  return gla_gpu_plugin (&about) ? about : "none";
}

static void print (const octave_scalar_map &info, const octave_map &devices)
{
  octave_stdout << "gpulinalg " << info.getfield ("version").string_value () << "\n"
                << "  plugin for GPUs: " << about_plugin ()
                << "\n  runs on: " << info.getfield ("backend").string_value () << "\n"
                << "  threads: " << info.getfield ("threads").double_value () << "\n";
  if (const char *lacks = gla_system_lacks ())
    octave_stdout << "  this system lacks: " << lacks << "\n";
  for (octave_idx_type k = 0; k < devices.numel (); k++) {
    octave_scalar_map d = devices.checkelem (k);
    octave_stdout << "  device " << k << ": " << d.getfield ("name").string_value ()
                  << ", compute capability " << d.getfield ("compute_capability").string_value ()
                  << ", ";
    print_memory (d);
  }
}

static octave_value_list info_body (octave::interpreter &interp, const octave_value_list &args,
                                    int nargout)
{
  gla::check_counts ("gpulinalg_info", args, 0, 0, nargout, 1);

  gla::call call ("gpulinalg_info", interp);
  octave_scalar_map info;
  info.setfield ("version", std::string (gla_version ()));
  info.setfield ("cuda", gla_gpu_plugin (nullptr) != 0);
  info.setfield ("backend", std::string (gla_backend_note (call.context ())));
  auto cpu = gla::sized<gla_device_info> ();
  call.finish (gla_device_query (call.context (), GLA_DEVICE_HOST, &cpu));
  info.setfield ("threads", static_cast<double> (cpu.multiprocessors));
  octave_map devices = device_table (call);
  info.setfield ("devices", octave_value (devices));

  if (nargout == 0) {
    print (info, devices);
    return octave_value_list ();
  }
  return ovl (info);
}

DEFMETHOD_DLD (gpulinalg_info, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {} gpulinalg_info ()
 @deftypefnx {gpulinalg} {@var{info} =} gpulinalg_info ()
Show how gpulinalg was built and which GPUs it can use.

Without an output the function prints a summary.  The struct @var{info} has the
fields

@table @code
@item version
The version of the package.

@item cuda
True if the plugin for GPUs, a file that is built where configure finds @code{nvcc},
is there: beside the package, in the folder @file{gpulinalg} of @env{XDG_DATA_HOME}
(@file{~/.local/share}), or where the environment variable
@env{GPULINALG_CUDA_PLUGIN} says.

@item backend
One line about where functions run, and why there is no GPU if there is none.

@item threads
The threads that a call uses on the CPU: what the environment variable
@env{OMP_NUM_THREADS} says, otherwise as many as there are processors that this
process may use.

@item devices
A structure array with one element for each GPU: @code{number} (from 0, for the
option @qcode{"device"}), @code{name}, @code{compute_capability} (a string such as
@qcode{"9.0"}), @code{multiprocessors}, @code{started} (true if this Octave has used
the GPU: a GPU is started when it is first needed, which takes some tenths of a
second), and in bytes @code{memory_total}, @code{memory_free} (NaN as long as the GPU
is not started), @code{memory_kept}, what this package keeps there between calls,
@code{host_memory_kept}, the memory of the computer itself that is kept for
transfers, and @code{memory_arrays}, what gpuArrays take.  @code{gpulinalg_release} gives back what is kept.

@end table

@example
@group
gpulinalg_info ()
   @print{} gpulinalg @dots{}
   @print{}   plugin for GPUs: @dots{}
   @print{}   runs on: @dots{}
   @print{}   threads: @dots{}
@end group

@group
info = gpulinalg_info ();
info.threads >= 1
   @result{} ans = 1
@end group
@end example

There are no errors of its own.

@seealso{gpulinalg_device, gpulinalg_release, batcheig}
@end deftypefn)doc")
{
  return gla::guarded ("gpulinalg_info", [&] () { return info_body (interp, args, nargout); });
}

/*
%!test
%! info = gpulinalg_info ();
%! assert (fieldnames (info), {"version"; "cuda"; "backend"; "threads"; "devices"});
%! assert (info.threads >= 1 && info.threads == fix (info.threads));
%! assert (ischar (info.version) && ! isempty (regexp (info.version, '^\d+\.\d+\.\d+$')));
%! assert (islogical (info.cuda) && isscalar (info.cuda));
%! assert (ischar (info.backend) && rows (info.backend) == 1);
%! assert (isstruct (info.devices) && columns (info.devices) == 1);

%!## version of the package that is loaded
%!test
%! list = pkg ("list", "gpulinalg");
%! if (! isempty (list))
%!   assert (gpulinalg_info ().version, list{1}.version);
%! endif

%!## devices are described in full
%!test
%! for d = gpulinalg_info ().devices.'
%!   assert (ischar (d.name) && ! isempty (d.name));
%!   assert (! isempty (regexp (d.compute_capability, '^\d+\.\d+$')));
%!   assert (d.multiprocessors >= 1);
%!   assert (d.memory_total > 0);
%!   assert (islogical (d.started) && isnan (d.memory_free) == ! d.started);
%!   assert (! d.started || (d.memory_free >= 0 && d.memory_free <= d.memory_total));
%!   assert (d.memory_kept >= 0 && d.memory_kept <= d.memory_total && d.host_memory_kept >= 0);
%!   assert (d.memory_arrays >= 0);
%! endfor

%!## without an output it prints
%!test
%! text = evalc ("gpulinalg_info ()");
%! assert (strncmp (text, "gpulinalg ", 10));
%! assert (! isempty (strfind (text, "plugin for GPUs: ")));

%!## without the plugin there are no devices
%!test
%! info = gpulinalg_info ();
%! assert (info.cuda || isempty (info.devices));

%!error <Invalid call> gpulinalg_info (1)
%!error <gpulinalg_info: function called with too many outputs> [a, b] = gpulinalg_info ();
*/
