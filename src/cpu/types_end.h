// types_end.h: closes one inclusion of the templates
// SPDX-License-Identifier: GPL-3.0-or-later

#undef GLA_PASTE2
#undef GLA_PASTE
#undef N
#undef GLA_LANES
#undef GLA_BITS
#undef GLA_EPS
#undef GLA_TINY
#undef GLA_MAX
#undef GLA_FRACTION
#undef GLA_BIAS
#undef GLA_SQRT
#undef GLA_ABS
#undef GLA_PARTS
#undef GLA_T
#undef GLA_COMPLEX
#undef GLA_REAL
#undef GLA_SINGLE
#undef GLA_TRD
#undef GLA_MTR
#undef GLA_GEMM
#undef GLA_GEMV
#undef GLA_STEDC
#undef GLA_TRMM
#undef GLA_TRSM
#undef GLA_QRF
#undef GLA_MQR
#undef GLA_POTRF
#undef GLA_LARFG
#undef GLA_QPS
#undef GLA_QP2
#undef GLA_NRM2
#undef GLA_QP3
