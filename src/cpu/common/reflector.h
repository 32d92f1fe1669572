// qr_reflector_template.h: Householder's formulas for one reflector
// SPDX-License-Identifier: GPL-3.0-or-later

// H = I - tau [1; x*inv] [1; x*inv]' with H' [alpha; x] = [beta; 0], as LAPACK's larfg.
typedef struct {
  GLA_REAL beta;
  N (el) tau, inv;
} N (reflector);

// Sums of squares below this have lost digits to underflow.
#define GLA_QR_SMALL (GLA_TINY / GLA_EPS / GLA_EPS)

static N (reflector) N (no_reflector) (N (el) alpha)
{
  return (N (reflector)){__real__ alpha, N (make) (0, 0), N (make) (0, 0)};
}

// sum: |x|^2
static N (reflector) N (reflect) (N (el) alpha, GLA_REAL sum)
{
  N (reflector) h;
  h.beta = -(GLA_REAL)copysign (GLA_SQRT (N (el_abs2) (alpha) + sum), __real__ alpha);
  h.tau = N (make) ((h.beta - __real__ alpha) / h.beta, -__imag__ alpha / h.beta);
  h.inv = N (el_inverse) (N (make) (__real__ alpha - h.beta, __imag__ alpha));
  return h;
}
