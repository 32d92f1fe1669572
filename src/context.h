// context.h: the inside of gla_context, for src/ only
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_CONTEXT_H
#define GPULINALG_CONTEXT_H

#include "auto/start.h"
#include "common/limits.h"
#include "row.h"

// Each with its user pointer; NULL: none.
typedef struct {
  int (*stop) (void *user);
  void *stop_user;
  void (*progress) (void *user, int64_t done, int64_t total);
  void *progress_user;
  void (*sweeps) (void *user, int64_t done, int64_t total, int sweeps);
  void *sweeps_user;
  void (*warning) (void *user, const char *id, const char *text);
  void *warning_user;
} gla_callbacks;

// One thread at a time uses a context. A thread that starts a GPU does not know it: the functions
// below take the GPU over, in the context's own thread.
struct gla_context {
  gla_callbacks callbacks;

  // where to run
  gla_place place;
  int devices[GLA_MAX_DEVICES]; // of GLA_PLACE_LIST
  int n_devices;
  // In a collective call the rank's number on its computer + 1, else 0. It selects the GPU of this
  // rank, of all GPUs or of GLA_PLACE_LIST. Then a GPU that fails is an error, because the results
  // of the ranks belong together.
  int rank_here;

  const struct gla_gsvd_ranks
      *gsvd_ranks; // that share the sweeps of the pair that is at work; NULL

  // engines, opened at first need and kept; a lost GPU is one that failed in this process
  gla_engine *cpu;
  gla_engine *gpus[GLA_MAX_DEVICES];
  char lost[GLA_MAX_DEVICES];
  int64_t memory[GLA_MAX_DEVICES]; // bytes of the open GPUs
  const gla_backend *cpu_backend;
  const gla_backend *gpu_backend; // NULL: there is no GPU; until `counted` one that may have some
  int counted;                    // whether the driver was asked for its GPUs
  int n_gpus;                     // 0 until then
  gla_start *start;               // a GPU that a thread opens; NULL: none
  int starts_fail;                // whether one could not be opened so; not tried again

  // for "auto"
  double missed_seconds; // that a GPU would have saved so far, had it been open

  char message[512];
  char note[512]; // "" until counted
};

// The formats of C: MinGW's "printf" has other ones, and clang knows no other name.
#if defined(__clang__)
#define GLA_FORMAT printf
#else
#define GLA_FORMAT gnu_printf
#endif

// Sets the message (printf style) and returns the status. ctx NULL: there is no message.
gla_status gla_fail (gla_context *ctx, gla_status status, const char *format, ...)
    __attribute__ ((format (GLA_FORMAT, 3, 4)));

// Ends every call: the message is empty after GLA_OK, and not empty otherwise. Returns the status.
gla_status gla_end_call (gla_context *ctx, gla_status status);

// Calls the user back, if there is a callback.
void gla_warn (gla_context *ctx, const char *id, const char *format, ...)
    __attribute__ ((format (GLA_FORMAT, 3, 4)));
int gla_stop_wanted (gla_context *ctx);
void gla_report_progress (gla_context *ctx, int64_t done, int64_t total);
void gla_report_sweeps (gla_context *ctx, int64_t done, int64_t total, int sweeps);
// The function of a monitor whose user is the context, for work without pages.
int gla_poll_stop (void *ctx, int64_t pages);
// Serves calls inside of another one: no progress is reported. Returns what to restore to
// ctx->callbacks.
gla_callbacks gla_silence (gla_context *ctx);

// Nonzero in a child of a process that has asked for its GPUs: the context forgets them, because
// CUDA does not survive fork, and closes none.
int gla_context_forked (gla_context *ctx);

// Open (once) the CPU or a GPU, and wait for one that is being started.
gla_status gla_context_cpu (gla_context *ctx, gla_engine **engine);
gla_status gla_context_gpu (gla_context *ctx, int device, gla_engine **engine);

// Asks for the GPUs, once; in a fresh process that takes time.
void gla_context_count (gla_context *ctx);
// Takes over what the thread that starts a GPU has done so far, without waiting.
void gla_context_look (gla_context *ctx);
// Whether a context of this process has the GPU open, so that this one can open it at once.
int gla_gpu_is_open (int device);
// Finds the GPUs that the context's place names and that were not lost, as far as they are known;
// returns their number.
int gla_context_devices (const gla_context *ctx, int *devices);
// Returns the error if there are none, with a message that names the first that was lost.
gla_status gla_context_all_lost (gla_context *ctx);

// Closes a GPU that failed; later calls do not use it.
void gla_context_lose (gla_context *ctx, int device);
// Frees work space beyond an eighth of a GPU's memory at the end of a call.
void gla_context_settle (gla_context *ctx);

#endif
