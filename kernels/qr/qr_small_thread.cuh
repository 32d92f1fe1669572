// qr_small_thread.cuh: QR of a page in the registers of one thread, and what is made from it
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp has 32 neighbouring pages, each thread one, of at most M x N numbers; rows and columns
// beyond the page's are zeros. Where pages follow each other without gaps, the warp copies all 32
// together through shared memory, 16 bytes to a thread at a time; else each thread goes to
// global memory for its own. Columns go out as R when they are done, and the reflectors that are
// left in their place become Q in place.

#ifndef GPULINALG_QR_SMALL_THREAD_CUH
#define GPULINALG_QR_SMALL_THREAD_CUH

#include "common/runtime.cuh"
#include "qr_small_page.cuh"

// The places of 32 pages of `numbers` numbers in shared memory: without gaps if a page is no
// multiple of 16 bytes, else an odd number of 16 bytes apart, against bank conflicts.
template <class T> struct small_places {
  static constexpr int UNIT = 16 / (int)sizeof (T);
  int numbers, stride;
  __host__ __device__ explicit small_places (int numbers)
      : numbers (numbers), stride (numbers % UNIT != 0 ? numbers : (numbers / UNIT | 1) * UNIT)
  {
  }
};

template <class T>
__host__ __device__ inline bool is_packed (page_matrix<T> a, int rows, int columns)
{
  return (a.ld == rows || columns == 1) && a.page == (int64_t)rows * columns;
}

// `pages` pages without gaps, all lanes of a warp together, to or from shared memory.
template <class T, bool STORE>
GLA_DEVICE void move_pages (T *shared, T *global, small_places<T> places, int pages)
{
  constexpr int UNIT = small_places<T>::UNIT;
  int lane = threadIdx.x % 32;
  bool gaps = places.stride != places.numbers;
  bool units = reinterpret_cast<uintptr_t> (global) % 16 == 0 &&
               (gaps || places.numbers % UNIT == 0 || pages == 32);
  auto go = [&] (auto n) {
    constexpr int N = decltype (n)::value;
    typedef pack<T, N> unit;
    int size = gaps ? places.numbers / N : pages * places.numbers / N;
    int count = pages * places.numbers / N;
    walk w (size, lane, 32);
#pragma unroll 8
    for (int u = lane; u < count; u += 32) {
      unit *here = reinterpret_cast<unit *> (shared + w.column * places.stride + w.row * N);
      unit *there = reinterpret_cast<unit *> (global) + u;
      if constexpr (STORE)
        *there = *here;
      else
        async_copy (here, static_cast<const unit *> (there));
      w.next ();
    }
  };
  if (units)
    go (std::integral_constant<int, UNIT> ());
  else
    go (std::integral_constant<int, 1> ());
}

