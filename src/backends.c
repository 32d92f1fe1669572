// backends.c: the backends of this build, fastest first; the last one always works
// SPDX-License-Identifier: GPL-3.0-or-later

#include "backend.h"

const gla_backend *const gla_backends[] = {
#ifdef GLA_HAVE_CUDA
    &gla_backend_cuda,
#endif
    &gla_backend_cpu,
    NULL,
};
