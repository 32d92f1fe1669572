// blas.h: the BLAS and LAPACK routines that the CPU backend calls
// SPDX-License-Identifier: GPL-3.0-or-later
//
// They are declared here because not every Octave installs a header of theirs. The integer is that
// of the BLAS which Octave was built with: configure defines GLA_BLAS_INT if it is not int. Complex
// arrays are passed as pointers to their real parts. The size_t arguments at the end are the hidden
// lengths of the character arguments.

#ifndef GPULINALG_BLAS_H
#define GPULINALG_BLAS_H

#include "threads/blas_gate.h"

#include <stddef.h>
#include <stdint.h>

#ifndef GLA_BLAS_INT
#define GLA_BLAS_INT int
#endif
typedef GLA_BLAS_INT gla_blas_int;

// One set of declarations per type, with R the real type of LAPACK's scalars. Products of matrices.
#define GLA_BLAS_DECLARE(GEMM, R)                                                                  \
  void GEMM (const char *transa, const char *transb, const gla_blas_int *m, const gla_blas_int *n, \
             const gla_blas_int *k, const R *alpha, const R *a, const gla_blas_int *lda,           \
             const R *b, const gla_blas_int *ldb, const R *beta, R *c, const gla_blas_int *ldc,    \
             size_t, size_t);

GLA_BLAS_DECLARE (sgemm_, float)
GLA_BLAS_DECLARE (dgemm_, double)
GLA_BLAS_DECLARE (cgemm_, float)
GLA_BLAS_DECLARE (zgemm_, double)
#undef GLA_BLAS_DECLARE

// A += alpha V W^H + conj (alpha) W V^H in one triangle; beta is real.
#define GLA_BLAS_DECLARE(HER2K, R)                                                                 \
  void HER2K (const char *uplo, const char *trans, const gla_blas_int *n, const gla_blas_int *k,   \
              const R *alpha, const R *v, const gla_blas_int *ldv, const R *w,                     \
              const gla_blas_int *ldw, const R *beta, R *a, const gla_blas_int *lda, size_t,       \
              size_t);

GLA_BLAS_DECLARE (ssyr2k_, float)
GLA_BLAS_DECLARE (dsyr2k_, double)
GLA_BLAS_DECLARE (cher2k_, float)
GLA_BLAS_DECLARE (zher2k_, double)
#undef GLA_BLAS_DECLARE

// Products with a vector.
#define GLA_BLAS_DECLARE(GEMV, R)                                                                  \
  void GEMV (const char *trans, const gla_blas_int *m, const gla_blas_int *n, const R *alpha,      \
             const R *a, const gla_blas_int *lda, const R *x, const gla_blas_int *incx,            \
             const R *beta, R *y, const gla_blas_int *incy, size_t);

GLA_BLAS_DECLARE (sgemv_, float)
GLA_BLAS_DECLARE (dgemv_, double)
GLA_BLAS_DECLARE (cgemv_, float)
GLA_BLAS_DECLARE (zgemv_, double)
#undef GLA_BLAS_DECLARE

// Products of a symmetric matrix with a vector.
#define GLA_BLAS_DECLARE(SYMV, R)                                                                  \
  void SYMV (const char *uplo, const gla_blas_int *n, const R *alpha, const R *a,                  \
             const gla_blas_int *lda, const R *x, const gla_blas_int *incx, const R *beta, R *y,   \
             const gla_blas_int *incy, size_t);

GLA_BLAS_DECLARE (ssymv_, float)
GLA_BLAS_DECLARE (dsymv_, double)
#undef GLA_BLAS_DECLARE

// Products with triangles, and what solves with them.
#define GLA_BLAS_DECLARE(TRMM, TRSM, R)                                                            \
  void TRMM (const char *side, const char *uplo, const char *trans, const char *diag,              \
             const gla_blas_int *m, const gla_blas_int *n, const R *alpha, const R *a,             \
             const gla_blas_int *lda, R *b, const gla_blas_int *ldb, size_t, size_t, size_t,       \
             size_t);                                                                              \
  void TRSM (const char *side, const char *uplo, const char *trans, const char *diag,              \
             const gla_blas_int *m, const gla_blas_int *n, const R *alpha, const R *a,             \
             const gla_blas_int *lda, R *b, const gla_blas_int *ldb, size_t, size_t, size_t,       \
             size_t);

GLA_BLAS_DECLARE (strmm_, strsm_, float)
GLA_BLAS_DECLARE (dtrmm_, dtrsm_, double)
GLA_BLAS_DECLARE (ctrmm_, ctrsm_, float)
GLA_BLAS_DECLARE (ztrmm_, ztrsm_, double)
#undef GLA_BLAS_DECLARE