template <class T, int M, int N> struct thread_page {
  typedef real_t<T> R;
  static constexpr int K = M < N ? M : N;
  T a[N][M], factor[K];
  int exponent[N];
  bool scaled = false;

  GLA_DEVICE void load (const T *from, int64_t ld, int m, int n)
  {
#pragma unroll
    for (int j = 0; j < N; j++)
#pragma unroll
      for (int i = 0; i < M; i++)
        a[j][i] = i < m && j < n ? from[i + j * ld] : from_real<T> (0);
  }

  GLA_DEVICE void scale_columns ()
  {
    bool needed = false;
#pragma unroll
    for (int j = 0; j < N; j++) {
      magnitude size;
#pragma unroll
      for (int i = 0; i < M; i++)
        size.add (a[j][i]);
      needed = needed || size.template outside<R> ();
    }
    if (!needed)
      return;
    scaled = true;
#pragma unroll
    for (int j = 0; j < N; j++)
      exponent[j] = scale_one (a[j]);
  }
  static GLA_DEVICE int scale_one (T (&x)[M])
  {
    R most = 0;
#pragma unroll
    for (int i = 0; i < M; i++) {
      R size = absmax (x[i]);
      most = size > most || size != size ? size : most;
      most = most != most ? limits<R>::big * 2 : most;
    }
    int e = exponent_of (most);
    e = e >= small_range<R>::low && e <= small_range<R>::high ? 0 : e;
    power_of_two<R> down (-e);
    if (e != 0)
#pragma unroll
      for (int i = 0; i < M; i++)
        x[i] = down.times (x[i]);
    return e;
  }

  // Column j of R: rows 0 .. j with this entry there, zeros below.
  GLA_DEVICE void put_r (T *to, int64_t ld, int rows, int j, R diagonal, bool has_diagonal) const
  {
    power_of_two<R> up (scaled ? exponent[j] : 0);
#pragma unroll
    for (int i = 0; i < M; i++)
      if (i < rows) {
        T x = i < j ? a[j][i] : from_real<T> (i == j && has_diagonal ? diagonal : R (0));
        to[i + j * ld] = scaled && exponent[j] != 0 ? up.times (x) : x;
      }
  }

  // x := H_k' x or H_k x
  template <int k> GLA_DEVICE void apply (T (&x)[M], T factor) const
  {
    T w = from_real<T> (0);
#pragma unroll
    for (int i = k; i < M; i++)
      w = cmadd (a[k][i], x[i], w);
    w = -(factor * w);
#pragma unroll
    for (int i = k; i < M; i++)
      x[i] = madd (a[k][i], w, x[i]);
  }

  // Reflectors in place of A; R to where it belongs, if that is not NULL.
  GLA_DEVICE void factor_columns (int k, int n, T *to, int64_t ld, int rows)
  {
    static_up<K> ([&] (auto which) {
      constexpr int j = decltype (which)::value;
      if (j >= k)
        return;
      R squares = 0;
#pragma unroll
      for (int i = j + 1; i < M; i++)
        squares = add_square (a[j][i], squares);
      small_reflector<T> h (a[j][j], squares);
      if (to != nullptr)
        put_r (to, ld, rows, j, h.beta, true);
      a[j][j] = h.pivot;
      factor[j] = h.factor;
#pragma unroll
      for (int c = j + 1; c < N; c++)
        this->template apply<j> (a[c], h.factor);
    });
    static_up<N> ([&] (auto which) {
      constexpr int j = decltype (which)::value;
      if (j >= k && j < n && to != nullptr)
        put_r (to, ld, rows, j, 0, false);
    });
  }
  GLA_DEVICE static R add_square (R a, R sum)
  {
    return madd (a, a, sum);
  }
  GLA_DEVICE static R add_square (cx<R> a, R sum)
  {
    return madd (a.x, a.x, madd (a.y, a.y, sum));
  }

  // C = Q'B, column by column.
  GLA_DEVICE void make_c (T *to, int64_t ldc, int rows, const T *B, int64_t ldb, int m, int k,
                          int columns) const
  {
    for (int c = 0; c < columns; c++) {
      T x[M];
#pragma unroll
      for (int i = 0; i < M; i++)
        x[i] = i < m ? B[i + c * ldb] : from_real<T> (0);
      magnitude size;
#pragma unroll
      for (int i = 0; i < M; i++)
        size.add (x[i]);
      int e = size.template outside<R> () ? scale_one (x) : 0;
      static_up<K> ([&] (auto which) {
        constexpr int j = decltype (which)::value;
        if (j < k)
          this->template apply<j> (x, factor[j]);
      });
      power_of_two<R> up (e);
#pragma unroll
      for (int i = 0; i < M; i++)
        if (i < rows)
          to[i + c * ldc] = e != 0 ? up.times (x[i]) : x[i];
    }
  }

  // Column by column.
  GLA_DEVICE void make_wy (T *W, int64_t ldw, T *Y, int64_t ldy, int m, int k) const
  {
    static_up<K> ([&] (auto which) {
      constexpr int j = decltype (which)::value;
      if (j >= k)
        return;
      T x[M], to_y = y_factor (a[j][j]), to_w = w_factor (a[j][j], factor[j]);
#pragma unroll
      for (int i = 0; i < M; i++) {
        x[i] = i < j ? from_real<T> (0) : a[j][i] * to_w;
        if (i < m)
          Y[i + j * ldy] = i > j ? a[j][i] * to_y : from_real<T> (i == j ? R (1) : R (0));
      }
      static_down<j> ([&] (auto before) {
        constexpr int b = decltype (before)::value;
        this->template apply<b> (x, conj (factor[b]));
      });
#pragma unroll
      for (int i = 0; i < M; i++)
        if (i < m)
          W[i + j * ldw] = x[i];
    });
  }

  // The columns of a full Q behind the first k.
  GLA_DEVICE void more_of_q (T *to, int64_t ld, int m, int k, int columns) const
  {
    for (int c = k; c < columns; c++) {
      T x[M];
#pragma unroll
      for (int i = 0; i < M; i++)
        x[i] = from_real<T> (i == c ? R (1) : R (0));
      static_down<K> ([&] (auto which) {
        constexpr int j = decltype (which)::value;
        if (j < k)
          this->template apply<j> (x, conj (factor[j]));
      });
#pragma unroll
      for (int i = 0; i < M; i++)
        if (i < m)
          to[i + c * ld] = x[i];
    }
  }

  // The first k columns of Q in place of the reflectors.
  GLA_DEVICE void form_q (int k)
  {
    static_down<K> ([&] (auto which) {
      constexpr int j = decltype (which)::value;
      if (j >= k)
        return;
      T pivot = a[j][j], back = conj (factor[j]);
#pragma unroll
      for (int c = j + 1; c < K; c++) {
        T w = from_real<T> (0);
#pragma unroll
        for (int i = j + 1; i < M; i++)
          w = cmadd (a[j][i], a[c][i], w);
        w = -(back * w);
        a[c][j] = pivot * w;
#pragma unroll
        for (int i = j + 1; i < M; i++)
          a[c][i] = madd (a[j][i], w, a[c][i]);
      }
      T w = -(back * conj (pivot));
      a[j][j] = madd (pivot, w, from_real<T> (1));
#pragma unroll
      for (int i = 0; i < M; i++)
        if (i < j)
          a[j][i] = from_real<T> (0);
        else if (i > j)
          a[j][i] = a[j][i] * w;
    });
  }
  GLA_DEVICE void put_q (T *to, int64_t ld, int m, int columns) const
  {
#pragma unroll
    for (int j = 0; j < K; j++)
#pragma unroll
      for (int i = 0; i < M; i++)
        if (i < m && j < columns)
          to[i + j * ld] = a[j][i];
  }
};

