// interpreter.cc: the functions' access to Octave's interpreter
// SPDX-License-Identifier: GPL-3.0-or-later
//
// This is the only file that includes the interpreter's header: each that does takes twice as long
// to compile.

#include "gla_octave.h"
#include "common/system.h"

#include <octave/interpreter.h>
#include <octave/load-path.h>
#include <octave/ov-builtin.h>
#include <octave/ov-fcn-handle.h>
#include <octave/ov-usr-fcn.h>
#include <octave/parse.h>
#include <octave/pt-eval.h>

namespace gla
{

octave::interpreter &the_interpreter ()
{
  return *octave::interpreter::the_interpreter ();
}

// While it lives the evaluator ignores which outputs of the current call are ~: otherwise an m-file
// that this call needs would not return them, either.
struct all_outputs {
  octave::tree_evaluator &evaluator;
  const std::list<octave::octave_lvalue> *before;

  explicit all_outputs (octave::interpreter &interp)
      : evaluator (interp.get_evaluator ()), before (evaluator.lvalue_list ())
  {
    evaluator.set_lvalue_list (nullptr);
  }
  ~all_outputs () { evaluator.set_lvalue_list (before); }
};

octave_value_list feval (octave::interpreter &interp, const octave_value &function,
                         const octave_value_list &args, int outputs)
{
  const all_outputs here (interp);
  return interp.feval (function, args, outputs);
}

bool is_function (octave::interpreter &interp, const std::string &name)
{
  return interp.get_symbol_table ().find_function (name).is_defined ();
}

void recover (octave::interpreter &interp)
{
  interp.recover_from_exception ();
}

// The current function is locked; one is enough, and the first is never one of those that replace
// Octave's own, which cannot be locked. After "pkg unload" Octave drops a locked function, too, and
// would unload the file with it.
void keep_loaded (octave::interpreter &interp)
{
  static bool locked = false;
  if (locked)
    return;
  interp.mlock ();
  gla_stay_loaded (&locked);
  locked = true;
}

// The name is NAME, or with lines after it if another copy of this package has that.
void call_at_end (octave::interpreter &interp, const char *name, builtin_method function)
{
  std::string free = name;
  free.append (calls_at_end (interp, name), '_');
  interp.get_symbol_table ().install_built_in_function (
      free, octave_value (new octave_builtin (function, free, "")));
  interp.feval ("atexit", octave_value_list (octave_value (free)));
}

int calls_at_end (octave::interpreter &interp, const char *name)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  int count = 0;
  for (std::string next = name; table.find_built_in_function (next).is_defined (); next += "_")
    count++;
  return count;
}

//------------------------------------------------------------------------------
// functions in the place of Octave's own
//------------------------------------------------------------------------------

namespace
{

struct replacement {
  std::string name;
  octave_value own, other; // own is undefined if Octave's is a file
};

// Nothing is ever removed from the list: a function may be running while Octave's is restored.
std::vector<replacement> &replacements ()
{
  static auto *list = new std::vector<replacement>;
  return *list;
}

// A function that replaces a file's is stored where Octave keeps what it has read from the file, so
// that function handles find it, too. It stays, because it has no file name and is locked.
void put (octave::symbol_table &table, const replacement &r, const octave_value &function)
{
  if (r.own.is_defined ())
    table.install_built_in_function (r.name, function);
  else
    table.install_user_function (r.name, function);
}

} // namespace

octave_value replace_function (octave::interpreter &interp, const std::string &name,
                               builtin_method function)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  std::vector<replacement> &list = replacements ();
  std::size_t k = 0;
  while (k < list.size () && list[k].name != name)
    k++;
  if (k == list.size ()) {
    const octave_value found = table.find_function (name);
    if (found.is_undefined ())
      return octave_value ();
    const octave_value own = table.find_built_in_function (name);
    const bool built_in = own.is_defined ();
    const std::string help = (built_in ? own : found).function_value ()->doc_string ();
    auto *other = new octave_builtin (function, name, built_in ? "gpulinalg.oct" : "", help);
    if (!built_in)
      other->lock ();
    list.push_back ({name, own, octave_value (other)});
  }
  put (table, list[k], list[k].other);
  return list[k].own;
}

