// interpreter.cc: what the functions use of Octave's interpreter
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The only file that includes the interpreter's header: each that does takes twice as long to
// compile.

#include "gla_octave.h"

#include <octave/interpreter.h>
#include <octave/load-path.h>
#include <octave/ov-builtin.h>
#include <octave/ov-fcn-handle.h>
#include <octave/ov-usr-fcn.h>
#include <octave/parse.h>

namespace gla
{

octave::interpreter &the_interpreter ()
{
  return *octave::interpreter::the_interpreter ();
}

octave_value_list feval (octave::interpreter &interp, const octave_value &function,
                         const octave_value_list &args, int outputs)
{
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

// What is locked is the function at work; one is enough, and the first is never one of those that
// stand in the place of Octave's own, which cannot be locked.
void keep_loaded (octave::interpreter &interp)
{
  static bool locked = false;
  if (!locked)
    interp.mlock ();
  locked = true;
}

void call_at_end (octave::interpreter &interp, const char *name, builtin_method function)
{
  interp.get_symbol_table ().install_built_in_function (
      name, octave_value (new octave_builtin (function, name, "")));
  interp.feval ("atexit", octave_value_list (octave_value (name)));
}

octave_value replace_builtin (octave::interpreter &interp, const char *name,
                              builtin_method function)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  octave_value old = table.find_function (name);
  if (!old.is_defined () || !old.is_builtin_function ())
    return octave_value (); // something else has its place already
  const std::string help = old.function_value ()->doc_string ();
  table.install_built_in_function (name, octave_value (new octave_builtin (function, name, help)));
  return old;
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

octave_value_list call_builtin (octave::interpreter &interp, const octave_value &function,
                                const octave_value_list &args, int outputs)
{
  octave_value f = function;
  const octave_builtin *own = static_cast<octave_builtin *> (f.function_value ());
  return own->method () != nullptr ? own->method () (interp, args, outputs)
                                   : own->function () (args, outputs);
}

// builtin () reads a file again that has changed, and takes an autoload of the name for the file:
// it then calls the function that is called as the autoload's file. So the file's function is kept
// in the symbol table, by the file's path, where "clear all" finds it.
octave_value_list call_file (octave::interpreter &interp, const std::string &name,
                             const octave_value_list &args, int outputs)
{
  octave::symbol_table &table = interp.get_symbol_table ();
  std::string folder;
  const std::string file = interp.get_load_path ().find_fcn (name, folder);
  if (file.empty ()) { // built in, as randi is in Octave 11
    octave_value_list all = ovl (name);
    all.append (args);
    return interp.feval ("builtin", all, outputs);
  }
  octave_value function = table.find_cmdline_function (file);
  if (function.is_undefined ()) {
    function = octave::load_fcn_from_file (file, folder);
    if (function.is_undefined ())
      error ("'%s' undefined", name.c_str ());
    table.install_cmdline_function (file, function);
  }
  return interp.feval (function, args, outputs);
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
