// opened.cuh: whether this process has opened a GPU
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The first question to the driver starts it, which takes 0.1 s or more. So predictions ask nothing
// before a GPU is open, and assume the one that engine_model describes.

#ifndef GPULINALG_OPENED_CUH
#define GPULINALG_OPENED_CUH

#include <atomic>

bool device_opened ();
void device_note_opened ();

// Whether `serves` holds for every GPU, to any of which the pages of a call may go. True before a
// GPU is open; asked once from then on, and kept in *known, which begins as 0.
bool devices_serve (std::atomic<int> *known, bool (*serves) (int device));

#endif
