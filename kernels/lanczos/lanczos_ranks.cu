// lanczos_ranks.cu: a Krylov job whose rows are spread over ranks, each with one GPU
// SPDX-License-Identifier: GPL-3.0-or-later

#include "lanczos_ranks.cuh"
#include "common/pages.cuh"
#include "common/runtime.cuh"
#include "rank_link.h"

#include <cstdlib>
#include <cstring>

//------------------------------------------------------------------------------
// open and close
//------------------------------------------------------------------------------

// Never stops: the request to stop comes with the sums.
static int poll_never (void *, int64_t)
{
  return 0;
}

template <class T> void krylov_ranks<T>::carve_more (carver &c)
{
  x = c.take<T> (alone () ? 0 : swap->ranks.reach * this->b);
  out = c.take<T> (swap->gives * this->b);
  given = c.take<int64_t> (swap->gives + 1);
}

template <class T>
gla_status krylov_ranks<T>::open (cuda_engine *engine, const gla_krylov_job *krylov_job)
{
  gla_krylov_job job = *krylov_job;
  swap = gla_krylov_swap_of (krylov_job);
  direct = swap->link != nullptr ? LINK_UNKNOWN : 0;
  job.apply = nullptr;
  job.monitor = {poll_never, nullptr};
  engine->monitor = job.monitor;
  GLA_TRY (krylov_of<T>::begin (engine, &job));
  this->place.before = swap->ranks.before;
  this->place.order = swap->ranks.order;
  sums = static_cast<double *> (
      malloc ((size_t)((this->blocks + 2) * this->square ()) * sizeof (double)));
  if (sums == nullptr)
    return GLA_ERROR_OUT_OF_MEMORY;
  carver counting = {nullptr, 0};
  carve_more (counting);
  const gla_status status =
      engine_status (cudaMalloc (reinterpret_cast<void **> (&more), counting.used));
  if (status != GLA_OK) {
    more = nullptr;
    return status;
  }
  carver c = {more, 0};
  carve_more (c);
  if (swap->gives > 0)
    GLA_TRY (copy_to_device (given, swap->given, (size_t)swap->gives * sizeof *given,
                             this->place.stream));
  return krylov_of<T>::wait ();
}

template <class T> krylov_ranks<T>::~krylov_ranks ()
{
  if (more != nullptr) {
    cudaStreamSynchronize (this->place.stream);
    cudaFree (more);
    cudaGetLastError ();
  }
  free (sums);
}

//------------------------------------------------------------------------------
// what a rank does with its own rows
//------------------------------------------------------------------------------

template <class T> gla_status krylov_ranks<T>::put (int64_t first, int64_t count, const void *from)
{
  if (this->n > 0)
    attempt ([&] () { return krylov_of<T>::put (first, count, from); });
  return GLA_OK;
}

// The others do not wait for this any more.
template <class T> gla_status krylov_ranks<T>::get (int64_t first, int64_t count, void *to)
{
  return this->n > 0 && own == GLA_OK ? krylov_of<T>::get (first, count, to) : GLA_OK;
}

template <class T>
gla_status krylov_ranks<T>::update (int64_t from, int64_t count, int64_t W, const double *factor,
                                    const double *C)
{
  attempt ([&] () { return krylov_of<T>::update (from, count, W, factor, C); });
  return GLA_OK;
}

template <class T>
gla_status krylov_ranks<T>::triangle (const double *G, const double *products, double *R,
                                      double *inverse, int step)
{
  attempt ([&] () { return krylov_of<T>::triangle (G, products, R, inverse, step); });
  return GLA_OK;
}

template <class T>
gla_status krylov_ranks<T>::random_column (int64_t c, int i, uint64_t column_seed)
{
  attempt ([&] () { return krylov_of<T>::random_column (c, i, column_seed); });
  return GLA_OK;
}

template <class T> gla_status krylov_ranks<T>::turn (int64_t count, int64_t keep)
{
  attempt ([&] () { return krylov_of<T>::turn (count, keep); });
  return GLA_OK;
}

template <class T> gla_status krylov_ranks<T>::to_device (void *to, const void *from, size_t bytes)
{
  if (to == summed)
    summed = nullptr;
  attempt ([&] () { return krylov_of<T>::to_device (to, from, bytes); });
  return GLA_OK;
}

// Takes sums from the host: decisions that follow from them are the same on all ranks.
template <class T>
gla_status krylov_ranks<T>::from_device (void *to, const void *from, size_t bytes)
{
  if (from == summed && bytes <= (size_t)summed_count * sizeof (double)) {
    memcpy (to, sums, bytes);
    return GLA_OK;
  }
  memset (to, 0, bytes);
  attempt ([&] () { return krylov_of<T>::from_device (to, from, bytes); });
  return GLA_OK;
}

template <class T> gla_status krylov_ranks<T>::wait ()
{
  attempt ([&] () { return krylov_of<T>::wait (); });
  return GLA_OK;
}

//------------------------------------------------------------------------------
// products
//------------------------------------------------------------------------------

namespace
{

// Copies rows given[0..] of a block to contiguous memory; a thread has an element.
template <class T>
__global__ void __launch_bounds__ (256)
    gather_kernel (const T *block, const int64_t *given, int64_t elements, int b, T *out)
{
  const int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i < elements)
    out[i] = block[given[i / b] * b + i % b];
}

} // namespace

// Returns contiguous elements on the host.
template <class T> static gla_array elements_of (gla_type type, void *data, int64_t count)
{
  return gla_array_packed (data, type, count, 1, 1, GLA_DEVICE_HOST);
}

