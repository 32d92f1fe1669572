// graph_file.cc: reads words and numbers of a text file, and sorts entries of a sparse matrix
// SPDX-License-Identifier: GPL-3.0-or-later

#include "graph_file.h"
#include "common/system.h"

#include <octave/file-ops.h>
#include <octave/lo-sysdep.h>
#include <octave/quit.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace gla
{

static bool is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_newline (char c)
{
  return c == '\n' || c == '\r';
}

//------------------------------------------------------------------------------
// the file
//------------------------------------------------------------------------------

typedef std::unique_ptr<std::FILE, int (*) (std::FILE *)> open_file;

static open_file opened (const std::string &name, gla_file_kind &kind, int64_t &bytes)
{
  errno = 0;
  std::FILE *file = octave::sys::fopen (octave::sys::file_ops::tilde_expand (name), "rb");
  if (!file)
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be opened: %s", name.c_str (),
                   std::strerror (errno));
  open_file closer (file, std::fclose);
  kind = gla_file_look (file, &bytes);
  if (kind == GLA_FILE_FOLDER)
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be read: it is a directory",
                   name.c_str ());
  return closer;
}

graph_file::graph_file (const std::string &name) : m_name (name)
{
  gla_file_kind kind;
  int64_t bytes;
  const open_file closer = opened (name, kind, bytes);
  std::FILE *file = closer.get ();

  std::size_t length = 0, got;
  do {
    octave_quit ();
    const std::size_t piece = 1 << 22;
    if (m_bytes.size () < length + piece + 1)
      m_bytes.resize (std::max (2 * m_bytes.size (), length + piece + 1));
    got = std::fread (m_bytes.data () + length, 1, piece, file);
    length += got;
    if (got > 0 && kind == GLA_FILE_DEVICE) // not /dev/null
      error_with_id ("gpulinalg:no-file",
                     "read_graph: %s cannot be read: it is a device, not a regular file or a pipe",
                     name.c_str ());
  } while (got > 0);
  if (std::ferror (file))
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be read: %s", name.c_str (),
                   std::strerror (errno));
  m_bytes[length] = '\0';
  m_begin = m_bytes.data ();
  m_end = m_begin + length;
  begin_file ();
}

// At the first byte of the file.
void graph_file::begin_file ()
{
  const std::size_t length = m_end - m_begin;
  if (length >= 3 && std::memcmp (m_begin, "\xef\xbb\xbf", 3) == 0)
    m_begin += 3; // the byte order mark of UTF-8
  if (length >= 2 && std::memcmp (m_begin, "\x1f\x8b", 2) == 0)
    error_with_id ("gpulinalg:bad-file", "read_graph: %s is compressed; use gunzip",
                   m_name.c_str ());
  rewind ();
}

void graph_file::rewind ()
{
  m_at = m_begin;
  m_line = 0;
}

void graph_file::forget ()
{
  m_bytes = std::vector<char> (1, '\0');
  m_begin = m_end = m_bytes.data ();
  rewind ();
}

//------------------------------------------------------------------------------
// parts of the file
//------------------------------------------------------------------------------

int64_t graph_file::size_of (const std::string &name)
{
  gla_file_kind kind;
  int64_t bytes;
  const open_file closer = opened (name, kind, bytes);
  if (kind != GLA_FILE_REGULAR)
    error_with_id ("gpulinalg:no-file",
                   "read_graph: %s cannot be read by parts: it is not a regular file",
                   name.c_str ());
  return bytes;
}

