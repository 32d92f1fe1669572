// system_plain.c: requests that only Linux supports, for all other systems
// SPDX-License-Identifier: GPL-3.0-or-later

#if !defined(__linux__)

#include "system.h"
#include "threads/schedule.h"

void gla_on_first_processor (void (*work) (void *user), void *user)
{
  work (user);
}

void gla_advise_huge_pages (void *memory, size_t bytes)
{
  (void)memory;
  (void)bytes;
}

int gla_populate_pages (void *memory, size_t bytes)
{
  (void)memory;
  (void)bytes;
  return 0;
}

int gla_page_is_present (const void *at)
{
  (void)at;
  return 0;
}

uint64_t gla_time_slice_shorten (void)
{
  return 0;
}

void gla_time_slice_restore (uint64_t before)
{
  (void)before;
}

gla_sleeper *gla_sleeper_new (void)
{
  return NULL;
}

void gla_sleeper_begin (gla_sleeper *s)
{
  (void)s;
}

void gla_sleeper_end (gla_sleeper *s)
{
  (void)s;
}

void gla_sleepers_keep_away (void) {}

void gla_sleepers_forget (void) {}

#endif
