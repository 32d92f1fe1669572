// no_arrays.cc: the functions of oct/arrays/ that others call, in a build without it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is compiled only with GPULINALG_ARRAYS=no, instead of oct/arrays/. Then no value is a
// gpuArray, and no array is on a GPU, so that functions which work with one are not reached; if one
// begins to (gpu_arrays_inside, a function that moves its arguments to a GPU, or makes its result
// there) it ends with an error.

#include "arrays/gpu_pages.h"
#include "arrays/gpu_steps.h"

namespace gla
{

//------------------------------------------------------------------------------
// whether there are arrays on a GPU
//------------------------------------------------------------------------------

bool is_gpu_array (const octave_value &)
{
  return false;
}

bool any_on_gpu (const octave_value_list &)
{
  return false;
}

bool is_on_gpu (const octave_value &)
{
  return false;
}

int device_of (const char *, const octave_value_list &)
{
  return -1;
}

octave_value gathered (const octave_value &v)
{
  return v;
}

octave_value_list gathered (const octave_value_list &args)
{
  return args;
}

gla_context *array_context ()
{
  return nullptr;
}

void note_lost_arrays (gla_context *) {}

//------------------------------------------------------------------------------
// what works with them
//------------------------------------------------------------------------------

OCTAVE_NORETURN static void no_arrays ()
{
  error_with_id ("gpulinalg:no-arrays",
                 "this build has no gpuArrays, which this call works with; GPULINALG_ARRAYS=no has "
                 "left them out");
}

void gather_needed (const char *)
{
  no_arrays ();
}

gpu_arrays_inside::gpu_arrays_inside (octave::interpreter &interp) : m_interp (interp)
{
  no_arrays ();
}

gpu_arrays_inside::~gpu_arrays_inside () {}

gpu_value::gpu_value (const octave_value &, bool)
{
  no_arrays ();
}

const char *gpu_value::class_name () const
{
  no_arrays ();
}

int gpu_value::device () const
{
  no_arrays ();
}

void *gpu_value::data () const
{
  no_arrays ();
}

const gpu_value &gpu_value_of (const octave_value &)
{
  no_arrays ();
}

octave_value value_of (const gpu_value &)
{
  no_arrays ();
}

char element_type (const char *, const octave_value &)
{
  no_arrays ();
}

int gpu_device ()
{
  no_arrays ();
}

int &gpu_of_call ()
{
  no_arrays ();
}

void wait_for_gpu (int)
{
  no_arrays ();
}

gpu_value new_on_gpu (int, char, const dim_vector &)
{
  no_arrays ();
}

gpu_value moved_to (int, const char *, const octave_value &)
{
  no_arrays ();
}

gla_nd nd_of (const gpu_value &)
{
  no_arrays ();
}

gla_nd nd_of (const gpu_value &, const dim_vector &)
{
  no_arrays ();
}

gla_nd on_gpu::part_of (const gla_nd &, const dim_vector &, const dim_vector &)
{
  no_arrays ();
}

void elementwise (int, gla_nd_op, const gla_nd &, const gla_nd &, const gla_nd *, int *)
{
  no_arrays ();
}

gpu_value binary (gpu_op, const octave_value &, const octave_value &)
{
  no_arrays ();
}

gpu_value index (const gpu_value &, const octave_value_list &)
{
  no_arrays ();
}

gpu_value converted (const gpu_value &, char)
{
  no_arrays ();
}

gpu_value reshaped (const gpu_value &, const dim_vector &)
{
  no_arrays ();
}

gpu_value resized (const gpu_value &, const dim_vector &)
{
  no_arrays ();
}

octave_value_list gpu_pages_function (const char *, const octave_value_list &, int)
{
  no_arrays ();
}

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

gla_nd number_of (double)
{
  no_arrays ();
}

gpu_value computed (int, char, const dim_vector &, const std::vector<gla_nd> &,
                    const std::vector<gla_nd_step> &)
{
  no_arrays ();
}

// pagelsqminnorm calls these two for arrays of the host, too.
octave_value op (gpu_op which, const octave_value &x, const octave_value &y)
{
  if (which != gpu_op::times && which != gpu_op::rdivide)
    no_arrays ();
  return feval (the_interpreter (), which == gpu_op::times ? "times" : "rdivide", ovl (x, y)) (0);
}

octave_value of_each (gpu_op, const octave_value &)
{
  no_arrays ();
}

octave_value along (const char *, const octave_value &, int)
{
  no_arrays ();
}

octave_value replaced (const octave_value &, const octave_value &, double)
{
  no_arrays ();
}

octave_value column (const octave_value &)
{
  no_arrays ();
}

double largest (const octave_value &)
{
  no_arrays ();
}

dim_vector dims_of_page_numbers (const dim_vector &)
{
  no_arrays ();
}

octave_value_list least_squares (const char *, const octave_value &, const octave_value &,
                                 const octave_value_list &)
{
  no_arrays ();
}

std::string with_name (const char *, const std::string &)
{
  no_arrays ();
}

} // namespace gla
