// edge_list.cc: a graph from a list of its edges, in the format of the SNAP collection
// SPDX-License-Identifier: GPL-3.0-or-later

#include "graph_file.h"

#include <octave/quit.h>

#include <algorithm>

namespace gla
{

typedef std::vector<int64_t> id_vector;

id_vector read_pairs (graph_file &file)
{
  id_vector ends;
  while (file.next_line ("#%")) {
    ends.push_back (file.next_integer ("the first node id"));
    ends.push_back (file.next_integer ("the second node id"));
  }
  return ends;
}

// If the ids lie close together, as they usually do, a lookup table finds the index; otherwise a
// binary search does.
id_vector number_nodes (id_vector &ends)
{
  id_vector ids;
  if (ends.empty ())
    return ids;
  auto range = std::minmax_element (ends.begin (), ends.end ());
  const int64_t lowest = *range.first;
  const uint64_t width = static_cast<uint64_t> (*range.second) - static_cast<uint64_t> (lowest);
  if (width / 8 < ends.size ()) {
    id_vector number (width + 1, -1);
    for (std::size_t k = 0; k < ends.size (); k++) {
      quit_at (k);
      number[ends[k] - lowest] = 0;
    }
    for (uint64_t k = 0; k <= width; k++) {
      quit_at (k);
      if (number[k] == 0) {
        number[k] = static_cast<int64_t> (ids.size ());
        ids.push_back (lowest + static_cast<int64_t> (k));
      }
    }
    for (std::size_t k = 0; k < ends.size (); k++) {
      quit_at (k);
      ends[k] = number[ends[k] - lowest];
    }
  } else {
    ids = ends;
    std::size_t compared = 0;
    std::sort (ids.begin (), ids.end (), [&compared] (int64_t a, int64_t b) {
      quit_at (++compared);
      return a < b;
    });
    ids.erase (std::unique (ids.begin (), ids.end ()), ids.end ());
    for (std::size_t k = 0; k < ends.size (); k++) {
      if (k % 4096 == 0)
        octave_quit ();
      ends[k] = std::lower_bound (ids.begin (), ids.end (), ends[k]) - ids.begin ();
    }
  }
  return ids;
}

octave_value_list read_edge_list (graph_file &file, const graph_options &want)
{
  file.check_comments ();
  id_vector ends = read_pairs (file);
  id_vector ids = number_nodes (ends);
  octave_quit ();

  bool both = want.direction != "directed", loops = want.loops == "loops";
  triplets<double> entries;
  entries.rows.reserve (both ? ends.size () : ends.size () / 2);
  entries.columns.reserve (entries.rows.capacity ());
  for (std::size_t k = 0; k < ends.size (); k += 2) {
    quit_at (k);
    octave_idx_type i = ends[k], j = ends[k + 1];
    if (i != j || loops)
      entries.add (i, j);
    if (i != j && both)
      entries.add (j, i);
  }
  ends = id_vector ();

  octave_idx_type n = static_cast<octave_idx_type> (ids.size ());
  int64NDArray names (dim_vector (n, 1));
  std::copy (ids.begin (), ids.end (), names.fortran_vec ());
  return ovl (assemble<SparseMatrix> (entries, n, n), names);
}

} // namespace gla
