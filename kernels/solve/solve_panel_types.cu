// solve_panel_types.cu: pages of orders up to 256, of one type: right-hand sides and inverses, and
// the launch
// SPDX-License-Identifier: GPL-3.0-or-later

#include "solve_panel_factor.cuh"
#include "common/type.cuh"

//------------------------------------------------------------------------------
// right-hand sides and inverses of the pages of solve_panel.cuh
//------------------------------------------------------------------------------

// One page that is factored. Right-hand sides are in panels, as the page was.
template <class T, int COLUMNS> struct panel_call {
  typedef wide<T> W;
  typedef real_t<T> real;
  typedef panel_page<T, COLUMNS> factored;
  typedef typename factored::panel panel;
  static constexpr int R = factored::R;
  const lu_args<T> &a;
  factored &w;
  int64_t page;
  int64_t end; // columns of B up to `end` are solved for

  //----------------------------------------------------------------------------
  // right-hand sides
  //----------------------------------------------------------------------------

  template <class E, int WIDTH>
  GLA_DEVICE void load (lu_panel<W, R, WIDTH> &x, const E *B, int64_t first) const
  {
    const double down = times_power (1.0, -w.exponent);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < WIDTH; c++) {
        W y = from_real<W> (0);
        if (w.row (r) < w.n && first + c < end) {
          const E b = B[w.row (r) * a.b_row + (first + c) * a.b_column];
          if constexpr (is_complex_v<E>)
            y = widen (b);
          else
            y = from_real<W> ((double)b);
        }
        x.x[r][c] = w.exponent == 0 ? y : scale (down, y);
      }
  }

  // Stores x as columns `first` .. of X; those of an inverse are that of row order[first] ...
  template <int WIDTH> GLA_DEVICE void store (const lu_panel<W, R, WIDTH> &x, int64_t first) const
  {
    const bool good = w.good ();
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (w.pivot[r] == factored::NO_ROW)
        continue;
      T *to = a.X + page * a.x_page + (good ? w.pivot[r] : w.row (r)) * a.x_row;
#pragma unroll
      for (int c = 0; c < WIDTH; c++)
        if (first + c < end) {
          const int64_t column = a.inverse ? w.s->order[first + c] : first + c;
          to[column * a.x_column] = good ? narrow<T> (x.x[r][c]) : w.filling (a.inverse);
        }
    }
  }

  template <int WIDTH> GLA_DEVICE void solve_for (int64_t first) const
  {
    panel_factors<T, COLUMNS> factors = {w};
    lu_panel<W, R, WIDTH> x;
    if (is_complex_v<T> && a.b_real) {
      const page_operand<real> B = {reinterpret_cast<const real *> (a.B.data), a.B.ld, a.B.page,
                                    a.B.index};
      load (x, B.at (page), first);
    } else
      load (x, a.B.at (page), first);
    if (w.good ()) {
      factors.forward (x, 0, w.n);
      factors.backward (x);
    }
    store (x, first);
  }

  GLA_DEVICE void solve () const
  {
    int64_t first = blockIdx.y * a.slice;
    for (; end - first > LU_FEW; first += COLUMNS)
      solve_for<COLUMNS> (first);
    if (first < end)
      solve_for<LU_FEW> (first);
  }

  //----------------------------------------------------------------------------
  // inverses
  //----------------------------------------------------------------------------

  // Loads columns of the identity in the order of pivots, so that substitution can begin at
  // `first`.
  GLA_DEVICE void load_identity (panel &x, int first) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < COLUMNS; c++)
        x.x[r][c] = from_real<W> (w.pivot[r] == first + c ? 1 : 0);
  }

  // Takes the mean of the inverse of a definite page and its adjoint. Mirroring one triangle would
  // not do: the triangles differ by the condition number times rounding errors.
  GLA_DEVICE void make_hermitian () const
  {
    __syncthreads ();
    T *X = a.X + page * a.x_page;
    for (int j = 0; j < w.n; j++)
      for (int i = j + threadIdx.x; i < w.n; i += blockDim.x) {
        T *here = X + i * a.x_row + j * a.x_column, *mirror = X + j * a.x_row + i * a.x_column;
        const T mean = lu_mean (*here, *mirror);
        *here = mean;
        if (i > j)
          *mirror = conj (mean);
      }
  }

  GLA_DEVICE void invert (const lu_share &share) const
  {
    panel_factors<T, COLUMNS> factors = {w};
    const bool with_norm = a.rcond != nullptr;
    double norm = 0;
    for (int first = share.number * COLUMNS; first < w.n; first += share.of * COLUMNS) {
      panel x;
      load_identity (x, first);
      if (w.good ()) {
        factors.forward (x, first, w.n);
        factors.backward (x);
      }
      if (with_norm)
        norm = w.column_sums (x, norm);
      if (!a.inverse)
        continue;
      if (w.exponent != 0) {
        const double down = times_power (1.0, -w.exponent);
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int c = 0; c < COLUMNS; c++)
            x.x[r][c] = scale (down, x.x[r][c]);
      }
      store (x, first);
    }
    if (a.inverse && w.definite)
      make_hermitian ();
    if (!with_norm)
      return;
    norm = w.largest (norm);
    if (threadIdx.x == 0 && a.norms != nullptr)
      a.norms[page].inverse[share.number] = w.good () ? norm : lu_filling<double> (false);
    else if (threadIdx.x == 0)
      a.rcond[page * a.rcond_stride] = (real)lu_rcond (w.norm, norm, w.finite, w.failed != 0);
  }
};