// QR with column pivoting: at most nb steps, *kb of them done; and all steps, without blocks. The
// arrays are those of the columns that are left, norm and reference their norms now and when last
// computed.
#define GLA_BLAS_DECLARE(QPS, QP2, R)                                                              \
  void QPS (const gla_blas_int *m, const gla_blas_int *n, const gla_blas_int *offset,              \
            const gla_blas_int *nb, gla_blas_int *kb, R *a, const gla_blas_int *lda,               \
            gla_blas_int *jpvt, R *tau, R *norm, R *reference, R *auxv, R *f,                      \
            const gla_blas_int *ldf);                                                              \
  void QP2 (const gla_blas_int *m, const gla_blas_int *n, const gla_blas_int *offset, R *a,        \
            const gla_blas_int *lda, gla_blas_int *jpvt, R *tau, R *norm, R *reference, R *work);

GLA_BLAS_DECLARE (slaqps_, slaqp2_, float)
GLA_BLAS_DECLARE (dlaqps_, dlaqp2_, double)
GLA_BLAS_DECLARE (claqps_, claqp2_, float)
GLA_BLAS_DECLARE (zlaqps_, zlaqp2_, double)
#undef GLA_BLAS_DECLARE

// Norm of a vector; x is complex for dznrm2_. Not snrm2_ and scnrm2_: where another BLAS returns a
// float, that of macOS returns a double.
double dnrm2_ (const gla_blas_int *n, const double *x, const gla_blas_int *incx);
double dznrm2_ (const gla_blas_int *n, const double *x, const gla_blas_int *incx);

// QR and what applies its Q: ormqr or unmqr; the Cholesky factor; one reflector.
#define GLA_BLAS_DECLARE(QRF, MQR, POTRF, LARFG, R)                                                \
  void QRF (const gla_blas_int *m, const gla_blas_int *n, R *a, const gla_blas_int *lda, R *tau,   \
            R *work, const gla_blas_int *lwork, gla_blas_int *info);                               \
  void MQR (const char *side, const char *trans, const gla_blas_int *m, const gla_blas_int *n,     \
            const gla_blas_int *k, const R *a, const gla_blas_int *lda, const R *tau, R *c,        \
            const gla_blas_int *ldc, R *work, const gla_blas_int *lwork, gla_blas_int *info,       \
            size_t, size_t);                                                                       \
  void POTRF (const char *uplo, const gla_blas_int *n, R *a, const gla_blas_int *lda,              \
              gla_blas_int *info, size_t);                                                         \
  void LARFG (const gla_blas_int *n, R *alpha, R *x, const gla_blas_int *incx, R *tau);

GLA_BLAS_DECLARE (sgeqrf_, sormqr_, spotrf_, slarfg_, float)
GLA_BLAS_DECLARE (dgeqrf_, dormqr_, dpotrf_, dlarfg_, double)
GLA_BLAS_DECLARE (cgeqrf_, cunmqr_, cpotrf_, clarfg_, float)
GLA_BLAS_DECLARE (zgeqrf_, zunmqr_, zpotrf_, zlarfg_, double)
#undef GLA_BLAS_DECLARE

// QR with column pivoting, the whole of it; the complex ones have real workspace, too.
#define GLA_BLAS_DECLARE(QP3, R)                                                                   \
  void QP3 (const gla_blas_int *m, const gla_blas_int *n, R *a, const gla_blas_int *lda,           \
            gla_blas_int *jpvt, R *tau, R *work, const gla_blas_int *lwork, gla_blas_int *info);

GLA_BLAS_DECLARE (sgeqp3_, float)
GLA_BLAS_DECLARE (dgeqp3_, double)
#undef GLA_BLAS_DECLARE

#define GLA_BLAS_DECLARE(QP3, R)                                                                   \
  void QP3 (const gla_blas_int *m, const gla_blas_int *n, R *a, const gla_blas_int *lda,           \
            gla_blas_int *jpvt, R *tau, R *work, const gla_blas_int *lwork, R *rwork,              \
            gla_blas_int *info);

GLA_BLAS_DECLARE (cgeqp3_, float)
GLA_BLAS_DECLARE (zgeqp3_, double)
#undef GLA_BLAS_DECLARE

// LU with partial pivoting, and its exchanges of rows k1 .. k2 (from 1) in the columns of a.
#define GLA_BLAS_DECLARE(GETRF, LASWP, R)                                                          \
  void GETRF (const gla_blas_int *m, const gla_blas_int *n, R *a, const gla_blas_int *lda,         \
              gla_blas_int *ipiv, gla_blas_int *info);                                             \
  void LASWP (const gla_blas_int *n, R *a, const gla_blas_int *lda, const gla_blas_int *k1,        \
              const gla_blas_int *k2, const gla_blas_int *ipiv, const gla_blas_int *incx);

