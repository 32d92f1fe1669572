// sparse_graphs.cuh: sparse symmetric matrices for the benchmarks
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPARSE_GRAPHS_CUH
#define GPULINALG_SPARSE_GRAPHS_CUH

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

struct graph {
  std::string name;
  int n;
  std::vector<int> start, index;
};

typedef std::vector<std::pair<int, int>> edge_list;

struct generator {
  uint64_t state = 12345;
  uint64_t below (uint64_t limit)
  {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
  }
  double uniform ()
  {
    return ((double)below ((uint64_t)1 << 40) + 1) / (double)((uint64_t)1 << 40);
  }
};

// Both directions of every edge, once each, with ascending rows.
inline graph graph_of (const std::string &name, int n, const edge_list &edges)
{
  graph g = {name, n, std::vector<int> (n + 1, 0), {}};
  for (const auto &e : edges) {
    g.start[e.first + 1]++;
    g.start[e.second + 1]++;
  }
  std::partial_sum (g.start.begin (), g.start.end (), g.start.begin ());
  std::vector<int> unsorted (g.start[n]), next (g.start.begin (), g.start.end () - 1);
  for (const auto &e : edges) {
    unsorted[next[e.first]++] = e.second;
    unsorted[next[e.second]++] = e.first;
  }
  g.index.resize (unsorted.size ());
  next.assign (g.start.begin (), g.start.end () - 1); // the transpose of a symmetric matrix
  for (int i = 0; i < n; i++)
    for (int k = g.start[i]; k < g.start[i + 1]; k++)
      g.index[next[unsorted[k]]++] = i;
  size_t kept = 0;
  for (int i = 0, from = 0; i < n; i++) {
    int to = g.start[i + 1];
    for (int k = from; k < to; k++)
      if (k == from || g.index[k] != g.index[k - 1])
        g.index[kept++] = g.index[k];
    from = to;
    g.start[i + 1] = (int)kept;
  }
  g.index.resize (kept);
  return g;
}

// Barabasi-Albert: every new node gets m edges to nodes drawn by their degree.
inline graph barabasi_albert (const std::string &name, int n, int m)
{
  generator random;
  std::vector<int> ends, drawn (m);
  edge_list edges;
  ends.reserve ((size_t)2 * n * m);
  edges.reserve ((size_t)n * m);
  for (int v = m; v < n; v++) {
    for (int count = 0; count < m;) {
      int u = ends.empty () ? count : ends[random.below (ends.size ())];
      bool again = false;
      for (int k = 0; k < count; k++)
        again = again || drawn[k] == u;
      if (!again)
        drawn[count++] = u;
    }
    for (int u : drawn) {
      edges.push_back ({v, u});
      ends.push_back (u);
      ends.push_back (v);
    }
  }
  return graph_of (name, n, edges);
}

// Node k has an expected degree in proportion to (k+1)^-alpha (Chung, Lu); numbers are shuffled.
inline graph power_law (const std::string &name, int n, int64_t edges_wanted, double alpha)
{
  generator random;
  std::vector<int> number (n);
  std::iota (number.begin (), number.end (), 0);
  for (int i = n - 1; i > 0; i--)
    std::swap (number[i], number[random.below (i + 1)]);
  auto draw = [&] {
    int k = (int)(n * std::pow (random.uniform (), 1 / (1 - alpha)));
    return k < n ? k : n - 1;
  };
  edge_list edges;
  edges.reserve (edges_wanted);
  for (int64_t e = 0; e < edges_wanted; e++) {
    int a = draw (), b = draw ();
    if (a != b)
      edges.push_back ({number[a], number[b]});
  }
  return graph_of (name, n, edges);
}

// k^3 nodes of a grid, each coupled with those at most `reach` away in every direction (reach 1:
// 27 points; 0: the 7-point star), `unknowns` unknowns each.
inline graph grid (const std::string &name, int k, int reach, int unknowns)
{
  graph g = {name, k * k * k * unknowns, {0}, {}};
  auto near = [&] (int x, int y, int z) {
    int far = std::abs (x) + std::abs (y) + std::abs (z);
    return reach == 1 || far <= 1;
  };
  for (int i = 0; i < k * k * k; i++)
    for (int d = 0; d < unknowns; d++) {
      int x0 = i % k, y0 = i / k % k, z0 = i / k / k;
      for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
          for (int x = -1; x <= 1; x++) {
            bool inside =
                x0 + x >= 0 && x0 + x < k && y0 + y >= 0 && y0 + y < k && z0 + z >= 0 && z0 + z < k;
            for (int q = 0; inside && near (x, y, z) && q < unknowns; q++)
              g.index.push_back ((((z0 + z) * k + y0 + y) * k + x0 + x) * unknowns + q);
          }
      g.start.push_back ((int)g.index.size ());
    }
  return g;
}

inline graph graph_named (const std::string &name)
{
  if (name == "ba-200k")
    return barabasi_albert (name, 200000, 3);
  if (name == "ba-1600k")
    return barabasi_albert (name, 1600000, 3);
  if (name == "ba-3200k")
    return barabasi_albert (name, 3200000, 3);
  if (name == "patents")
    return barabasi_albert (name, 3774768, 5);
  if (name == "power-law")
    return power_law (name, 1700000, 11000000, 0.555);
  if (name == "grid-3d")
    return grid (name, 128, 0, 1);
  if (name == "elements")
    return grid (name, 60, 1, 3);
  return {};
}

#endif
