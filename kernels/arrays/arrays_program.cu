// arrays_program.cu: makes the instructions of several operations on single elements
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array is loaded before its first use, so that few values are needed at the same time; steps
// that no output needs are left out. After the last use of a value, its slot is reused.

#include "arrays_program.cuh"
#include "arrays/arrays_types.h"
#include "arrays_ask.cuh"
#include "arrays.cuh"

namespace
{

enum { MOST_VALUES = GLA_ND_INPUTS + GLA_ND_STEPS };

// An instruction whose operands are values; `result` is what it makes.
struct draft {
  int op, kind, result, x, y, z, output;
};

struct compiler {
  const gla_nd_steps *from;
  draft code[ND_PROGRAM_LENGTH];
  int length;
  bool needed[MOST_VALUES];
  int array[MOST_VALUES]; // its number if the value is an array that was loaded, else -1
  int arrays;
  int made[MOST_VALUES], last[MOST_VALUES]; // the instructions that make and last use a value

  bool is_input (int v) const { return v < from->input_count; }
  bool is_number (int v) const { return is_input (v) && from->inputs[v].data == nullptr; }
  int type (int v) const
  {
    return is_input (v) ? from->inputs[v].type : from->steps[v - from->input_count].type;
  }
};

//------------------------------------------------------------------------------
// steps
//------------------------------------------------------------------------------

// Finds the operands; unused ones are x.
void operands (const gla_nd_step &s, int *of)
{
  of[0] = s.x;
  of[1] = gla_nd_takes_two (s.op) ? s.y : s.x;
  of[2] = s.op == GLA_ND_SELECT ? s.z : s.x;
}

void find_needed (compiler &c)
{
  for (int k = 0; k < c.from->output_count; k++)
    c.needed[c.from->results[k]] = true;
  for (int k = c.from->step_count - 1; k >= 0; k--) {
    int of[3];
    operands (c.from->steps[k], of);
    for (int v : of)
      c.needed[v] = c.needed[v] || c.needed[c.from->input_count + k];
  }
}

void load (compiler &c, int v)
{
  if (!c.is_input (v) || c.is_number (v) || c.array[v] >= 0)
    return;
  c.array[v] = c.arrays++;
  c.made[v] = c.length;
  c.code[c.length++] = {0, ND_LOAD, v, v, v, v, 0};
}

void store (compiler &c, int v)
{
  for (int k = 0; k < c.from->output_count; k++)
    if (c.from->results[k] == v) {
      load (c, v);
      c.code[c.length++] = {0, ND_STORE, -1, v, v, v, k};
    }
}

int kind_of (const compiler &c, const gla_nd_step &s)
{
  if (s.op == GLA_ND_SELECT)
    return ND_CHOOSE;
  if (s.op == GLA_ND_COPY && s.type == GLA_LOGICAL)
    return ND_LOGICAL;
  const bool narrows =
      s.op == GLA_ND_COPY && gla_nd_is_complex (c.type (s.x)) && !gla_nd_is_complex (s.type);
  return narrows ? ND_REAL : nd_kind_of (s.op);
}

void draft_steps (compiler &c)
{
  for (int k = 0; k < c.from->input_count; k++)
    store (c, k);
  for (int k = 0; k < c.from->step_count; k++) {
    const gla_nd_step &s = c.from->steps[k];
    const int result = c.from->input_count + k, kind = kind_of (c, s);
    if (!c.needed[result])
      continue;
    int of[3];
    operands (s, of);
    for (int v : of)
      load (c, v);
    const int op = kind == ND_REAL && s.op == GLA_ND_COPY ? (int)GLA_ND_REAL : s.op;
    c.made[result] = c.length;
    c.code[c.length++] = {op, kind, result, of[0], of[1], of[2], 0};
    store (c, result);
  }
}

//------------------------------------------------------------------------------
// slots
//------------------------------------------------------------------------------

// Whether instruction i finds the result of the operation that made v still in the registers.
bool is_before (const compiler &c, int v, int i)
{
  if (c.is_number (v) || c.code[c.made[v]].kind == ND_LOAD)
    return false;
  for (int j = c.made[v] + 1; j < i; j++)
    if (c.code[j].kind != ND_LOAD && c.code[j].kind != ND_STORE)
      return false;
  return true;
}

// Whether a value must have a slot, and the last instruction that uses it.
void find_uses (compiler &c, bool *keep)
{
  for (int i = 0; i < c.length; i++)
    for (int v : {c.code[i].x, c.code[i].y, c.code[i].z}) {
      if (c.code[i].kind == ND_LOAD || c.is_number (v))
        continue;
      c.last[v] = i;
      keep[v] = keep[v] || !is_before (c, v, i);
    }
}

// Returns a number from 0 that no other value has, or -1.
int take_slot (bool *taken, int most)
{
  for (int s = 0; s < most; s++)
    if (!taken[s]) {
      taken[s] = true;
      return s;
    }
  return -1;
}

uint8_t place_of (const compiler &c, const int *slot, int v, int i)
{
  if (c.is_number (v))
    return (uint8_t)(ND_NUMBER + v);
  return (uint8_t)(is_before (c, v, i) ? (int)ND_BEFORE : slot[v]);
}

// Writes the instructions; false if there are not enough slots.
bool assign (const compiler &c, const bool *keep, int most, nd_program *p)
{
  bool taken[256] = {};
  int slot[MOST_VALUES];
  for (int i = 0; i < c.length; i++) {
    const draft &d = c.code[i];
    nd_instruction &s = p->code[i];
    s = {(uint8_t)d.op, (uint8_t)d.kind, ND_NOWHERE, 0, 0, 0, false, false};
    if (d.kind == ND_LOAD)
      s.x = (uint8_t)c.array[d.x];
    else {
      s.x = place_of (c, slot, d.x, i);
      s.y = place_of (c, slot, d.y, i);
      s.z = place_of (c, slot, d.z, i);
      s.x_real = !gla_nd_is_complex (c.type (d.x));
      s.y_real = !gla_nd_is_complex (c.type (d.y));
      for (int v : {d.x, d.y, d.z})
        if (!c.is_number (v) && keep[v] && c.last[v] == i)
          taken[slot[v]] = false;
    }
    if (d.kind == ND_STORE)
      s.to = (uint8_t)d.output;
    else if (keep[d.result]) {
      slot[d.result] = take_slot (taken, most);
      if (slot[d.result] < 0)
        return false;
      s.to = (uint8_t)slot[d.result];
      p->slots = p->slots > slot[d.result] ? p->slots : slot[d.result] + 1;
    }
  }
  p->length = c.length;
  return true;
}

//------------------------------------------------------------------------------
// arrays
//------------------------------------------------------------------------------

int64_t step_of (const gla_nd &a, int d)
{
  return d < a.dims ? a.step[d] : 0;
}

// All arrays of the program with the sizes of the outputs.
struct all_arrays {
  int count;
  nd_program_array *to[GLA_ND_ARRAYS + GLA_ND_OUTPUTS];
  const gla_nd *from[GLA_ND_ARRAYS + GLA_ND_OUTPUTS];
};

all_arrays arrays_of (const compiler &c, nd_program *p)
{
  all_arrays all = {};
  for (int v = 0; v < c.from->input_count; v++)
    if (c.array[v] >= 0) {
      all.to[all.count] = &p->in[c.array[v]];
      all.from[all.count++] = &c.from->inputs[v];
    }
  for (int k = 0; k < c.from->output_count; k++) {
    all.to[all.count] = &p->out[k];
    all.from[all.count++] = &c.from->outputs[k];
  }
  return all;
}

// Merges adjacent dimensions that are one for all arrays.
void set_arrays (const compiler &c, nd_program *p, int64_t *size)
{
  const all_arrays all = arrays_of (c, p);
  const gla_nd &shape = c.from->outputs[0];
  for (int k = 0; k < all.count; k++) {
    all.to[k]->data = all.from[k]->data;
    all.to[k]->type = all.from[k]->type;
  }
  for (int d = 0; d < shape.dims; d++) {
    if (shape.size[d] == 1)
      continue;
    bool merges = p->dims > 0;
    for (int k = 0; k < all.count && merges; k++)
      merges = step_of (*all.from[k], d) == all.to[k]->step[p->dims - 1] * size[p->dims - 1];
    if (merges) {
      size[p->dims - 1] *= shape.size[d];
      continue;
    }
    for (int k = 0; k < all.count; k++)
      all.to[k]->step[p->dims] = step_of (*all.from[k], d);
    size[p->dims++] = shape.size[d];
  }
  p->flat = p->dims <= 1;
}

//------------------------------------------------------------------------------
// launches
//------------------------------------------------------------------------------

// A launch counts elements in 32 bits: more are done in two halves.
template <class T> cudaError_t launch (nd_program p, const int64_t *size, cudaStream_t stream)
{
  int64_t n = 1, half[GLA_ND_DIMS];
  while (p.dims > 1 && size[p.dims - 1] == 1) // may be 1 after division into halves
    p.dims--;
  for (int d = 0; d < p.dims; d++) {
    half[d] = size[d];
    n *= size[d];
  }
  if (n < (int64_t)1 << 31) {
    for (int d = 0; d < p.dims; d++)
      p.size[d] = nd_divisor_of (size[d]);
    p.n = (uint32_t)n;
    return nd_launch_program<T> (p, stream);
  }
  const int last = p.dims - 1;
  half[last] = size[last] / 2;
  const cudaError_t error = launch<T> (p, half, stream);
  if (error != cudaSuccess)
    return error;
  for (nd_program_array *list : {p.in, p.out})
    for (int k = 0; k < (list == p.in ? (int)GLA_ND_ARRAYS : (int)GLA_ND_OUTPUTS); k++)
      if (list[k].data != nullptr)
        list[k].data = static_cast<const char *> (list[k].data) +
                       half[last] * list[k].step[last] * (int64_t)gla_nd_bytes (list[k].type);
  half[last] = size[last] - half[last];
  return launch<T> (p, half, stream);
}

template <class T>
gla_status run (const compiler &c, const bool *keep, nd_program *p, cudaStream_t stream)
{
  int64_t size[GLA_ND_DIMS];
  if (!assign (c, keep, nd_program_slots<T> (), p))
    return GLA_ERROR_BAD_ARGUMENT;
  set_arrays (c, p, size);
  return engine_status (launch<T> (*p, size, stream));
}

gla_status run_typed (const compiler &c, const bool *keep, nd_program *p, cudaStream_t stream)
{
  bool single = false, complex = false;
  for (int v = 0; v < c.from->input_count + c.from->step_count; v++) {
    complex = complex || gla_nd_is_complex (c.type (v));
    single = single || (!c.is_number (v) && (c.type (v) == GLA_TYPE_S || c.type (v) == GLA_TYPE_C));
  }
  if (single)
    return complex ? run<cx<float>> (c, keep, p, stream) : run<float> (c, keep, p, stream);
  return complex ? run<cx<double>> (c, keep, p, stream) : run<double> (c, keep, p, stream);
}

} // namespace

gla_status nd_run_steps (gla_engine *engine, const gla_nd_steps *steps, int *outside)
{
  cuda_engine *e = engine_of (engine);
  compiler c = {};
  c.from = steps;
  for (int &a : c.array)
    a = -1;
  find_needed (c);
  draft_steps (c);
  bool keep[MOST_VALUES] = {};
  find_uses (c, keep);
  nd_program p = {};
  for (int v = 0; v < steps->input_count; v++)
    for (int part = 0; part < 2; part++)
      p.number[v][part] = steps->inputs[v].value[part];
  if (outside == nullptr)
    return run_typed (c, keep, &p, e->slots[0].stream);
  int64_t elements = 1;
  for (int d = 0; d < steps->outputs[0].dims; d++)
    elements *= steps->outputs[0].size[d];
  return nd_ask (e, elements, outside, [&] (int *word) {
    p.outside = word;
    return run_typed (c, keep, &p, e->slots[0].stream);
  });
}
