// gpuDevice.h: the methods of gpuDevice
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_OCT_GPUDEVICE_H
#define GPULINALG_OCT_GPUDEVICE_H

#include "gpu_device.h"

// args: "wait" or "reset", and a gpuDevice.
void gpu_device_method (octave::interpreter &interp, const octave_value_list &args);

#endif