// Whether the file has a byte at this place, which is then in memory.
bool graph_file::read_to (std::FILE *file, int64_t at, int64_t size)
{
  const std::size_t piece = 1 << 22, wanted = static_cast<std::size_t> (at - m_first);
  while (at < size && m_bytes.size () <= wanted) {
    octave_quit ();
    const std::size_t length = m_bytes.size ();
    const std::size_t left = static_cast<std::size_t> (size - m_first) - length;
    if (m_bytes.capacity () < length + piece + 1)
      m_bytes.reserve (std::max (2 * length, length + piece + 1));
    m_bytes.resize (length + std::min (piece, left));
    if (std::fread (m_bytes.data () + length, 1, m_bytes.size () - length, file) !=
        m_bytes.size () - length)
      error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be read: %s", m_name.c_str (),
                     std::ferror (file) ? std::strerror (errno) : "it has become shorter");
  }
  return at < size;
}

bool graph_file::begins_line (std::FILE *file, int64_t at, int64_t size)
{
  if (at == 0 || !read_to (file, at, size))
    return true;
  const char *here = m_bytes.data () + (at - m_first);
  return here[-1] == '\n' || (here[-1] == '\r' && here[0] != '\n');
}

graph_file::graph_file (const std::string &name, int64_t begin, int64_t end)
    : m_name (name), m_part (true), m_first (begin > 0 ? begin - 1 : 0)
{
  gla_file_kind kind;
  int64_t size;
  const open_file file = opened (name, kind, size);
  errno = 0;
  if (gla_file_seek (file.get (), m_first) != 0)
    error_with_id ("gpulinalg:no-file", "read_graph: %s cannot be read: %s", name.c_str (),
                   std::strerror (errno));
  m_bytes.reserve (static_cast<std::size_t> (std::min (end, size) - m_first) + (1 << 22) + 1);
  int64_t first = begin, last = end;
  while (!begins_line (file.get (), first, size))
    first++;
  last = std::max (first, last);
  while (last < size && !begins_line (file.get (), last, size))
    last++;
  last = std::min (last, size);
  if (last > m_first)
    read_to (file.get (), last - 1, size);
  first = std::min (first, last);
  if (first >= end)
    last = first;
  const std::size_t bytes = static_cast<std::size_t> (last - m_first);
  m_bytes.resize (std::max (m_bytes.size (), bytes + 1));
  m_bytes[bytes] = '\0';
  m_begin = m_bytes.data () + (first - m_first);
  m_end = m_bytes.data () + bytes;
  if (begin == 0)
    begin_file ();
  rewind ();
}

octave_idx_type graph_file::count_lines () const
{
  octave_idx_type count = 0;
  for (const char *at = m_begin; at < m_end; at++)
    count += *at == '\n' || (*at == '\r' && at[1] != '\n');
  return count + (m_end > m_begin && !is_newline (m_end[-1]));
}

int64_t graph_file::end_of_line ()
{
  skip_line ();
  return m_first + (m_at - m_bytes.data ());
}

// Blanks and empty lines before the banner are allowed, as in other readers.
bool graph_file::is_matrix_market () const
{
  const char banner[] = "%%matrixmarket";
  const char *at = m_at;
  while (at < m_end && (is_blank (*at) || is_newline (*at)))
    at++;
  for (std::size_t k = 0; k < sizeof banner - 1; k++, at++)
    if (at == m_end || std::tolower (static_cast<unsigned char> (*at)) != banner[k])
      return false;
  return true;
}

void graph_file::bad (const std::string &text) const
{
  bad_in (m_line, text);
}

void graph_file::bad_in (octave_idx_type line, const std::string &text) const
{
  if (m_part)
    throw part_error{line, text};
  error_with_id ("gpulinalg:bad-file", "read_graph: %s, line %lld: %s", m_name.c_str (),
                 static_cast<long long> (line), text.c_str ());
}

//------------------------------------------------------------------------------
// lines and words
//------------------------------------------------------------------------------

void graph_file::skip_blanks ()
{
  while (m_at < m_end && is_blank (*m_at))
    m_at++;
}

// Moves past the end of the line, which is \n, \r or \r\n.
void graph_file::skip_line ()
{
  while (m_at < m_end && !is_newline (*m_at))
    m_at++;
  if (m_at < m_end)
    m_at += m_at[0] == '\r' && m_at[1] == '\n' ? 2 : 1;
}

