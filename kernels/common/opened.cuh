// opened.cuh: whether this process has opened a GPU, and questions that wait until it has
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first question to the driver starts it, which takes 0.1 s or more. So predictions ask nothing
// before a GPU is open, and assume the one that engine_model describes.

#ifndef GPULINALG_OPENED_CUH
#define GPULINALG_OPENED_CUH

#include <cstddef>

bool device_opened ();
void device_note_opened ();

// Whether the code that runs on the device is of this capability (800 is 8.0) or a later one: of
// the code in this build, the newest that is not newer than the device runs there, also where the
// driver compiles it from PTX. True for a device that does not answer: it fails later, with a
// message.
bool device_has_code_of (int device, int capability);

// Whether every GPU, to any of which the pages of a call may go, can run kernels that copy to
// shared memory asynchronously (code before capability 8.0 is several times slower, or is missing)
// and whose blocks have up to so many bytes of it. True before a GPU is open; asked once from then
// on.
bool devices_serve (size_t shared_bytes);

#endif
