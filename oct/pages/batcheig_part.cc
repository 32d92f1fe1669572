// batcheig_part.cc: options of batcheig for parts of the spectrum; tests are in batcheig-part.tst
// SPDX-License-Identifier: GPL-3.0-or-later

#include "batcheig.h"

#include <cmath>

static const std::vector<std::string> part_names = {"range", "largest", "smallest", "interval"};

bool has_word (const octave_value_list &args, const std::string &name)
{
  for (int k = 1; k < args.length (); k++)
    if (gla::is_text (args (k)) && gla::lower_case (args (k).string_value ()) == name)
      return true;
  return false;
}

bool asks_for_part (const octave_value_list &args)
{
  for (const std::string &name : part_names)
    if (has_word (args, name))
      return true;
  return false;
}

static bool is_pair_of_numbers (const octave_value &v)
{
  return v.isnumeric () && v.isreal () && !v.issparse () && v.numel () == 2;
}

static void read_range (const octave_value &v, octave_idx_type n, gla_eig_options &o)
{
  if (!is_pair_of_numbers (v))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"range\" must be two real numbers, [first, last]%s",
                   gla::not_this_number (v).c_str ());
  const NDArray x = v.array_value ();
  const double il = x (0), iu = x (1);
  if (!(il >= 1 && il <= iu && iu <= n && il == std::floor (il) && iu == std::floor (iu)))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"range\" must be two integers, 1 <= first <= last <= %lld, "
                   "not [%s, %s]",
                   static_cast<long long> (n), gla::text_of (il).c_str (),
                   gla::text_of (iu).c_str ());
  o.range = GLA_EIG_INDICES;
  o.il = static_cast<int64_t> (il);
  o.iu = static_cast<int64_t> (iu);
}

static void read_interval (const octave_value &v, gla_eig_options &o)
{
  if (!is_pair_of_numbers (v))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"interval\" must be two real numbers, [vl, vu]%s",
                   gla::not_this_number (v).c_str ());
  const NDArray x = v.array_value ();
  if (!(x (0) < x (1)))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"interval\" must be [vl, vu] with vl < vu, not [%s, %s]",
                   gla::text_of (x (0)).c_str (), gla::text_of (x (1)).c_str ());
  o.range = GLA_EIG_INTERVAL;
  o.vl = x (0);
  o.vu = x (1);
}

static void read_number (const octave_value &v, const std::string &name, octave_idx_type n,
                         gla_eig_options &o)
{
  if (!gla::is_real_scalar (v))
    error_with_id ("gpulinalg:bad-value", "batcheig: option \"%s\" must be a real scalar%s",
                   name.c_str (), gla::not_this_number (v).c_str ());
  const double k = v.double_value ();
  if (!(k >= 0 && k <= n && k == std::floor (k)))
    error_with_id ("gpulinalg:bad-value",
                   "batcheig: option \"%s\" must be an integer from 0 to %lld, not %s",
                   name.c_str (), static_cast<long long> (n), gla::text_of (k).c_str ());
  const int64_t count = static_cast<int64_t> (k);
  o.range = GLA_EIG_INDICES;
  o.il = name == "smallest" ? 1 : n - count + 1;
  o.iu = o.il + count - 1;
}

void read_part (const gla::options &opts, octave_idx_type n, eig_request &want)
{
  std::string found;
  for (const std::string &name : part_names) {
    const octave_value v = opts.value (name);
    if (v.is_undefined ())
      continue;
    if (!found.empty ())
      error_with_id ("gpulinalg:bad-option",
                     "batcheig: options \"%s\" and \"%s\" exclude each other", found.c_str (),
                     name.c_str ());
    found = name;
    if (name == "range")
      read_range (v, n, want.eig);
    else if (name == "interval")
      read_interval (v, want.eig);
    else
      read_number (v, name, n, want.eig);
  }
  want.largest = found == "largest";
  want.columns = want.eig.range == GLA_EIG_INDICES ? want.eig.iu - want.eig.il + 1 : n;
  // the number of columns of an interval is known afterwards
  want.cut = want.eig.range == GLA_EIG_INTERVAL && n > 0;
  want.diagonal = want.matrix && !want.cut;
}

octave_value column_of_counts (const std::vector<int64_t> &count)
{
  NDArray c (dim_vector (static_cast<octave_idx_type> (count.size ()), 1));
  for (std::size_t p = 0; p < count.size (); p++)
    c (p) = static_cast<double> (count[p]);
  return octave_value (c);
}
