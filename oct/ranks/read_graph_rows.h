// read_graph_rows.h: a graph file that ranks read by parts, and entries that go to other ranks
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A rank reads the lines that begin in its part of the bytes, and sends each entry to the rank that
// gets its row. Entries at one place arrive there in the order of the file, so their sum has the
// bits of the whole file's.

#ifndef GPULINALG_READ_GRAPH_ROWS_H
#define GPULINALG_READ_GRAPH_ROWS_H

#include "ranks.h"
#include "sparse/matrix_market.h"

#include <algorithm>

namespace gla
{

typedef std::vector<int64_t> numbers;

// Returns the numbers of each rank on all: those of rank r begin at r * mine.size ().
numbers from_all (collective &t, const numbers &mine);
// Returns the first row of each rank, and the number of all rows at the end.
numbers first_rows (octave_idx_type m, int count);
// The last meeting: a rank without memory for its rows can still report that.
void end_together (collective &t);

// What all ranks read first: where the data begin, and in which line.
struct graph_head {
  bool market = false;
  market_header header = {};
  int64_t data = 0, size = 0;
  octave_idx_type lines = 0; // before the data
};

//------------------------------------------------------------------------------
// a part of the file
//------------------------------------------------------------------------------

class file_part
{
public:
  file_part (collective &t, const std::string &name, const graph_head &head)
      : m_t (t), m_head (head), m_file (name, place (t.rank ()), place (t.rank () + 1))
  {
  }

  graph_file &file () { return m_file; }

  // Collective: reads all lines of all parts by `body`, which returns how many entries it has read;
  // then the lines and the entries of each rank are known. The first rank with an error tells it.
  template <typename Body> void read (Body body)
  {
    part_error error;
    bool failed = false;
    int64_t entries = 0;
    try {
      entries = body ();
    } catch (const part_error &e) {
      error = e;
      failed = true;
    }
    m_known = from_all (m_t, {m_file.count_lines (), entries, failed});
    if (failed)
      bad (error);
    for (int r = 0; r < m_t.count (); r++)
      if (m_known[3 * r + 2])
        wait_for_error ();
  }

  int64_t entries_before (int rank) const { return sum (rank, 1); }
  octave_idx_type lines_before (int rank) const { return m_head.lines + sum (rank, 0); }

  // With the number of the line in the whole file.
  OCTAVE_NORETURN void bad (const part_error &e) const
  {
    error_with_id ("gpulinalg:bad-file", "read_graph: %s, line %lld: %s", m_file.name ().c_str (),
                   static_cast<long long> (lines_before (m_t.rank ()) + e.line), e.text.c_str ());
  }

  // Another rank ends with an error, and this one with the same.
  void wait_for_error () { m_t.announce (Matrix (), Matrix ()); }

private:
  int64_t place (int rank) const
  {
    const int64_t bytes = m_head.size - m_head.data, count = m_t.count ();
    return m_head.data + bytes / count * rank + bytes % count * rank / count;
  }

  int64_t sum (int rank, int which) const
  {
    int64_t all = 0;
    for (int r = 0; r < rank; r++)
      all += m_known[3 * r + which];
    return all;
  }

  collective &m_t;
  const graph_head &m_head;
  graph_file m_file;
  numbers m_known; // lines, entries and whether there is an error, of each rank
};

//------------------------------------------------------------------------------
// entries
//------------------------------------------------------------------------------

// Sends entry k to rank owner[k], in the order of the entries.
template <typename T>
std::vector<T> dealt_out (collective &t, const std::vector<T> &entries,
                          const std::vector<int32_t> &owner, const numbers &counts)
{
  std::vector<T> sorted (entries.size ());
  numbers place (counts.size (), 0);
  for (std::size_t r = 1; r < counts.size (); r++)
    place[r] = place[r - 1] + counts[r - 1];
  for (std::size_t k = 0; k < entries.size (); k++) {
    quit_at (k);
    sorted[place[owner[k]]++] = entries[k];
  }
  const from_ranks<T> all = all_to_all (t, sorted, counts);
  return std::vector<T> (all.begin (), all.end ());
}

// Returns the rows of this rank, numbered from 0, of the m x n matrix whose entries the ranks have,
// with values or all 1. The entries are consumed.
template <typename Matrix, typename T>
Matrix rows_here (collective &t, triplets<T> &entries, bool values, octave_idx_type m,
                  octave_idx_type n)
{
  const numbers first = first_rows (m, t.count ());
  std::vector<int32_t> owner (entries.rows.size ());
  numbers counts (static_cast<std::size_t> (t.count ()), 0);
  for (std::size_t k = 0; k < owner.size (); k++) {
    quit_at (k);
    const auto behind = std::upper_bound (first.begin (), first.end (), entries.rows[k]);
    owner[k] = static_cast<int32_t> (behind - first.begin ()) - 1;
    counts[owner[k]]++;
  }
  entries.rows = dealt_out (t, entries.rows, owner, counts);
  entries.columns = dealt_out (t, entries.columns, owner, counts);
  if (values)
    entries.values = dealt_out (t, entries.values, owner, counts);
  for (octave_idx_type &row : entries.rows)
    row -= first[t.rank ()];
  return assemble<Matrix> (entries, first[t.rank () + 1] - first[t.rank ()], n);
}

// Returns the outputs [A, ids] of a Matrix Market file.
octave_value_list market_by_rows (collective &t, const std::string &name, const graph_head &head,
                                  const graph_options &want);

} // namespace gla

#endif
