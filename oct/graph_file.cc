// graph_file.cc: the words and numbers of a text file
// SPDX-License-Identifier: GPL-3.0-or-later

#include "graph_file.h"

#include <octave/file-ops.h>
#include <octave/lo-sysdep.h>
#include <octave/quit.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gla
{

//------------------------------------------------------------------------------
// the file
//------------------------------------------------------------------------------

graph_file::graph_file (const std::string &name) : m_name (name)
{
  errno = 0;
  std::FILE *file = octave::sys::fopen (octave::sys::file_ops::tilde_expand (name), "rb");
  if (!file)
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be opened: %s", name.c_str (),
                   std::strerror (errno));
  std::unique_ptr<std::FILE, int (*) (std::FILE *)> closer (file, std::fclose);

  std::size_t length = 0, got;
  do {
    octave_quit ();
    const std::size_t piece = 1 << 22;
    if (m_bytes.size () < length + piece + 1)
      m_bytes.resize (std::max (2 * m_bytes.size (), length + piece + 1));
    got = std::fread (m_bytes.data () + length, 1, piece, file);
    length += got;
  } while (got > 0);
  if (std::ferror (file))
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be read: %s", name.c_str (),
                   std::strerror (errno));
  m_bytes[length] = '\0';
  m_at = m_bytes.data ();
  m_end = m_at + length;
  if (length >= 2 && std::memcmp (m_at, "\x1f\x8b", 2) == 0)
    error_with_id ("gpulinalg:bad-file", "read_graph: %s is compressed; use gunzip", name.c_str ());
}

bool graph_file::is_matrix_market () const
{
  const char banner[] = "%%matrixmarket";
  const std::size_t length = sizeof banner - 1;
  if (static_cast<std::size_t> (m_end - m_bytes.data ()) < length)
    return false;
  for (std::size_t k = 0; k < length; k++)
    if (std::tolower (static_cast<unsigned char> (m_bytes[k])) != banner[k])
      return false;
  return true;
}

void graph_file::bad (const std::string &text) const
{
  error_with_id ("gpulinalg:bad-file", "read_graph: %s, line %lld: %s", m_name.c_str (),
                 static_cast<long long> (m_line), text.c_str ());
}

//------------------------------------------------------------------------------
// lines and words
//------------------------------------------------------------------------------

static bool is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void graph_file::skip_blanks ()
{
  while (m_at < m_end && is_blank (*m_at))
    m_at++;
}

bool graph_file::next_line (const char *comments)
{
  for (;;) {
    if (m_line > 0) {
      const void *newline = std::memchr (m_at, '\n', m_end - m_at);
      m_at = newline ? static_cast<const char *> (newline) + 1 : m_end;
    }
    if (m_at == m_end && m_line > 0)
      return false; // m_line stays that of the last line
    m_line++;
    if (m_line % 65536 == 0)
      octave_quit ();
    skip_blanks ();
    if (m_at < m_end && *m_at != '\n' && (*m_at == '\0' || !std::strchr (comments, *m_at)))
      return true;
  }
}

graph_file::word graph_file::next_word ()
{
  skip_blanks ();
  const char *begin = m_at;
  while (m_at < m_end && !is_blank (*m_at) && *m_at != '\n')
    m_at++;
  return {begin, static_cast<std::size_t> (m_at - begin)};
}

//------------------------------------------------------------------------------
// numbers
//------------------------------------------------------------------------------

// A word as an error shows it: not longer than this, and without what is not printable.
static std::string shown (const graph_file::word &w)
{
  std::string text = w.str ().substr (0, 40);
  for (char &c : text)
    if (!std::isprint (static_cast<unsigned char> (c)))
      c = '?';
  return text;
}

int64_t graph_file::next_integer (const char *what)
{
  word w = next_word ();
  if (w.length == 0)
    bad (std::string (what) + " is missing");
  const char *c = w.text, *end = w.text + w.length;
  bool minus = *c == '-';
  c += *c == '-' || *c == '+';
  const uint64_t limit = static_cast<uint64_t> (INT64_MAX) + minus;
  uint64_t x = 0;
  bool digits = c < end, fits = true;
  for (; c < end && digits; c++) {
    unsigned digit = static_cast<unsigned> (*c - '0');
    digits = digit <= 9;
    fits = fits && x <= (limit - digit) / 10;
    x = 10 * x + digit;
  }
  if (!digits)
    bad (std::string (what) + " must be an integer, not \"" + shown (w) + "\"");
  if (!fits)
    bad (std::string (what) + " " + shown (w) + " does not fit into 64 bits");
  return minus ? static_cast<int64_t> (~x + 1) : static_cast<int64_t> (x);
}

double graph_file::next_number (const char *what)
{
  word w = next_word ();
  if (w.length == 0)
    bad (std::string (what) + " is missing");
  char *end;
  double x = std::strtod (w.text, &end);
  if (end != w.text + w.length || std::memchr (w.text, 'x', w.length) ||
      std::memchr (w.text, 'X', w.length))
    bad (std::string (what) + " must be a number, not \"" + shown (w) + "\"");
  return x;
}

//------------------------------------------------------------------------------
// entries in order
//------------------------------------------------------------------------------

// The order that sorts by keys of 0 ... count-1 and keeps what is alike in the given order; an
// empty order stands for 0, 1, ...
static std::vector<octave_idx_type> sorted_by (const std::vector<octave_idx_type> &keys,
                                               octave_idx_type count,
                                               const std::vector<octave_idx_type> &order)
{
  std::vector<octave_idx_type> start (count + 1, 0), sorted (keys.size ());
  for (octave_idx_type key : keys)
    start[key + 1]++;
  for (octave_idx_type k = 0; k < count; k++)
    start[k + 1] += start[k];
  octave_quit ();
  for (std::size_t k = 0; k < keys.size (); k++) {
    octave_idx_type entry = order.empty () ? static_cast<octave_idx_type> (k) : order[k];
    sorted[start[keys[entry]]++] = entry;
  }
  return sorted;
}

std::vector<octave_idx_type> column_order (const std::vector<octave_idx_type> &rows,
                                           const std::vector<octave_idx_type> &columns,
                                           octave_idx_type m, octave_idx_type n)
{
  return sorted_by (columns, n, sorted_by (rows, m, {}));
}

} // namespace gla