void restore_functions (octave::interpreter &interp)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  for (const replacement &r : replacements ()) {
    const octave_value now = r.own.is_defined () ? table.find_built_in_function (r.name)
                                                 : table.find_user_function (r.name);
    if (now.is_copy_of (r.other)) // else another function has replaced it
      put (table, r, r.own);
  }
}

void set_builtin (octave::interpreter &interp, const char *name, builtin_method function)
{
  octave_value f;
  if (function != nullptr)
    f = octave_value (new octave_builtin (function, name, ""));
  interp.get_symbol_table ().install_built_in_function (name, f);
}

bool is_anonymous_function (const octave_value &f)
{
  return f.is_function_handle () && f.fcn_handle_value ()->is_anonymous ();
}

octave_scalar_map captured_by (const octave_value &f)
{
  // a struct, from Octave 7 on in a cell
  octave_value variables = f.fcn_handle_value ()->workspace ();
  if (variables.iscell () && variables.numel () == 1)
    variables = octave_value (variables.cell_value () (0));
  if (variables.isstruct () && variables.numel () == 1)
    return variables.scalar_map_value ();
  octave_scalar_map unknown;
  unknown.assign ("", variables);
  return unknown;
}

bool are_builtin_for (octave::interpreter &interp, const std::vector<std::string> &names,
                      const octave_value &argument, const octave_value &f)
{
  octave_user_function *code = f.fcn_handle_value ()->user_function_value ();
  if (code == nullptr)
    return false;
  octave::symbol_table &table = interp.get_symbol_table ();
  const octave::symbol_scope scope = code->scope ();
  const octave_value_list list = argument.is_defined () ? ovl (argument) : octave_value_list ();
  for (const std::string &name : names) {
    const octave_value found =
        list.empty () ? table.find_function (name, scope) : table.find_function (name, list, scope);
    if (!found.is_builtin_function ())
      return false;
  }
  return true;
}

// builtin () would find a function that replace_function has put in place of the file's, and reads
// a file again that has changed. So the file's function is kept in the symbol table, by the file's
// path, where "clear all" finds it.
octave_value_list call_file (octave::interpreter &interp, const std::string &name,
                             const octave_value_list &args, int outputs)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  std::string folder;
  const std::string file = interp.get_load_path ().find_fcn (name, folder);
  if (file.empty ())
    error ("'%s' undefined", name.c_str ());
  octave_value function = table.find_cmdline_function (file);
  if (function.is_undefined ()) {
    function = octave::load_fcn_from_file (file, folder);
    if (function.is_undefined ())
      error ("'%s' undefined", name.c_str ());
    table.install_cmdline_function (file, function);
  }
  return interp.feval (function, args, outputs);
}

// A built-in function is called with less overhead than by feval.
octave_value_list call_own (octave::interpreter &interp, const char *name, const octave_value &own,
                            const octave_value_list &args, int outputs)
{
  if (own.is_undefined ())
    return call_file (interp, name, args, outputs);
  octave_value f = own;
  const octave_builtin *function = static_cast<octave_builtin *> (f.function_value ());
  return function->method () != nullptr ? function->method () (interp, args, outputs)
                                        : function->function () (args, outputs);
}

octave::type_info &types_of (octave::interpreter &interp)
{
  return interp.get_type_info ();
}

void refuse_second_copy (octave::interpreter &interp, const char *type)
{
  if (interp.get_type_info ().lookup_type (type).is_defined ())
    error_with_id (
        "gpulinalg:two-copies",
        "gpulinalg: another copy of this package, such as its version before an update, was "
        "used in this session; start Octave again");
}

} // namespace gla
