// fork_heap.h: a heap for children of fork under the address sanitizer
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The C library takes the locks of its heap before a fork and frees them in both processes. The
// sanitizer of GCC 12 does not: a child that was forked while another thread held a lock of its
// heap waits for it forever (seen once in 1200 forks). So here all calls of the heap, also those of
// shared libraries, take a lock that does outlast a fork. A thread that starts at a fork can hang
// the child, too: let it do something before.

#ifndef FORK_HEAP_H
#define FORK_HEAP_H

#if defined(__SANITIZE_ADDRESS__)

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

void *__interceptor_malloc (size_t);
void *__interceptor_calloc (size_t, size_t);
void *__interceptor_realloc (void *, size_t);
void *__interceptor_aligned_alloc (size_t, size_t);
int __interceptor_posix_memalign (void **, size_t, size_t);
void __interceptor_free (void *);

static atomic_flag heap_lock = ATOMIC_FLAG_INIT;

// The sanitizer allocates before it knows the functions of threads.
static void lock_heap (void)
{
  while (atomic_flag_test_and_set (&heap_lock))
    sched_yield ();
}

static void unlock_heap (void)
{
  atomic_flag_clear (&heap_lock);
}

static void *unlock_and (void *given)
{
  unlock_heap ();
  return given;
}

void *malloc (size_t size)
{
  lock_heap ();
  return unlock_and (__interceptor_malloc (size));
}

void *calloc (size_t count, size_t size)
{
  lock_heap ();
  return unlock_and (__interceptor_calloc (count, size));
}

void *realloc (void *old, size_t size)
{
  lock_heap ();
  return unlock_and (__interceptor_realloc (old, size));
}

void *aligned_alloc (size_t alignment, size_t size)
{
  lock_heap ();
  return unlock_and (__interceptor_aligned_alloc (alignment, size));
}

int posix_memalign (void **to, size_t alignment, size_t size)
{
  lock_heap ();
  const int failed = __interceptor_posix_memalign (to, alignment, size);
  unlock_heap ();
  return failed;
}

void free (void *old)
{
  lock_heap ();
  __interceptor_free (old);
  unlock_heap ();
}

// Before the library registers its handlers, as the C library runs the first one last: a thread
// that has a lock of the library may need memory to give it back.
static __attribute__ ((constructor (101))) void watch_heap (void)
{
  pthread_atfork (lock_heap, unlock_heap, unlock_heap);
}

#endif

#endif
