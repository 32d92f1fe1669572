// qr_cholesky_leaf.cu: blocks on the diagonal of A'A: their Cholesky factors, and inverses of those
// SPDX-License-Identifier: GPL-3.0-or-later

#include "qr_cholesky.cuh"

namespace
{

enum { N = QR_TILE, SIDE = QR_TILE_SIDE, OWN = QR_TILE_OWN, THREADS = QR_TILE_THREADS };

// Rows that an elimination takes at a time: so few that a multiprocessor holds two pages, because
// threads wait for barriers half of their time.
template <class T> constexpr int rows_together = sizeof (T) == 4 ? 4 : sizeof (T) == 8 ? 2 : 1;

// Writes this thread's part of a row to shared memory.
template <class T> GLA_DEVICE void show (const T (&own)[OWN], T (&row)[N])
{
  qr_tile_place at;
#pragma unroll
  for (int q = 0; q < OWN; q++)
    row[at.column (q)] = own[q];
}

// Gauss elimination of the Hermitian matrix [G | I], in one array: the inverse of the unit lower
// factor is formed left of the diagonal, where zeros would be. It takes B rows at a time, and every
// thread computes for itself the parts of them that it needs. The threads that hold the next rows
// write them to the other of two buffers at the end, so that B rows take one barrier. Returns
// whether all pivots were positive.
template <class T, int B>
GLA_DEVICE bool eliminate (T (&a)[OWN][OWN], T (&shown)[2][B][N], real_t<T> (&pivot)[N])
{
  typedef real_t<T> real;
  qr_tile_place at;
  bool good = true;
  if (at.x < B)
    show (a[0], shown[0][at.x]);
#pragma unroll
  for (int above = 0; above < OWN; above++)
    for (int step = 0; step < SIDE; step += B) {
      int k = above * SIDE + step;
      __syncthreads ();
      const T (&rows)[B][N] = shown[k / B % 2];
      T d[B][B], right[B][OWN], left[B][OWN];
#pragma unroll
      for (int r = 0; r < B; r++) {
        for (int c = r; c < B; c++)
          d[r][c] = rows[r][k + c];
        for (int q = 0; q < OWN; q++)
          right[r][q] = rows[r][at.column (q)];
        for (int p = above; p < OWN; p++)
          left[r][p] = rows[r][at.row (p)];
      }
      real inverse[B];
#pragma unroll
      for (int r = 0; r < B; r++) {
        real diagonal = re (d[r][r]);
        if (!(diagonal > 0)) {
          good = false;
          diagonal = 1;
        }
        if (threadIdx.x == 0)
          pivot[k + r] = diagonal;
        inverse[r] = qr_reciprocal (diagonal);
        for (int s = r + 1; s < B; s++) {
          T factor = scale (-inverse[r], conj (d[r][s]));
          for (int c = s; c < B; c++)
            d[s][c] = madd (factor, d[r][c], d[s][c]);
          for (int q = 0; q < OWN; q++) {
            right[s][q] = madd (factor, right[r][q], right[s][q]);
            if (q == above && at.column (q) == k + r)
              right[s][q] = factor;
          }
          for (int p = above; p < OWN; p++)
            left[s][p] = madd (factor, left[r][p], left[s][p]);
        }
      }
#pragma unroll
      for (int p = above; p < OWN; p++) {
        if (p == above && at.x < step + B) { // rows of the block, or above it
          for (int r = 0; r < B; r++)
            for (int q = 0; q < OWN; q++)
              a[p][q] = at.x == step + r ? right[r][q] : a[p][q];
          continue;
        }
        for (int r = 0; r < B; r++) {
          T factor = scale (-inverse[r], conj (left[r][p]));
          for (int q = 0; q < OWN; q++) {
            a[p][q] = madd (factor, right[r][q], a[p][q]);
            if (q == above && at.column (q) == k + r)
              a[p][q] = factor;
          }
        }
      }
      T (&next)[B][N] = shown[(k / B + 1) % 2];
      int following = above < OWN - 1 ? above + 1 : above;
      if (step < SIDE - B && at.x / B == step / B + 1)
        show (a[above], next[at.x % B]);
      else if (step == SIDE - B && at.x < B)
        show (a[following], next[at.x]);
    }
  __syncthreads ();
  return good;
}

// With G = L D L', stores R = D^(1/2) L' in r and R^-1 = (D^(-1/2) L^-1)' in g.
template <class T>
GLA_DEVICE void store (const T (&a)[OWN][OWN], const real_t<T> (&pivot)[N], int count, T *r,
                       int64_t ldr, T *g, int64_t ldg)
{
  qr_tile_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++) {
    int i = at.row (p);
    real_t<T> root = sqrt_of (pivot[i]), inverse = 1 / root;
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int j = at.column (q);
      if (i >= count || j >= count)
        continue;
      r[i + j * ldr] = i > j ? T{} : i == j ? from_real<T> (root) : scale (inverse, a[p][q]);
      if (i >= j)
        g[j + i * ldg] = i == j ? from_real<T> (inverse) : scale (inverse, conj (a[p][q]));
      if (i > j)
        g[i + j * ldg] = T{};
    }
  }
}

// Entry (i, j) of the Hermitian matrix whose upper triangle is entry (i, j); the identity outside.
template <class T, class F> GLA_DEVICE void load (T (&a)[OWN][OWN], int count, F entry)
{
  qr_tile_place at;
#pragma unroll
  for (int p = 0; p < OWN; p++)
#pragma unroll
    for (int q = 0; q < OWN; q++) {
      int i = at.row (p), j = at.column (q);
      if (i >= count || j >= count)
        a[p][q] = from_real<T> (i == j ? 1 : 0);
      else
        a[p][q] = i <= j ? entry (i, j) : conj (entry (j, i));
    }
}

// One block of threads per page factors up to 64 columns. The other blocks clear the rest of the
// block column, 64 columns each, because products of whole blocks read it later.
template <class T>
__global__ void __launch_bounds__ (THREADS, 2)
    leaf_kernel (qr_cholesky<T> c, int64_t J, int count, int tiles)
{
  __shared__ T shown[2][rows_together<T>][N];
  __shared__ real_t<T> pivot[N];
  int tile = blockIdx.x % tiles;
  int64_t page = blockIdx.x / tiles, ldg = c.G.ld, ldr = c.R.ld;
  T *g = c.G.data + page * c.G.page + J, *r = c.R.data + page * c.R.page + J + J * ldr;
  int64_t clear = J / c.strip * c.strip + (tile - 1) * N;
  for (int q = threadIdx.x; tile > 0 && q < count * N; q += THREADS)
    g[q % count + (clear + q / count) * ldg] = T{};
  if (tile > 0)
    return;
  g += J * ldg;
  T a[OWN][OWN];
  load (a, count, [&] (int i, int j) { return g[i + j * ldg]; });
  bool good = eliminate (a, shown, pivot);
  store (a, pivot, count, r, ldr, g, ldg);
  if (!good && threadIdx.x == 0)
    c.failed[page] = 1;
}

} // namespace

template <class T>
cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &c, int64_t J, int count, cudaStream_t stream)
{
  int tiles = (int)(J % c.strip / N) + 1;
  leaf_kernel<T><<<(unsigned)(c.pages * tiles), THREADS, 0, stream>>> (c, J, count, tiles);
  return cudaGetLastError ();
}

#define GLA_INSTANTIATE(T)                                                                         \
  template cudaError_t qr_cholesky_leaf (const qr_cholesky<T> &, int64_t, int, cudaStream_t);
GLA_FOR_ALL_TYPES (GLA_INSTANTIATE)
