// system_macos.c: what macOS tells of processors and memory
// SPDX-License-Identifier: GPL-3.0-or-later

#if defined(__APPLE__)

#include "system.h"

#include <mach/mach.h>
#include <sys/sysctl.h>
#include <unistd.h>

const char *gla_system_lacks (void)
{
  return "short time slices, places of threads, huge and prefaulted pages";
}

int gla_processor_name (char *name, size_t room)
{
  return sysctlbyname ("machdep.cpu.brand_string", name, &room, NULL, 0) == 0;
}

int64_t gla_memory_available (void)
{
  vm_statistics64_data_t pages;
  mach_msg_type_number_t words = HOST_VM_INFO64_COUNT;
  if (host_statistics64 (mach_host_self (), HOST_VM_INFO64, (host_info64_t)&pages, &words) !=
      KERN_SUCCESS)
    return gla_memory_total ();
  return ((int64_t)pages.free_count + pages.inactive_count) * sysconf (_SC_PAGESIZE);
}

#endif
