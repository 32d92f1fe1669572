// matrix_market.cc: a sparse matrix from a Matrix Market file in coordinate format
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The format: Boisvert, Pozo, Remington, The Matrix Market Exchange Formats, NISTIR 5935 (1996).

#include "matrix_market.h"

#include <algorithm>

#include <limits>

namespace gla
{

static std::string next_in_lower_case (graph_file &file)
{
  return lower_case (file.next_word ().str ());
}

static void check_word (graph_file &file, const char *what, const std::string &word,
                        const std::vector<std::string> &known)
{
  if (std::find (known.begin (), known.end (), word) == known.end ())
    file.bad (std::string (what) + " must be " + quoted_list (known) + ", not \"" +
              word.substr (0, 40) + "\"");
}

static void check_end_of_line (graph_file &file)
{
  graph_file::word rest = file.next_word ();
  if (rest.length > 0)
    file.bad ("unexpected \"" + rest.str ().substr (0, 40) + "\" at the end of the line");
}

// %%MatrixMarket matrix coordinate FIELD SYMMETRY
static market_header read_banner (graph_file &file)
{
  market_header header = {};
  file.next_line ("");
  if (next_in_lower_case (file) != "%%matrixmarket")
    file.bad ("the first word must be %%MatrixMarket");
  check_word (file, "the object", next_in_lower_case (file), {"matrix"});
  std::string format = next_in_lower_case (file);
  if (format == "array")
    file.bad ("a dense matrix in array format; read_graph reads the coordinate format only");
  check_word (file, "the format", format, {"coordinate"});
  header.field = next_in_lower_case (file);
  check_word (file, "the field", header.field,
              {"real", "integer", "unsigned-integer", "complex", "pattern"});
  if (header.field == "unsigned-integer") // as SciPy writes it
    header.field = "integer";
  header.symmetry = next_in_lower_case (file);
  check_word (file, "the symmetry", header.symmetry,
              {"general", "symmetric", "skew-symmetric", "hermitian"});
  if ((header.symmetry == "hermitian" && header.field != "complex") ||
      (header.symmetry == "skew-symmetric" && header.field == "pattern"))
    file.bad ("a matrix cannot be " + header.field + " and " + header.symmetry);
  check_end_of_line (file);
  return header;
}

static octave_idx_type next_size (graph_file &file, const char *what)
{
  if (file.ends_line ())
    file.bad (std::string (what) +
              " is missing; the first line that is no comment must have the numbers of rows, "
              "columns and entries");
  int64_t x = file.next_integer (what);
  if (x < 0 || x >= std::numeric_limits<octave_idx_type>::max ())
    file.bad (std::string (what) + " cannot be " + std::to_string (x));
  return static_cast<octave_idx_type> (x);
}

// ROWS COLUMNS ENTRIES
static void read_sizes (graph_file &file, market_header &header)
{
  if (!file.next_line ("%"))
    file.bad ("the file ends before the numbers of rows, columns and entries");
  header.rows = next_size (file, "the number of rows");
  header.columns = next_size (file, "the number of columns");
  header.entries = next_size (file, "the number of entries");
  check_end_of_line (file);
  if (header.symmetry != "general" && header.rows != header.columns)
    file.bad ("a " + header.symmetry + " matrix must be square, not " +
              std::to_string (header.rows) + "x" + std::to_string (header.columns));
}

static octave_idx_type next_index (graph_file &file, const char *what, octave_idx_type count)
{
  int64_t x = file.next_integer (what);
  if (x < 1 || x > count)
    file.bad (std::string (what) + " must be from 1 to " + std::to_string (count) + ", not " +
              std::to_string (x));
  return static_cast<octave_idx_type> (x - 1);
}

static double next_value (graph_file &file, const market_header &header, double)
{
  return file.next_number ("the value", header.field == "integer");
}
static Complex next_value (graph_file &file, const market_header &, const Complex &)
{
  double re = file.next_number ("the real part");
  return Complex (re, file.next_number ("the imaginary part"));
}

static void check_diagonal (graph_file &file, const market_header &header, const Complex &x)
{
  if (header.symmetry == "skew-symmetric" && x != 0.0)
    file.bad ("the diagonal of a skew-symmetric matrix must be zero");
  if (header.symmetry == "hermitian" && x.imag () != 0)
    file.bad ("the diagonal of a Hermitian matrix must be real");
}

double mirrored (const std::string &symmetry, double x)
{
  return symmetry == "skew-symmetric" ? -x : x;
}
Complex mirrored (const std::string &symmetry, const Complex &x)
{
  if (symmetry == "hermitian")
    return std::conj (x);
  return symmetry == "skew-symmetric" ? -x : x;
}

market_header read_market_header (graph_file &file)
{
  market_header header = read_banner (file);
  read_sizes (file, header);
  return header;
}

template <typename T>
static market_place read_place (graph_file &file, const market_header &header, T &x)
{
  market_place place;
  place.i = next_index (file, "the row", header.rows);
  place.j = next_index (file, "the column", header.columns);
  x = header.field == "pattern" ? T (1) : next_value (file, header, T ());
  check_end_of_line (file);
  if (place.i == place.j)
    check_diagonal (file, header, x);
  return place;
}

market_place read_entry (graph_file &file, const market_header &header, double &x)
{
  return read_place (file, header, x);
}
market_place read_entry (graph_file &file, const market_header &header, Complex &x)
{
  return read_place (file, header, x);
}

void one_triangle::check (const graph_file &file, const std::string &symmetry)
{
  if (!m_below || !m_above)
    return;
  std::size_t compared = 0;
  std::sort (m_entries.begin (), m_entries.end (), [&compared] (const entry &a, const entry &b) {
    quit_at (++compared);
    return a < b;
  });
  const entry *first = nullptr; // the first one in the file whose pair is in an earlier line
  for (std::size_t k = 1; k < m_entries.size (); k++) {
    const entry &e = m_entries[k];
    if (e.same_place (m_entries[k - 1]) && e.below != m_entries[k - 1].below &&
        (!first || e.line < first->line))
      first = &e;
  }
  if (first) {
    std::string i = std::to_string (first->i + 1), j = std::to_string (first->j + 1);
    file.bad_in (first->line, "the entries (" + i + "," + j + ") and (" + j + "," + i +
                                  ") are both in the file; a " + symmetry +
                                  " matrix must be given by one triangle");
  }
}

// The entries; a symmetric, skew-symmetric or Hermitian matrix also gets the mirror image of each.
template <typename T>
static triplets<T> read_entries (graph_file &file, const market_header &header, bool loops)
{
  triplets<T> entries;
  bool pattern = header.field == "pattern", both = header.symmetry != "general";
  // An entry takes at least 4 bytes, so a wrong number of entries in the header reserves no memory.
  std::size_t count = std::min<std::size_t> (header.entries, file.bytes_left () / 4 + 1);
  entries.rows.reserve (both ? 2 * count : count);
  entries.columns.reserve (entries.rows.capacity ());
  entries.values.reserve (pattern ? 0 : entries.rows.capacity ());

  one_triangle triangle; // not used for patterns, where both entries of a pair are harmless
  octave_idx_type k = 0;
  for (; k < header.entries && file.next_line ("%"); k++) {
    T x;
    const market_place place = read_entry (file, header, x);
    if (place.i != place.j && both && !pattern)
      triangle.add (place, file.line ());
    add_entry (entries, header, place, x, loops);
  }
  if (k < header.entries)
    file.bad ("the file ends after " + std::to_string (k) + " of " +
              std::to_string (header.entries) + " entries");
  if (file.next_line ("%"))
    file.bad ("there are more than " + std::to_string (header.entries) + " entries");
  triangle.check (file, header.symmetry);
  return entries;
}

void check_no_direction (const graph_options &want)
{
  if (!want.direction.empty ())
    error_with_id (
        "gpulinalg:bad-option",
        "read_graph: \"%s\" is an option for edge lists; a Matrix Market file states its "
        "symmetry in its first line",
        want.direction.c_str ());
}

octave_value_list read_matrix_market (graph_file &file, const graph_options &want, bool ids)
{
  check_no_direction (want);
  const market_header header = read_market_header (file);
  std::size_t most = static_cast<std::size_t> (header.entries);
  check_fits (file, header.rows, header.columns, std::min (most, file.bytes_left () / 4 + 1));

  bool loops = want.loops != "noloops";
  octave_value A;
  if (header.field == "complex")
    A = assemble<SparseComplexMatrix> (read_entries<Complex> (file, header, loops), header.rows,
                                       header.columns);
  else
    A = assemble<SparseMatrix> (read_entries<double> (file, header, loops), header.rows,
                                header.columns);
  if (!ids)
    return ovl (A);
  check_bytes (file, 8.0 * static_cast<double> (header.rows),
               "a list of " + std::to_string (header.rows) + " ids");
  auto names = unfilled<int64NDArray> (dim_vector (header.rows, 1));
  octave_int64 *name = names.fortran_vec ();
  for (octave_idx_type k = 0; k < header.rows; k++) {
    if (k % 65536 == 0) // fresh memory may come at 0.3 GB/s
      octave_quit ();
    name[k] = octave_int64 (k + 1);
  }
  return ovl (A, names);
}

} // namespace gla