template <class T> gla_status krylov_ranks<T>::gather_rows (int64_t from)
{
  const int64_t elements = swap->gives * this->b;
  if (elements == 0)
    return GLA_OK;
  gather_kernel<T><<<(unsigned)((elements + 255) / 256), 256, 0, this->place.stream>>> (
      this->vector (from), given, elements, this->b, out);
  return engine_status (cudaGetLastError ());
}

template <class T> gla_status krylov_ranks<T>::send_rows (int64_t from)
{
  GLA_TRY (gather_rows (from));
  const gla_array to = elements_of<T> (this->job.type, swap->out, swap->gives * this->b);
  return swap->gives > 0 ? engine_download (this->e, 0, &to, out) : GLA_OK;
}

// Copies the rows of this rank to x.
template <class T> gla_status krylov_ranks<T>::own_rows (int64_t from)
{
  const int64_t elements = this->n * this->b;
  return elements == 0
             ? GLA_OK
             : engine_status (copy_on_device (x + swap->left * this->b, this->vector (from),
                                              (size_t)elements * sizeof (T), this->place.stream));
}

// Completes x: the rows of lower ranks, those of this one, and those of higher ranks.
template <class T> gla_status krylov_ranks<T>::take_rows (int64_t from)
{
  const int64_t before = swap->left * this->b, behind = (swap->takes - swap->left) * this->b;
  T *in = static_cast<T *> (swap->in);
  GLA_TRY (own_rows (from));
  if (before > 0) {
    const gla_array rows = elements_of<T> (this->job.type, in, before);
    GLA_TRY (engine_upload (this->e, 0, x, &rows));
  }
  if (behind > 0) {
    const gla_array rows = elements_of<T> (this->job.type, in + before, behind);
    GLA_TRY (engine_upload (this->e, 0, x + before + this->n * this->b, &rows));
  }
  return GLA_OK;
}

template <class T> gla_status krylov_ranks<T>::multiply_rows (int64_t from, int64_t to)
{
  if (this->n == 0)
    return GLA_OK;
  if (!alone () && !direct)
    GLA_TRY (take_rows (from));
  return engine_status (spmv_multiply (*spmv_matrix_of (this->job.sparse), this->job.conjugate != 0,
                                       alone () ? this->vector (from) : x, this->vector (to),
                                       this->b, this->place.stream));
}

template <class T> gla_status krylov_ranks<T>::exchange_rows (int64_t from)
{
  if (!alone ())
    GLA_TRY (own_rows (from));
  const gla_link_rows rows = {swap->give, swap->take, out,
                              x,          this->n,    this->b * (int64_t)sizeof (T)};
  return rank_link_exchange (swap->link, &rows, this->place.stream);
}

// A rank whose GPU has failed cannot take part in an exchange, and NCCL would wait for it. So all
// tell each other by a sum that they have come so far.
template <class T> gla_status krylov_ranks<T>::multiply_direct (int64_t from, int64_t to)
{
  double none = 0;
  attempt ([&] () { return gather_rows (from); });
  if (swap->ranks.add (swap->ranks.user, &none, 1))
    return GLA_ERROR_STOPPED;
  attempt ([&] () { return exchange_rows (from); });
  swap->count (swap->ranks.user, this->b);
  attempt ([&] () { return multiply_rows (from, to); });
  return GLA_OK;
}

template <class T> gla_status krylov_ranks<T>::multiply (int64_t from, int64_t to)
{
  if (direct == LINK_UNKNOWN)
    direct = rank_link_begin (swap->link, this->e->base.device, swap->ranks.add, swap->ranks.user);
  if (direct < 0)
    return GLA_ERROR_STOPPED;
  if (direct > 0)
    return multiply_direct (from, to);
  attempt ([&] () { return send_rows (from); });
  swap->swap (swap->ranks.user, this->b);
  attempt ([&] () { return multiply_rows (from, to); });
  return GLA_OK;
}

//------------------------------------------------------------------------------
// sums over all ranks
//------------------------------------------------------------------------------

template <class T>
gla_status krylov_ranks<T>::sum_rows (int64_t count, int64_t W, const double *factor, double *C)
{
  if (this->n == 0)
    return GLA_OK;
  GLA_TRY (krylov_of<T>::project (count, W, factor, C));
  return krylov_of<T>::from_device (sums, C, (size_t)summed_count * sizeof (double));
}

template <class T>
gla_status krylov_ranks<T>::project (int64_t count, int64_t W, const double *factor, double *C)
{
  summed = nullptr;
  summed_count = (count + 1) * this->square ();
  memset (sums, 0, (size_t)summed_count * sizeof (double));
  attempt ([&] () { return sum_rows (count, W, factor, C); });
  if (swap->ranks.add (swap->ranks.user, sums, summed_count))
    return GLA_ERROR_STOPPED;
  // an exchange was given up, and no other rank has reported why
  if (direct == 1 && swap->link->late)
    attempt ([] () { return GLA_ERROR_RANK_LOST; });
  to_device (C, sums, (size_t)summed_count * sizeof (double));
  summed = C;
  return GLA_OK;
}

// GPUs of one kind see a vanishing direction in the same step. If one does not, all ranks return an
// error, since otherwise ranks would wait for each other.
template <class T> gla_status krylov_ranks<T>::read_flags (krylov_flags *flags)
{
  from_device (flags, this->place.flags, sizeof *flags);
  const double failed = flags->failed;
  double x[3] = {failed, failed * failed, 1};
  if (swap->ranks.add (swap->ranks.user, x, 3))
    return GLA_ERROR_STOPPED;
  return x[0] * x[0] == x[1] * x[2] ? GLA_OK : GLA_ERROR_DEVICE_FAILURE;
}

template struct krylov_ranks<float>;
template struct krylov_ranks<double>;
template struct krylov_ranks<cx<float>>;
template struct krylov_ranks<cx<double>>;
