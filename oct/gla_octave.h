// gla_octave.h: what the Octave functions of gpulinalg share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Errors have ids "gpulinalg:<what>". No C++ exception may cross the C library, and none but
// Octave's own may leave a function (it would end Octave), so each body runs in `guarded` and each
// callback keeps what was thrown until the library has returned.

#ifndef GPULINALG_GLA_OCTAVE_H
#define GPULINALG_GLA_OCTAVE_H

#include <octave/oct.h>
#include <octave/interpreter.h>

#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "gpulinalg.h"
#include "host_memory.h"

namespace gla
{

//------------------------------------------------------------------------------
// arrays of the four types
//------------------------------------------------------------------------------

// How each class is read from an octave_value, without a copy where it holds that class. A complex
// value must not be read as a real array: that drops the imaginary part.
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
  return GLA_D;
}
inline gla_type type_of (const ComplexNDArray &)
{
  return GLA_Z;
}
inline gla_type type_of (const FloatNDArray &)
{
  return GLA_S;
}
inline gla_type type_of (const FloatComplexNDArray &)
{
  return GLA_C;
}

// The number of pages: all dimensions from the third on.
inline octave_idx_type pages_of (const dim_vector &dims)
{
  octave_idx_type pages = 1;
  for (int k = 2; k < dims.ndims (); k++)
    pages *= dims (k);
  return pages;
}

// An array as the library sees it: to be read, or to be written.
template <typename A> gla_array input (const A &a)
{
  const dim_vector dims = a.dims ();
  void *data = const_cast<void *> (static_cast<const void *> (a.data ()));
  return gla_array_packed (data, type_of (a), dims (0), dims (1), pages_of (dims), GLA_HOST);
}
template <typename A> gla_array output (A &a)
{
  const dim_vector dims = a.dims ();
  return gla_array_packed (a.fortran_vec (), type_of (a), dims (0), dims (1), pages_of (dims),
                           GLA_HOST);
}

//------------------------------------------------------------------------------
// outputs
//------------------------------------------------------------------------------

#if OCTAVE_MAJOR_VERSION >= 7
// Memory for n elements as Array<T> would allocate it, not yet touched.
template <typename T, typename Alloc> T *allocate_like (const Array<T, Alloc> &, octave_idx_type n)
{
  Alloc allocator;
  T *memory = std::allocator_traits<Alloc>::allocate (allocator, n);
  gla_host_prefer_huge_pages (memory, n * sizeof (T));
  return memory;
}
#endif

// An array of these dimensions whose elements are still to be written. Octave's constructors
// touch every element in one thread, which for large outputs takes longer than filling them.
template <typename A> A unfilled (const dim_vector &dims)
{
#if OCTAVE_MAJOR_VERSION >= 7
  typedef typename A::element_type T;
  octave_idx_type n = dims.safe_numel ();
  const octave_idx_type few = 32768; // below that nothing is gained
  if (n >= few)
    return A (Array<T> (allocate_like (Array<T> (), n), dims));
#endif
  return A (dims);
}

// Ctrl-C is heard meanwhile.
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

// Whether a value is a string in one row; arrays of characters in three dimensions are not.
inline bool is_text (const octave_value &v)
{
  return v.is_string () && v.ndims () == 2 && v.rows () <= 1;
}

// Name/value options, their names and string values in lower case. Every function of this group
// ends with an error that names the option where the value will not do.
class options
{
public:
  // Reads args (first), ...; flags stand alone, names are followed by a value. not_here: flags that
  // this kind of call does not serve; they are read, so that the caller can say why not, and are
  // not listed among those that are known.
  options (const char *who, const octave_value_list &args, int first,
           const std::vector<std::string> &flags, const std::vector<std::string> &names,
           const std::vector<std::string> &not_here = {});

  // The last of these flags that was given; "" where none was.
  std::string last_flag (const std::vector<std::string> &of) const;
  // The value of a name, undefined where it was not given. The last one counts.
  octave_value value (const std::string &name) const;