GLA_BLAS_DECLARE (sgetrf_, slaswp_, float)
GLA_BLAS_DECLARE (dgetrf_, dlaswp_, double)
GLA_BLAS_DECLARE (cgetrf_, claswp_, float)
GLA_BLAS_DECLARE (zgetrf_, zlaswp_, double)
#undef GLA_BLAS_DECLARE

// Reciprocal condition numbers from factors, and least squares by the SVD. The real ones have a
// workspace of integers instead of the real numbers of the complex ones; gelsd has both there.
#define GLA_BLAS_DECLARE(GECON, POCON, TRCON, R, MORE)                                             \
  void GECON (const char *norm, const gla_blas_int *n, const R *a, const gla_blas_int *lda,        \
              const R *anorm, R *rcond, R *work, MORE *more, gla_blas_int *info, size_t);          \
  void POCON (const char *uplo, const gla_blas_int *n, const R *a, const gla_blas_int *lda,        \
              const R *anorm, R *rcond, R *work, MORE *more, gla_blas_int *info, size_t);          \
  void TRCON (const char *norm, const char *uplo, const char *diag, const gla_blas_int *n,         \
              const R *a, const gla_blas_int *lda, R *rcond, R *work, MORE *more,                  \
              gla_blas_int *info, size_t, size_t, size_t);

GLA_BLAS_DECLARE (sgecon_, spocon_, strcon_, float, gla_blas_int)
GLA_BLAS_DECLARE (dgecon_, dpocon_, dtrcon_, double, gla_blas_int)
GLA_BLAS_DECLARE (cgecon_, cpocon_, ctrcon_, float, float)
GLA_BLAS_DECLARE (zgecon_, zpocon_, ztrcon_, double, double)
#undef GLA_BLAS_DECLARE

#define GLA_BLAS_DECLARE(GELSD, R)                                                                 \
  void GELSD (const gla_blas_int *m, const gla_blas_int *n, const gla_blas_int *nrhs, R *a,        \
              const gla_blas_int *lda, R *b, const gla_blas_int *ldb, R *s, const R *rcond,        \
              gla_blas_int *rank, R *work, const gla_blas_int *lwork, gla_blas_int *iwork,         \
              gla_blas_int *info);

GLA_BLAS_DECLARE (sgelsd_, float)
GLA_BLAS_DECLARE (dgelsd_, double)
#undef GLA_BLAS_DECLARE

#define GLA_BLAS_DECLARE(GELSD, R)                                                                 \
  void GELSD (const gla_blas_int *m, const gla_blas_int *n, const gla_blas_int *nrhs, R *a,        \
              const gla_blas_int *lda, R *b, const gla_blas_int *ldb, R *s, const R *rcond,        \
              gla_blas_int *rank, R *work, const gla_blas_int *lwork, R *rwork,                    \
              gla_blas_int *iwork, gla_blas_int *info);

GLA_BLAS_DECLARE (cgelsd_, float)
GLA_BLAS_DECLARE (zgelsd_, double)
#undef GLA_BLAS_DECLARE

// Reduction to a real bidiagonal matrix, and what applies its Q and P: ormbr or unmbr.
#define GLA_BLAS_DECLARE(BRD, MBR, R)                                                              \
  void BRD (const gla_blas_int *m, const gla_blas_int *n, R *a, const gla_blas_int *lda, R *d,     \
            R *e, R *tauq, R *taup, R *work, const gla_blas_int *lwork, gla_blas_int *info);       \
  void MBR (const char *vect, const char *side, const char *trans, const gla_blas_int *m,          \
            const gla_blas_int *n, const gla_blas_int *k, const R *a, const gla_blas_int *lda,     \
            const R *tau, R *c, const gla_blas_int *ldc, R *work, const gla_blas_int *lwork,       \
            gla_blas_int *info, size_t, size_t, size_t);

GLA_BLAS_DECLARE (sgebrd_, sormbr_, float)
GLA_BLAS_DECLARE (dgebrd_, dormbr_, double)
GLA_BLAS_DECLARE (cgebrd_, cunmbr_, float)
GLA_BLAS_DECLARE (zgebrd_, zunmbr_, double)
#undef GLA_BLAS_DECLARE

// The SVD of a real bidiagonal matrix: divide and conquer, and implicit QR (dqds without vectors).
#define GLA_BLAS_DECLARE(BDSDC, BDSQR, R)                                                          \
  void BDSDC (const char *uplo, const char *compq, const gla_blas_int *n, R *d, R *e, R *u,        \
              const gla_blas_int *ldu, R *vt, const gla_blas_int *ldvt, R *q, gla_blas_int *iq,    \
              R *work, gla_blas_int *iwork, gla_blas_int *info, size_t, size_t);                   \
  void BDSQR (const char *uplo, const gla_blas_int *n, const gla_blas_int *ncvt,                   \
              const gla_blas_int *nru, const gla_blas_int *ncc, R *d, R *e, R *vt,                 \
              const gla_blas_int *ldvt, R *u, const gla_blas_int *ldu, R *c,                       \
              const gla_blas_int *ldc, R *work, gla_blas_int *info, size_t);

