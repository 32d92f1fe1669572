// solve_page_types.cu: pages of orders 33 to 112, of one type: right-hand sides and inverses, and
// the launch
// SPDX-License-Identifier: GPL-3.0-or-later

#include "common/cluster.cuh"
#include "solve_page.cuh"
#include "common/type.cuh"

//------------------------------------------------------------------------------
// right-hand sides and inverses of the pages of solve_page.cuh
//------------------------------------------------------------------------------

// One page that is factored. Each of the first `slabs` warps has space for 8 columns.
template <class T, int THREADS> struct page_call {
  typedef wide<T> W;
  typedef real_t<T> R;
  static constexpr int WIDTH = 8;
  const lu_args<T> &a;
  page_lu<T, THREADS> &w;
  int64_t page;
  lu_matrix<W> Y;
  int slabs;
  int64_t end; // columns of B up to `end` are solved for

  GLA_DEVICE static int lane () { return threadIdx.x % 32; }
  GLA_DEVICE static int warp () { return threadIdx.x / 32; }

  template <class E> GLA_DEVICE void load (const E *B, int64_t first) const
  {
    const double down = times_power (1.0, -w.exponent);
    for (int i = lane (); i < lu_rows (w.n); i += 32) {
      const E *row = B + w.s->order[i < w.n ? i : 0] * a.b_row;
      E b[WIDTH];
#pragma unroll
      for (int c = 0; c < WIDTH; c++)
        b[c] = row[(first + c < end ? first + c : end - 1) * a.b_column];
#pragma unroll
      for (int c = 0; c < WIDTH; c++) {
        W y;
        if constexpr (is_complex_v<E>)
          y = widen (b[c]);
        else
          y = from_real<W> ((double)b[c]);
        y = w.exponent == 0 ? y : scale (down, y);
        Y.put (i, c, i < w.n && first + c < end ? y : from_real<W> (0));
      }
    }
    __syncwarp ();
  }
  GLA_DEVICE void load_right_sides (int64_t first) const
  {
    if constexpr (is_complex_v<T>)
      if (a.b_real) {
        const page_operand<R> B = {reinterpret_cast<const R *> (a.B.data), a.B.ld, a.B.page,
                                   a.B.index};
        load (B.at (page), first);
        return;
      }
    load (a.B.at (page), first);
  }
  GLA_DEVICE void load_identity (int first) const
  {
    for (int k = lane (); k < lu_rows (w.n) * WIDTH; k += 32) {
      const int i = k % lu_rows (w.n), c = k / lu_rows (w.n);
      Y.put (i, c, from_real<W> (i == first + c && i < w.n ? 1 : 0));
    }
    __syncwarp ();
  }

  GLA_DEVICE void put (int64_t i, int64_t c, W value) const
  {
    const bool good = w.finite && w.failed == 0;
    a.X[page * a.x_page + i * a.x_row + c * a.x_column] =
        good ? narrow<T> (value) : w.filling (a.inverse);
  }

  GLA_DEVICE void solve () const
  {
    const int64_t begin = blockIdx.y * a.slice + warp () * WIDTH;
    for (int64_t first = begin; first < end && warp () < slabs; first += slabs * WIDTH) {
      load_right_sides (first);
      w.forward (Y, 0);
      w.backward (Y);
      for (int k = lane (); k < w.n * WIDTH; k += 32)
        if (first + k / w.n < end)
          put (k % w.n, first + k / w.n, Y.get (k % w.n, k / w.n));
      __syncwarp ();
    }
  }

  GLA_DEVICE void store_inverse (int first) const
  {
    const double down = times_power (1.0, -w.exponent);
    for (int k = lane (); k < w.n * WIDTH; k += 32) {
      const int i = k % w.n, j = first + k / w.n;
      if (j >= w.n)
        continue;
      const W value = Y.get (i, k / w.n);
      put (i, w.s->order[j], w.exponent == 0 ? value : scale (down, value));
    }
  }

  // Takes the mean of the inverse of a definite page and its adjoint. Mirroring one triangle would
  // not do: the triangles differ by the condition number times rounding errors.
  GLA_DEVICE void make_hermitian () const
  {
    __syncthreads ();
    T *X = a.X + page * a.x_page;
    for (int k = threadIdx.x; k < w.n * w.n; k += THREADS) {
      const int i = k % w.n, j = k / w.n;
      if (i < j)
        continue;
      T *here = X + i * a.x_row + j * a.x_column, *mirror = X + j * a.x_row + i * a.x_column;
      const T mean = lu_mean (*here, *mirror);
      *here = mean;
      if (i > j)
        *mirror = conj (mean);
    }
  }

  GLA_DEVICE double largest_sum (double norm) const
  {
    for (int c = 0; c < WIDTH; c++) {
      double sum = 0;
      for (int i = lane (); i < w.n; i += 32)
        sum += magnitude_of (Y.get (i, c));
      sum = lane_sum<32> (sum);
      norm = sum > norm || sum != sum ? sum : norm;
    }
    return norm;
  }

  GLA_DEVICE void invert (const lu_share &share) const
  {
    const bool with_norm = a.rcond != nullptr;
    const int begin = (share.number * slabs + warp ()) * WIDTH, step = share.of * slabs * WIDTH;
    double norm = 0;
    for (int first = begin; first < w.n && warp () < slabs; first += step) {
      load_identity (first);
      w.forward (Y, first);
      w.backward (Y);
      if (a.inverse)
        store_inverse (first);
      if (with_norm)
        norm = largest_sum (norm);
      __syncwarp ();
    }
    if (a.inverse && w.definite)
      make_hermitian ();
    if (!with_norm)
      return;
    norm = w.largest (norm);
    const bool good = w.finite && w.failed == 0;
    if (threadIdx.x == 0 && a.norms != nullptr)
      a.norms[page].inverse[share.number] = good ? norm : lu_filling<double> (false);
    else if (threadIdx.x == 0)
      a.rcond[page * a.rcond_stride] = (R)lu_rcond (w.norm, norm, w.finite, w.failed != 0);
  }
};

