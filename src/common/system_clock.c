// system_clock.c: the time, naps and yields
// SPDX-License-Identifier: GPL-3.0-or-later

#include "system.h"

#if defined(_WIN32)

#include <windows.h>

int64_t gla_now_ns (void)
{
  LARGE_INTEGER rate, count;
  QueryPerformanceFrequency (&rate);
  QueryPerformanceCounter (&count);
  return count.QuadPart / rate.QuadPart * 1000000000 +
         count.QuadPart % rate.QuadPart * 1000000000 / rate.QuadPart;
}

// Sleep () takes up to 16 ms. Timers are finer from Windows 10 on.
void gla_nap (int64_t ns)
{
  const DWORD fine = 0x2; // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
  HANDLE timer = CreateWaitableTimerExW (NULL, NULL, fine, TIMER_ALL_ACCESS);
  LARGE_INTEGER after = {.QuadPart = -(ns / 100 > 0 ? ns / 100 : 1)};
  if (timer != NULL && SetWaitableTimer (timer, &after, 0, NULL, NULL, FALSE))
    WaitForSingleObject (timer, INFINITE);
  else
    Sleep ((DWORD)((ns + 999999) / 1000000));
  if (timer != NULL)
    CloseHandle (timer);
}

void gla_yield_once (void)
{
  SwitchToThread ();
}

#else

#include <sched.h>
#include <time.h>

int64_t gla_now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void gla_nap (int64_t ns)
{
  nanosleep (&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

void gla_yield_once (void)
{
  sched_yield ();
}

#endif
