// spmv.h: the request of a product, and the product without a plan
// SPDX-License-Identifier: GPL-3.0-or-later

#ifndef GPULINALG_SPMV_H
#define GPULINALG_SPMV_H

#include "arrays/gpu_value.h"
#include "plan_value.h"

struct spmv_request {
  char op;             // 'N', 'T' or 'C'
  octave_idx_type out; // rows of the result
  gla_type type;       // of the prepared matrix
  bool single;         // the class of the result
};

// A real matrix of m rows times complex vectors: their real and imaginary parts are twice as many
// real vectors, which `multiply` multiplies.
template <typename Real, typename Cplx, typename Multiply>
Cplx multiply_parts (const Cplx &X, octave_idx_type m, Multiply multiply)
{
  typedef typename Cplx::element_type C;
  octave_idx_type n = X.dims () (0), b = X.dims () (1);
  Real parts = gla::unfilled<Real> (dim_vector (n, 2 * b));
  const C *x = X.data ();
  auto *p = parts.fortran_vec ();
  for (octave_idx_type k = 0; k < n * b; k++) {
    p[k] = x[k].real ();
    p[n * b + k] = x[k].imag ();
  }
  Real products = multiply (parts);
  const auto *re = products.data (), *im = re + m * b;
  Cplx Y = gla::unfilled<Cplx> (dim_vector (m, b));
  C *y = Y.fortran_vec ();
  for (octave_idx_type k = 0; k < m * b; k++)
    y[k] = C (re[k], im[k]);
  return Y;
}

// Returns op(A)*x on the CPU, by the columns of Octave's sparse matrix A; nothing is prepared.
// Without a call (NULL) the product does not react to Ctrl-C.
octave_value spmv_direct (gla::call *call, const octave_value &A, const octave_value &x,
                          const spmv_request &want);

// Does the same for a gpuArray x on a GPU, with a prepared matrix there.
octave_value spmv_on_gpu (gla::call &call, const gla::sparse_matrix &A, const octave_value &x,
                          const spmv_request &want);
bool spmv_is_on_gpu (const octave_value &x);
// Both end with gpulinalg:gather-needed: if x is on a GPU, and the option "device" is "cpu"; if x
// is a gpuArray.
void spmv_refuse_cpu (const octave_value &x, const octave_value &device);
void spmv_refuse_rows (const octave_value &x);
// Returns multiply (x), the product of A and x; if x is a gpuArray on the host, multiply gets its
// elements, and the result is a gpuArray.
template <typename Multiply>
octave_value spmv_gathered (const octave_value &A, const octave_value &x, Multiply multiply)
{
  if (!gla::is_gpu_array (x) || spmv_is_on_gpu (x))
    return multiply (x);
  return gla::value_of (
      gla::gpu_value (multiply (gla::gathered (x)), A.iscomplex () || x.iscomplex ()));
}

// Ends with an error unless X has the class and shape of the vectors of a product.
void spmv_check_vectors (const octave_value &X);
// Reads and checks all arguments of spmv_plan.
void spmv_plan_arguments (const octave_value_list &args, int nargout, octave_value &A,
                          octave_value &device, gla::sparse_matrix::settings &how);
// Returns 'N', 'T' or 'C', of the flags "transpose" and "ctranspose".
char spmv_op (const gla::options &opts);

#endif
