// ranks.cc: what functions with an option "mpi" share
// SPDX-License-Identifier: GPL-3.0-or-later

#include "ranks.h"

#include <algorithm>

namespace gla
{

std::string mpi_word (const char *who, const options &opts, const std::vector<std::string> &words)
{
  const std::string word = opts.word ("mpi", words);
  if (opts.value ("progress").is_defined ())
    error_with_id ("gpulinalg:bad-option", "%s: \"mpi\" cannot be combined with \"progress\"", who);
  return word;
}

collective::collective (const char *who, octave::interpreter &interp, gla_context *own)
    : m_who (who), m_call (who, interp, own)
{
  keep_loaded (interp);
  m_call.finish (gla_ranks_mpi (m_call.context (), &m_ranks));
  m_call.finish (gla_ranks_query (m_call.context (), m_ranks, &m_info));
  m_awaited = true;
}

void collective::announce (const octave_value &A, const octave_value &B)
{
  m_parts.flags = (A.is_single_type () || B.is_single_type () ? 1 : 0) |
                  (A.iscomplex () || B.iscomplex () ? 2 : 0);
  m_parts.rows[0] = A.rows ();
  m_parts.rows[1] = B.is_defined () ? B.rows () : 0;
  m_parts.columns = A.columns ();
  m_parts.pages = pages_of (A.dims ());
  const int follows = m_follows;
  m_follows = 1;
  finish (gla_ranks_announce (m_call.context (), m_ranks, &m_parts));
  m_follows = follows;
}

void collective::refuse (gla_status status, const std::string &why)
{
  if (!m_awaited)
    return;
  m_awaited = false;
  // The message of the function begins with its name, and so does that of all.
  const std::string name = std::string (m_who) + ": ";
  const bool named = why.compare (0, name.size (), name) == 0;
  const std::string text = named ? why.substr (name.size ()) : why;
  const gla_status told = gla_ranks_refuse (m_call.context (), m_ranks, status, text.c_str ());
  if (told == status && status != GLA_ERROR_STOPPED)
    m_call.finish (told);
}

//------------------------------------------------------------------------------
// functions of the library
//------------------------------------------------------------------------------

void collective::shared_least_squares (const gla_array &A, const gla_array &B,
                                       const gla_least_squares_results &results,
                                       const gla_qr_options &options,
                                       gla_least_squares_report &report)
{
  finish (gla_least_squares_rows (m_call.context (), m_ranks, &A, &B, &results, &options, &report));
}

void collective::shared_gsvd (bool by_columns, const gla_array &A, const gla_array &B,
                              const gla_gsvd_results &results, const gla_gsvd_options &options,
                              gla_gsvd_report &report)
{
  const auto function = by_columns ? gla_gsvd_columns : gla_gsvd_rows;
  finish (function (m_call.context (), m_ranks, &A, &B, &results, &options, &report));
}

void collective::shared_gevd (bool by_columns, const gla_array &A, const gla_array &B,
                              const gla_gevd_results &results, const gla_gsvd_options &options,
                              gla_gevd_report &report)
{
  const auto function = by_columns ? gla_gevd_columns : gla_gevd_rows;
  finish (function (m_call.context (), m_ranks, &A, &B, &results, &options, &report));
}

//------------------------------------------------------------------------------
// "root"
//------------------------------------------------------------------------------

// The library distributes rows, and columns, in this way.
static octave_idx_type first_of_rank (octave_idx_type m, octave_idx_type rank, int count)
{
  return m / count * rank + m % count * rank / count;
}

columns_here collective::columns_of (octave_idx_type columns) const
{
  const octave_idx_type first = first_of_rank (columns, rank (), count ());
  return {first, first_of_rank (columns, rank () + 1, count ()) - first};
}

template <typename Array>
static octave_value deal (collective &t, const octave_value &whole, octave_idx_type m)
{
  Array all;
  const octave_idx_type rows =
      first_of_rank (m, t.rank () + 1, t.count ()) - first_of_rank (m, t.rank (), t.count ());
  const dim_vector dims (rows, t.columns (), t.pages ());
  Array mine = unfilled<Array> (dims);
  const gla_array to = part (output (mine));
  if (t.is_root ())
    read (whole, all);
  const gla_array from = part (input (all));
  t.finish (gla_ranks_deal (t.call ().context (), t.ranks (), t.is_root () ? &from : nullptr, &to));
  return mine;
}

// dims: of the whole matrix, on rank 0, with its rows and the pages of the arguments.
template <typename Array>
static octave_value collect (collective &t, const octave_value &mine, dim_vector dims)
{
  Array all, own;
  gla_array to = {};
  read (mine, own);
  if (t.is_root ()) {
    dims (1) = own.dims () (1);
    all = unfilled<Array> (dims);
    to = part (output (all));
  }
  const gla_array from = part (input (own));
  t.finish (
      gla_ranks_collect (t.call ().context (), t.ranks (), &from, t.is_root () ? &to : nullptr));
  return all;
}

// Whether QR would make a pair of so many rows much smaller. Otherwise it stays on rank 0, whatever
// the number of ranks.
static bool is_tall (const collective &t)
{
  const octave_idx_type most = t.columns () + t.columns () / 2;
  return t.total (0) > most || t.total (1) > most;
}

// Returns the matrix itself on rank 0, one without rows on the others.
static octave_value undivided (const collective &t, const octave_value &whole)
{
  if (t.is_root ())
    return whole;
  return NDArray (dim_vector (0, t.columns (), t.pages ()));
}

static void check_others (const collective &t, const octave_value &A, const octave_value &B,
                          const char *word)
{
  if (!t.is_root () && (!A.isempty () || !B.isempty ()))
    error_with_id ("gpulinalg:bad-shape",
                   "%s: with \"%s\" A and B must be empty on all ranks but 0, but A is %s and B "
                   "is %s",
                   t.who (), word, A.dims ().str ().c_str (), B.dims ().str ().c_str ());
}

octave_value_list with_root (collective &t, const octave_value &A, const octave_value &B,
                             const std::string &by_rows, const rows_body &body)
{
  check_others (t, A, B, "root");
  t.announce (A, B);
  const octave_idx_type m = t.total (0), n = t.total (1);
  const bool tall = is_tall (t);
  octave_value a = undivided (t, A), b = undivided (t, B);
  if (tall) {
    t.follow (1);
    t.in_common_class ([&] (auto array, auto) {
      a = deal<decltype (array)> (t, A, m);
      b = deal<decltype (array)> (t, B, n);
      return octave_value_list ();
    });
  }
  int left = !tall ? 0
                   : static_cast<int> (std::count_if (by_rows.begin (), by_rows.end (),
                                                      [] (char c) { return c != '-'; }));
  t.follow (left);
  octave_value_list out = body (a, b);
  out.resize (by_rows.size ());

  for (octave_idx_type k = 0; k < out.length (); k++) {
    dim_vector dims = by_rows[k] == 'B' ? B.dims () : A.dims ();
    if (by_rows[k] != '-' && tall) {
      t.follow (--left);
      t.in_common_class ([&] (auto array, auto) {
        out (k) = collect<decltype (array)> (t, out (k), dims);
        return octave_value_list ();
      });
    } else if (t.is_root () && out (k).isnumeric ()) {
      dims (0) = out (k).dims () (0); // the dimensions after the second are those of A
      dims (1) = out (k).dims () (1);
      out (k) = out (k).reshape (dims);
    }
    if (!t.is_root ())
      out (k) = Matrix ();
  }
  return out;
}

octave_value_list with_columns (collective &t, const octave_value &A, const octave_value &B,
                                const rows_body &body)
{
  check_others (t, A, B, "columns");
  t.announce (A, B);
  return body (undivided (t, A), undivided (t, B));
}

} // namespace gla
