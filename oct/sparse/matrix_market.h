// matrix_market.h: what is read of a Matrix Market file, whole or by parts
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_MATRIX_MARKET_H
#define GPULINALG_MATRIX_MARKET_H

#include "graph_file.h"

namespace gla
{

struct market_header {
  std::string field;    // "real", "integer", "complex" or "pattern"
  std::string symmetry; // "general", "symmetric", "skew-symmetric" or "hermitian"
  octave_idx_type rows, columns, entries;
};

// Row and column, from 0.
struct market_place {
  octave_idx_type i, j;
};

// The first line and that of the sizes.
market_header read_market_header (graph_file &file);
// The entry of this line; x is 1 in a pattern.
market_place read_entry (graph_file &file, const market_header &header, double &x);
market_place read_entry (graph_file &file, const market_header &header, Complex &x);

// The value of the mirror image.
double mirrored (const std::string &symmetry, double x);
Complex mirrored (const std::string &symmetry, const Complex &x);

// Adds an entry, and its mirror image where the matrix is symmetric.
template <typename T>
void add_entry (triplets<T> &entries, const market_header &header, market_place place, const T &x,
                bool loops)
{
  const bool pattern = header.field == "pattern", both = header.symmetry != "general";
  if (place.i == place.j && !loops)
    return;
  if (pattern)
    entries.add (place.i, place.j);
  else
    entries.add (place.i, place.j, x);
  if (place.i != place.j && both && pattern)
    entries.add (place.j, place.i);
  else if (place.i != place.j && both)
    entries.add (place.j, place.i, mirrored (header.symmetry, x));
}

// Reads and checks all arguments of read_graph; returns the name of the file.
std::string read_graph_arguments (const octave_value_list &args, int nargout, graph_options &want);

// Ends with an error where there is "directed" or "undirected".
void check_no_direction (const graph_options &want);

// Checks that of each pair (i,j), (j,i) of a symmetric matrix the file has only one entry. The
// format requires the lower triangle; entries of the upper one are accepted, too. A file with both
// entries of a pair is an error, because it is not clear whether they are one entry or to be added.
class one_triangle
{
public:
  void add (market_place at, octave_idx_type line)
  {
    m_entries.push_back ({std::max (at.i, at.j), std::min (at.i, at.j), line, at.i > at.j});
    (at.i > at.j ? m_below : m_above) = true;
  }
  void check (const graph_file &file, const std::string &symmetry);

private:
  struct entry {
    octave_idx_type i, j, line; // i > j
    bool below;

    bool same_place (const entry &e) const { return i == e.i && j == e.j; }
    bool operator<(const entry &e) const
    {
      return i != e.i ? i < e.i : j != e.j ? j < e.j : line < e.line;
    }
  };

  std::vector<entry> m_entries;
  bool m_below = false, m_above = false;
};

} // namespace gla

#endif
