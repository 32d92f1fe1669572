// read_graph_rows.cc: read_graph (.., "mpi", "rows"), the head of the file and edge lists
// SPDX-License-Identifier: GPL-3.0-or-later

#include "read_graph_rows.h"

namespace gla
{

//------------------------------------------------------------------------------
// what the ranks tell each other
//------------------------------------------------------------------------------

numbers from_all (collective &t, const numbers &mine)
{
  numbers copies;
  for (int r = 0; r < t.count (); r++)
    copies.insert (copies.end (), mine.begin (), mine.end ());
  const numbers counts (static_cast<std::size_t> (t.count ()), static_cast<int64_t> (mine.size ()));
  const from_ranks<int64_t> all = all_to_all (t, copies, counts);
  return numbers (all.begin (), all.end ());
}

numbers first_rows (octave_idx_type m, int count)
{
  numbers first;
  for (int r = 0; r <= count; r++)
    first.push_back (m / count * r + m % count * r / count);
  return first;
}

void end_together (collective &t)
{
  t.follow (0);
  t.announce (Matrix (), Matrix ());
}

//------------------------------------------------------------------------------
// the head of the file
//------------------------------------------------------------------------------

// Returns false if the head does not end in these lines.
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

// Reads as many lines as needed.
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
  const numbers mine = {head.size,        head.market,         head.data,
                        head.header.rows, head.header.columns, head.header.entries};
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
// edge lists
//------------------------------------------------------------------------------

// The nodes that have their numbers on this rank: a range of all ids, divided evenly.
struct node_range {
  numbers first;          // the lowest id of each rank, and one behind the highest of all
  numbers ids;            // of this rank, ascending
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

// Counts how many of the ascending ids belong to each rank: from its first one to below the next
// one.
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

// Counts ascending numbers for the ranks r with first[r] <= number < first[r+1].
static numbers counts_between (const numbers &ascending, const numbers &first)
{
  numbers counts;
  for (std::size_t r = 0; r + 1 < first.size (); r++)
    counts.push_back (std::lower_bound (ascending.begin (), ascending.end (), first[r + 1]) -
                      std::lower_bound (ascending.begin (), ascending.end (), first[r]));
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
    answers.push_back (before +
                       (std::lower_bound (mine.begin (), mine.end (), id) - mine.begin ()));
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

static octave_value_list read_graph_together (octave::interpreter &interp,
                                              const octave_value_list &args, int nargout)
{
  return together ("read_graph", interp, [&] (collective &t) {
    graph_options want;
    const std::string name = read_graph_arguments (args, nargout, want);
    const graph_head head = head_of (name);
    check_same_file (t, name, head);
    return head.market ? market_by_rows (t, name, head, want) : edges_by_rows (t, name, head, want);
  });
}

static const add_of_ranks add_read_graph ("read_graph", read_graph_together);

} // namespace gla
