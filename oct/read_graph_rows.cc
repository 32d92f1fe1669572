// read_graph_rows.cc: read_graph (.., "mpi", "rows"), each rank reads a part of the file
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A rank reads the lines that begin in its part of the bytes, and sends each entry to the rank that
// gets its row. Entries at one place come there in the order of the file, so their sum has the bits
// that the whole file gives.

#include "matrix_market.h"
#include "ranks.h"

#include <algorithm>

namespace gla
{

typedef std::vector<int64_t> numbers;

//------------------------------------------------------------------------------
// what the ranks tell each other
//------------------------------------------------------------------------------

// The same numbers from each rank to all: those of rank r begin at r * mine.size ().
static numbers from_all (collective &t, const numbers &mine)
{
  numbers copies;
  for (int r = 0; r < t.count (); r++)
    copies.insert (copies.end (), mine.begin (), mine.end ());
  const numbers counts (static_cast<std::size_t> (t.count ()), static_cast<int64_t> (mine.size ()));
  const from_ranks<int64_t> all = all_to_all (t, copies, counts);
  return numbers (all.begin (), all.end ());
}

// The first row of each rank, and the number of all rows behind the last.
static numbers first_rows (octave_idx_type m, int count)
{
  numbers first;
  for (int r = 0; r <= count; r++)
    first.push_back (m / count * r + m % count * r / count);
  return first;
}

// Numbers that ascend, to the ranks r with first[r] <= number < first[r+1].
static numbers counts_between (const numbers &ascending, const numbers &first)
{
  numbers counts;
  for (std::size_t r = 0; r + 1 < first.size (); r++)
    counts.push_back (std::lower_bound (ascending.begin (), ascending.end (), first[r + 1]) -
                      std::lower_bound (ascending.begin (), ascending.end (), first[r]));
  return counts;
}

// Entry k goes to rank owner[k], in the order of the entries.
template <typename T>
static std::vector<T> dealt_out (collective &t, const std::vector<T> &entries,
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

// The rows of this rank, numbered from 0, of the m x n matrix whose entries the ranks have, with
// values or all 1. The entries are used up.
template <typename Matrix, typename T>
static Matrix rows_here (collective &t, triplets<T> &entries, bool values, octave_idx_type m,
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

// The last meeting: a rank without memory for its rows can still say so.
static void end_together (collective &t)
{
  t.follow (0);
  t.announce (Matrix (), Matrix ());
}

//------------------------------------------------------------------------------
// the head of the file
//------------------------------------------------------------------------------

// What all ranks read first: where the data begin, and in which line.
struct graph_head {
  bool market = false;
  market_header header = {};
  int64_t data = 0, size = 0;
  octave_idx_type lines = 0; // before the data
};

// Returns false where the head does not end in these lines.
static bool read_head (graph_file &file, graph_head &head)
{
  head.market = file.is_matrix_market ();
  if (!head.market) {
    file.check_comments ();
    return file.next_line ("#%");
  }
  head.header = read_market_header (file);
  head.data = file.end_of_line ();
  head.lines = file.line ();
  return true;
}

// Reads as many lines as it takes.
static graph_head head_of (const std::string &name)
{
  graph_head head;
  head.size = graph_file::size_of (name);
  for (int64_t bytes = 1 << 16;; bytes *= 2) {
    graph_file file (name, 0, bytes);
    try {
      if (read_head (file, head) || bytes >= head.size)
        return head;
    } catch (const part_error &e) {
      if (bytes >= head.size || file.bytes_left () > 0)
        error_with_id ("gpulinalg:bad-file", "read_graph: %s, line %lld: %s", name.c_str (),
                       static_cast<long long> (e.line), e.text.c_str ());
    }
  }
}

static void check_same_file (collective &t, const std::string &name, const graph_head &head)
{
  const numbers mine = {head.size,        head.market,         head.data, head.header.rows,
                        head.header.columns, head.header.entries};
  const numbers all = from_all (t, mine);
  for (int r = 1; r < t.count (); r++)
    if (!std::equal (mine.begin (), mine.end (), all.begin () + r * mine.size ()) ||
        !std::equal (mine.begin (), mine.end (), all.begin ()))
      error_with_id ("gpulinalg:bad-file",
                     "read_graph: %s is not the same file on all ranks: %lld bytes on rank 0, %lld "
                     "on rank %d",
                     name.c_str (), static_cast<long long> (all[0]),
                     static_cast<long long> (all[r * mine.size ()]), r);
}

//------------------------------------------------------------------------------
// a part of the file
//------------------------------------------------------------------------------

class file_part
{
public:
  file_part (collective &t, const std::string &name, const graph_head &head)
      : m_t (t), m_head (head),
        m_file (name, place (t.rank ()), place (t.rank () + 1))
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
// edge lists
//------------------------------------------------------------------------------

// The nodes that have their numbers on this rank: a range of all ids, divided evenly.
struct node_range {
  numbers first;   // the lowest id of each rank, and one behind the highest of all
  numbers ids;     // of this rank, ascending
  numbers numbers_before; // of the nodes of the ranks before each, and of all
};

// ids: those of this rank's edges, ascending. Two ids may be 2^64-1 apart.
static numbers bounds_of_ids (collective &t, const numbers &ids)
{
  const bool none = ids.empty ();
  const numbers all = from_all (t, {!none, none ? 0 : ids.front (), none ? 0 : ids.back ()});
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int r = 0; r < t.count (); r++)
    if (all[3 * r]) {
      low = std::min (low, all[3 * r + 1]);
      high = std::max (high, all[3 * r + 2]);
    }
  numbers first (static_cast<std::size_t> (t.count ()), low);
  if (low > high)
    return first;
  const uint64_t width = static_cast<uint64_t> (high) - static_cast<uint64_t> (low);
  const uint64_t step = width / static_cast<uint64_t> (t.count ()) + 1;
  for (int r = 1; r < t.count (); r++) {
    const uint64_t at = step * static_cast<uint64_t> (r);
    first[r] = at / step == static_cast<uint64_t> (r) && at <= width
                   ? static_cast<int64_t> (static_cast<uint64_t> (low) + at)
                   : high;
  }
  return first;
}

// How many of the ascending ids belong to each rank: from its first one to below the next one.
static numbers counts_of_ids (const numbers &ids, const numbers &first)
{
  numbers counts;
  auto from = ids.begin ();
  for (std::size_t r = 0; r < first.size (); r++) {
    const auto to =
        r + 1 < first.size () ? std::lower_bound (from, ids.end (), first[r + 1]) : ids.end ();
    counts.push_back (to - from);
    from = to;
  }
  return counts;
}

// Gives all nodes their numbers, in the order of their ids. Returns those of `ids`; `rows` become
// the ids of this rank's rows, and `n` the number of all.
static numbers number_all (collective &t, const numbers &ids, numbers &rows, octave_idx_type &n)
{
  const numbers counts = counts_of_ids (ids, bounds_of_ids (t, ids));
  const from_ranks<int64_t> asked = all_to_all (t, ids, counts);
  numbers mine (asked.begin (), asked.end ());
  std::sort (mine.begin (), mine.end ());
  mine.erase (std::unique (mine.begin (), mine.end ()), mine.end ());
  octave_quit ();

  const numbers sizes = from_all (t, {static_cast<int64_t> (mine.size ())});
  int64_t before = 0;
  n = 0;
  for (int r = 0; r < t.count (); r++) {
    before += r < t.rank () ? sizes[r] : 0;
    n += sizes[r];
  }
  numbers answers;
  answers.reserve (asked.size ());
  for (const int64_t id : asked)
    answers.push_back (before + (std::lower_bound (mine.begin (), mine.end (), id) - mine.begin ()));
  const from_ranks<int64_t> own = all_to_all (t, answers, asked.counts);

  numbers places (mine.size ());
  for (std::size_t k = 0; k < places.size (); k++)
    places[k] = before + static_cast<int64_t> (k);
  const from_ranks<int64_t> names =
      all_to_all (t, mine, counts_between (places, first_rows (n, t.count ())));
  rows.assign (names.begin (), names.end ());
  return numbers (own.begin (), own.end ());
}

static octave_value_list edges_by_rows (collective &t, const std::string &name,
                                        const graph_head &head, const graph_options &want)
{
  file_part part (t, name, head);
  numbers ends;
  part.read ([&] () {
    ends = read_pairs (part.file ());
    return static_cast<int64_t> (ends.size () / 2);
  });
  part.file ().forget ();
  numbers ids = number_nodes (ends), rows;
  octave_idx_type n;
  ids = number_all (t, ids, rows, n);

  const bool both = want.direction != "directed", loops = want.loops == "loops";
  triplets<double> entries;
  entries.rows.reserve (both ? ends.size () : ends.size () / 2);
  entries.columns.reserve (entries.rows.capacity ());
  for (std::size_t k = 0; k < ends.size (); k += 2) {
    quit_at (k);
    const octave_idx_type i = ids[ends[k]], j = ids[ends[k + 1]];
    if (i != j || loops)
      entries.add (i, j);
    if (i != j && both)
      entries.add (j, i);
  }
  ends = numbers ();
  ids = numbers ();

  const SparseMatrix A = rows_here<SparseMatrix> (t, entries, false, n, n);
  int64NDArray names (dim_vector (static_cast<octave_idx_type> (rows.size ()), 1));
  std::copy (rows.begin (), rows.end (), names.fortran_vec ());
  end_together (t);
  return ovl (A, names);
}

//------------------------------------------------------------------------------
// Matrix Market
//------------------------------------------------------------------------------

// As many entries in all parts as the header says.
static void check_count (collective &t, file_part &part, const market_header &header)
{
  const int64_t all = part.entries_before (t.count ()), here = part.entries_before (t.rank ()),
                next = part.entries_before (t.rank () + 1);
  if (all < header.entries)
    error_with_id ("gpulinalg:bad-file",
                   "read_graph: %s, line %lld: the file ends after %lld of %lld entries",
                   part.file ().name ().c_str (),
                   static_cast<long long> (part.lines_before (t.count ())),
                   static_cast<long long> (all), static_cast<long long> (header.entries));
  if (all == header.entries)
    return;
  if (here > header.entries || next <= header.entries)
    part.wait_for_error ();
  part.file ().rewind (); // to the first entry that is too many
  for (int64_t k = here; k <= header.entries; k++)
    part.file ().next_line ("%");
  part.bad ({part.file ().line (),
             "there are more than " + std::to_string (header.entries) + " entries"});
}

// The places of entries that are not on the diagonal, with their lines.
struct place_list {
  std::vector<octave_idx_type> i, j, line;
  bool below = false, above = false;

  void add (market_place at, octave_idx_type in)
  {
    i.push_back (at.i);
    j.push_back (at.j);
    line.push_back (in);
    (at.i > at.j ? below : above) = true;
  }
};

// Where the file has entries of both triangles, those of a pair meet on the rank that gets the lower
// one.
static void check_triangles (collective &t, file_part &part, const market_header &header,
                             place_list &places)
{
  const numbers all = from_all (t, {places.below, places.above});
  bool below = false, above = false;
  for (int r = 0; r < t.count (); r++) {
    below = below || all[2 * r];
    above = above || all[2 * r + 1];
  }
  if (!below || !above)
    return;
  const numbers first = first_rows (header.rows, t.count ());
  std::vector<int32_t> owner (places.i.size ());
  numbers counts (static_cast<std::size_t> (t.count ()), 0);
  for (std::size_t k = 0; k < owner.size (); k++) {
    const auto behind =
        std::upper_bound (first.begin (), first.end (), std::max (places.i[k], places.j[k]));
    owner[k] = static_cast<int32_t> (behind - first.begin ()) - 1;
    counts[owner[k]]++;
    places.line[k] += part.lines_before (t.rank ());
  }
  const auto i = dealt_out (t, places.i, owner, counts), j = dealt_out (t, places.j, owner, counts),
             line = dealt_out (t, places.line, owner, counts);
  one_triangle triangle;
  for (std::size_t k = 0; k < i.size (); k++)
    triangle.add ({i[k], j[k]}, line[k]);
  part_error error = {0, ""};
  try {
    triangle.check (part.file (), header.symmetry);
  } catch (const part_error &e) {
    error = e;
  }
  const numbers lines = from_all (t, {error.line});
  int64_t least = 0; // the line of the first error in the file
  for (const int64_t l : lines)
    least = l > 0 && (least == 0 || l < least) ? l : least;
  if (least > 0 && error.line != least)
    part.wait_for_error ();
  if (least > 0)
    part.bad ({error.line - part.lines_before (t.rank ()), error.text});
}

template <typename Matrix, typename T>
static octave_value market_rows (collective &t, file_part &part, const market_header &header,
                                 bool loops)
{
  graph_file &file = part.file ();
  const bool pattern = header.field == "pattern", both = header.symmetry != "general";
  triplets<T> entries;
  place_list places;
  part.read ([&] () {
    int64_t count = 0;
    for (; file.next_line ("%"); count++) {
      T x;
      const market_place place = read_entry (file, header, x);
      if (place.i != place.j && both && !pattern)
        places.add (place, file.line ());
      add_entry (entries, header, place, x, loops);
    }
    return count;
  });
  check_count (t, part, header);
  if (both && !pattern)
    check_triangles (t, part, header, places);
  places = place_list ();
  file.forget ();
  return rows_here<Matrix> (t, entries, !pattern, header.rows, header.columns);
}

static octave_value_list market_by_rows (collective &t, const std::string &name,
                                         const graph_head &head, const graph_options &want)
{
  check_no_direction (want);
  file_part part (t, name, head);
  const market_header &header = head.header;
  check_fits (part.file (), header.rows / t.count (), header.columns, part.file ().bytes_left () / 4);
  const bool loops = want.loops != "noloops";
  const octave_value A =
      header.field == "complex"
          ? market_rows<SparseComplexMatrix, Complex> (t, part, header, loops)
          : market_rows<SparseMatrix, double> (t, part, header, loops);
  const numbers first = first_rows (header.rows, t.count ());
  int64NDArray ids (dim_vector (A.rows (), 1));
  for (octave_idx_type k = 0; k < A.rows (); k++)
    ids(k) = octave_int64 (first[t.rank ()] + k + 1);
  end_together (t);
  return ovl (A, ids);
}

octave_value_list read_graph_rows (collective &t, const std::string &name,
                                   const graph_options &want)
{
  const graph_head head = head_of (name);
  check_same_file (t, name, head);
  return head.market ? market_by_rows (t, name, head, want) : edges_by_rows (t, name, head, want);
}

} // namespace gla
