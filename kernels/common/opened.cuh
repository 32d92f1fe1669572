// opened.cuh: whether this process has opened a GPU, and questions that wait until it has
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first question to the driver starts it, which takes 0.1 s or more. So predictions ask nothing
// before a GPU is open, and assume the one that engine_model describes.

#ifndef GPULINALG_OPENED_CUH
#define GPULINALG_OPENED_CUH

#include <atomic>

bool device_opened ();
void device_note_opened ();

// Whether the code that runs on the device is of this capability (800 is 8.0) or a later one: of
// the code in this build, the newest that is not newer than the device runs there, also where the
// driver compiles it from PTX. True for a device that does not answer: it fails later, with a
// message.
bool device_has_code_of (int device, int capability);

// Whether `serves` holds for every GPU, to any of which the pages of a call may go. True before a
// GPU is open; asked once from then on, and kept in *known, which begins as 0.
bool devices_serve (std::atomic<int> *known, bool (*serves) (int device));

#endif
