// system_windows.c: Windows, by its own functions
// SPDX-License-Identifier: GPL-3.0-or-later

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0602
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif

#include "system.h"

#include <windows.h> // before the others

#include <io.h>
#include <psapi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *gla_system_lacks (void)
{
  return "short time slices, places of threads, huge and prefaulted pages, ranks by MPI";
}

//------------------------------------------------------------------------------
// threads and processes: there are neither signals nor forks
//------------------------------------------------------------------------------

int gla_thread_start (pthread_t *thread, size_t stack, void *(*work) (void *), void *argument)
{
  pthread_attr_t attributes;
  pthread_t nobodys;
  if (pthread_attr_init (&attributes) != 0)
    return 1;
  if (thread == NULL)
    pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  if (stack > 0)
    pthread_attr_setstacksize (&attributes, stack);
  const int failed =
      pthread_create (thread != NULL ? thread : &nobodys, &attributes, work, argument);
  pthread_attr_destroy (&attributes);
  return failed;
}

int64_t gla_process (void)
{
  return GetCurrentProcessId ();
}

void gla_at_fork (void (*before) (void), void (*after) (void), void (*in_child) (void))
{
  (void)before;
  (void)after;
  (void)in_child;
}

//------------------------------------------------------------------------------
// processors
//------------------------------------------------------------------------------

// The masks are 0 if the process may use more processors than a mask has bits.
int gla_processors (void)
{
  DWORD_PTR ours, all;
  const int known = GetProcessAffinityMask (GetCurrentProcess (), &ours, &all) && ours != 0;
  const int count =
      known ? __builtin_popcountll (ours) : (int)GetActiveProcessorCount (ALL_PROCESSOR_GROUPS);
  return count > 0 ? count : 1;
}

int gla_is_bound (void)
{
  DWORD_PTR ours, all;
  return GetProcessAffinityMask (GetCurrentProcess (), &ours, &all) && ours != all;
}

int gla_processor_name (char *name, size_t room)
{
  DWORD bytes = (DWORD)room;
  return RegGetValueA (HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                       "ProcessorNameString", RRF_RT_REG_SZ, NULL, name, &bytes) == 0;
}

//------------------------------------------------------------------------------
// memory
//------------------------------------------------------------------------------

static MEMORYSTATUSEX memory_now (void)
{
  MEMORYSTATUSEX m = {.dwLength = sizeof m};
  GlobalMemoryStatusEx (&m);
  return m;
}

int64_t gla_memory_total (void)
{
  return (int64_t)memory_now ().ullTotalPhys;
}

int64_t gla_memory_available (void)
{
  return (int64_t)memory_now ().ullAvailPhys;
}

int gla_memory_is_limited (void)
{
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job;
  const DWORD limits = JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_JOB_MEMORY;
  return QueryInformationJobObject (NULL, JobObjectExtendedLimitInformation, &job, sizeof job,
                                    NULL) &&
         (job.BasicLimitInformation.LimitFlags & limits) != 0;
}

void *gla_aligned_new (size_t bytes)
{
  return _aligned_malloc (bytes, 64);
}

void gla_aligned_free (void *memory)
{
  _aligned_free (memory);
}

