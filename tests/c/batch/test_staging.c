// test_staging.c: strided host arrays to and from the packed buffers of transfers, in any pieces
// SPDX-License-Identifier: GPL-3.0-or-later

// A library without CUDA does not have it, although it needs none.
#include "../../../kernels/engine/staging.c"

#include "frame/check.h"

static const char POISON = 0x5a;

// The bytes that an array may touch, from its first element.
static size_t extent (const gla_array *a)
{
  const int64_t last = (a->rows - 1) * a->row_stride + (a->columns - 1) * a->column_stride +
                       (a->pages - 1) * a->page_stride;
  return (size_t)(last + 1) * gla_type_size (a->type);
}

// Byte k of the packed order.
static char packed_byte (size_t k)
{
  return (char)(k * 2654435761u >> 13);
}

// Calls f for each element in packed order, with its place in the array and in the packed bytes.
static void each_element (const gla_array *a,
                          void (*f) (char *at, size_t packed, size_t size, void *user), void *user)
{
  const size_t size = gla_type_size (a->type);
  size_t packed = 0;
  for (int64_t p = 0; p < a->pages; p++)
    for (int64_t j = 0; j < a->columns; j++)
      for (int64_t i = 0; i < a->rows; i++, packed += size)
        f ((char *)a->data +
               (size_t)(i * a->row_stride + j * a->column_stride + p * a->page_stride) * size,
           packed, size, user);
}

static void put_element (char *at, size_t packed, size_t size, void *user)
{
  (void)user;
  for (size_t k = 0; k < size; k++)
    at[k] = packed_byte (packed + k);
}

static void take_element (char *at, size_t packed, size_t size, void *user)
{
  for (size_t k = 0; k < size; k++)
    *(int64_t *)user += at[k] != packed_byte (packed + k);
  memset (at, POISON, size);
}

// Packs and unpacks in pieces of that many bytes; every element arrives, and nothing else is
// touched.
static void test_pieces (gla_array a, size_t piece)
{
  const size_t bytes = extent (&a);
  char *host = malloc (bytes);
  a.data = host;
  memset (host, POISON, bytes);
  each_element (&a, put_element, NULL);
  gla_packing p = gla_packing_of (&a);
  CHECK (p.total == (size_t)(a.rows * a.columns * a.pages) * gla_type_size (a.type), "total %zu",
         p.total);

  char *buffer = malloc (p.total);
  int64_t wrong = 0;
  for (size_t at = 0; at < p.total; at += piece)
    gla_pack (&p, at, p.total - at < piece ? p.total - at : piece, buffer + at);
  for (size_t k = 0; k < p.total; k++)
    wrong += buffer[k] != packed_byte (k);
  CHECK (wrong == 0, "%c, pieces of %zu: %lld bytes of %zu are packed wrong", a.type, piece,
         (long long)wrong, p.total);

  memset (host, POISON, bytes);
  for (size_t at = 0; at < p.total; at += piece)
    gla_unpack (&p, at, p.total - at < piece ? p.total - at : piece, buffer + at);
  wrong = 0;
  each_element (&a, take_element, &wrong);
  for (size_t k = 0; k < bytes; k++)
    wrong += host[k] != POISON;
  CHECK (wrong == 0, "%c, pieces of %zu: %lld bytes are unpacked wrong", a.type, piece,
         (long long)wrong);
  free (host);
  free (buffer);
}

// Packed, with gaps after columns, after pages, after both, and one column whose elements are
// apart.
static void test_layouts (gla_type type, int64_t rows, int64_t columns, int64_t pages, size_t piece)
{
  gla_array a = gla_array_packed (NULL, type, rows, columns, pages, GLA_DEVICE_HOST);
  test_pieces (a, piece);
  gla_array gaps = a;
  gaps.page_stride += 5;
  test_pieces (gaps, piece);
  gaps.column_stride += 3;
  gaps.page_stride += 3 * columns;
  test_pieces (gaps, piece);
  gaps.page_stride = gaps.column_stride * columns;
  test_pieces (gaps, piece);
  gla_array apart = gla_array_packed (NULL, type, rows, 1, pages, GLA_DEVICE_HOST);
  apart.row_stride = 4;
  apart.column_stride = apart.page_stride = 4 * rows + 1;
  test_pieces (apart, piece);
}

int main (void)
{
  const gla_type types[] = {GLA_TYPE_S, GLA_TYPE_D, GLA_TYPE_C, GLA_TYPE_Z};
  for (int t = 0; t < 4; t++) {
    const size_t pieces[] = {1, 7, 16, 100, 1 << 20};
    for (int k = 0; k < 5; k++)
      test_layouts (types[t], 3, 4, 5, pieces[k]);
    test_layouts (types[t], 1, 1, 1, 5);
    test_layouts (types[t], 97, 61, 50, 700001); // shares of several threads
  }
  return check_report ("test_staging");
}
