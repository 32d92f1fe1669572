// guarded.c: malloc for tests, whose blocks end at memory that cannot be touched
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loaded with LD_PRELOAD. Sanitizers see what compiled C code reads; this one sees the assembly of
// the BLAS, too: zgemv of OpenBLAS reads the element behind a vector, which ends a program where
// that memory is not there. A block of BLOCK bytes or more ends at a page without access, and
// freed blocks cannot be touched. Smaller ones are those of the C library.

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 512, PAGE = 4096 };
static const size_t SPACE = (size_t)1 << 44;

void *__libc_malloc (size_t bytes);
void *__libc_calloc (size_t count, size_t bytes);
void *__libc_memalign (size_t alignment, size_t bytes);
void __libc_free (void *block);
void *memalign (size_t alignment, size_t bytes);

// At the start of the page in front of a block.
typedef struct {
  size_t bytes, mapped;
} header;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *space;
static size_t used;

static header *header_of (const void *block)
{
  return (header *)((uintptr_t)block / PAGE * PAGE - PAGE);
}

static int is_guarded (const void *block)
{
  return space != NULL && (const char *)block >= space && (const char *)block < space + SPACE;
}

// Addresses are not used twice.
static char *new_pages (size_t bytes)
{
  pthread_mutex_lock (&lock);
  if (space == NULL) {
    char *all = mmap (NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    space = all == MAP_FAILED ? NULL : all;
  }
  char *pages = space != NULL && bytes <= SPACE - used ? space + used : NULL;
  used += pages != NULL ? bytes : 0;
  pthread_mutex_unlock (&lock);
  return pages;
}

static void *guarded (size_t alignment, size_t bytes)
{
  if (bytes > SPACE / 2) {
    errno = ENOMEM;
    return NULL;
  }
  const size_t step = alignment < 16 ? 16 : alignment, whole = (bytes + step - 1) / step * step;
  const size_t data = (whole + PAGE - 1) / PAGE * PAGE;
  char *pages = new_pages (data + 2 * PAGE);
  if (pages == NULL || mprotect (pages, PAGE + data, PROT_READ | PROT_WRITE) != 0) {
    errno = ENOMEM;
    return NULL;
  }
  *(header *)pages = (header){bytes, data + 2 * PAGE};
  return pages + PAGE + data - whole;
}

void *malloc (size_t bytes)
{
  return bytes < BLOCK ? __libc_malloc (bytes) : guarded (16, bytes);
}

void *calloc (size_t count, size_t bytes)
{
  size_t all;
  if (__builtin_mul_overflow (count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return all < BLOCK ? __libc_calloc (count, bytes) : guarded (16, all); // new pages are zero
}

void free (void *block)
{
  if (!is_guarded (block)) {
    __libc_free (block);
    return;
  }
  header *h = header_of (block);
  const size_t mapped = h->mapped;
  madvise (h, mapped, MADV_DONTNEED);
  mprotect (h, mapped, PROT_NONE);
}

void *realloc (void *block, size_t bytes)
{
  void *other = malloc (bytes);
  if (block == NULL || other == NULL)
    return other;
  // of a block of the C library the size is in front of it, with three bits of something else
  const size_t old =
      is_guarded (block) ? header_of (block)->bytes : (((size_t *)block)[-1] & ~(size_t)7) - 8;
  memcpy (other, block, old < bytes ? old : bytes);
  free (block);
  return other;
}

void *memalign (size_t alignment, size_t bytes)
{
  return bytes < BLOCK ? __libc_memalign (alignment, bytes) : guarded (alignment, bytes);
}

void *aligned_alloc (size_t alignment, size_t bytes)
{
  return memalign (alignment, bytes);
}

int posix_memalign (void **block, size_t alignment, size_t bytes)
{
  *block = memalign (alignment, bytes);
  return *block == NULL ? ENOMEM : 0;
}
