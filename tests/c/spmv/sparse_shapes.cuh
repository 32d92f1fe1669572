// sparse_shapes.cuh: matrices for the sparse functions of the CUDA backend
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef SPARSE_SHAPES_CUH
#define SPARSE_SHAPES_CUH

#include "backend.h"
#include "spmv/job.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

typedef std::complex<double> z;

static int passed, failed;
static void check (bool ok, const std::string &what)
{
  ok ? passed++ : failed++;
  if (!ok)
    printf ("FAILED test_sparse: %s\n", what.c_str ());
}

// The larger of both; infinite if x is NaN, which std::max would ignore.
static double larger (double worst, double x)
{
  return x <= worst ? worst : std::isnan (x) ? INFINITY : x;
}

static int go_on (void *, int64_t)
{
  return 0;
}
static int give_up (void *, int64_t)
{
  return 1;
}
static const gla_monitor quiet = {go_on, nullptr};
static const gla_backend &gpu = gla_backend_cuda;
static gla_engine *engine;

static unsigned long long state = 88172645463325252ull;
static double uniform ()
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

//------------------------------------------------------------------------------
// types and matrices
//------------------------------------------------------------------------------

template <class H> struct kind;
template <> struct kind<float> {
  static constexpr gla_type type = GLA_TYPE_S;
};
template <> struct kind<double> {
  static constexpr gla_type type = GLA_TYPE_D;
};
template <> struct kind<std::complex<float>> {
  static constexpr gla_type type = GLA_TYPE_C;
};
template <> struct kind<z> {
  static constexpr gla_type type = GLA_TYPE_Z;
};
template <class H> bool is_complex ()
{
  return gla_type_is_complex (kind<H>::type);
}
template <class H> H scalar (z a);
template <> float scalar<float> (z a)
{
  return (float)a.real ();
}
template <> double scalar<double> (z a)
{
  return a.real ();
}
template <> std::complex<float> scalar<std::complex<float>> (z a)
{
  return std::complex<float> (a);
}
template <> z scalar<z> (z a)
{
  return a;
}

struct shape {
  const char *name;
  int64_t rows, columns;
  std::vector<int64_t> start, index;
};

// Row i has length (i) random columns.
template <class F> shape random_shape (const char *name, int64_t rows, int64_t columns, F length)
{
  shape s = {name, rows, columns, {0}, {}};
  for (int64_t i = 0; i < rows; i++) {
    std::vector<int64_t> row;
    for (int64_t k = length (i); k > 0; k--)
      row.push_back ((int64_t)((uniform () + 1) / 2 * (double)columns));
    std::sort (row.begin (), row.end ());
    row.erase (std::unique (row.begin (), row.end ()), row.end ());
    s.index.insert (s.index.end (), row.begin (), row.end ());
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// The pattern with these columns in its rows; columns may be in any order and repeat.
static shape square_of (const char *name, std::vector<std::vector<int64_t>> &rows)
{
  const int64_t n = (int64_t)rows.size ();
  shape s = {name, n, n, {0}, {}};
  for (auto &row : rows) {
    std::sort (row.begin (), row.end ());
    row.erase (std::unique (row.begin (), row.end ()), row.end ());
    s.index.insert (s.index.end (), row.begin (), row.end ());
    s.start.push_back ((int64_t)s.index.size ());
  }
  return s;
}

// Symmetric: a ring whose nodes are linked to those up to 3 steps away; with `hub`, node 0 is
// linked to every seventh node.
static shape wheel (int64_t n, bool hub)
{
  std::vector<std::vector<int64_t>> rows (n);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t d = -3; d <= 3; d++)
      rows[i].push_back ((i + d + n) % n);
    if (hub && i % 7 == 0) {
      rows[i].push_back (0);
      rows[0].push_back (i);
    }
  }
  return square_of ("wheel", rows);
}

template <class H> struct matrix {
  const shape &s;
  std::vector<H> values;
  std::vector<int32_t> start, index; // for 32-bit indices
  gla_spmv_matrix M;
  matrix (const shape &of, bool pattern, bool narrow, gla_spmv_method method)
      : s (of), values (of.index.size ()), M ()
  {
    for (int64_t i = 0; i < s.rows; i++)
      for (int64_t k = s.start[i]; k < s.start[i + 1]; k++)
        values[k] = entry (i, s.index[k], pattern);
    start.assign (s.start.begin (), s.start.end ());
    index.assign (s.index.begin (), s.index.end ());
    M.csr = {kind<H>::type, s.rows, s.columns, narrow ? 4 : 8, nullptr, nullptr, values.data ()};
    M.csr.start = narrow ? (const void *)start.data () : (const void *)s.start.data ();
    M.csr.index = narrow ? (const void *)index.data () : (const void *)s.index.data ();
    M.entries = (int64_t)s.index.size ();
    M.pattern = pattern;
    z value = entry (0, 1, pattern);
    M.value[0] = value.real ();
    M.value[1] = value.imag ();
    M.method = method;
  }
  // Hermitian where the shape is symmetric
  static H entry (int64_t i, int64_t j, bool pattern)
  {
    if (pattern)
      return scalar<H> (z (0.75, is_complex<H> () ? -2 : 0));
    double size = 1 + (double)((i + j) % 13) / 10;
    return scalar<H> (is_complex<H> () ? std::polar (size, 0.37 * (double)(i - j)) : z (size));
  }
  // column of y = M*x, or conj (M)*x
  std::vector<z> times (const H *x, bool conjugate) const
  {
    std::vector<z> y (s.rows);
    for (int64_t i = 0; i < s.rows; i++)
      for (int64_t k = s.start[i]; k < s.start[i + 1]; k++)
        y[i] += (conjugate ? std::conj (z (values[k])) : z (values[k])) * z (x[s.index[k]]);
    return y;
  }
};

template <class H> double eps ()
{
  return gla_type_eps (kind<H>::type);
}

#endif