// Blocks (x, y) have pages x, x + gridDim.x, ..., and of systems the columns of slice y, or what
// solve.cuh says. Each has space for the factors of a page in `work`.
template <class T, int COLUMNS>
__global__ void __launch_bounds__ (lu_panel_threads<T, COLUMNS> (LU_PANEL_MAX), COLUMNS > 16 ? 1
                                                                                : is_complex_v<T>
                                                                                    ? 2
                                                                                    : 3)
    lu_panel_kernel (lu_args<T> a, double *work, int64_t work_of_block)
{
  typedef wide<T> W;
  __shared__ lu_panel_shared<W, COLUMNS> shared;
  panel_page<T, COLUMNS> w;
  w.s = &shared;
  w.n = a.n;
  w.ld = lu_panel_stride (a.n);
  const int64_t block = blockIdx.y * gridDim.x + blockIdx.x;
  w.F = reinterpret_cast<W *> (work + block * work_of_block);
  const int64_t end = lu_last_column (a);
  const lu_share share = lu_my_share (a);
  for (int64_t page = blockIdx.x; page < a.pages; page += gridDim.x) {
    if (a.pending && !lu_is_pending (a, page))
      continue;
    panel_call<T, COLUMNS> call = {a, w, page, a.inverse ? a.n : end};
    w.open (a, page);
    panel_factors<T, COLUMNS> factors = {w};
    factors.find (a.rcond != nullptr && blockIdx.y == 0);
    if (!a.inverse) {
      factors.find_rounded ();
      call.solve ();
    }
    if (share.of > 0 && (a.inverse || a.rcond != nullptr))
      call.invert (share);
    if (blockIdx.y == 0 && threadIdx.x == 0) {
      store_info (a, page, !w.finite ? a.n + 1 : -w.failed);
      lu_store_norm (a, page, w.finite ? w.norm : lu_filling<double> (false));
    }
    __syncthreads ();
  }
}

//------------------------------------------------------------------------------
// threads and work space of solve_panel.cuh
//------------------------------------------------------------------------------

// Whether panels have 16 columns or 32. Measured on an H200: narrow ones need fewer registers, so
// more blocks are on a multiprocessor, and read the factors twice as often.
template <class T> bool lu_panels_narrow (int n, bool few)
{
  if (is_complex_v<T>)
    return few || (n > 144 && n <= 176);
  return n <= 224 && (few || n > 144);
}

template <class T, int COLUMNS> int lu_crowd_of (int n)
{
  int blocks = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &blocks, lu_panel_kernel<T, COLUMNS>, lu_panel_threads<T, COLUMNS> (n), 0);
  return error == cudaSuccess && blocks > 0 ? blocks : 1;
}
template <class T> int lu_panel_crowd (int n, bool few)
{
  return lu_panels_narrow<T> (n, few) ? lu_crowd_of<T, 16> (n) : lu_crowd_of<T, 32> (n);
}

template <class T>
cudaError_t lu_panels (const lu_args<T> &all, bool few, const lu_space &space, cudaStream_t stream)
{
  lu_args<T> a = all;
  unsigned slices = lu_slices (a.n, a.rhs, a.inverse);
  const bool narrow = lu_panels_narrow<T> (a.n, few);
  if (a.norms != nullptr)
    slices = lu_blocks_of_page (a.pages, narrow ? (a.n + 15) / 16 : (a.n + 31) / 32, space);
  else if (slices > (unsigned)space.blocks) { // each block needs its own work space
    a.slice = (a.rhs + space.blocks - 1) / space.blocks;
    slices = (unsigned)((a.rhs + a.slice - 1) / a.slice);
  }
  const int64_t pages = space.blocks / slices;
  const dim3 grid ((unsigned)(a.pages < pages ? a.pages : pages), slices);
  if (narrow)
    lu_panel_kernel<T, 16>
        <<<grid, lu_panel_threads<T, 16> (a.n), 0, stream>>> (a, space.data, space.each);
  else
    lu_panel_kernel<T, 32>
        <<<grid, lu_panel_threads<T, 32> (a.n), 0, stream>>> (a, space.data, space.each);
  return cudaGetLastError ();
}

template int lu_panel_crowd<T> (int, bool);
template cudaError_t lu_panels<T> (const lu_args<T> &, bool, const lu_space &, cudaStream_t);
