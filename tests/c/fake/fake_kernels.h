// fake_kernels.h: the kernels that objects of nvcc register, and the sizes of their parameters
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A kernel, and the sizes of its parameters, as its machine code has them; -1: unknown.
typedef struct {
  const void *function;
  const char *name;
  int parameters;
  int bytes[24];
} fake_kernel;
static fake_kernel *kernels;
static int kernel_count;

// The parameters that a section .nv.info.NAME describes: records of 4 bytes and what follows them.
static void read_parameters (fake_kernel *k, const unsigned char *at, size_t bytes)
{
  enum { SIZED = 4, PARAMETER = 0x17 };
  for (size_t p = 0; p + 4 <= bytes;) {
    uint16_t length;
    memcpy (&length, at + p + 2, sizeof length);
    if (at[p] == SIZED && at[p + 1] == PARAMETER) {
      uint32_t ordinal_offset, size;
      memcpy (&ordinal_offset, at + p + 8, 4);
      memcpy (&size, at + p + 12, 4);
      int ordinal = (int)(ordinal_offset & 0xffff);
      if (ordinal < 24) {
        k->bytes[ordinal] = (int)(size >> 18);
        k->parameters = ordinal + 1 > k->parameters ? ordinal + 1 : k->parameters;
      }
    }
    p += at[p] == SIZED ? 4 + (size_t)length : 4;
  }
}

// Looks into the first ELF image of what nvcc put into the object.
static void describe (fake_kernel *k, const unsigned char *image)
{
  const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image;
  if (memcmp (image, ELFMAG, SELFMAG) != 0)
    return;
  const Elf64_Shdr *section = (const Elf64_Shdr *)(image + elf->e_shoff);
  const char *names = (const char *)image + section[elf->e_shstrndx].sh_offset;
  for (int s = 0; s < elf->e_shnum; s++) {
    const char *name = names + section[s].sh_name;
    if (strncmp (name, ".nv.info.", 9) == 0 && strcmp (name + 9, k->name) == 0)
      read_parameters (k, image + section[s].sh_offset, section[s].sh_size);
  }
}

void **__cudaRegisterFatBinary (void *wrapper)
{
  // the image behind the header of 16 bytes and that of the first entry
  const unsigned char *fat = ((unsigned char **)wrapper)[1];
  uint32_t entry;
  memcpy (&entry, fat + 16 + 4, sizeof entry);
  return (void **)(fat + 16 + entry);
}
void __cudaRegisterFatBinaryEnd (void **handle)
{
  (void)handle;
}
void __cudaUnregisterFatBinary (void **handle)
{
  (void)handle;
}
// Variables on the device, which headers of CUDA declare; no kernel runs that would read them.
void __cudaRegisterVar (void **handle, char *host, char *address, const char *name, int external,
                        size_t size, int constant, int global)
{
  (void)handle, (void)host, (void)address, (void)name, (void)external, (void)size, (void)constant;
  (void)global;
}
void __cudaRegisterFunction (void **handle, const char *function, char *device_function,
                             const char *name, int thread_limit, void *tid, void *bid, void *block,
                             void *grid, int *warp_size)
{
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
  (void)warp_size;
  kernels = realloc (kernels, (size_t)(kernel_count + 1) * sizeof *kernels);
  fake_kernel *k = &kernels[kernel_count++];
  *k = (fake_kernel){.function = function, .name = name};
  describe (k, (const unsigned char *)handle);
}

static int compare (const void *a, const void *b)
{
  const fake_kernel *x = a, *y = b;
  return (x->function > y->function) - (x->function < y->function);
}

static void sort_kernels (void)
{
  qsort (kernels, (size_t)kernel_count, sizeof *kernels, compare);
}

static const fake_kernel *kernel_of (const void *function)
{
  static pthread_once_t sorted = PTHREAD_ONCE_INIT;
  pthread_once (&sorted, sort_kernels);
  fake_kernel key = {.function = function};
  const fake_kernel *k = bsearch (&key, kernels, (size_t)kernel_count, sizeof key, compare);
  if (k == NULL) {
    fprintf (stderr, "fake_cuda: launch of what is not a kernel\n");
    abort ();
  }
  return k;
}

#endif
