// gpu_arrayfun.cc: arrayfun with gpuArrays; tests are in gpuArray-arrayfun.tst
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The function is called once, to find out what it does with an element (gpu_trace.h). On a GPU one
// kernel then does all of it if possible. Otherwise, and without a GPU, each step is done with
// whole arrays.

#include "gpu_kept_passes.h"
#include "gpu_trace.h"

namespace gla
{

namespace
{

double passes = 0, kept_runs = 0;

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

dim_vector dims_of_all (const octave_value_list &arrays)
{
  dim_vector dims (1, 1);
  for (octave_idx_type k = 0; k < arrays.length (); k++) {
    const dim_vector own = arrays (k).dims ();
    if (own.ndims () > dims.ndims ())
      dims.resize (own.ndims (), 1);
    for (int d = 0; d < own.ndims (); d++) {
      if (own (d) != dims (d) && own (d) != 1 && dims (d) != 1)
        error_with_id ("Octave:nonconformant-args",
                       "arrayfun: the arrays must have the same sizes, or size 1, but array %lld "
                       "is %s",
                       static_cast<long long> (k + 1), own.str ().c_str ());
      dims (d) = dims (d) == 1 ? own (d) : dims (d);
    }
  }
  return dims;
}

// A number of the host stays a number.
octave_value element_of (const std::shared_ptr<trace> &t, const octave_value &array, int device)
{
  if (is_gpu_array (array) || array.numel () != 1)
    return t->add_array (t, value_of (moved_to (device, "arrayfun", array)));
  return array;
}

octave_value function_of (const octave_value &f)
{
  if (f.is_function_handle () || f.is_inline_function ())
    return f;
  if (!is_text (f))
    error_with_id ("gpulinalg:bad-class", "arrayfun: the first argument must be a function, not %s",
                   f.class_name ().c_str ());
  return feval (the_interpreter (), "str2func", ovl (f)) (0);
}

//------------------------------------------------------------------------------
// one kernel
//------------------------------------------------------------------------------

// Inputs come first in the library's order.
one_pass pass_of (const trace &t, const std::vector<int> &results)
{
  one_pass p;
  std::vector<int> number (t.count (), 0); // of a traced value in the library's order
  for (int k = 0; k < t.count (); k++) {
    const traced_value &v = t.value (k);
    if (v.input.is_undefined ())
      continue;
    number[k] = static_cast<int> (p.inputs.size ());
    const bool array = is_gpu_array (v.input);
    if (array)
      p.arrays.push_back (number[k]);
    p.inputs.push_back (array ? gla_nd () : gpu_operand ("arrayfun", v.input, -1).nd ());
  }
  for (int k = 0; k < t.count (); k++) {
    const traced_value &v = t.value (k);
    if (v.input.is_defined ())
      continue;
    number[k] = static_cast<int> (p.inputs.size () + p.steps.size ());
    gla_nd_step s = {v.op, v.type, number[v.of[0]], 0, 0};
    s.y = v.of.size () > 1 ? number[v.of[1]] : 0;
    s.z = v.of.size () > 2 ? number[v.of[2]] : 0;
    p.steps.push_back (s);
    p.asks = p.asks || v.may_leave;
  }
  for (int r : results) {
    p.results.push_back (number[r]);
    p.types.push_back (t.value (r).type);
  }
  return p;
}

// Returns the arrays of the inputs, in their order.
std::vector<gpu_value> arrays_of (const trace &t)
{
  std::vector<gpu_value> arrays;
  for (int k = 0; k < t.count (); k++)
    if (t.value (k).input.is_defined () && is_gpu_array (t.value (k).input))
      arrays.push_back (gpu_value_of (t.value (k).input));
  return arrays;
}

// The precisions of values and operations.
struct precisions {
  bool single = false, is_double = false;
  void add (char type)
  {
    single = single || is_single (type);
    is_double = is_double || (type != 'b' && !is_single (type));
  }
};

// A step has the precision of its operands: a single number makes it single.
char type_of_operation (const trace &t, const traced_value &v)
{
  char type = 'b';
  for (int o : v.of) {
    const char own = t.value (o).type;
    type = is_single (type) || is_single (own) ? 's' : type == 'b' ? own : type;
  }
  return type;
}

// Whether one pass can do it: it has one precision, and is not too long.
bool fits_one_pass (const trace &t, const std::vector<int> &results)
{
  int inputs = 0, arrays = 0, steps = 0;
  precisions all;
  for (int k = 0; k < t.count (); k++) {
    const traced_value &v = t.value (k);
    const bool input = v.input.is_defined (), is_array = input && is_gpu_array (v.input);
    inputs += input;
    arrays += is_array;
    steps += !input;
    if (!input && v.op < 0)
      return false;
    if (is_array)
      all.add (v.type);
    if (!input)
      all.add (type_of_operation (t, v));
  }
  for (int r : results)
    all.add (t.value (r).type);
  return inputs <= GLA_ND_INPUTS && arrays <= GLA_ND_ARRAYS && steps <= GLA_ND_STEPS &&
         results.size () <= GLA_ND_OUTPUTS && !(all.single && all.is_double);
}

// Returns false if it must be done step by step.
bool run_pass (const one_pass &p, const std::vector<gpu_value> &arrays, int device,
               const dim_vector &dims, std::vector<gpu_value> &values)
{
  std::vector<gla_nd> inputs = p.inputs, outputs;
  for (std::size_t k = 0; k < arrays.size (); k++) {
    check_device ("arrayfun", value_of (arrays[k]), device);
    inputs[p.arrays[k]] = spread (nd_of (arrays[k]), arrays[k].dims (), dims);
  }
  for (char type : p.types) {
    values.push_back (new_on_gpu (device, type, dims));
    outputs.push_back (nd_of (values.back (), dims));
  }
  auto program = sized<gla_nd_steps> ();
  program.inputs = inputs.data ();
  program.input_count = static_cast<int> (inputs.size ());
  program.steps = p.steps.data ();
  program.step_count = static_cast<int> (p.steps.size ());
  program.results = p.results.data ();
  program.outputs = outputs.data ();
  program.output_count = static_cast<int> (outputs.size ());
  int outside = 0;
  bool room = true;
  device_call ([&] (gla_context *c) {
    const gla_status status =
        gla_elementwise_steps (c, device, &program, p.asks ? &outside : nullptr);
    room = status != GLA_ERROR_BAD_ARGUMENT; // too many values at the same time
    return room ? status : GLA_OK;
  });
  if (room && !outside) {
    passes++;
    return true;
  }
  values.clear (); // the steps need their memory
  return false;
}

octave_value_list wrapped (const std::vector<gpu_value> &values)
{
  octave_value_list all;
  for (const gpu_value &v : values)
    all.append (value_of (v));
  return all;
}

//------------------------------------------------------------------------------
// step by step
//------------------------------------------------------------------------------

gpu_value expanded_to (const gpu_value &x, const dim_vector &dims)
{
  if (x.dims () == dims)
    return x;
  if (x.on_gpu ()) {
    gpu_value y = new_on_gpu (x.device (), x.type (), dims);
    elementwise (x.device (), GLA_ND_COPY, nd_of (y, dims), spread (nd_of (x), x.dims (), dims),
                 nullptr);
    return y;
  }
  Matrix times (1, dims.ndims ());
  for (int k = 0; k < dims.ndims (); k++)
    times (k) = k < x.dims ().ndims () && x.dims () (k) != 1 ? 1 : static_cast<double> (dims (k));
  return on_host_as ("repmat", ovl (x.host (), times), is_complex (x.type ()));
}

octave_value one_step (const traced_value &v, const octave_value_list &of)
{
  if (v.op == GLA_ND_SELECT)
    return feval (the_interpreter (), "merge", ovl (of (2), of (0), of (1))) (0);
  if (v.op == GLA_ND_COPY) {
    // x is complex if elements have left the domain of a previous step
    const gpu_value &x = gpu_value_of (of (0));
    const char type =
        v.type == 'b' ? 'b' : type_letter (is_single (v.type), is_complex (x.type ()));
    return value_of (converted (x, type));
  }
  if (v.op < 0)
    return gpu_function (v.name, of, 1) (0);
  const gpu_op op = static_cast<gpu_op> (v.op);
  return value_of (of.length () == 1 ? unary (op, gpu_value_of (of (0)))
                                     : binary (op, of (0), of (1)));
}

std::vector<bool> needed_values (const trace &t, const std::vector<int> &results)
{
  std::vector<bool> needed (t.count (), false);
  for (int r : results)
    needed[r] = true;
  for (int k = t.count () - 1; k >= 0; k--)
    if (needed[k])
      for (int v : t.value (k).of)
        needed[v] = true;
  return needed;
}

std::vector<gpu_value> run_step_by_step (const trace &t, const std::vector<int> &results,
                                         int device, const dim_vector &dims)
{
  const std::vector<bool> needed = needed_values (t, results);
  std::vector<octave_value> values (t.count ());
  for (int k = 0; k < t.count (); k++) {
    const traced_value &v = t.value (k);
    if (!needed[k])
      continue;
    const bool input = v.input.is_defined ();
    if (input && !is_gpu_array (v.input) && v.input.numel () == 1)
      values[k] = v.input;
    else if (input)
      values[k] = value_of (expanded_to (moved_to (device, "arrayfun", v.input), dims));
    else {
      octave_value_list of;
      for (int o : v.of)
        of.append (values[o]);
      values[k] = one_step (v, of);
    }
  }
  std::vector<gpu_value> all;
  for (int r : results)
    all.push_back (expanded_to (moved_to (device, "arrayfun", values[r]), dims));
  return all;
}

} // namespace

//------------------------------------------------------------------------------
// the function
//------------------------------------------------------------------------------

double arrayfun_passes ()
{
  return passes;
}

double arrayfun_kept ()
{
  return kept_runs;
}

// Calls f to find out what it does with an element. Returns the numbers of its results.
static std::vector<int> call_once (const std::shared_ptr<trace> &t, const octave_value &f,
                                   const octave_value_list &arrays, int device, int outputs)
{
  octave_value_list elements;
  for (octave_idx_type k = 0; k < arrays.length (); k++)
    elements.append (element_of (t, arrays (k), device));
  const octave_value_list found = feval (the_interpreter (), f, elements, outputs);
  if (found.length () < outputs)
    error_with_id ("Octave:invalid-fun-call",
                   "arrayfun: the function returned fewer than %d values", outputs);
  std::vector<int> results;
  for (int k = 0; k < outputs; k++) {
    if (!is_traced (found (k)) && found (k).numel () != 1)
      error_with_id ("gpulinalg:bad-shape",
                     "arrayfun: value %d of the function is %s, it must be a single element", k + 1,
                     found (k).dims ().str ().c_str ());
    results.push_back (t->number_of (found (k)));
  }
  return results;
}

// Does the steps of an earlier call. False: f must be called.
static bool run_kept (const kept_call &call, const octave_value_list &arrays, int device,
                      const dim_vector &dims, std::vector<gpu_value> &values)
{
  const one_pass *pass = call.find ();
  if (pass == nullptr)
    return false;
  std::vector<gpu_value> on_device;
  for (octave_idx_type k = 0; k < arrays.length (); k++)
    if (is_gpu_array (arrays (k)) || arrays (k).numel () != 1)
      on_device.push_back (moved_to (device, "arrayfun", arrays (k)));
  if (run_pass (*pass, on_device, device, dims, values)) {
    kept_runs++;
    return true;
  }
  call.forget ();
  return false;
}

octave_value_list gpu_arrayfun (const octave_value_list &args, int outputs)
{
  const octave_value f = function_of (args (0));
  const octave_value_list arrays = args.slice (1, args.length () - 1);
  if (any_traced (arrays))
    not_traced ("arrayfun within arrayfun");
  const dim_vector dims = dims_of_all (arrays);
  const int device = device_of ("arrayfun", arrays);
  std::vector<gpu_value> values;
  const kept_call call (f, arrays, outputs);
  if (device >= 0 && run_kept (call, arrays, device, dims, values))
    return wrapped (values);

  auto t = std::make_shared<trace> ();
  const std::vector<int> results = call_once (t, f, arrays, device, outputs);
  if (device >= 0 && fits_one_pass (*t, results)) {
    const one_pass pass = pass_of (*t, results);
    if (run_pass (pass, arrays_of (*t), device, dims, values)) {
      call.keep (pass);
      return wrapped (values);
    }
  }
  return wrapped (run_step_by_step (*t, results, device, dims));
}

} // namespace gla
