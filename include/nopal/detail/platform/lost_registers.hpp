// SPDX-License-Identifier: Apache-2.0
// The registers that a call may change and that are no argument of it, as the clobbers of an asm
// statement.
#pragma once

#if defined(__x86_64__)
// clang takes names of registers that the target does not have. A function with an attribute may
// have them, and so may one into which this is inlined as bitcode.
#if defined(__AVX512F__) || defined(__clang__)
#define NOPAL_LOST_VECTORS                                                                      \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",      \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", \
      "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", \
      "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define NOPAL_LOST_VECTORS                                                                 \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#endif
#define NOPAL_LOST_REGISTERS                                                         \
  "r10", "r11", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", \
      NOPAL_LOST_VECTORS, "memory", "cc"
#elif defined(__aarch64__)
#define NOPAL_LOST_REGISTERS                                                                     \
  "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1",  \
      "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",  \
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", \
      "v29", "v30", "v31", "memory", "cc"
#endif
