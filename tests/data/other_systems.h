// other_systems.h: what system_posix.c uses of macOS and FreeBSD beyond POSIX, for platforms.sh
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Types and names are those of the systems; numbers are not, because nothing of this runs.

#include <stddef.h>
#include <stdint.h>

#define RTLD_DEFAULT ((void *)0)
enum { RTLD_NOLOAD = 16, RTLD_NODELETE = 32, MAP_ANONYMOUS = 64 };
enum { _SC_NPROCESSORS_ONLN = 1001, _SC_PHYS_PAGES };
typedef struct {
  const char *dli_fname;
} Dl_info;
int dladdr (const void *address, Dl_info *info);

#if defined(__APPLE__)
int sysctlbyname (const char *name, void *old, size_t *old_size, void *now, size_t now_size);
typedef unsigned mach_port_t, mach_msg_type_number_t, natural_t;
typedef int kern_return_t, *host_info64_t;
typedef struct {
  natural_t free_count, active_count, inactive_count;
} vm_statistics64_data_t;
enum { HOST_VM_INFO64 = 4, HOST_VM_INFO64_COUNT = 3, KERN_SUCCESS = 0 };
mach_port_t mach_host_self (void);
kern_return_t host_statistics64 (mach_port_t host, int flavor, host_info64_t info,
                                 mach_msg_type_number_t *count);
#endif