bool graph_file::next_line (const char *comments)
{
  for (;;) {
    if (m_line > 0)
      skip_line ();
    if (m_at == m_end && m_line > 0)
      return false; // m_line remains the number of the last line
    m_line++;
    if (m_line % 65536 == 0)
      octave_quit ();
    skip_blanks ();
    if (m_at < m_end && !is_newline (*m_at) && (*m_at == '\0' || !std::strchr (comments, *m_at)))
      return true;
  }
}

graph_file::word graph_file::next_word ()
{
  skip_blanks ();
  const char *begin = m_at;
  while (m_at < m_end && !is_blank (*m_at) && !is_newline (*m_at))
    m_at++;
  return {begin, static_cast<std::size_t> (m_at - begin)};
}

bool graph_file::ends_line ()
{
  skip_blanks ();
  return m_at == m_end || is_newline (*m_at);
}

// Misspelt banners have "matrix" and the format as words; sentences about the format may have one
// of them.
void graph_file::check_comments ()
{
  while (next_line ("") && (*m_at == '#' || *m_at == '%')) {
    while (m_at < m_end && (is_blank (*m_at) || *m_at == '#' || *m_at == '%'))
      m_at++;
    bool banner = false, matrix = false, format = false, first = true;
    for (word w = next_word (); w.length > 0; w = next_word (), first = false) {
      if (w.length > 12)
        continue;
      const std::string text = lower_case (w.str ());
      banner = banner || (first && text == "matrixmarket");
      matrix = matrix || text == "matrix";
      format = format || text == "coordinate" || text == "array";
    }
    if (!banner && matrix && format)
      bad ("this comment looks like a misspelt banner, \"%%MatrixMarket matrix coordinate ...\"; "
           "remove it if the file is an edge list");
    if (banner)
      bad ("the banner of a Matrix Market file must be its first line, and begin with "
           "%%MatrixMarket");
  }
  rewind ();
}

//------------------------------------------------------------------------------
// numbers
//------------------------------------------------------------------------------

// A word for an error message: at most 40 characters, unprintable ones replaced.
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

// Whether a decimal number is an integer of at most 2^53, as it is written: strtod would have
// rounded it. The digits before the last that is not 0 must be before the point.
static bool is_exact_integer (const graph_file::word &w, bool &large)
{
  const char *c = w.text, *end = w.text + w.length;
  std::string digits;
  int64_t point = -1, exponent = 0;
  c += c < end && (*c == '-' || *c == '+');
  for (; c < end && *c != 'e' && *c != 'E'; c++)
    if (*c == '.')
      point = static_cast<int64_t> (digits.size ());
    else if (std::isdigit (static_cast<unsigned char> (*c)))
      digits += *c;
    else
      return false; // NaN
  if (c < end)      // no exponent that matters is beyond this
    exponent = std::max (-1000000000L, std::min (1000000000L, std::strtol (c + 1, nullptr, 10)));
  const std::size_t first = digits.find_first_not_of ('0');
  if (first == std::string::npos)
    return true;
  const int64_t last = static_cast<int64_t> (digits.find_last_not_of ('0'));
  const int64_t before = (point < 0 ? static_cast<int64_t> (digits.size ()) : point) + exponent;
  if (last >= before)
    return false;
  large = before - static_cast<int64_t> (first) > 16;
  if (large)
    return false;
  digits.resize (static_cast<std::size_t> (before), '0');
  large = std::strtoll (digits.c_str () + first, nullptr, 10) > 9007199254740992LL;
  return !large;
}

