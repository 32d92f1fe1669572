// gpulinalg_device.cc: gpulinalg_device for Octave, the place of calls without the option "device"
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gla_octave.h"

#include <cstdlib>

namespace gla
{

// "2" and "0,2" are numbers of GPUs; other text is a word, which set_place checks.
static octave_value value_of_text (const std::string &text)
{
  std::vector<double> numbers;
  for (const char *p = text.c_str ();;) {
    char *end;
    const double number = std::strtod (p, &end);
    if (end == p || (*end != ',' && *end != '\0'))
      return text;
    numbers.push_back (number);
    if (*end == '\0')
      break;
    p = end + 1;
  }
  RowVector row (static_cast<octave_idx_type> (numbers.size ()));
  for (std::size_t k = 0; k < numbers.size (); k++)
    row (static_cast<octave_idx_type> (k)) = numbers[k];
  return row;
}

// Never freed: other destructors may still call a function.
session_place &place_of_session ()
{
  static session_place *place = nullptr;
  if (place == nullptr) {
    const char *text = std::getenv ("GPULINALG_DEVICE");
    place =
        text != nullptr && *text != '\0'
            ? new session_place{value_of_text (text), "the environment variable GPULINALG_DEVICE"}
            : new session_place{"auto", "DEVICE"};
  }
  return *place;
}

octave_value device_or_session (const octave_value &device)
{
  return device.is_defined () ? device : place_of_session ().device;
}

} // namespace gla

static octave_value_list place_body (octave::interpreter &interp, const octave_value_list &args,
                                     int nargout)
{
  gla::check_counts ("gpulinalg_device", args, 0, 1, nargout, 1);
  const octave_value before = gla::place_of_session ().device;
  if (args.length () == 1) {
    const octave_value given = args (0);
    gla::call ("gpulinalg_device", interp).set_place (given, "DEVICE");
    const bool word = gla::is_text (given);
    gla::place_of_session () = {
        word ? octave_value (gla::lower_case (given.string_value ()))
             : octave_value (given.array_value ().reshape (dim_vector (1, given.numel ()))),
        "DEVICE"};
  }
  return args.length () == 0 || nargout > 0 ? ovl (before) : octave_value_list ();
}

DEFMETHOD_DLD (gpulinalg_device, interp, args, nargout, R"doc(-*- texinfo -*-
 @deftypefn  {gpulinalg} {@var{device} =} gpulinalg_device ()
 @deftypefnx {gpulinalg} {} gpulinalg_device (@var{device})
 @deftypefnx {gpulinalg} {@var{before} =} gpulinalg_device (@var{device})
Ask for or set the place where the functions of this package compute.

The place holds in this Octave for all calls without an option @qcode{"device"} of
their own.  @var{device} has the values of that option: @qcode{"auto"} (the CPU or the
first GPU, whichever is predicted to be faster), @qcode{"cpu"}, @qcode{"gpu"} (all
GPUs) or numbers of GPUs as @code{gpulinalg_info} counts them, from 0.  Functions of
gpuArrays compute where their arrays are, and what exists for the CPU alone stays
there.  @var{before} is the place that was set before.

At first the place is that of the environment variable @env{GPULINALG_DEVICE}: one of
the words, or numbers with commas between them, such as @code{0,2}.  Without it the
place is @qcode{"auto"}.

With @qcode{"auto"} the same call (function, types, sizes, options) has the same place,
except once when a GPU has started in the background.  With one GPU or the CPU alone it
has the same bits from the first call on.

@example
@group
before = gpulinalg_device ("cpu");
gpulinalg_device ()
   @result{} ans = cpu
gpulinalg_device (before);
@end group
@end example

@subheading Errors
@table @code
@item gpulinalg:bad-value
@var{device} is neither one of the words nor numbers of GPUs.
@item gpulinalg:no-device
There is no GPU, or none of that number.  The place stays as it was.
@end table

@seealso{gpulinalg_info, batcheig}
@end deftypefn)doc")
{
  return gla::guarded ("gpulinalg_device", [&] () { return place_body (interp, args, nargout); });
}

/*
%!## the place is returned, and the one before when it is set
%!test
%! before = gpulinalg_device ();
%! unwind_protect
%!   assert (gpulinalg_device ("CPU"), before);
%!   assert (gpulinalg_device (), "cpu");
%!   gpulinalg_device ("auto");
%!   assert (gpulinalg_device (), "auto");
%! unwind_protect_cleanup
%!   gpulinalg_device (before);
%! end_unwind_protect

%!## a call without the option goes there
%!testif ; ! isempty (gpulinalg_info ().devices)
%! before = gpulinalg_device (0);
%! unwind_protect
%!   assert (gpulinalg_device (), 0);
%!   A = rand (8, 8, 4);
%!   assert (pagemtimes (A, A), pagemtimes (A, A, "device", 0));
%! unwind_protect_cleanup
%!   gpulinalg_device (before);
%! end_unwind_protect

%!error <Invalid call> gpulinalg_device (1, 2)
%!error <gpulinalg_device: function called with too many outputs> [a, b] = gpulinalg_device ();
%!error <gpulinalg_device: DEVICE must be "auto", "cpu", "gpu" or numbers of GPUs, not "tpu"> gpulinalg_device ("tpu")
%!error <DEVICE must be "auto", "cpu", "gpu" or numbers of GPUs, not of class cell> gpulinalg_device ({"cpu"})
%!error <DEVICE must be numbers of GPUs, counted from 0, not 0\.5$> gpulinalg_device (0.5)
%!error id=gpulinalg:bad-value gpulinalg_device ([])
%!error id=gpulinalg:no-device gpulinalg_device (99)
%!## after an error the place is as it was
%!test
%! before = gpulinalg_device ();
%! fail ("gpulinalg_device (99)", "gpulinalg_device");
%! assert (gpulinalg_device (), before);
*/
