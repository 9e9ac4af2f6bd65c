// SPDX-License-Identifier: Apache-2.0
#include "poison.hpp"

namespace nopal_test {

#if defined(__x86_64__)

namespace {

[[gnu::target("avx512f")]] void poison_avx512() {
  asm volatile(
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "
      "23, 24, 25, 26, 27, 28, "
      "29, 30, 31\n\t"
      "vpternlogd $0xff, %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t"
      ".endr\n\t"
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"
      "kxnorw %%k\\n, %%k\\n, %%k\\n\n\t"
      ".endr"
      :
      :
      : "memory");
}

[[gnu::target("avx2")]] void poison_avx2() {
  asm volatile(
      ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
      "vpcmpeqb %%ymm\\n, %%ymm\\n, %%ymm\\n\n\t"
      ".endr"
      :
      :
      : "memory");
}

}  // namespace

void poison_vectors() {
  static const bool avx512 = __builtin_cpu_supports("avx512f");
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx512)
    poison_avx512();
  else if (avx2)
    poison_avx2();
}

#else

void poison_vectors() {}

#endif

}  // namespace nopal_test