// Returns bytes of shared memory.
template <class T, int THREADS> inline size_t page_bytes_of (int n, int slabs)
{
  typedef wide<T> W;
  return (sizeof (lu_shared<W, THREADS>) + 15) / 16 * 16 +
         (size_t)(lu_doubles<W> (n, lu_rows (n)) + slabs * lu_doubles<W> (n, 8)) * sizeof (double);
}

// A block has a page, in a grid-stride loop over the pages; blockIdx.y divides the right-hand
// sides, or the work for the norm. The warps divide the matrix into tiles of 8 x 8.
template <class T, int THREADS>
__global__ void __launch_bounds__ (THREADS) lu_page_kernel (lu_args<T> a, int slabs)
{
  typedef wide<T> W;
  extern __shared__ __align__ (16) unsigned char space[];
  const int n = a.n, rows = lu_rows (n), ld = lu_stride (n);
  const int matrix = lu_doubles<W> (n, rows), slab = lu_doubles<W> (n, 8);
  page_lu<T, THREADS> w;
  w.s = reinterpret_cast<lu_shared<W, THREADS> *> (space);
  w.n = n;
  double *next = reinterpret_cast<double *> (space + (sizeof *w.s + 15) / 16 * 16);
  w.F = {next, ld, ld * rows};
  next += matrix;
  const int64_t end = lu_last_column (a);
  const lu_share share = lu_my_share (a);
  const int mine = (int)threadIdx.x / 32 < slabs ? threadIdx.x / 32 : 0;
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    if (a.pending && !lu_is_pending (a, page))
      continue;
    page_call<T, THREADS> call = {a, w, page, {next + mine * slab, ld, ld * 8}, slabs, end};
    w.load (a, page);
    w.factor ();
    if (w.definite && w.failed != 0) { // not definite after all
      w.load (a, page);
      w.definite = w.fixed = false;
      w.factor ();
    }
    if (!a.inverse) {
      w.find_rounded ();
      call.solve ();
    }
    if (share.of > 0 && (a.inverse || a.rcond != nullptr))
      call.invert (share);
    if (blockIdx.y == 0 && threadIdx.x == 0) {
      store_info (a, page, !w.finite ? n + 1 : -w.failed);
      lu_store_norm (a, page, w.finite ? w.norm : lu_filling<double> (false));
    }
    __syncthreads ();
  }
}

//------------------------------------------------------------------------------
// threads and shared memory of solve_page.cuh
//------------------------------------------------------------------------------

// Returns slabs of 8 columns: as many as there are warps, columns, and space for.
template <class T, int THREADS> int slabs_of (const lu_args<T> &a, size_t most)
{
  const int64_t columns = a.inverse || a.rcond != nullptr ? (a.rhs > a.n ? a.rhs : a.n) : a.rhs;
  int slabs = THREADS / 32;
  while (slabs > 1 && (slabs * 8 >= columns + 8 || page_bytes_of<T, THREADS> (a.n, slabs) > most))
    slabs--;
  return slabs;
}

template <class T, int THREADS>
cudaError_t lu_launch_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  static std::atomic<uint64_t> configured;
  const auto kernel = lu_page_kernel<T, THREADS>;
  const size_t most = block_shared_most ();
  const cudaError_t error = allow_cluster (kernel, most, &configured);
  if (error != cudaSuccess)
    return error;
  const int slabs = slabs_of<T, THREADS> (a, most);
  const int rounds = ((a.n + 7) / 8 + slabs - 1) / slabs;
  const dim3 grid ((unsigned)a.pages, a.norms != nullptr
                                          ? lu_blocks_of_page (a.pages, rounds, space)
                                          : lu_slices (a.n, a.rhs, a.inverse));
  kernel<<<grid, THREADS, page_bytes_of<T, THREADS> (a.n, slabs), stream>>> (a, slabs);
  return cudaGetLastError ();
}

// Whether this is faster than solve_panel.cuh, as measured on an H200, and the page and at least
// one slab fit into shared memory.
template <class T> bool lu_page_serves (int n, bool few)
{
  return n <= (few ? 56 : (int)LU_PAGE_MAX) && page_bytes_of<T, 256> (n, 1) <= block_shared_most ();
}

template <class T>
cudaError_t lu_page (const lu_args<T> &a, const lu_space &space, cudaStream_t stream)
{
  // measured; more threads if shared memory leaves fewer blocks to a multiprocessor
  if (a.n <= 56)
    return lu_launch_page<T, 64> (a, space, stream);
  if (a.n <= (is_complex_v<T> ? 72 : 112))
    return lu_launch_page<T, 128> (a, space, stream);
  return lu_launch_page<T, 256> (a, space, stream);
}

template bool lu_page_serves<T> (int, bool);
template cudaError_t lu_page<T> (const lu_args<T> &, const lu_space &, cudaStream_t);