// Warps of a block, each for itself.
enum { SMALL_THREAD_WARPS = 2 };

template <class T> size_t qr_small_thread_memory (const qr_small_args<T> &a)
{
  int a_stride = small_places<T> (a.m * a.n).stride, r_stride = small_places<T> (a.k * a.n).stride;
  return 32 * sizeof (T) * (size_t)(a_stride > r_stride ? a_stride : r_stride);
}

// A thread has a page, in registers; a warp moves its 32 pages through shared memory.
template <class T, int M, int N>
__global__ void __launch_bounds__ (32 * SMALL_THREAD_WARPS)
    qr_small_thread_kernel (const qr_small_args<T> p, int memory)
{
  extern __shared__ __align__ (16) char qr_small_memory[];
  T *shared = reinterpret_cast<T *> (qr_small_memory + threadIdx.x / 32 * memory);
  int64_t first = ((int64_t)blockIdx.x * SMALL_THREAD_WARPS + threadIdx.x / 32) * 32;
  if (first >= p.pages)
    return;
  int pages = p.pages - first < 32 ? (int)(p.pages - first) : 32, lane = threadIdx.x % 32;
  bool live = lane < pages;
  int64_t page = first + (live ? lane : pages - 1);
  int own = (int)(page - first);
  thread_page<T, M, N> t;

  small_places<T> places (p.m * p.n);
  if (is_packed (p.A, p.m, p.n)) {
    move_pages<T, false> (shared, const_cast<T *> (p.A.data) + first * p.A.page, places, pages);
    async_wait_all ();
    __syncwarp ();
    t.load (shared + own * places.stride, p.m, p.m, p.n);
    __syncwarp ();
  } else
    t.load (p.A.data + page * p.A.page, p.A.ld, p.m, p.n);
  t.scale_columns ();

  bool together = p.R.data != nullptr && p.r_rows == p.k && is_packed (p.R, p.k, p.n);
  places = small_places<T> (p.k * p.n);
  T *R = together ? shared + lane * places.stride : live ? p.R.data + page * p.R.page : nullptr;
  R = p.R.data != nullptr ? R : nullptr;
  t.factor_columns (p.k, p.n, R, together ? p.k : p.R.ld, together ? p.k : p.r_rows);
  if (together) {
    __syncwarp ();
    move_pages<T, true> (shared, p.R.data + first * p.R.page, places, pages);
    __syncwarp ();
  }
  if (live && p.rhs > 0)
    t.make_c (p.C.data + page * p.C.page, p.C.ld, p.c_rows, p.B.data + page * p.B.page, p.B.ld, p.m,
              p.k, p.rhs);
  if (live && p.W.data != nullptr)
    t.make_wy (p.W.data + page * p.W.page, p.W.ld, p.Y.data + page * p.Y.page, p.Y.ld, p.m, p.k);
  if (p.Q.data == nullptr)
    return;
  if (live && p.q_columns > p.k)
    t.more_of_q (p.Q.data + page * p.Q.page, p.Q.ld, p.m, p.k, p.q_columns);
  t.form_q (p.k);
  if (p.q_columns == p.k && is_packed (p.Q, p.m, p.k)) {
    places = small_places<T> (p.m * p.k);
    t.put_q (shared + lane * places.stride, p.m, p.m, p.k);
    __syncwarp ();
    move_pages<T, true> (shared, p.Q.data + first * p.Q.page, places, pages);
  } else if (live)
    t.put_q (p.Q.data + page * p.Q.page, p.Q.ld, p.m, p.k);
}

template <class T, int M, int N>
cudaError_t qr_small_thread_launch (const qr_small_args<T> &a, cudaStream_t stream)
{
  auto kernel = qr_small_thread_kernel<T, M, N>;
  size_t memory = qr_small_thread_memory (a);
  cudaError_t error = allow_shared (kernel, memory * SMALL_THREAD_WARPS);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute (kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  if (error != cudaSuccess)
    return error;
  int64_t warps = (a.pages + 31) / 32,
          blocks = (warps + SMALL_THREAD_WARPS - 1) / SMALL_THREAD_WARPS;
  kernel<<<(unsigned)blocks, 32 * SMALL_THREAD_WARPS, memory * SMALL_THREAD_WARPS, stream>>> (
      a, (int)memory);
  return cudaGetLastError ();
}

#endif
