// gpu_kept_passes.cc: functions of arrayfun whose steps are known
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A handle never changes, and it holds the variables that were captured, so that two calls with one
// handle differ in the arguments alone. Its result must depend on nothing else: its text may have
// operators, numbers, its parameters, captured numbers, and functions of the list below if these
// names are those of Octave's functions where the handle was made. All others (rand, nargin, other
// functions, text, cells) are called each time.

#include "gpu_kept_passes.h"
#include "gpu_trace.h"

#include <algorithm>
#include <cctype>
#include <list>
#include <sstream>

namespace gla
{

struct kept_pass {
  kept_call call;
  bool serves; // false: f must be called each time
  one_pass pass;
  std::vector<std::string> names; // Octave's functions that f calls

  bool is_for (const kept_call &c) const
  {
    return call.m_f.is_copy_of (c.m_f) && call.m_outputs == c.m_outputs &&
           call.m_types == c.m_types &&
           std::memcmp (call.m_numbers.data (), c.m_numbers.data (),
                        c.m_numbers.size () * sizeof (Complex)) == 0;
  }
};

namespace
{

const std::size_t most_kept = 32, most_seen = 8;
const octave_idx_type most_numbers = 100;

std::list<kept_pass> &kept ()
{
  static auto *all = new std::list<kept_pass>; // never freed: Octave's values must not outlive it
  return *all;
}

// Handles that were called once: a handle that is made anew for each call costs no more than this.
std::list<octave_value> &seen ()
{
  static auto *all = new std::list<octave_value>;
  return *all;
}

bool seen_before (const octave_value &f)
{
  for (const octave_value &other : seen ())
    if (other.is_copy_of (f))
      return true;
  seen ().push_front (f);
  if (seen ().size () > most_seen)
    seen ().pop_back ();
  return false;
}

//------------------------------------------------------------------------------
// the text of a function
//------------------------------------------------------------------------------

bool is_letter (char c)
{
  return std::isalpha (static_cast<unsigned char> (c)) || c == '_';
}
bool is_digit (char c)
{
  return std::isdigit (static_cast<unsigned char> (c));
}

// Returns the end of a number that begins here.
std::size_t end_of_number (const std::string &text, std::size_t at)
{
  const std::string operators = "*/\\^'";
  while (at < text.size () &&
         (is_digit (text[at]) || is_letter (text[at]) ||
          (text[at] == '.' && operators.find (text[at + 1]) == std::string::npos) ||
          ((text[at] == '+' || text[at] == '-') && std::tolower (text[at - 1]) == 'e' &&
           is_digit (text[at + 1]))))
    at++;
  return at;
}

// Whether the character at this place belongs to an operator or a list of arguments that only
// computes. The text ends with a 0.
bool computes (const std::string &text, std::size_t at)
{
  const char c = text[at], before = at > 0 ? text[at - 1] : ' ', next = text[at + 1];
  if (c == '=') // of a comparison, not of an assignment
    return next == '=' || before == '=' || before == '<' || before == '>' || before == '!' ||
           before == '~';
  if (c == '+' || c == '-')
    return next != c && next != '=';
  if (c == '*' || c == '/' || c == '\\' || c == '^' || c == '&' || c == '|')
    return next != '=';
  if (c == '.')
    return next == '*' || next == '/' || next == '\\' || next == '^' || next == '\'';
  if (c == '\'') // text begins after a blank or a parenthesis
    return is_letter (before) || is_digit (before) || before == ')' || before == '.';
  return std::string (" \t(),<>!~").find (c) != std::string::npos;
}

// Reads the names in a text that has only names, numbers and operators. False: it has more.
bool read_names (const std::string &text, std::vector<std::string> &names)
{
  for (std::size_t at = 0; at < text.size ();) {
    const char c = text[at];
    if (is_digit (c) || (c == '.' && is_digit (text[at + 1])))
      at = end_of_number (text, at);
    else if (is_letter (c)) {
      const std::size_t begin = at;
      while (at < text.size () && (is_letter (text[at]) || is_digit (text[at])))
        at++;
      names.push_back (text.substr (begin, at - begin));
    } else if (computes (text, at))
      at++;
    else
      return false;
  }
  return true;
}

// Functions whose values depend on their arguments alone.
bool is_pure (const std::string &name)
{
  static const char *const others[] = {"pi",    "e",      "Inf",      "inf",     "NaN",    "nan",
                                       "i",     "j",      "I",        "J",       "eps",    "true",
                                       "false", "double", "single",   "logical", "merge",  "ifelse",
                                       "angle", "mtimes", "mrdivide", "mpower",  "ldivide"};
  gpu_op op;
  return find_op (name, 1, &op) || find_op (name, 2, &op) ||
         std::find (std::begin (others), std::end (others), name) != std::end (others);
}

// Splits the text of an anonymous function into the parameters and the expression.
bool split (const std::string &text, std::string &parameters, std::string &body)
{
  const std::size_t close = text.find (')');
  if (text.compare (0, 2, "@(") != 0 || close == std::string::npos)
    return false;
  parameters = text.substr (2, close - 2);
  body = text.substr (close + 1);
  return true;
}

bool has (const std::vector<std::string> &names, const std::string &name)
{
  return std::find (names.begin (), names.end (), name) != names.end ();
}

// Whether the steps of f depend on its arguments alone; `names` become the functions that it calls.
bool depends_on_arguments (const octave_value &f, const octave_scalar_map &captured,
                           std::vector<std::string> &names)
{
  std::ostringstream shown;
  f.print_raw (shown, true);
  std::string parameters, body;
  std::vector<std::string> all, variables;
  if (!split (shown.str (), parameters, body) || !read_names (parameters, variables) ||
      !read_names (body, all))
    return false;
  for (octave_idx_type k = 0; k < captured.nfields (); k++)
    variables.push_back (captured.fieldnames () (k));
  for (const std::string &name : all)
    if (!has (variables, name) && !has (names, name)) {
      if (!is_pure (name))
        return false;
      names.push_back (name);
    }
  return true;
}

// Whether the function captures only a few numbers of the host, which may be kept longer.
bool are_numbers (const octave_scalar_map &captured)
{
  octave_idx_type count = 0;
  for (auto p = captured.begin (); p != captured.end (); p++) {
    const octave_value v = captured.contents (p);
    if (is_gpu_array (v) || !(v.isnumeric () || v.islogical ()) || v.isobject ())
      return false;
    count += v.numel ();
  }
  return count <= most_numbers;
}

} // namespace

//------------------------------------------------------------------------------
// calls
//------------------------------------------------------------------------------

kept_call::kept_call (const octave_value &f, const octave_value_list &arrays, int outputs)
    : m_f (f), m_outputs (outputs), m_serves (is_anonymous_function (f))
{
  for (octave_idx_type k = 0; k < arrays.length () && m_serves; k++) {
    const octave_value &v = arrays (k);
    const bool on_gpu = is_gpu_array (v), number = !on_gpu && v.numel () == 1;
    m_serves = on_gpu || ((v.isfloat () || v.islogical ()) && !v.issparse () && !v.is_string ());
    if (!m_serves)
      return;
    // a number and an array have different letters
    const char type = element_type ("arrayfun", v);
    m_types.push_back (number ? static_cast<char> (type - 'a' + 'A') : type);
    m_numbers.push_back (number ? v.complex_value () : Complex (0, 0));
    if (on_gpu)
      m_array = v;
  }
}

const one_pass *kept_call::find () const
{
  if (!m_serves)
    return nullptr;
  for (auto k = kept ().begin (); k != kept ().end (); k++) {
    if (!k->is_for (*this))
      continue;
    if (!k->serves)
      return nullptr;
    if (!are_builtin_for (the_interpreter (), k->names, m_array, m_f)) {
      kept ().erase (k);
      return nullptr;
    }
    if (k != kept ().begin ())
      kept ().splice (kept ().begin (), kept (), k);
    return &k->pass;
  }
  return nullptr;
}

void kept_call::keep (const one_pass &pass) const
{
  if (!m_serves)
    return;
  const octave_scalar_map captured = captured_by (m_f);
  if (!are_numbers (captured) || !seen_before (m_f))
    return;
  for (const kept_pass &k : kept ())
    if (k.is_for (*this))
      return; // it does not serve
  octave_idx_type arrays = 0;
  for (char type : m_types)
    arrays += type >= 'a';
  kept_pass k = {*this, false, pass, {}};
  k.serves = static_cast<octave_idx_type> (pass.arrays.size ()) == arrays &&
             depends_on_arguments (m_f, captured, k.names) &&
             are_builtin_for (the_interpreter (), k.names, m_array, m_f);
  k.call.m_array = octave_value (); // is not to be kept
  kept ().push_front (k);
  if (kept ().size () > most_kept)
    kept ().pop_back ();
}

void kept_call::forget () const
{
  for (kept_pass &k : kept ())
    if (k.is_for (*this))
      k.serves = false;
}

} // namespace gla
