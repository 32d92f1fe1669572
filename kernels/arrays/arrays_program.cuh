// arrays_program.cuh: several operations on single elements in one kernel
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernel interprets instructions, in the same order for all threads. A thread has several
// elements, a block's width apart, so it decodes an instruction once for all of them. Values that
// only the next instruction needs stay in registers, the others in shared memory: one slot for each
// value that is needed at the same time, without bank conflicts.

#ifndef GPULINALG_ARRAYS_PROGRAM_CUH
#define GPULINALG_ARRAYS_PROGRAM_CUH

#include "arrays.cuh"

enum { ND_PROGRAM_THREADS = 128, ND_PROGRAM_SHARED = 48 * 1024 };
enum { ND_PROGRAM_LENGTH = GLA_ND_STEPS + GLA_ND_ARRAYS + GLA_ND_OUTPUTS };

// What an instruction does; the kinds of operations are those of nd_kind.
enum { ND_LOAD = 4, ND_STORE, ND_CHOOSE };
// Where an operand is: a slot, the result of the previous operation (not of a load), or a number.
enum { ND_BEFORE = 0x7f, ND_NUMBER = 0x80, ND_NOWHERE = 0xff };

struct nd_instruction {
  uint8_t op, kind;
  uint8_t to; // the slot of the result, or ND_NOWHERE; with ND_STORE the output
  uint8_t x, y, z;
  bool x_real, y_real; // have no imaginary part
};

struct nd_program_array {
  const void *data;
  int type;
  int64_t step[GLA_ND_DIMS];
};

// Elements are counted as in nd_elements.
struct nd_program {
  uint32_t n;
  int dims, length, slots;
  bool flat; // at most one dimension
  nd_divisor size[GLA_ND_DIMS];
  nd_program_array in[GLA_ND_ARRAYS], out[GLA_ND_OUTPUTS];
  double number[GLA_ND_INPUTS][2];
  nd_instruction code[ND_PROGRAM_LENGTH];
  int *outside; // the word that nd_answer writes, or NULL
};
static_assert (sizeof (nd_program) <= 4096, "arguments of a kernel have at most 4096 bytes");

// Elements of a thread.
template <class T> constexpr int nd_program_each = sizeof (T) == 16 ? 2 : 4;

// How many slots there are.
template <class T> constexpr int nd_program_slots ()
{
  return ND_PROGRAM_SHARED / (int)(sizeof (T) * ND_PROGRAM_THREADS * nd_program_each<T>);
}

// There is one for each type of the values: s, d, c, z (nd_program_*.cu).
template <class T> cudaError_t nd_launch_program (const nd_program &p, cudaStream_t stream);

#endif
