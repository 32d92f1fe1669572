// load.c: joins the ranks of a program that mpirun has started
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plugin that knows MPI is found beside the file with this code, or where GPULINALG_MPI_PLUGIN
// says, and opened when it is first asked for. So a program runs the same without MPI.

#include "group.h"
#include "common/plugin_file.h"
#include "common/system.h"
#include "threads/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN_NAME "__gpulinalg_mpi__.oct"
#define VARIABLE "GPULINALG_MPI_PLUGIN"

//------------------------------------------------------------------------------
// the plugin
//------------------------------------------------------------------------------

static gla_status join (gla_context *ctx, gla_transport *transport)
{
  char path[4096], why[512] = "";
  const int named = getenv (VARIABLE) != NULL && getenv (VARIABLE)[0] != '\0';
  (void)gla_plugin_file (PLUGIN_NAME, VARIABLE, path, sizeof path);
  void *file = gla_library_open (path);
  if (file == NULL)
    return gla_fail (ctx, GLA_ERROR_NO_MPI, "the plugin for MPI cannot be opened (%s): %s",
                     named ? VARIABLE " names it" : "it is built where configure finds mpicc",
                     gla_library_error ());
  gla_transport_join_function function;
  void *symbol = gla_library_symbol (file, GLA_TRANSPORT_SYMBOL);
  memcpy (&function, &symbol, sizeof function);
  if (symbol == NULL)
    return gla_fail (ctx, GLA_ERROR_NO_MPI, "%s is no plugin of gpulinalg for MPI", path);
  if (function (GLA_TRANSPORT_VERSION, transport, why, sizeof why) != 0)
    return gla_fail (ctx, GLA_ERROR_NO_MPI, "%s: %s", path, why);
  if (transport->size != sizeof *transport || transport->version != GLA_TRANSPORT_VERSION)
    return gla_fail (ctx, GLA_ERROR_NO_MPI,
                     "%s has version %d of the interface for plugins, this library has %d; build "
                     "both together",
                     path, transport->version, (int)GLA_TRANSPORT_VERSION);
  return GLA_OK;
}

//------------------------------------------------------------------------------
// the launcher
//------------------------------------------------------------------------------

// The number of processes that a launcher says it has started, 0 where none says so. SLURM's is
// that of a step of srun: a plain process of a batch script does not have it.
static int launched (const char **variable)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *text = getenv (names[k]);
    const int count = text != NULL ? atoi (text) : 0;
    *variable = names[k];
    if (count > 0)
      return count;
  }
  return 0;
}

static gla_status check_launcher (gla_context *ctx, const gla_transport *transport)
{
  const char *variable;
  const int count = launched (&variable);
  if (count <= 1 || transport->ranks > 1)
    return GLA_OK;
  return gla_fail (ctx, GLA_ERROR_NO_MPI,
                   "the launcher has started %d processes (%s = %d), but %s, for which gpulinalg "
                   "was built, sees this one alone: start with the mpirun of that MPI, or build "
                   "gpulinalg with the mpicc of the other one",
                   count, variable, count, transport->name);
}

//------------------------------------------------------------------------------
// the ranks of this process
//------------------------------------------------------------------------------

static gla_ranks *the_ranks;

// The end of the process. One that ends well tells the others, so that none waits for it; where it
// ends with an error, or has lost them, leaving ends the others, too.
static void ended (int status, void *user)
{
  gla_context *ctx = user;
  gla_ranks *ranks = the_ranks;
  the_ranks = NULL;
  if (status == 0 && ranks->broken == GLA_OK)
    (void)gla_ranks_finish (ctx, ranks);
  const int lost = ranks->broken != GLA_OK && !ranks->others_ended;
  ranks->transport.leave (ranks->transport.self, status == 0 && lost ? 1 : status);
}

// Ranks of one computer that the launcher has not bound share its processors.
static void share_processors (gla_ranks *ranks)
{
  if (gla_is_bound ()) {
    ranks->crowd = 1;
    return;
  }
  const int threads = gla_processors () / ranks->transport.local_ranks;
  if (ranks->transport.local_ranks > 1 && getenv ("OMP_NUM_THREADS") == NULL)
    gla_pool_share (threads > 1 ? threads : 1);
}

gla_status gla_ranks_mpi (gla_context *ctx, gla_ranks **ranks)
{
  static gla_context *last; // of the end of the process; without callbacks
  if (ctx == NULL)
    return GLA_ERROR_BAD_ARGUMENT;
  ctx->message[0] = '\0';
  if (ranks == NULL)
    return gla_fail (ctx, GLA_ERROR_BAD_ARGUMENT, "ranks must not be NULL");
  *ranks = the_ranks;
  if (the_ranks != NULL)
    return GLA_OK;
  gla_transport transport = {.size = 0};
  gla_status status = last != NULL ? GLA_OK : gla_context_create (&last);
  if (status == GLA_OK)
    status = join (ctx, &transport);
  if (status == GLA_OK)
    status = check_launcher (ctx, &transport);
  if (status != GLA_OK)
    return gla_end_call (ctx, status);
  gla_ranks *made = gla_ranks_new (&transport);
  if (made == NULL)
    return gla_end_call (ctx, GLA_ERROR_OUT_OF_MEMORY);
  if (transport.at_exit (ended, last) != 0) {
    gla_ranks_free (made);
    return gla_fail (ctx, GLA_ERROR_NO_MPI, "the end of the process cannot be watched");
  }
  made->kept = 1;
  share_processors (made);
  *ranks = the_ranks = made;
  return GLA_OK;
}
