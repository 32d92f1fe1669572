// spmv_gpu.cc: sparse products with vectors that are gpuArrays
// SPDX-License-Identifier: GPL-3.0-or-later

#include "arrays/gpu_pages.h"
#include "spmv.h"

//------------------------------------------------------------------------------
// on a GPU
//------------------------------------------------------------------------------

template <typename Array>
static gla::gpu_pages<Array> multiply (gla::call &call, const gla::sparse_matrix &A,
                                       const gla::gpu_pages<Array> &X, const spmv_request &want)
{
  const dim_vector dims (want.out, X.columns ());
  if (X.numel () == 0) // the library has no such products on a GPU
    return gla::zero_pages<gla::gpu_pages<Array>> (dims);
  const gla::gpu_pages<Array> Y (dims);
  const gla_array x = gla::array_of (X), y = gla::array_of (Y);
  gla::wait_for_gpu (gla::gpu_of_call ());
  call.finish (gla_spmv (call.context (), A.get (), want.op, &x, &y, nullptr));
  return Y;
}

// Returns the real or imaginary parts of complex elements.
template <typename Cplx> static gla_nd parts_of (const gla::gpu_pages<Cplx> &X, bool imaginary)
{
  gla_nd parts = gla::nd_of (X.value ());
  const bool single = parts.type == 'c';
  parts.type = single ? 's' : 'd';
  for (int k = 0; k < parts.dims; k++)
    parts.step[k] *= 2;
  if (parts.data != nullptr && imaginary)
    parts.data = static_cast<char *> (parts.data) + (single ? sizeof (float) : sizeof (double));
  return parts;
}

// Returns the first or the second half of the columns.
template <typename Real> static gla_nd half_of (const gla::gpu_pages<Real> &X, bool second)
{
  const dim_vector half (X.rows (), X.columns () / 2);
  gla_nd columns = gla::nd_of (X.value (), half);
  if (columns.data != nullptr && second)
    columns.data = static_cast<typename Real::element_type *> (columns.data) + half.numel ();
  return columns;
}

// Multiplies a real matrix by complex vectors, as multiply_parts does for the host.
template <typename Real, typename Cplx>
static gla::gpu_pages<Cplx> multiply_by_parts (gla::call &call, const gla::sparse_matrix &A,
                                               const gla::gpu_pages<Cplx> &X,
                                               const spmv_request &want)
{
  const int device = gla::gpu_of_call ();
  const octave_idx_type columns = X.columns ();
  const gla::gpu_pages<Real> parts (dim_vector (X.rows (), 2 * columns));
  for (const bool k : {false, true})
    gla::elementwise (device, GLA_ND_COPY, half_of (parts, k), parts_of (X, k), nullptr);
  const gla::gpu_pages<Real> products = multiply (call, A, parts, want);
  const gla::gpu_pages<Cplx> Y (dim_vector (want.out, columns));
  for (const bool k : {false, true})
    gla::elementwise (device, GLA_ND_COPY, parts_of (Y, k), half_of (products, k), nullptr);
  return Y;
}

template <typename Real, typename Cplx>
static octave_value product_on_gpu (gla::call &call, const gla::sparse_matrix &A,
                                    const octave_value &x, const spmv_request &want)
{
  gla::gpu_pages<Real> re;
  gla::gpu_pages<Cplx> z;
  if (!gla_type_is_complex (want.type) && !x.iscomplex ()) {
    gla::read (x, re);
    return multiply (call, A, re, want);
  }
  gla::read (x, z);
  return gla_type_is_complex (want.type) ? multiply (call, A, z, want)
                                         : multiply_by_parts<Real> (call, A, z, want);
}

octave_value spmv_on_gpu (gla::call &call, const gla::sparse_matrix &A, const octave_value &x,
                          const spmv_request &want)
{
  gla::gpu_of_call () = gla::device_of ("spmv", ovl (x));
  return want.type == GLA_TYPE_S || want.type == GLA_TYPE_C
             ? product_on_gpu<FloatNDArray, FloatComplexNDArray> (call, A, x, want)
             : product_on_gpu<NDArray, ComplexNDArray> (call, A, x, want);
}

//------------------------------------------------------------------------------
// arguments
//------------------------------------------------------------------------------

bool spmv_is_on_gpu (const octave_value &x)
{
  return gla::is_gpu_array (x) && gla::gpu_value_of (x).on_gpu ();
}

void spmv_refuse_cpu (const octave_value &x, const octave_value &device)
{
  if (spmv_is_on_gpu (x) && gla::is_text (device) &&
      gla::lower_case (device.string_value ()) == "cpu")
    error_with_id ("gpulinalg:gather-needed",
                   "spmv: \"device\" is \"cpu\", but X is on a GPU; gather (X) copies it to the "
                   "host");
}

void spmv_refuse_rows (const octave_value &x)
{
  if (gla::is_gpu_array (x))
    error_with_id ("gpulinalg:gather-needed",
                   "spmv: with \"mpi\" X cannot be a gpuArray; gather (X) copies it to the host");
}