// strtod returns 0 or infinity for numbers out of range, so errno is checked.
double graph_file::next_number (const char *what, bool integer)
{
  word w = next_word ();
  if (w.length == 0)
    bad (std::string (what) + " is missing");
  char *end;
  errno = 0;
  double x = std::strtod (w.text, &end);
  if (end != w.text + w.length || std::memchr (w.text, 'x', w.length) ||
      std::memchr (w.text, 'X', w.length))
    bad (std::string (what) + " must be a number, not \"" + shown (w) + "\"");
  if (errno == ERANGE && (x == 0 || std::isinf (x)))
    bad (std::string (what) + " " + shown (w) + " is too " + (x == 0 ? "small" : "large") +
         " for double precision");
  if (!integer)
    return x;
  bool large = std::fabs (x) > 9007199254740992.0; // 15 digits are never rounded to an integer
  if (!(w.length > 15 ? is_exact_integer (w, large) : x == std::floor (x)) && !large)
    bad (std::string (what) + " must be an integer, as the first line says, not \"" + shown (w) +
         "\"");
  if (large)
    bad (std::string (what) + " " + shown (w) +
         " is beyond 2^53, where double precision does not hold all integers");
  return x;
}

//------------------------------------------------------------------------------
// entries in order
//------------------------------------------------------------------------------

static octave_idx_type entry_at (const std::vector<octave_idx_type> &order, std::size_t k)
{
  return order.empty () ? static_cast<octave_idx_type> (k) : order[k];
}

// Sorts the given order by keys from 0 to count-1; entries with equal keys keep their order. An
// empty order means 0, 1, ... This is a counting sort, or a comparison sort if there are much fewer
// entries than possible keys, so that memory is in proportion to the number of entries.
static std::vector<octave_idx_type> sorted_by (const std::vector<octave_idx_type> &keys,
                                               octave_idx_type count,
                                               const std::vector<octave_idx_type> &order)
{
  std::vector<octave_idx_type> sorted (keys.size ());
  if (static_cast<std::size_t> (count) / 16 > keys.size () + 1000) {
    for (std::size_t k = 0; k < keys.size (); k++)
      sorted[k] = entry_at (order, k);
    std::size_t compared = 0;
    std::stable_sort (sorted.begin (), sorted.end (),
                      [&keys, &compared] (octave_idx_type a, octave_idx_type b) {
                        quit_at (++compared);
                        return keys[a] < keys[b];
                      });
    return sorted;
  }
  std::vector<octave_idx_type> start (count + 1, 0);
  for (std::size_t k = 0; k < keys.size (); k++) {
    quit_at (k);
    start[keys[k] + 1]++;
  }
  for (octave_idx_type k = 0; k < count; k++) {
    quit_at (k);
    start[k + 1] += start[k];
  }
  for (std::size_t k = 0; k < keys.size (); k++) {
    quit_at (k);
    octave_idx_type entry = entry_at (order, k);
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

void check_bytes (const graph_file &file, double bytes, const std::string &what)
{
  const double most = static_cast<double> (std::numeric_limits<octave_idx_type>::max ());
  if (bytes < 1e8)
    return;
  const double free = static_cast<double> (gla_memory_available ());
  if (bytes < free && bytes < most)
    return;
  char needed[64], available[64];
  std::snprintf (needed, sizeof needed, "%.3g GB", bytes / 1e9);
  std::snprintf (available, sizeof available, "%.3g GB", free / 1e9);
  error_with_id ("Octave:bad-alloc",
                 "read_graph: %s: out of memory: %s needs %s of memory, but only %s are available",
                 file.name ().c_str (), what.c_str (), needed, bytes < free ? "less" : available);
}

// A sparse matrix needs one number per column, even if it is empty. Each entry is three numbers,
// which are in memory twice while the matrix is assembled.
void check_fits (const graph_file &file, octave_idx_type m, octave_idx_type n, std::size_t entries)
{
  check_bytes (file, 8.0 * static_cast<double> (n) + 64.0 * static_cast<double> (entries),
               "a sparse matrix of size " + std::to_string (m) + "x" + std::to_string (n));
}

} // namespace gla