void *gla_map_zeros (size_t bytes)
{
  return VirtualAlloc (NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void gla_unmap (void *memory, size_t bytes)
{
  (void)bytes;
  VirtualFree (memory, 0, MEM_RELEASE);
}

//------------------------------------------------------------------------------
// libraries: file names are UTF-8
//------------------------------------------------------------------------------

enum { LONGEST_PATH = 32768 };

// dlsym gives an object pointer, and ISO C has no conversion of a function to it.
static void *symbol_of (HMODULE library, const char *name)
{
  const union {
    FARPROC function;
    void *object;
  } found = {.function = GetProcAddress (library, name)};
  return found.object;
}

void *gla_symbol_anywhere (const char *name)
{
  HMODULE all[1024];
  DWORD bytes = 0;
  void *found = NULL;
  if (!EnumProcessModules (GetCurrentProcess (), all, sizeof all, &bytes))
    return NULL;
  const size_t count = (bytes < sizeof all ? bytes : sizeof all) / sizeof *all;
  for (size_t k = 0; k < count && found == NULL; k++)
    found = symbol_of (all[k], name);
  return found;
}

// Of this thread's last gla_library_open that failed. The messages of Windows do not name the file.
static _Thread_local char library_error[512];

static void keep_error (const char *path, DWORD error)
{
  char text[256];
  if (FormatMessageA (FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, error, 0,
                      text, sizeof text, NULL) == 0)
    snprintf (text, sizeof text, "error %lu of Windows", error);
  text[strcspn (text, "\r\n")] = '\0';
  snprintf (library_error, sizeof library_error, "%.250s: %s", path, text);
}

void *gla_library_open (const char *path)
{
  static const DWORD quiet = SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX;
  wchar_t wide[1024];
  DWORD before = 0;
  HMODULE library = NULL;
  if (MultiByteToWideChar (CP_UTF8, 0, path, -1, wide, sizeof wide / sizeof *wide) > 0) {
    for (wchar_t *c = wide; *c != L'\0'; c++)
      *c = *c == L'/' ? L'\\' : *c;
    const int has_folder = wcschr (wide, L'\\') != NULL;
    SetThreadErrorMode (quiet, &before);
    library = LoadLibraryExW (wide, NULL, has_folder ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
    const DWORD error = GetLastError ();
    SetThreadErrorMode (before, NULL);
    SetLastError (error);
  }
  if (library == NULL)
    keep_error (path, GetLastError ());
  return library;
}

void *gla_library_of_cuda (const char *name, int version)
{
  if (strcmp (name, "cuda") == 0)
    return gla_library_open ("nvcuda.dll");
  char file[64];
  snprintf (file, sizeof file, "%s64_%d.dll", name, version);
  return gla_library_open (file);
}

void *gla_library_symbol (void *library, const char *name)
{
  return symbol_of (library, name);
}

const char *gla_library_error (void)
{
  return library_error;
}

// Windows has loaded a file by its own name already: there are no links to follow.
int gla_file_of (const void *address, int resolved, char *path, size_t room)
{
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE library;
  wchar_t *wide = malloc (LONGEST_PATH * sizeof *wide);
  (void)resolved;
  const int found = wide != NULL &&
                    GetModuleHandleExW (flags, (const wchar_t *)address, &library) &&
                    GetModuleFileNameW (library, wide, LONGEST_PATH) > 0 &&
                    WideCharToMultiByte (CP_UTF8, 0, wide, -1, path, (int)room, NULL, NULL) > 0;
  free (wide);
  for (char *c = path; found && *c != '\0'; c++)
    *c = *c == '\\' ? '/' : *c;
  return found;
}

int gla_user_folder (char *path, size_t room)
{
  const char *data = getenv ("LOCALAPPDATA");
  const int found = data != NULL && snprintf (path, room, "%s", data) < (int)room;
  for (char *c = path; found && *c != '\0'; c++)
    *c = *c == '\\' ? '/' : *c;
  return found;
}

void gla_stay_loaded (const void *address)
{
  HMODULE library;
  GetModuleHandleExW (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                      (const wchar_t *)address, &library);
}

//------------------------------------------------------------------------------
// files, also above 2 GB
//------------------------------------------------------------------------------

gla_file_kind gla_file_look (FILE *file, int64_t *bytes)
{
  struct _stat64 kind = {.st_size = 0};
  DWORD mode;
  _fstat64 (_fileno (file), &kind);
  *bytes = kind.st_size;
  if ((kind.st_mode & _S_IFMT) == _S_IFCHR)
    return GetConsoleMode ((HANDLE)_get_osfhandle (_fileno (file)), &mode) ? GLA_FILE_OTHER
                                                                           : GLA_FILE_DEVICE;
  return (kind.st_mode & _S_IFMT) == _S_IFDIR   ? GLA_FILE_FOLDER
         : (kind.st_mode & _S_IFMT) == _S_IFREG ? GLA_FILE_REGULAR
                                                : GLA_FILE_OTHER;
}

int gla_file_seek (FILE *file, int64_t at)
{
  return _fseeki64 (file, at, SEEK_SET);
}

#endif
