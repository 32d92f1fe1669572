// test_system.c: what the library asks of the operating system
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/system.h"
#include "frame/check.h"

#include <stdlib.h>
#include <string.h>

static void test_time (void)
{
  const int64_t begun = gla_now_ns ();
  gla_nap (2000000);
  const int64_t passed = gla_now_ns () - begun;
  CHECK (passed >= 1900000 && passed < 2000000000, "a nap of 2 ms took %lld ns", (long long)passed);
  gla_yield_once ();
  CHECK (gla_now () * 1e9 >= (double)begun, "the clock in seconds");
}

static void *count_up (void *count)
{
  gla_yield_once ();
  ++*(int *)count;
  return count;
}

static void test_threads (void)
{
  int count = 0;
  pthread_t thread;
  void *result = NULL;
  CHECK (gla_thread_start (&thread, 1 << 20, count_up, &count) == 0, "no thread");
  CHECK (pthread_join (thread, &result) == 0 && result == &count && count == 1, "joined");
  CHECK (gla_process () > 0, "number of the process");
}

static void work_here (void *done)
{
  ++*(int *)done;
}

static void test_processors (void)
{
  char name[64] = "";
  int done = 0;
  const int before = gla_processors ();
  gla_on_first_processor (work_here, &done);
  CHECK (done == 1 && before >= 1 && gla_processors () == before, "%d processors, then %d", before,
         gla_processors ());
  CHECK (gla_is_bound () == 0 || gla_is_bound () == 1, "bound");
  CHECK (gla_processor_name (name, sizeof name) == 0 || name[0] != '\0', "processor without name");
#if defined(__linux__)
  CHECK (gla_system_lacks () == NULL, "Linux lacks %s", gla_system_lacks ());
#else
  CHECK (gla_system_lacks () != NULL && gla_system_lacks ()[0] != '\0', "what is lacking");
#endif
}

static void test_memory (void)
{
  const int64_t total = gla_memory_total (), available = gla_memory_available ();
  CHECK (available > 1 << 20 && available <= total, "%lld of %lld bytes", (long long)available,
         (long long)total);
  for (size_t bytes = 1; bytes < 100000; bytes = 3 * bytes + 1) {
    char *aligned = gla_aligned_new (bytes);
    CHECK (aligned != NULL && (uintptr_t)aligned % 64 == 0, "aligned memory of %d bytes",
           (int)bytes);
    memset (aligned, 1, bytes);
    gla_aligned_free (aligned);
  }
  const size_t bytes = (size_t)64 << 20;
  unsigned char *zeros = gla_map_zeros (bytes);
  CHECK (zeros != NULL && zeros[0] == 0 && zeros[bytes - 1] == 0, "pages of zeros");
  gla_advise_huge_pages (zeros, bytes);
  zeros[12345] = 7;
  (void)gla_populate_pages (zeros + 5000, 1 << 20);
  CHECK (zeros[12345] == 7 && zeros[5000] == 0, "populated pages keep their contents");
  gla_unmap (zeros, bytes);
  CHECK (gla_map_zeros ((size_t)1 << 62) == NULL, "more memory than there can be");
}

static void test_libraries (void)
{
  char path[4096] = "";
  CHECK (gla_symbol_anywhere ("dgemm_") != NULL || gla_symbol_anywhere ("malloc") != NULL,
         "no symbol is found");
  CHECK (gla_symbol_anywhere ("gla_no_such_function") == NULL, "a symbol that is not there");
  CHECK (gla_library_open ("/no such folder/no such library.so") == NULL, "no library");
  const char *why = gla_library_error ();
  CHECK (why != NULL && why[0] != '\0' && strchr (why, '\n') == NULL, "the reason is in one line");
  // test_system, or what a build with a sanitizer calls it
  CHECK (gla_file_of ((const void *)test_libraries, 0, path, sizeof path) &&
             strstr (path, "_system") != NULL,
         "this file is %s", path);
  CHECK (gla_file_of ((const void *)test_libraries, 1, path, sizeof path) &&
             strstr (path, "_system") != NULL && strchr (path, '/') != NULL &&
             strchr (path, '\\') == NULL,
         "this file is %s", path);
  int here = 0;
  CHECK (!gla_file_of (&here, 0, path, sizeof path), "the stack is no file");
  gla_stay_loaded ((const void *)test_libraries);
}

static void test_files (void)
{
  const int64_t far = ((int64_t)1 << 32) + 5;
  int64_t bytes = -1;
  FILE *file = tmpfile ();
  CHECK (file != NULL, "no temporary file");
  if (file == NULL)
    return;
  CHECK (gla_file_look (file, &bytes) == GLA_FILE_REGULAR && bytes == 0, "an empty file");
  // a file with a hole, where the system has them
  CHECK (gla_file_seek (file, far) == 0 && fputc ('x', file) == 'x' && fflush (file) == 0,
         "a file above 4 GB");
  CHECK (gla_file_look (file, &bytes) == GLA_FILE_REGULAR && bytes == far + 1, "it has %lld bytes",
         (long long)bytes);
  CHECK (gla_file_seek (file, far) == 0 && fgetc (file) == 'x', "its last byte");
  fclose (file);
#if defined(_WIN32)
  file = fopen ("NUL", "rb");
#else
  file = fopen ("/dev/zero", "rb");
#endif
  CHECK (file != NULL && gla_file_look (file, &bytes) == GLA_FILE_DEVICE, "a device");
  fclose (file);
}

int main (void)
{
  test_time ();
  test_threads ();
  test_processors ();
  test_memory ();
  test_libraries ();
  test_files ();
  return check_report ("test_system");
}
