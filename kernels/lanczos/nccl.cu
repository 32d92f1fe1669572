// nccl.cu: messages between GPUs by NCCL, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later

#include "nccl.cuh"
#include "common/system.h"

#include <cstdlib>
#include <cstring>

namespace
{

nccl_library nccl;
nccl_problem problem = NCCL_NO_LIBRARY;
pthread_once_t once = PTHREAD_ONCE_INIT;

template <class F> bool find (void *from, const char *name, F *function)
{
  *function = reinterpret_cast<F> (gla_library_symbol (from, name));
  return *function != nullptr;
}

void open_library ()
{
  const char *named = getenv ("GPULINALG_NCCL");
  const bool is_file = named != nullptr && strchr (named, '/') != nullptr;
  void *from = gla_library_open (is_file ? named : "libnccl.so.2");
  if (from == nullptr)
    return;
  problem = NCCL_NO_FUNCTION;
  if (!find (from, "ncclGetVersion", &nccl.get_version) ||
      !find (from, "ncclGetUniqueId", &nccl.get_unique_id) ||
      !find (from, "ncclCommInitRankConfig", &nccl.init_rank) ||
      !find (from, "ncclCommGetAsyncError", &nccl.async_error) ||
      !find (from, "ncclCommAbort", &nccl.abort) || !find (from, "ncclSend", &nccl.send) ||
      !find (from, "ncclRecv", &nccl.receive) ||
      !find (from, "ncclGroupStart", &nccl.group_start) ||
      !find (from, "ncclGroupEnd", &nccl.group_end) ||
      !find (from, "ncclGetErrorString", &nccl.error_string))
    return;
  const bool answers = nccl.get_version (&nccl.version) == NCCL_SUCCESS;
  problem = answers && nccl.version >= NCCL_OLDEST ? NCCL_FOUND : NCCL_TOO_OLD;
}

} // namespace

nccl_problem nccl_open (const nccl_library **library)
{
  pthread_once (&once, open_library);
  *library = &nccl;
  return problem;
}
