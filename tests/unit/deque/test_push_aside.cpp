// SPDX-License-Identifier: Apache-2.0
// A push for which the array has to grow takes nothing from the function into which it is inlined:
// no register in which that keeps something, and no red zone.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <tuple>

#include "nopal/detail/deque/deque_asymmetric.hpp"
#include "nopal/nopal.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace {

std::atomic<unsigned> stacks_not_aligned{0};

#ifdef __x86_64__
/// Changes the registers of AVX-512 that others do not have.
[[gnu::target("avx512f"), gnu::noinline]] void change_avx512() {
  asm volatile(
      ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
      "vpternlogd $255, %zmm\\n, %zmm\\n, %zmm\\n\n\t"
      ".endr\n\t"
      ".irp n, 1, 2, 3, 4, 5, 6, 7\n\t"
      "kxnorw %k\\n, %k\\n, %k\\n\n\t"
      ".endr");
}
#endif

}  // namespace

/// Called where an array grows. Changes all registers that a call may change. If only one of these
/// functions were inlined, g++ would warn that memory is freed otherwise than it was allocated.
NOPAL_NOINLINE void* operator new(std::size_t bytes) {
  void* p = std::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
#ifdef __x86_64__
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16 != 0) ++stacks_not_aligned;
  asm volatile(
      "movq $-1, %%rcx\n\t"
      "movq %%rcx, %%rdx\n\t"
      "movq %%rcx, %%rsi\n\t"
      "movq %%rcx, %%rdi\n\t"
      "movq %%rcx, %%r8\n\t"
      "movq %%rcx, %%r9\n\t"
      "movq %%rcx, %%r10\n\t"
      "movq %%rcx, %%r11"
      :
      :
      : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
  if (__builtin_cpu_supports("avx512f")) change_avx512();
#endif
  return p;
}
NOPAL_NOINLINE void operator delete(void* p) noexcept { std::free(p); }
NOPAL_NOINLINE void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using nopal::detail::continuation;
using nopal::detail::deque_asymmetric;

constexpr std::int64_t many = 1000;  // a new array has room for a quarter of it

/// Eight values that no compiler can foresee, in registers where there are so many.
struct values {
  std::uint64_t a, b, c, d, e, f, g, h;

  explicit values(std::uint64_t seed)
      : a(seed),
        b(seed + 1),
        c(seed + 2),
        d(seed + 3),
        e(seed + 4),
        f(seed + 5),
        g(seed + 6),
        h(seed + 7) {
    pass();
  }
  NOPAL_ALWAYS_INLINE void pass() {
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    asm volatile("" : "+r"(e), "+r"(f), "+r"(g), "+r"(h));
  }
  [[nodiscard]] bool are(std::uint64_t seed) const {
    return a == seed && b == seed + 1 && c == seed + 2 && d == seed + 3 && e == seed + 4 &&
           f == seed + 5 && g == seed + 6 && h == seed + 7;
  }
};

/// How many pushes were right, and whether what the function had was kept.
struct outcome {
  std::int64_t pushed;
  bool kept;
};

// Each of these is a leaf: the push has no call instruction in it.

NOPAL_NOINLINE outcome push_beside_registers(deque_asymmetric& to, continuation* c,
                                             std::uint64_t seed) {
  values v(seed);
  for (std::int64_t i = 0; i < many; ++i) {
    if (to.push(c) != i) return {i, true};
    v.pass();
    if (!v.are(seed)) return {i, false};
  }
  return {many, true};
}

NOPAL_NOINLINE outcome push_beside_array(deque_asymmetric& to, continuation* c,
                                         std::uint64_t seed) {
  std::array<std::uint64_t, 12> in_red_zone;
  for (std::size_t i = 0; i < in_red_zone.size(); ++i) in_red_zone[i] = seed + i;
  asm volatile("" : "+m"(in_red_zone));
  for (std::int64_t i = 0; i < many; ++i)
    if (to.push(c) != i) return {i, true};
  asm volatile("" : "+m"(in_red_zone));
  bool kept = true;
  for (std::size_t i = 0; i < in_red_zone.size(); ++i) kept &= in_red_zone[i] == seed + i;
  return {many, kept};
}