  // One of the words, "" where the option was not given.
  std::string word (const std::string &name, const std::vector<std::string> &words) const;
  // A number with lowest < x < highest.
  double number (const std::string &name, double lowest, double highest, double otherwise) const;
  // A whole number with 1 <= x.
  int count (const std::string &name, int otherwise) const;

private:
  const char *m_who;
  std::vector<std::string> m_flags;
  std::vector<std::pair<std::string, octave_value>> m_values;
};

// Ends with print_usage where there are fewer or more arguments than these, and with Octave's words
// for other functions where too many outputs are wanted.
const int any_number = 1 << 30;
void check_counts (const char *who, const octave_value_list &args, int least, int most, int nargout,
                   int most_outputs);

std::string lower_case (std::string s);

// A scalar 0 of any class, as in the place that asks for an economy form.
bool is_zero (const octave_value &v);

// Ends with gpulinalg:bad-class unless x is a full floating point array.
void check_float_array (const char *who, const char *name, const octave_value &x);

// "a, b or c" in quotes.
std::string quoted_list (const std::vector<std::string> &words);

//------------------------------------------------------------------------------
// pages that fail
//------------------------------------------------------------------------------

// Of pages with a number in info that is not 0: those with `not_finite` hold NaN or Inf, the others
// did not converge. One warning gpulinalg:pages-failed tells both.
void warn_of_failed_pages (const char *who, const int32_t *info, octave_idx_type pages,
                           int32_t not_finite);

//------------------------------------------------------------------------------
// a call of the library
//------------------------------------------------------------------------------

// A context that no call uses, to be given back. Contexts are kept for later calls and never
// destroyed, because at the end of the process the CUDA runtime may be gone before us.
gla_context *take_context (const char *who, octave::interpreter &interp);
void give_context (gla_context *context);

// Gives back what all contexts keep on a GPU, or on all of them (GLA_ALL_GPUS), but for those that
// are at work. Ends with an error where there is no such GPU.
void release_memory (const char *who, octave::interpreter &interp, int device);

// Holds a context while a function works, and carries Ctrl-C, progress and warnings between the
// library and Octave. A progress function may call a function of this package again, which then
// gets a context of its own.
class call
{
public:
  // With a context of the caller's own, or else with one that no other call uses.
  call (const char *who, octave::interpreter &interp, gla_context *own = nullptr);
  ~call ();
  call (const call &) = delete;
  call &operator= (const call &) = delete;

  gla_context *context () const { return m_context; }

  // "device": undefined, "auto", "cpu", "gpu" or numbers of GPUs.
  void set_place (const octave_value &device);
  // "progress": undefined, false, true (a meter in one line) or a function f (done, total), where
  // numbers of these units are counted.
  void set_progress (const octave_value &progress, const char *units = "pages");
  // After set_progress, for functions that sweep: the meter shows the sweeps, and a function that
  // takes three arguments is called as f (done, total, sweeps), after every sweep, too.
  void show_sweeps ();

  // For callbacks of the library that call Octave: does `body`, and keeps what it throws for
  // `finish`. Nonzero: it has thrown, now or before.
  template <typename Body> int kept (Body body)
  {
    try {
      if (!m_exception)
        body ();
    } catch (...) {
      m_exception = std::current_exception ();
    }
    return m_exception ? 1 : 0;
  }

  // After the library returned: throws what a callback has caught, gives the warnings, and ends
  // with an error where status is not GLA_OK.
  void finish (gla_status status);

private:
  static int on_stop (void *self);
  static void on_progress (void *self, int64_t done, int64_t total);
  static void on_sweep (void *self, int64_t done, int64_t total, int sweeps);
  static void on_warning (void *self, const char *id, const char *text);

  bool takes_sweeps ();
  void show_progress (int64_t done, int64_t total, int sweeps);
  void show_meter (int64_t done, int64_t total, int sweeps);
  void end_meter ();

  const char *m_who;
  octave::interpreter &m_interp;
  gla_context *m_context;
  bool m_owned; // the context is the caller's
  const char *m_units = "";
  octave_value m_progress_function;
  bool m_function_sweeps = false; // it takes the number of sweeps
  bool m_meter = false;
  std::size_t m_meter_width = 0; // of the line that is shown
  std::chrono::steady_clock::time_point m_meter_time;
  std::exception_ptr m_exception;
  std::vector<std::pair<std::string, std::string>> m_warnings;
};

} // namespace gla

#endif
