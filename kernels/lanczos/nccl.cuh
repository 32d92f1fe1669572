// nccl.cuh: messages between GPUs by NCCL, which is loaded at run time
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The few declarations that are needed are repeated here from nccl.h, so that building does not
// need it. They are those of NCCL 2.18; later versions up to 2.28 have the same functions and
// numbers, and take the struct of an earlier version by its size.

#ifndef GPULINALG_NCCL_CUH
#define GPULINALG_NCCL_CUH

#include <climits>
#include <cstddef>

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7 }; // ncclResult_t, an int; others are errors
enum { NCCL_BYTES = 0 };                         // ncclDataType_t: ncclInt8
enum { NCCL_OLDEST = 21800 };                    // 2.18.0

struct nccl_id {
  char internal[128];
};

// ncclConfig_t of 2.18.
struct nccl_config {
  size_t size = sizeof (nccl_config);
  unsigned magic = 0xcafebeef, version = NCCL_OLDEST;
  int blocking = 0;
  int cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN; // INT_MIN: not set
  const char *net_name = nullptr;
  int split_share = INT_MIN;
};

struct nccl_library {
  int (*get_version) (int *);
  int (*get_unique_id) (nccl_id *);
  int (*init_rank) (void **comm, int ranks, nccl_id id, int rank, nccl_config *);
  int (*async_error) (void *comm, int *result);
  int (*abort) (void *comm);
  int (*send) (const void *, size_t count, int type, int peer, void *comm, void *stream);
  int (*receive) (void *, size_t count, int type, int peer, void *comm, void *stream);
  int (*group_start) ();
  int (*group_end) ();
  const char *(*error_string) (int);
  int version; // 22803 is 2.28.3
};

enum nccl_problem { NCCL_FOUND, NCCL_NO_LIBRARY, NCCL_NO_FUNCTION, NCCL_TOO_OLD };

// Opens it once: the file that GPULINALG_NCCL names, if that has a slash, else libnccl.so.2.
nccl_problem nccl_open (const nccl_library **library);

#endif
