// nccl.cu: messages between GPUs by NCCL, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later

#include "nccl.cuh"
#include "engine/library.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

nccl_problem open_library (nccl_library &nccl)
{
  const char *named = getenv ("GPULINALG_NCCL");
  const bool is_file = named != nullptr && strchr (named, '/') != nullptr;
  void *from = is_file ? gla_library_open (named) : gla_library_of_cuda ("nccl", 2);
  if (from == nullptr)
    return NCCL_NO_LIBRARY;
  if (!find (from, "ncclGetVersion", &nccl.get_version) ||
      !find (from, "ncclGetUniqueId", &nccl.get_unique_id) ||
      !find (from, "ncclCommInitRankConfig", &nccl.init_rank) ||
      !find (from, "ncclCommGetAsyncError", &nccl.async_error) ||
      !find (from, "ncclCommAbort", &nccl.abort) || !find (from, "ncclSend", &nccl.send) ||
      !find (from, "ncclRecv", &nccl.receive) ||
      !find (from, "ncclGroupStart", &nccl.group_start) ||
      !find (from, "ncclGroupEnd", &nccl.group_end) ||
      !find (from, "ncclGetErrorString", &nccl.error_string))
    return NCCL_NO_FUNCTION;
  const bool answers = nccl.get_version (&nccl.version) == NCCL_SUCCESS;
  return answers && nccl.version >= NCCL_OLDEST ? NCCL_FOUND : NCCL_TOO_OLD;
}

} // namespace

nccl_problem nccl_open (const nccl_library **library)
{
  static nccl_library nccl;
  static const nccl_problem problem = open_library (nccl);
  *library = &nccl;
  return problem;
}
