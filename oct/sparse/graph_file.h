// graph_file.h: reads graphs and sparse matrices from text files
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_GRAPH_FILE_H
#define GPULINALG_GRAPH_FILE_H

#include "common/gla_octave.h"

#include <octave/quit.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <future>
#include <memory>
#include <thread>

namespace gla
{

struct graph_options {
  std::string direction; // "directed", "undirected" or ""
  std::string loops;     // "loops", "noloops" or ""
};

// What breaks the format of a part of a file, where lines are counted from the first of the part.
struct part_error {
  octave_idx_type line;
  std::string text;
};

// A text file in memory that is read word by word, or the lines of it that begin at some of its
// bytes. Lines end with \n, \r\n or \r. It counts lines for error messages, and Ctrl-C ends
// reading.
class graph_file
{
public:
  explicit graph_file (const std::string &name);
  // The lines that begin at bytes begin .. end-1. `bad` throws a part_error.
  graph_file (const std::string &name, int64_t begin, int64_t end);
  // Bytes of a regular file; others cannot be read by parts.
  static int64_t size_of (const std::string &name);

  bool is_matrix_market () const;
  // For edge lists, before the first line is read: ends with an error if a comment before the data
  // is a banner of Matrix Market that is_matrix_market does not accept.
  void check_comments ();

  // Moves to the next line that is not blank and does not begin with one of these characters;
  // returns false at the end of the file. The rest of the current line is skipped.
  bool next_line (const char *comments);
  // The next word of the line; "" at the end of the line. Valid as long as this object.
  struct word {
    const char *text;
    std::size_t length;
    std::string str () const { return std::string (text, length); }
  };
  word next_word ();
  // Whether there is no other word in the line.
  bool ends_line ();
  // The next word as a number; `what` names it in an error.
  int64_t next_integer (const char *what);
  double next_number (const char *what, bool integer = false);

  std::size_t bytes_left () const { return m_end - m_at; }
  // Lines in this part, whether they have been read or not.
  octave_idx_type count_lines () const;
  // Moves to the end of the line, and returns its place in the file.
  int64_t end_of_line ();
  // Back to the first line.
  void rewind ();
  // Gives the memory back; there are no lines any more.
  void forget ();

  // Ends with gpulinalg:bad-file, the name of the file and the number of the line; in a part of a
  // file with a part_error.
  OCTAVE_NORETURN void bad (const std::string &text) const;
  OCTAVE_NORETURN void bad_in (octave_idx_type line, const std::string &text) const;
  octave_idx_type line () const { return m_line; }
  const std::string &name () const { return m_name; }

private:
  void skip_blanks ();
  void skip_line ();
  void begin_file ();
  bool read_to (std::FILE *file, int64_t at, int64_t size);
  bool begins_line (std::FILE *file, int64_t at, int64_t size);

  std::string m_name;
  std::vector<char> m_bytes; // with a 0 after the last byte
  const char *m_begin, *m_at, *m_end;
  octave_idx_type m_line = 0;
  bool m_part = false;
  int64_t m_first = 0; // the place of m_bytes in the file
};

// The outputs [A, ids] of read_graph. For Matrix Market files ids is returned only on request.
octave_value_list read_edge_list (graph_file &file, const graph_options &want);
octave_value_list read_matrix_market (graph_file &file, const graph_options &want, bool ids);

// The different ids in ascending order; each id is replaced by its index among them, from 0.
std::vector<int64_t> number_nodes (std::vector<int64_t> &ends);
// The numbers of the two nodes of each line, one after the other.
std::vector<int64_t> read_pairs (graph_file &file);

// Polls Ctrl-C in the k-th step of a loop, once in about a million steps.
inline void quit_at (std::size_t k)
{
  if (k % (1 << 20) == 0)
    octave_quit ();
}

// Ends with Octave:bad-alloc if this, of so many bytes, does not fit into memory.
void check_bytes (const graph_file &file, double bytes, const std::string &what);

// Ends with Octave:bad-alloc if an m x n matrix of so many entries does not fit into memory.
void check_fits (const graph_file &file, octave_idx_type m, octave_idx_type n, std::size_t entries);

// Entries of a sparse matrix in any order, rows and columns from 0.
template <typename T> struct triplets {
  std::vector<octave_idx_type> rows, columns;
  std::vector<T> values; // empty if all values are 1

  void add (octave_idx_type i, octave_idx_type j)
  {
    rows.push_back (i);
    columns.push_back (j);
  }
  void add (octave_idx_type i, octave_idx_type j, T x)
  {
    add (i, j);
    values.push_back (x);
  }
};

// The order of the entries by columns, and by rows in each column: two passes of counting.
std::vector<octave_idx_type> column_order (const std::vector<octave_idx_type> &rows,
                                           const std::vector<octave_idx_type> &columns,
                                           octave_idx_type m, octave_idx_type n);

// An m x n matrix with room for so many entries. Octave writes a number for each column, which
// takes seconds for 1e9 columns; for many columns another thread does this, so that Ctrl-C works
// meanwhile.
template <typename Matrix>
Matrix with_room (octave_idx_type m, octave_idx_type n, octave_idx_type count)
{
  if (n < 1 << 24)
    return Matrix (m, n, count);
  struct shared {
    std::promise<Matrix> made; // owned by the thread as well, which may outlive this call
  };
  auto work = std::make_shared<shared> ();
  std::future<Matrix> result = work->made.get_future ();
  std::thread ([work, m, n, count] () {
    try {
      work->made.set_value (Matrix (m, n, count));
    } catch (...) {
      work->made.set_exception (std::current_exception ());
    }
  }).detach ();
  while (result.wait_for (std::chrono::milliseconds (20)) != std::future_status::ready)
    octave_quit ();
  return result.get ();
}

// The m x n matrix of these entries. Entries at the same place are added; without values they count
// once.
template <typename Matrix, typename T>
Matrix assemble (const triplets<T> &entries, octave_idx_type m, octave_idx_type n)
{
  std::vector<octave_idx_type> order = column_order (entries.rows, entries.columns, m, n);
  bool ones = entries.values.empty ();
  octave_idx_type count = static_cast<octave_idx_type> (order.size ());
  Matrix A = with_room<Matrix> (m, n, count);
  octave_idx_type *cidx = A.cidx (), *ridx = A.ridx ();
  T *data = A.data ();
  octave_idx_type filled = 0, k = 0;
  cidx[0] = 0;
  for (octave_idx_type j = 0; j < n; j++) {
    quit_at (static_cast<std::size_t> (j));
    for (; k < count && entries.columns[order[k]] == j; k++) {
      octave_idx_type i = entries.rows[order[k]];
      if (filled == cidx[j] || ridx[filled - 1] != i) {
        ridx[filled] = i;
        data[filled++] = ones ? T (1) : entries.values[order[k]];
      } else if (!ones) {
        data[filled - 1] += entries.values[order[k]];
      }
    }
    cidx[j + 1] = filled;
  }
  A.maybe_compress (true); // removes sums that are zero and the room of entries that were added
  return A;
}

} // namespace gla

#endif
