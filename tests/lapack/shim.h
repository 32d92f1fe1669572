// tests/lapack/shim.h: LAPACK's drivers done by the C library
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Preloaded under LAPACK's test programs.
//
// shim_*.c are compiled once per type, with SHIM_s, SHIM_d, SHIM_c or SHIM_z. A routine that is
// called while the library works, and what the library does not do (queries, wrong arguments, other
// jobs), are the system's.
//
// GLA_SHIM_METHOD  auto, qr or jacobi, for eigenvalues and singular values
// GLA_SHIM_GSVD    auto, hz or tangent
// GLA_SHIM_COUNT   file to which the number of calls of each routine is written: done here, and
// left

#ifndef SHIM_H
#define SHIM_H

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpulinalg.h"

typedef struct shim_count {
  const char *name;
  long ours, theirs;
  struct shim_count *next;
} shim_count;

typedef void (*shim_routine) ();

extern gla_context *shim_context;
extern int shim_inside;      // > 0 while the library works
extern int shim_method;      // of gla_batcheig and gla_batchsvd
extern int shim_gsvd_method; // of gla_gsvd

shim_count *shim_counter (const char *name);       // starts the library
shim_routine shim_real (const char *name);         // of the system
void shim_check (gla_status s, const char *where); // ends the program unless s is GLA_OK

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_ (a, b, c)
#define TEXT_(x) #x
#define TEXT(x) TEXT_ (x)
#define LAPACK(name) PASTE (LETTER, name, _)

#if defined SHIM_s
#define LETTER s
#define T float
#define REAL float
#define CPLX 0
#define TYPE GLA_TYPE_S
#define RTYPE GLA_TYPE_S
#elif defined SHIM_d
#define LETTER d
#define T double
#define REAL double
#define CPLX 0
#define TYPE GLA_TYPE_D
#define RTYPE GLA_TYPE_D
#elif defined SHIM_c
#define LETTER c
#define T float complex
#define REAL float
#define CPLX 1
#define TYPE GLA_TYPE_C
#define RTYPE GLA_TYPE_S
#elif defined SHIM_z
#define LETTER z
#define T double complex
#define REAL double
#define CPLX 1
#define TYPE GLA_TYPE_Z
#define RTYPE GLA_TYPE_D
#endif

#ifdef LETTER

// Leaves the call to the system's routine unless `condition` holds.
#define OURS(condition, ...)                                                                       \
  static shim_routine theirs;                                                                      \
  static shim_count *count;                                                                        \
  if (!theirs) {                                                                                   \
    count = shim_counter (__func__);                                                               \
    theirs = shim_real (__func__);                                                                 \
  }                                                                                                \
  if (shim_inside || !(condition)) {                                                               \
    count->theirs += !shim_inside;                                                                 \
    theirs (__VA_ARGS__, 1L, 1L, 1L, 1L); /* and the lengths of texts */                           \
    return;                                                                                        \
  }                                                                                                \
  count->ours++;

#if CPLX
#define CONJ(x) conj (x)
#define SYMMETRIC(x) PASTE (LETTER, he##x, _)
#define ORTHOGONAL(x) PASTE (LETTER, un##x, _)
// the work space that complex routines have in addition
#define RWORK , REAL *rwork
#define RWORK_ , rwork
#define LRWORK , REAL *rwork, int *lrwork
#define LRWORK_ , rwork, lrwork
#define IS_QUERY (*lwork == -1 || *lrwork == -1 || *liwork == -1)
#else
#define CONJ(x) (x)
#define SYMMETRIC(x) PASTE (LETTER, sy##x, _)
#define ORTHOGONAL(x) PASTE (LETTER, or ##x, _)
#define RWORK
#define RWORK_
#define LRWORK
#define LRWORK_
#define IS_QUERY (*lwork == -1 || *liwork == -1)
#endif

// in shim_svd.c; returns info
#define SHIM_SVD PASTE (shim_, LETTER, svd)
int SHIM_SVD (int m, int n, T *a, int lda, REAL *s, T *u, int ucols, T *v, int vcols, int method);

static inline int is (const char *text, char letter)
{
  return (*text | 32) == letter;
}

static inline gla_array shim_array (void *data, int rows, int columns, int ld)
{
  gla_array a = gla_array_packed (data, TYPE, rows, columns, 1, GLA_DEVICE_HOST);
  a.column_stride = MAX (ld, 1);
  a.page_stride = (int64_t)a.column_stride * MAX (columns, 1);
  return a;
}

static inline gla_array shim_column (void *data, int rows)
{
  return gla_array_packed (data, RTYPE, rows, 1, 1, GLA_DEVICE_HOST);
}

static inline void *shim_room (int64_t n)
{
  void *room = calloc ((size_t)MAX (n, 1), sizeof (T));
  if (!room)
    shim_check (GLA_ERROR_OUT_OF_MEMORY, "room");
  return room;
}

static inline void shim_copy (int m, int n, const T *from, int ldf, T *to, int ldt)
{
  for (int j = 0; j < n; j++)
    memcpy (to + (size_t)j * ldt, from + (size_t)j * ldf, m * sizeof (T));
}

#endif
#endif