GLA_BLAS_DECLARE (sbdsdc_, sbdsqr_, float)
GLA_BLAS_DECLARE (dbdsdc_, dbdsqr_, double)
#undef GLA_BLAS_DECLARE

// Of divide and conquer on a real tridiagonal matrix: the deflation of a merge, root i of its
// secular equation, and the order of two sorted lists.
#define GLA_BLAS_DECLARE(LAED2, LAED4, LAMRG, R)                                                   \
  void LAED2 (gla_blas_int *k, const gla_blas_int *n, const gla_blas_int *n1, R *d, R *q,          \
              const gla_blas_int *ldq, gla_blas_int *indxq, R *rho, R *z, R *dlambda, R *w, R *q2, \
              gla_blas_int *indx, gla_blas_int *indxc, gla_blas_int *indxp, gla_blas_int *coltyp,  \
              gla_blas_int *info);                                                                 \
  void LAED4 (const gla_blas_int *n, const gla_blas_int *i, const R *d, const R *z, R *delta,      \
              const R *rho, R *dlam, gla_blas_int *info);                                          \
  void LAMRG (const gla_blas_int *n1, const gla_blas_int *n2, const R *a, const gla_blas_int *by1, \
              const gla_blas_int *by2, gla_blas_int *index);

GLA_BLAS_DECLARE (slaed2_, slaed4_, slamrg_, float)
GLA_BLAS_DECLARE (dlaed2_, dlaed4_, dlamrg_, double)
#undef GLA_BLAS_DECLARE

// Eigenvalues and eigenvectors of one Hermitian matrix, divide and conquer.
void dsyevd_ (const char *jobz, const char *uplo, const gla_blas_int *n, double *a,
              const gla_blas_int *lda, double *w, double *work, const gla_blas_int *lwork,
              gla_blas_int *iwork, const gla_blas_int *liwork, gla_blas_int *info, size_t, size_t);
void zheevd_ (const char *jobz, const char *uplo, const gla_blas_int *n, double *a,
              const gla_blas_int *lda, double *w, double *work, const gla_blas_int *lwork,
              double *rwork, const gla_blas_int *lrwork, gla_blas_int *iwork,
              const gla_blas_int *liwork, gla_blas_int *info, size_t, size_t);

// Eigenvalues and eigenvectors of one general matrix. The complex ones have eigenvalues in one
// array and a real workspace instead of two arrays and one of integers.
#define GLA_BLAS_DECLARE(GEEVX, R)                                                                 \
  void GEEVX (const char *balanc, const char *jobvl, const char *jobvr, const char *sense,         \
              const gla_blas_int *n, R *a, const gla_blas_int *lda, R *wr, R *wi, R *vl,           \
              const gla_blas_int *ldvl, R *vr, const gla_blas_int *ldvr, gla_blas_int *ilo,        \
              gla_blas_int *ihi, R *scale, R *abnrm, R *rconde, R *rcondv, R *work,                \
              const gla_blas_int *lwork, gla_blas_int *iwork, gla_blas_int *info, size_t, size_t,  \
              size_t, size_t);

GLA_BLAS_DECLARE (sgeevx_, float)
GLA_BLAS_DECLARE (dgeevx_, double)
#undef GLA_BLAS_DECLARE

#define GLA_BLAS_DECLARE(GEEVX, R)                                                                 \
  void GEEVX (const char *balanc, const char *jobvl, const char *jobvr, const char *sense,         \
              const gla_blas_int *n, R *a, const gla_blas_int *lda, R *w, R *vl,                   \
              const gla_blas_int *ldvl, R *vr, const gla_blas_int *ldvr, gla_blas_int *ilo,        \
              gla_blas_int *ihi, R *scale, R *abnrm, R *rconde, R *rcondv, R *work,                \
              const gla_blas_int *lwork, R *rwork, gla_blas_int *info, size_t, size_t, size_t,     \
              size_t);

GLA_BLAS_DECLARE (cgeevx_, float)
GLA_BLAS_DECLARE (zgeevx_, double)
#undef GLA_BLAS_DECLARE

// Eigenvalues of a real tridiagonal matrix, and eigenvectors of some of them.
void dsterf_ (const gla_blas_int *n, double *d, double *e, gla_blas_int *info);
void dstein_ (const gla_blas_int *n, const double *d, const double *e, const gla_blas_int *m,
              const double *w, const gla_blas_int *iblock, const gla_blas_int *isplit, double *z,
              const gla_blas_int *ldz, double *work, gla_blas_int *iwork, gla_blas_int *ifail,
              gla_blas_int *info);

#endif
