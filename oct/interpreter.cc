// interpreter.cc: what the functions use of Octave's interpreter
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The only file that includes the interpreter's header: each that does takes twice as long to
// compile.

#include "gla_octave.h"

#include <octave/interpreter.h>
#include <octave/ov-builtin.h>

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

void keep_loaded (octave::interpreter &interp)
{
  interp.mlock ();
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

octave::type_info &types_of (octave::interpreter &interp)
{
  return interp.get_type_info ();
}

} // namespace gla
