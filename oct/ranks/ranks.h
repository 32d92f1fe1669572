// ranks.h: what functions with an option "mpi" share
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A rank must come to every meeting that the others come to, also when its arguments are wrong or
// its memory is short. So the body of a collective function runs in `together`, which tells the
// others what it throws, and all ranks end with the same error.

#ifndef GPULINALG_RANKS_H
#define GPULINALG_RANKS_H

#include "common/shared_call.h"

#include <cstdlib>
#include <functional>
#include <memory>

namespace gla
{

// One collective call on this rank; it joins the ranks unless that was done before.
class collective : public shared_call
{
public:
  // Uses the caller's context `own`, or an idle one if own is NULL.
  collective (const char *who, octave::interpreter &interp, gla_context *own = nullptr);

  gla::call &call () { return m_call; }
  gla_ranks *ranks () const { return m_ranks; }
  const char *who () const { return m_who; }
  bool is_root () const override { return m_info.rank == 0; }

  // Collective: tells the others the rows and the classes here, and learns those of all.
  void announce (const octave_value &A, const octave_value &B);
  octave_idx_type total (int which) const override { return m_parts.total[which]; }
  octave_idx_type columns () const { return m_parts.columns; }
  octave_idx_type pages () const { return m_parts.pages; }
  int rank () const { return m_info.rank; }
  int count () const { return m_info.ranks; }

  bool is_single () const override { return (m_parts.flags & 1) != 0; }
  bool is_complex () const override { return (m_parts.flags & 2) != 0; }

  columns_here columns_of (octave_idx_type columns) const override;
  void shared_least_squares (const gla_array &A, const gla_array &B,
                             const gla_least_squares_results &results,
                             const gla_qr_options &options,
                             gla_least_squares_report &report) override;
  void shared_gsvd (bool by_columns, const gla_array &A, const gla_array &B,
                    const gla_gsvd_results &results, const gla_gsvd_options &options,
                    gla_gsvd_report &report) override;
  void shared_gevd (bool by_columns, const gla_array &A, const gla_array &B,
                    const gla_gevd_results &results, const gla_gsvd_options &options,
                    gla_gevd_report &report) override;

  // The status of a collective function of the library, which has met the others.
  void finish (gla_status status)
  {
    m_awaited = false;
    m_call.finish (status);
    m_awaited = m_follows > 0;
  }
  // So many collective functions follow the next one.
  void follow (int more) { m_follows = more; }

  // Tells the others that this rank cannot continue, if they wait for it. Ends with the error that
  // they get, too, if they could be told.
  void refuse (gla_status status, const std::string &why);

private:
  const char *m_who;
  gla::call m_call;
  gla_ranks *m_ranks = nullptr;
  gla_ranks_info m_info = sized<gla_ranks_info> ();
  int m_follows = 0;
  bool m_awaited = false; // whether the others come to a meeting next
  gla_ranks_parts m_parts = sized<gla_ranks_parts> ();
};

template <typename Body>
octave_value_list together (const char *who, octave::interpreter &interp, Body body,
                            gla_context *own = nullptr)
{
  collective t (who, interp, own);
  try {
    return body (t);
  } catch (const octave::execution_exception &e) {
    const std::string why = e.message ();
    const octave::execution_exception own = e;
    recover (interp);
    t.refuse (GLA_ERROR_RANKS_DIFFER, why);
    throw own;
  } catch (const std::bad_alloc &) {
    t.refuse (GLA_ERROR_OUT_OF_MEMORY, "too little memory");
    throw;
  } catch (const octave::interrupt_exception &) {
    t.refuse (GLA_ERROR_STOPPED, "stopped");
    throw;
  }
}

// Numbers that all ranks have sent to this one, in the order of the ranks.
template <typename T> struct from_ranks {
  struct release {
    void operator() (void *p) const { std::free (p); }
  };
  std::unique_ptr<T, release> memory;
  std::vector<int64_t> counts; // of each rank

  std::size_t size () const
  {
    std::size_t sum = 0;
    for (const int64_t count : counts)
      sum += static_cast<std::size_t> (count);
    return sum;
  }
  const T *begin () const { return memory.get (); }
  const T *end () const { return begin () + size (); }
};

// Collective: counts[r] of the numbers, in the order of the ranks, are for rank r. Another
// collective call must follow.
template <typename T>
from_ranks<T> all_to_all (collective &t, const std::vector<T> &numbers,
                          const std::vector<int64_t> &counts)
{
  const int64_t size = sizeof (T);
  std::vector<int64_t> bytes (counts);
  for (int64_t &b : bytes)
    b *= size;
  from_ranks<T> all;
  all.counts.resize (counts.size ());
  void *received = nullptr;
  t.follow (1);
  t.finish (gla_ranks_all_to_all (t.call ().context (), t.ranks (), numbers.data (), bytes.data (),
                                  &received, all.counts.data ()));
  all.memory.reset (static_cast<T *> (received));
  for (int64_t &count : all.counts)
    count /= size;
  return all;
}

// Checks the value of "mpi", one of these words, and that there is no meter; returns the value.
std::string mpi_word (const char *who, const options &opts, const std::vector<std::string> &words);

// Serves "mpi", "root": rows of tall matrices of rank 0 are distributed, others stay there, and the
// other ranks have parts without rows. `body` gets the parts of this rank and makes the outputs, a
// letter of `by_rows` for each: those with the rows of A (A) or of B (B) are collected, the others
// are the same on all ranks (-). Rank 0 gets the outputs, all others get empty matrices.
typedef std::function<octave_value_list (const octave_value &A, const octave_value &B)> rows_body;
octave_value_list with_root (collective &t, const octave_value &A, const octave_value &B,
                             const std::string &by_rows, const rows_body &body);

// Serves "mpi", "columns": `body` gets the whole matrices on rank 0, and matrices without rows on
// the others; it makes the outputs of this rank.
octave_value_list with_columns (collective &t, const octave_value &A, const octave_value &B,
                                const rows_body &body);

} // namespace gla

#endif
