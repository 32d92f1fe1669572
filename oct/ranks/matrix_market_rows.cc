// matrix_market_rows.cc: a Matrix Market file that ranks read by parts
// SPDX-License-Identifier: GPL-3.0-or-later

#include "read_graph_rows.h"

namespace gla
{

// Checks that all parts together have as many entries as the header says.
static void check_count (collective &t, file_part &part, const market_header &header)
{
  const int64_t all = part.entries_before (t.count ()), here = part.entries_before (t.rank ()),
                next = part.entries_before (t.rank () + 1);
  if (all < header.entries)
    error_with_id (
        "gpulinalg:bad-file", "read_graph: %s, line %lld: the file ends after %lld of %lld entries",
        part.file ().name ().c_str (), static_cast<long long> (part.lines_before (t.count ())),
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

// If the file has entries of both triangles, those of a pair meet on the rank that gets the lower
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

octave_value_list market_by_rows (collective &t, const std::string &name, const graph_head &head,
                                  const graph_options &want)
{
  check_no_direction (want);
  file_part part (t, name, head);
  const market_header &header = head.header;
  check_fits (part.file (), header.rows / t.count (), header.columns,
              part.file ().bytes_left () / 4);
  const bool loops = want.loops != "noloops";
  const octave_value A = header.field == "complex"
                             ? market_rows<SparseComplexMatrix, Complex> (t, part, header, loops)
                             : market_rows<SparseMatrix, double> (t, part, header, loops);
  const numbers first = first_rows (header.rows, t.count ());
  int64NDArray ids (dim_vector (A.rows (), 1));
  for (octave_idx_type k = 0; k < A.rows (); k++)
    ids (k) = octave_int64 (first[t.rank ()] + k + 1);
  end_together (t);
  return ovl (A, ids);
}

} // namespace gla
