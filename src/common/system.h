// system.h: the library's border to the operating system
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All else in src/, kernels/ and oct/ keeps to C11 and to the mutexes, conditions and joins of
// pthread.h. system_clock.c has the time, system_posix.c what Linux, macOS and BSD share and what
// the latter two have, system_linux.c and system_windows.c what one system has, and system_plain.c
// what all but Linux do without: there a wish has no effect.

#ifndef GPULINALG_SYSTEM_H
#define GPULINALG_SYSTEM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

//------------------------------------------------------------------------------
// time: alone in a file, so that a test can have a clock of its own
//------------------------------------------------------------------------------

int64_t gla_now_ns (void); // of a clock that is never set
void gla_nap (int64_t ns); // ns: below a second
// Lets another thread run that waits for this processor.
void gla_yield_once (void);

static inline double gla_now (void)
{
  return 1e-9 * (double)gla_now_ns ();
}

//------------------------------------------------------------------------------
// threads and processes
//------------------------------------------------------------------------------

// Starts a thread that takes no signals, because they are for the program's own threads. NULL: it
// is not joined. stack: its bytes, 0 for the usual ones. Nonzero if there is no thread.
int gla_thread_start (pthread_t *thread, size_t stack, void *(*work) (void *), void *argument);

int64_t gla_process (void); // the number of this process
void gla_at_fork (void (*before) (void), void (*after) (void), void (*in_child) (void));

//------------------------------------------------------------------------------
// processors
//------------------------------------------------------------------------------

int gla_processors (void); // that this process may use, by its affinity and its control group
int gla_is_bound (void);   // whether it may use some of them only
// Does the work on processor 0 if possible; then this thread may again run where it might before.
void gla_on_first_processor (void (*work) (void *user), void *user);
// Returns 0 if the system does not tell.
int gla_processor_name (char *name, size_t room);

// Says what this system lacks of all this, for gpulinalg_info; NULL if nothing.
const char *gla_system_lacks (void);

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

int64_t gla_memory_total (void);
int64_t gla_memory_available (void); // the total where the system does not tell
int gla_memory_is_limited (void);    // whether this process may not have all of it

void *gla_aligned_new (size_t bytes); // to 64 bytes, or NULL
void gla_aligned_free (void *memory);

// Returns pages of zeros, which take no memory before they are touched; NULL if there are none.
void *gla_map_zeros (size_t bytes);
void gla_unmap (void *memory, size_t bytes);

void gla_advise_huge_pages (void *memory, size_t bytes);
int gla_populate_pages (void *memory, size_t bytes); // 0 where the system has no call for it
int gla_page_is_present (const void *at);            // 0 also where the system does not tell

//------------------------------------------------------------------------------
// libraries and files
//------------------------------------------------------------------------------

void *gla_symbol_anywhere (const char *name); // among all libraries of the process, or NULL
void *gla_library_open (const char *path);    // with names of its own; NULL: gla_library_error
// A library of CUDA by its name on this system: libcublas.so.13 or cublas64_13.dll. version 0: the
// name without a number; "cuda" is the driver, of version 1.
void *gla_library_of_cuda (const char *name, int version);
void *gla_library_symbol (void *library, const char *name);
const char *gla_library_error (void);

// Finds the program or library that has this address, with / between folders; resolved: after
// following all links. Returns 0 if that is not known.
int gla_file_of (const void *address, int resolved, char *path, size_t room);
// Keeps the file in memory if a program unloads it.
void gla_stay_loaded (const void *address);

// The folder for what a user installs for himself, with / between folders. 0: there is none.
int gla_user_folder (char *path, size_t room);

// A file that is a terminal or a pipe is none of these. A device may never end.
typedef enum { GLA_FILE_OTHER, GLA_FILE_REGULAR, GLA_FILE_FOLDER, GLA_FILE_DEVICE } gla_file_kind;
gla_file_kind gla_file_look (FILE *file, int64_t *bytes);
int gla_file_seek (FILE *file, int64_t at); // nonzero: errno

#ifdef __cplusplus
}
#endif

#endif
