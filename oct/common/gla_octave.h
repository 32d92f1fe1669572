// gla_octave.h: helpers that all Octave functions of gpulinalg use
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Errors have ids "gpulinalg:<what>". Two rules hold for C++ exceptions. None may cross the C
// library, so a callback stores what was thrown until the library has returned. Only Octave's own
// may leave a function, because any other ends Octave, so each function body runs in `guarded`.

#ifndef GPULINALG_GLA_OCTAVE_H
#define GPULINALG_GLA_OCTAVE_H

#include <octave/oct.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gpulinalg.h"
#include "common/host_memory.h"

namespace gla
{

// A struct of the library's interface, empty; each begins with its size.
template <typename T> T sized ()
{
  T empty = T ();
  const std::size_t size = sizeof (T);
  std::memcpy (&empty, &size, sizeof size);
  return empty;
}

//------------------------------------------------------------------------------
// arrays of the four types
//------------------------------------------------------------------------------

// Reads an array of each class from an octave_value; no copy is made if the value has that class.
// Never read a complex value as a real array: that drops the imaginary part.
inline void read (const octave_value &v, NDArray &a)
{
  a = v.array_value ();
}
inline void read (const octave_value &v, ComplexNDArray &a)
{
  a = v.complex_array_value ();
}
inline void read (const octave_value &v, FloatNDArray &a)
{
  a = v.float_array_value ();
}
inline void read (const octave_value &v, FloatComplexNDArray &a)
{
  a = v.float_complex_array_value ();
}

inline gla_type type_of (const NDArray &)
{
  return GLA_TYPE_D;
}
inline gla_type type_of (const ComplexNDArray &)
{
  return GLA_TYPE_Z;
}
inline gla_type type_of (const FloatNDArray &)
{
  return GLA_TYPE_S;
}
inline gla_type type_of (const FloatComplexNDArray &)
{
  return GLA_TYPE_C;
}

// The number of pages: the product of all dimensions from the third on.
inline octave_idx_type pages_of (const dim_vector &dims)
{
  octave_idx_type pages = 1;
  for (int k = 2; k < dims.ndims (); k++)
    pages *= dims (k);
  return pages;
}

// Describes an array to the library, as an argument or as a result.
template <typename A> gla_array input (const A &a)
{
  const dim_vector dims = a.dims ();
  void *data = const_cast<void *> (static_cast<const void *> (a.data ()));
  return gla_array_packed (data, type_of (a), dims (0), dims (1), pages_of (dims), GLA_DEVICE_HOST);
}
template <typename A> gla_array output (A &a)
{
  const dim_vector dims = a.dims ();
  return gla_array_packed (a.fortran_vec (), type_of (a), dims (0), dims (1), pages_of (dims),
                           GLA_DEVICE_HOST);
}

// Calls body (array, real): an empty array of this class, and one of its real class.
template <typename Body> octave_value_list in_class (bool single, bool is_complex, Body body)
{
  if (single)
    return is_complex ? body (FloatComplexNDArray (), FloatNDArray ())
                      : body (FloatNDArray (), FloatNDArray ());
  return is_complex ? body (ComplexNDArray (), NDArray ()) : body (NDArray (), NDArray ());
}

// The same in the class of the results: single if A or B is, complex if A or B is. B may be
// undefined.
template <typename Body>
octave_value_list in_class_of (const octave_value &A, const octave_value &B, Body body)
{
  return in_class (A.is_single_type () || B.is_single_type (), A.iscomplex () || B.iscomplex (),
                   body);
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

#if OCTAVE_MAJOR_VERSION >= 7
// Memory for n elements from the allocator of Array<T>; none of it is written yet.
template <typename T, typename Alloc> T *allocate_like (const Array<T, Alloc> &, octave_idx_type n)
{
  Alloc allocator;
  T *memory = std::allocator_traits<Alloc>::allocate (allocator, n);
  gla_host_prefer_huge_pages (memory, n * sizeof (T));
  return memory;
}
#endif

// An array of these dimensions with uninitialized elements. Octave's constructors write every
// element in one thread; for large outputs that takes longer than the library needs to fill them.
template <typename A> A unfilled (const dim_vector &dims)
{
#if OCTAVE_MAJOR_VERSION >= 7
  typedef typename A::element_type T;
  octave_idx_type n = dims.safe_numel ();
  const octave_idx_type few = 32768; // no gain below this size
  if (n >= few)
    return A (Array<T> (allocate_like (Array<T> (), n), dims));
#endif
  return A (dims);
}

// Makes `a` an uninitialized array of pages of rows x columns, as many as dims has, and describes
// it in `result`.
template <typename A>
void allocate (A &a, gla_array &result, dim_vector dims, octave_idx_type rows,
               octave_idx_type columns)
{
  dims (0) = rows;
  dims (1) = columns;
  a = unfilled<A> (dims);
  result = output (a);
}

// Fills memory with zeros; Ctrl-C ends it.
void zero (void *memory, std::size_t bytes);

template <typename A> A zeros (const dim_vector &dims)
{
  A a = unfilled<A> (dims);
  zero (a.fortran_vec (), a.numel () * sizeof (typename A::element_type));
  return a;
}

//------------------------------------------------------------------------------
// guard
//------------------------------------------------------------------------------

template <typename Body> octave_value_list guarded (const char *who, Body body)
{
  try {
    return body ();
  } catch (const octave::execution_exception &) {
    throw;
  } catch (const octave::interrupt_exception &) {
    throw;
  } catch (const octave::exit_exception &) {
    throw;
  } catch (const std::bad_alloc &) {
    error_with_id ("Octave:bad-alloc", "%s: out of memory", who);
  } catch (const std::exception &e) {
    error_with_id ("gpulinalg:internal", "%s: %s", who, e.what ());
  }
  return octave_value_list ();
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

// Whether a value is a string in one row. A character array with three dimensions is not.
inline bool is_text (const octave_value &v)
{
  return v.is_string () && v.ndims () == 2 && v.rows () <= 1;
}

// Name/value options; names and string values are compared in lower case. Every function here ends
// with an error that names the option if its value is not valid.
class options
{
public:
  // Reads args (first), ...; a flag has no value, a name is followed by its value. `flags` are in
  // lower case. not_here: flags that are wrong for this kind of call. They are accepted, so that
  // the caller can give the reason in its own error, but messages do not list them as valid.
  options (const char *who, const octave_value_list &args, int first,
           const std::vector<std::string> &flags, const std::vector<std::string> &names,
           const std::vector<std::string> &not_here = {});

  // The last of these flags that was given; "" if none was.
  std::string last_flag (const std::vector<std::string> &of) const;
  // The last value that was given for this name; undefined if none was.
  octave_value value (const std::string &name) const;
  // Those of these names that were given, each with its value, as arguments for another function.
  Cell given (const std::vector<std::string> &names) const;

  // One of the words; "" if the option was not given.
  std::string word (const std::string &name, const std::vector<std::string> &words) const;
  // A number with lowest < x < highest.
  double number (const std::string &name, double lowest, double highest,
                 double default_value) const;
  // An integer with 1 <= x.
  int count (const std::string &name, int default_value) const;

private:
  const char *m_who;
  std::vector<std::string> m_flags;
  std::vector<std::pair<std::string, octave_value>> m_values;
};

// Ends with print_usage if the number of arguments is not in this range, and with Octave's usual
// error if there are too many outputs.
const int any_number = 1 << 30;
void check_counts (const char *who, const octave_value_list &args, int least, int most, int nargout,
                   int most_outputs);

std::string lower_case (std::string s);

// A scalar 0 of any numeric class: as a positional argument it selects the economy form.
bool is_zero (const octave_value &v);

bool is_real_scalar (const octave_value &v);

// A number as Octave shows it.
std::string text_of (double x);

// For errors: ', not "nuc"', ", not of class cell" or ", not of class char of size 1x3x2".
std::string not_this (const octave_value &v);
// The same where a number is wanted: ", not 3" or ", not of class double and size 1x2", too.
std::string not_this_number (const octave_value &v);

// Ends with gpulinalg:bad-class unless x is a full floating point array.
void check_float_array (const char *who, const char *name, const octave_value &x);

// "a, b or c" in quotes.
std::string quoted_list (const std::vector<std::string> &words);

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

// A reason why pages fail: info is a code from `least` to `most`; `what` is said of the pages, and
// the results are `becomes` there.
struct page_failure {
  octave_idx_type least, most;
  const char *what;
  const char *becomes;
};

// The reasons of pages of order n.
inline page_failure not_finite (octave_idx_type n)
{
  return {n + 1, n + 1, "hold NaN or Inf", "NaN"};
}
inline page_failure not_converged (octave_idx_type n)
{
  return {1, n, "did not converge", "NaN"};
}

// Gives one warning gpulinalg:pages-failed for all pages that failed for these reasons, in this
// order. Pages with another info do not count.
void warn_of_failed_pages (const char *who, const int32_t *info, octave_idx_type pages,
                           const std::vector<page_failure> &reasons);

//------------------------------------------------------------------------------
// Octave's interpreter
//------------------------------------------------------------------------------

octave::interpreter &the_interpreter ();

// function: a handle or a name.
octave_value_list feval (octave::interpreter &interp, const octave_value &function,
                         const octave_value_list &args, int outputs = 1);
bool is_function (octave::interpreter &interp, const std::string &name);

// Called after an exception that is not passed on.
void recover (octave::interpreter &interp);

// From here on neither "clear all" nor "pkg unload" unloads this file.
void keep_loaded (octave::interpreter &interp);

octave::type_info &types_of (octave::interpreter &interp);

// Ends with an error if another copy of this package has registered this type, as after an update:
// Octave ends the process if operators are registered a second time.
void refuse_second_copy (octave::interpreter &interp, const char *type);

// Whether another copy has called its library.
bool another_copy_was_used (octave::interpreter &interp);

typedef octave_value_list (*builtin_method) (octave::interpreter &, const octave_value_list &, int);
// Has Octave call a function of this name when it ends, before the process calls exit. Each copy of
// this package in the process may have one; calls_at_end counts them.
void call_at_end (octave::interpreter &interp, const char *name, builtin_method function);
int calls_at_end (octave::interpreter &interp, const char *name);
// Defines a function of Octave's, or removes it (NULL).
void set_builtin (octave::interpreter &interp, const char *name, builtin_method function);
// Replaces one of Octave's own functions, until restore_functions. Returns Octave's if it is built
// in, undefined if it is a file or there is none.
octave_value replace_function (octave::interpreter &interp, const std::string &name,
                               builtin_method function);
// Restores Octave's functions.
void restore_functions (octave::interpreter &interp);
// Calls the file of this name that the load path has first, whatever else has the name.
octave_value_list call_file (octave::interpreter &interp, const std::string &name,
                             const octave_value_list &args, int outputs);
// Whether f is an anonymous function, and the variables that it holds.
bool is_anonymous_function (const octave_value &f);
octave_scalar_map captured_by (const octave_value &f);
// Whether these names are built-in functions in f; if an argument is given, also for its class.
bool are_builtin_for (octave::interpreter &interp, const std::vector<std::string> &names,
                      const octave_value &argument, const octave_value &f);
// Calls the function of this name that replace_function has replaced; own is what it returned.
octave_value_list call_own (octave::interpreter &interp, const char *name, const octave_value &own,
                            const octave_value_list &args, int outputs);

//------------------------------------------------------------------------------
// a call of the library
//------------------------------------------------------------------------------

// The place of calls without the option "device", and its name in messages (gpulinalg_device.cc).
struct session_place {
  octave_value device;
  const char *name;
};
session_place &place_of_session ();
// Returns the option's value, or if it was not given the place of this Octave.
octave_value device_or_session (const octave_value &device);

// Takes an idle context, or creates one; give_context returns it. Contexts are kept for later calls
// and never destroyed, because at the end of the process the CUDA runtime may shut down first.
gla_context *take_context (const char *who, octave::interpreter &interp);
void give_context (gla_context *context);

// Releases the memory that contexts keep on one GPU, or on all (GLA_DEVICE_ALL_GPUS); contexts in
// use by a call keep theirs. Ends with an error if there is no such GPU.
void release_memory (const char *who, octave::interpreter &interp, int device);

// A GPU of this context has failed: gpuArrays that were there are lost (gpu_device.cc).
void note_lost_arrays (gla_context *context);

// Holds a context while a function runs, and passes Ctrl-C, progress and warnings between the
// library and Octave. A progress function may call a function of this package; that call gets
// another context.
class call
{
public:
  // Uses the caller's context `own`, or an idle one if own is NULL.
  call (const char *who, octave::interpreter &interp, gla_context *own = nullptr);
  ~call ();
  call (const call &) = delete;
  call &operator= (const call &) = delete;

  gla_context *context () const { return m_context; }
  // Whether the innermost call uses this context.
  static bool works_with (const gla_context *context);

  // "device": "auto", "cpu", "gpu" or numbers of GPUs; undefined: the place of this Octave.
  void set_place (const octave_value &device);
  // The same for a value of another name, for messages.
  void set_place (const octave_value &device, const char *name);
  // "progress": undefined, false, true (a meter in one line) or a function f (done, total). Both
  // count in these units.
  void set_progress (const octave_value &progress, const char *units = "pages");
  // After set_progress, for methods with Jacobi sweeps: the meter shows the number of the sweep,
  // and a function with three arguments is also called after every sweep, as f (done, total,
  // sweeps).
  void show_sweeps ();

  // Serves work outside of the library: polls Ctrl-C, and shows the progress if it is wanted. What
  // these throw is thrown at once.
  void report (int64_t done, int64_t total);

  // Runs `body` in a callback of the library and stores what it throws for `finish`. Returns
  // nonzero if body has thrown, now or in an earlier callback.
  template <typename Body> int caught (Body body)
  {
    try {
      if (!m_exception)
        body ();
    } catch (...) {
      m_exception = std::current_exception ();
    }
    return m_exception ? 1 : 0;
  }

  // After the library has returned: throws what a callback has stored, gives the warnings, and ends
  // with an error if status is not GLA_OK.
  void finish (gla_status status);

private:
  static int on_stop (void *self);
  static void on_progress (void *self, int64_t done, int64_t total);
  static void on_sweep (void *self, int64_t done, int64_t total, int sweeps);
  static void on_warning (void *self, const char *id, const char *text);

  bool function_takes_sweeps ();
  void show_progress (int64_t done, int64_t total, int sweeps);
  void show_meter (int64_t done, int64_t total, int sweeps);
  void end_meter ();

  const char *m_who;
  octave::interpreter &m_interp;
  gla_context *m_context;
  bool m_callers_context; // the caller's, not one from take_context
  static call *innermost; // calls are made within each other by callbacks, and for gpuArrays
  call *m_outer;
  const char *m_units = "";
  octave_value m_progress_function;
  bool m_function_takes_sweeps = false;
  bool m_meter = false;
  std::size_t m_meter_width = 0; // of the line on the screen
  std::chrono::steady_clock::time_point m_meter_time;
  std::exception_ptr m_exception;
  std::vector<std::pair<std::string, std::string>> m_warnings;
};

} // namespace gla

#endif
