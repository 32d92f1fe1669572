// system_posix.c: what Linux, macOS and BSD share, and what macOS and BSD alone have
// SPDX-License-Identifier: GPL-3.0-or-later

#if !defined(_WIN32)

#include "system.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

//------------------------------------------------------------------------------
// threads and processes
//------------------------------------------------------------------------------

int gla_thread_start (pthread_t *thread, size_t stack, void *(*work) (void *), void *argument)
{
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t nobodys;
  if (pthread_attr_init (&attributes) != 0)
    return 1;
  if (thread == NULL)
    pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  if (stack > 0)
    pthread_attr_setstacksize (&attributes, stack);
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  const int failed =
      pthread_create (thread != NULL ? thread : &nobodys, &attributes, work, argument);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
  return failed;
}

int64_t gla_process (void)
{
  return getpid ();
}

void gla_at_fork (void (*before) (void), void (*after) (void), void (*in_child) (void))
{
  pthread_atfork (before, after, in_child);
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

int64_t gla_memory_total (void)
{
  return (int64_t)sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
}

int gla_memory_is_limited (void)
{
  struct rlimit space, data;
  return getrlimit (RLIMIT_AS, &space) != 0 || getrlimit (RLIMIT_DATA, &data) != 0 ||
         space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY;
}

void *gla_aligned_new (size_t bytes)
{
  return aligned_alloc (64, (bytes + 63) / 64 * 64);
}

void gla_aligned_free (void *memory)
{
  free (memory);
}

void *gla_map_zeros (size_t bytes)
{
#if !defined(MAP_NORESERVE)
  enum { MAP_NORESERVE = 0 };
#endif
  void *memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void gla_unmap (void *memory, size_t bytes)
{
  munmap (memory, bytes);
}

//------------------------------------------------------------------------------
// libraries and files
//------------------------------------------------------------------------------

void *gla_symbol_anywhere (const char *name)
{
  return dlsym (RTLD_DEFAULT, name);
}

void *gla_library_open (const char *path)
{
  return dlopen (path, RTLD_NOW | RTLD_LOCAL);
}

void *gla_library_of_cuda (const char *name, int version)
{
  char file[64];
  if (version > 0)
    snprintf (file, sizeof file, "lib%s.so.%d", name, version);
  else
    snprintf (file, sizeof file, "lib%s.so", name);
  return gla_library_open (file);
}

void *gla_library_symbol (void *library, const char *name)
{
  return dlsym (library, name);
}

const char *gla_library_error (void)
{
  return dlerror ();
}

int gla_file_of (const void *address, int resolved, char *path, size_t room)
{
  Dl_info here;
  if (dladdr ((void *)address, &here) == 0 || here.dli_fname == NULL)
    return 0;
  char *real = resolved ? realpath (here.dli_fname, NULL) : NULL;
  if (!resolved || real != NULL)
    snprintf (path, room, "%s", resolved ? real : here.dli_fname);
  free (real);
  return !resolved || real != NULL;
}

void gla_stay_loaded (const void *address)
{
  Dl_info here;
  if (dladdr ((void *)address, &here) != 0 && here.dli_fname != NULL)
    (void)dlopen (here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

int gla_user_folder (char *path, size_t room)
{
  const char *data = getenv ("XDG_DATA_HOME"), *home = getenv ("HOME");
  if (data != NULL && data[0] == '/')
    return snprintf (path, room, "%s", data) < (int)room;
  return home != NULL && home[0] == '/' &&
         snprintf (path, room, "%s/.local/share", home) < (int)room;
}

gla_file_kind gla_file_look (FILE *file, int64_t *bytes)
{
  struct stat kind = {.st_size = 0};
  fstat (fileno (file), &kind);
  *bytes = kind.st_size;
  if (S_ISBLK (kind.st_mode) || (S_ISCHR (kind.st_mode) && !isatty (fileno (file))))
    return GLA_FILE_DEVICE;
  return S_ISDIR (kind.st_mode)   ? GLA_FILE_FOLDER
         : S_ISREG (kind.st_mode) ? GLA_FILE_REGULAR
                                  : GLA_FILE_OTHER;
}

int gla_file_seek (FILE *file, int64_t at)
{
  return fseeko (file, at, SEEK_SET);
}

//------------------------------------------------------------------------------
// macOS and BSD
//------------------------------------------------------------------------------

#if !defined(__linux__)

#include <limits.h>

int gla_processors (void)
{
  const long count = sysconf (_SC_NPROCESSORS_ONLN);
  return count > 0 && count < INT_MAX ? (int)count : 1;
}

int gla_is_bound (void)
{
  return 0;
}

#if defined(__APPLE__)

#include <mach/mach.h>
#include <sys/sysctl.h>

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

#else

const char *gla_system_lacks (void)
{
  return "short time slices, places of threads, free memory, huge and prefaulted pages";
}

int gla_processor_name (char *name, size_t room)
{
  (void)name;
  (void)room;
  return 0;
}

int64_t gla_memory_available (void)
{
  return gla_memory_total ();
}

#endif

#endif

#endif
