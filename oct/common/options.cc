// options.cc: counts, classes and name/value options of the arguments of a function
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_value.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <cstdio>

namespace gla
{

//------------------------------------------------------------------------------
// text in messages
//------------------------------------------------------------------------------

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

// Returns the word that differs from this one only in upper and lower case; "" if there is none.
static std::string written (const std::vector<std::string> &words, const std::string &lower)
{
  for (const std::string &word : words)
    if (lower_case (word) == lower)
      return word;
  return "";
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

// Returns "cell"; for text with its size, which is then what is wrong: "char of size 1x3x2".
static std::string shape_and_class (const octave_value &v)
{
  return v.class_name () + (v.is_string () ? " of size " + v.dims ().str () : "");
}

std::string not_this (const octave_value &v)
{
  return is_text (v) ? ", not \"" + v.string_value () + "\""
                     : ", not of class " + shape_and_class (v);
}

std::string not_this_number (const octave_value &v)
{
  if (is_text (v))
    return not_this (v);
  if (is_real_scalar (v))
    return ", not " + text_of (v.double_value ());
  if (v.isnumeric () && v.iscomplex () && v.numel () == 1)
    return ", not a complex number";
  return ", not of class " + v.class_name () + " and size " + v.dims ().str ();
}

std::string text_of (double x)
{
  if (std::isnan (x))
    return "NaN";
  if (std::isinf (x))
    return x > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf (text, sizeof text, "%g", x);
  return text;
}

//------------------------------------------------------------------------------
// checks
//------------------------------------------------------------------------------

bool is_real_scalar (const octave_value &v)
{
  return v.isnumeric () && v.isreal () && !v.issparse () && v.numel () == 1;
}

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

void check_float_array (const char *who, const char *name, const octave_value &x)
{
  if (x.issparse ())
    error_with_id ("gpulinalg:bad-class", "%s: %s must be a full array, not sparse; use full (%s)",
                   who, name, name);
  if (!x.isfloat () || x.isobject ()) {
    const std::string type = is_gpu_array (x) ? gpu_value_of (x).class_name () : x.class_name ();
    error_with_id ("gpulinalg:bad-class", "%s: %s must be a single or double array, not %s", who,
                   name, type.c_str ());
  }
}

//------------------------------------------------------------------------------
// options
//------------------------------------------------------------------------------

options::options (const char *who, const octave_value_list &args, int first,
                  const std::vector<std::string> &flags, const std::vector<std::string> &names,
                  const std::vector<std::string> &not_here)
    : m_who (who)
{
  std::vector<std::string> valid (flags);
  valid.insert (valid.end (), names.begin (), names.end ());

  for (int k = first; k < args.length (); k++) {
    if (!is_text (args (k)))
      error_with_id ("gpulinalg:bad-option",
                     "%s: argument %d must be the name of an option%s; valid options are %s", who,
                     k + 1, not_this (args (k)).c_str (), quoted_list (valid).c_str ());
    std::string given = args (k).string_value ();
    const std::string lower = lower_case (given), name = written (names, lower);
    if (contains (flags, lower) || contains (not_here, lower)) {
      m_flags.push_back (lower);
    } else if (!name.empty ()) {
      if (++k == args.length ())
        error_with_id ("gpulinalg:bad-option", "%s: option \"%s\" needs a value", who,
                       name.c_str ());
      m_values.emplace_back (name, args (k));
    } else {
      error_with_id ("gpulinalg:bad-option",
                     "%s: argument %d: unknown option \"%s\"; valid options are %s", who, k + 1,
                     given.c_str (), quoted_list (valid).c_str ());
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

Cell options::given (const std::vector<std::string> &names) const
{
  std::vector<octave_value> all;
  for (const std::string &name : names)
    if (value (name).is_defined ()) {
      all.push_back (name);
      all.push_back (value (name));
    }
  Cell args (1, static_cast<octave_idx_type> (all.size ()));
  for (std::size_t k = 0; k < all.size (); k++)
    args (static_cast<octave_idx_type> (k)) = all[k];
  return args;
}

std::string options::word (const std::string &name, const std::vector<std::string> &words) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return "";
  std::string text = is_text (v) ? lower_case (v.string_value ()) : "";
  if (!contains (words, text))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be %s%s", m_who, name.c_str (),
                   quoted_list (words).c_str (), not_this (v).c_str ());
  return text;
}

double options::number (const std::string &name, double lowest, double highest,
                        double default_value) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return default_value;
  if (!is_real_scalar (v))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a real scalar%s", m_who,
                   name.c_str (), not_this_number (v).c_str ());
  double x = v.double_value ();
  if (!(x > lowest && x < highest))
    error_with_id ("gpulinalg:bad-value",
                   "%s: option \"%s\" must be greater than %g and less than %g, not %s", m_who,
                   name.c_str (), lowest, highest, text_of (x).c_str ());
  return x;
}

int options::count (const std::string &name, int default_value) const
{
  octave_value v = value (name);
  if (v.is_undefined ())
    return default_value;
  if (!is_real_scalar (v))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a positive integer%s", m_who,
                   name.c_str (), not_this_number (v).c_str ());
  double x = v.double_value ();
  if (!(x >= 1 && x <= INT_MAX && x == std::floor (x)))
    error_with_id ("gpulinalg:bad-value", "%s: option \"%s\" must be a positive integer, not %s",
                   m_who, name.c_str (), text_of (x).c_str ());
  return static_cast<int> (x);
}

} // namespace gla