NOPAL_NOINLINE outcome push_beside_numbers(deque_asymmetric& to, continuation* c,
                                           std::uint64_t seed) {
  double sum = 0;
  float product = 1;
  for (std::int64_t i = 0; i < many; ++i) {
    sum += static_cast<double>(seed);
    product = -product;
    if (to.push(c) != i) return {i, true};
  }
  return {many, sum == static_cast<double>(many) * static_cast<double>(seed) && product == 1};
}

#ifdef __x86_64__
/// The file is not compiled for AVX-512, so that the push names none of its registers.
[[gnu::target("avx512f"), gnu::noinline]] outcome push_beside_avx512(deque_asymmetric& to,
                                                                     continuation* c,
                                                                     std::uint64_t seed) {
  const __m512i seeds = _mm512_set1_epi64(static_cast<std::int64_t>(seed));
  const __m512i turns = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  __m512i counts = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < many; ++i) {
    const __mmask8 lane = _mm512_cmpeq_epi64_mask(turns, _mm512_set1_epi64(i % 8));
    if (to.push(c) != i) return {i, true};
    counts = _mm512_mask_add_epi64(counts, lane, counts, seeds);
  }
  std::array<std::uint64_t, 8> counted;
  _mm512_storeu_si512(counted.data(), counts);
  bool kept = true;
  for (const std::uint64_t count : counted) kept &= count == seed * (many / 8);
  return {many, kept};
}
#endif

void push_in_leaf(outcome (*push)(deque_asymmetric&, continuation*, std::uint64_t)) {
  nopal::detail::asymmetric_fences = nopal::detail::register_process_wide_fence(true);
  continuation c(nullptr);
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    deque_asymmetric d;
    const outcome o = push(d, &c, seed);
    EXPECT_EQ(o.pushed, many);
    EXPECT_TRUE(o.kept);
    for (std::int64_t left = many; left > 0; --left) ASSERT_TRUE(d.pop(left - 1));
  }
  EXPECT_EQ(stacks_not_aligned, 0U);
}

TEST(PushAside, ALeafKeepsWhatItHas) {
  for (const auto push : {push_beside_registers, push_beside_array, push_beside_numbers})
    push_in_leaf(push);
}

TEST(PushAside, ALeafWithAvx512KeepsWhatItHas) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return push_in_leaf(push_beside_avx512);
#endif
  GTEST_SKIP() << "this CPU has no AVX-512";
}

// Forks within forks, whose functions have their arguments in registers when they push.

bool as_passed(std::uint64_t level, std::uint64_t a, std::uint64_t b, std::uint64_t c,
               std::uint64_t d, std::uint64_t e, double x, float y) {
  return a == 2 * level && b == 3 * level && c == 5 * level && d == 7 * level && e == 11 * level &&
         x == 13 * static_cast<double>(level) && y == 17 * static_cast<float>(level);
}

/// How many calls got what was passed.
std::uint64_t returning(std::uint64_t level, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                        std::uint64_t d, std::uint64_t e, double x, float y) {
  if (level == many) return as_passed(level, a, b, c, d, e, x, y) ? 1 : 0;
  const auto [below, here] = nopal::parallel_invoke(
      [=] { return returning(level + 1, a + 2, b + 3, c + 5, d + 7, e + 11, x + 13, y + 17); },
      [=]() -> std::uint64_t { return as_passed(level, a, b, c, d, e, x, y) ? 1 : 0; });
  return below + here;
}

std::uint64_t referring(std::uint64_t level, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                        std::uint64_t d, std::uint64_t e, double x, float y) {
  if (level == many) return as_passed(level, a, b, c, d, e, x, y) ? 1 : 0;
  std::uint64_t below = 0;
  std::uint64_t here = 0;
  nopal::parallel_invoke(
      [&] { below = referring(level + 1, a + 2, b + 3, c + 5, d + 7, e + 11, x + 13, y + 17); },
      [&] { here = as_passed(level, a, b, c, d, e, x, y) ? 1 : 0; });
  return below + here;
}

TEST(PushAside, ForksKeepTheArguments) {
  for (const auto nested : {returning, referring}) {
    nopal::runtime r({.workers = 1, .stack_bytes = std::size_t{4} << 20});
    EXPECT_EQ(r.run([&] { return nested(0, 0, 0, 0, 0, 0, 0, 0); }), std::uint64_t{many} + 1);
  }
}

}  // namespace
