// SPDX-License-Identifier: Apache-2.0
// The pool under contention, with each mechanism: every task comes out exactly once, and nobody is
// told that the pool is empty while it is not.
#include "nopal/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "nopal/detail/platform/fence.hpp"
#include "support/build.hpp"
#include "support/seed.hpp"
#include "support/watchdog.hpp"
#include "variants/pool/concurrent_bag.hpp"
#include "variants/pool/lifo_stack.hpp"
#include "variants/pool/ms_queue.hpp"
#include "variants/pool/salsa_cas.hpp"
#ifdef NOPAL_EVENTS
#include "support/delays.hpp"
#endif

namespace {

using namespace std::chrono_literals;
using nopal::pool;
using nopal::detail::concurrent_bag;
using nopal::detail::lifo_stack;
using nopal::detail::ms_queue;
using nopal::detail::salsa;
using nopal::detail::salsa_cas;
using nopal_test::random_numbers;

#ifdef NOPAL_EVENTS
using delays = nopal_test::random_delays;
constexpr unsigned share = nopal_test::with_sanitizer ? nopal_test::work_divisor : 4;
#else
struct delays {
  explicit delays(std::uint64_t) {}
};
constexpr unsigned share = 1;
#endif

enum class mechanism { salsa, salsa_cas, concurrent_bag, ms_queue, lifo_stack };

struct load {
  unsigned producers;
  unsigned consumers;
  std::uint32_t chunk;
  bool membarrier = true;
  bool waits = false;  ///< Consumers sleep where there is nothing.
  mechanism of = mechanism::salsa;
  bool pointers = false;  ///< What goes in has slots of one word.
};

const char* name_of(mechanism m) {
  switch (m) {
    case mechanism::salsa:
      return "";
    case mechanism::salsa_cas:
      return "SalsaCas";
    case mechanism::concurrent_bag:
      return "ConcurrentBag";
    case mechanism::ms_queue:
      return "MsQueue";
    case mechanism::lifo_stack:
      return "LifoStack";
  }
  return nullptr;
}

void PrintTo(const load& l, std::ostream* out) {
  *out << l.producers << "p" << l.consumers << "c" << l.chunk << (l.membarrier ? "" : "Fenced")
       << (l.waits ? "Waits" : "") << name_of(l.of) << (l.pointers ? "Pointers" : "");
}

/// What goes in: a number that says who put it, and what its destructor must find intact.
struct numbered {
  explicit numbered(std::uint32_t n) : number(n), check(~n) {}
  numbered(numbered&& other) noexcept : number(other.number), check(other.check) {
    other.check = other.number;
  }
  std::uint32_t number;
  std::uint32_t check;
};

/// Nothing is ever there; the first is null.
struct nothing_there;
using pointer = nothing_there*;

template <class T>
T element_of(std::uint32_t number) {
  if constexpr (std::is_same_v<T, pointer>)
    return reinterpret_cast<pointer>(std::uintptr_t{number} * 8);
  else
    return T(number);
}
std::uint32_t number_of(std::uint32_t x) { return x; }
std::uint32_t number_of(pointer x) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(x) / 8);
}
std::uint32_t number_of(const numbered& x) { return x.number; }
bool is_intact(pointer x) { return x == element_of<pointer>(number_of(x)); }
bool is_intact(const numbered& x) { return x.check == ~x.number; }

template <template <class> class Mechanism, class T = numbered>
void each_task_comes_out_once(const load& l) {
  const std::uint64_t seed =
      nopal_test::seed_or(1 + l.producers * 100 + l.consumers * 10 + l.chunk);
  const nopal_test::watchdog w(120s, "pool", seed);
  const delays d(seed);
  const std::uint32_t each = 600000 / l.producers / share;
  const std::uint32_t all = each * l.producers;
  std::unique_ptr<std::atomic<std::uint8_t>[]> out_times(new std::atomic<std::uint8_t>[all] {});
  std::atomic<std::uint32_t> wrong{0};
  std::atomic<unsigned> producing{l.producers};
  {
    pool<T, Mechanism<T>> p({.producers = l.producers, .consumers = l.consumers, .chunk = l.chunk});
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < l.producers; ++i)
      threads.emplace_back([&, i, in = p.producer()]() mutable {
        random_numbers random(seed + i);
        for (std::uint32_t k = 0; k < each; ++k) {
          in.put(element_of<T>(i * each + k));
          if (random.one_in(2000)) std::this_thread::yield();
          if (l.waits && random.one_in(5000)) std::this_thread::sleep_for(200us);
        }
        if (producing.fetch_sub(1) == 1) p.close();
      });
    for (unsigned i = 0; i < l.consumers; ++i)
      threads.emplace_back([&, i, out = p.consumer()]() mutable {
        random_numbers random(seed + 1000 + i);
        const auto take = [&](const T& x) {
          if (number_of(x) >= all || !is_intact(x) ||
              out_times[number_of(x)].fetch_add(1, std::memory_order_relaxed) != 0)
            wrong.fetch_add(1);
        };
        if (l.waits) {
          for (const T& x : out.all()) take(x);
          return;
        }
        for (;;) {
          const bool over = producing.load() == 0;
          // Without a proof that nothing is there as long as more comes.
          if (std::optional<T> x = l.pointers && !over ? out.try_get() : out.get())
            take(*x);
          else if (over)
            return;
          else
            std::this_thread::yield();
          if (random.one_in(5000)) std::this_thread::yield();
        }
      });
  }
  std::uint32_t never = 0;
  for (std::uint32_t i = 0; i < all; ++i) never += out_times[i] == 0 ? 1 : 0;
  EXPECT_EQ(never, 0U) << "lost; NOPAL_TEST_SEED=" << seed;
  EXPECT_EQ(wrong, 0U) << "twice, or garbage; NOPAL_TEST_SEED=" << seed;
}

// One task at first; then every thread puts one and gets one, again and again. So there is one at
// any moment, and as many more as there are threads between the two. Nobody may ever get nothing.
template <template <class> class Mechanism, class T = std::uint32_t>
void never_empty(const load& l) {
  const unsigned threads_in_all = l.consumers;
  const std::uint64_t seed = nopal_test::seed_or(7 + l.consumers * 10 + l.chunk);
  const nopal_test::watchdog w(120s, "pool that is never empty", seed);
  const delays d(seed);
  const std::uint32_t each = 300000 / threads_in_all / share;
  std::atomic<std::uint32_t> nothing{0};
  std::atomic<std::uint64_t> sum{0};
  pool<T, Mechanism<T>> p(
      {.producers = threads_in_all + 1, .consumers = threads_in_all, .chunk = l.chunk});
  p.producer().put(element_of<T>(0));
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < threads_in_all; ++i)
      threads.emplace_back([&, i, in = p.producer(), out = p.consumer()]() mutable {
        random_numbers random(seed + i);
        std::uint64_t mine = 0;
        for (std::uint32_t k = 0; k < each; ++k) {
          in.put(element_of<T>(i * each + k));
          if (std::optional<T> x = out.get())
            mine += number_of(*x);
          else
            nothing.fetch_add(1);
          if (random.one_in(500)) std::this_thread::yield();
        }
        sum += mine;
      });
  }
  EXPECT_EQ(nothing, 0U) << "NOPAL_TEST_SEED=" << seed;
  auto out = p.consumer();
  std::uint32_t left = 0;
  for (const T x : out.drain()) {
    sum += number_of(x);
    ++left;
  }
  EXPECT_EQ(left, 1U + nothing);
  const std::uint64_t all = std::uint64_t{each} * threads_in_all;
  EXPECT_EQ(sum, all * (all - 1) / 2);
}

class Pool : public testing::TestWithParam<load> {
 protected:
  // Chosen by the first pool for all; a test may choose again while there is no other.
  void SetUp() override {
    nopal::detail::choose_fences(true);
    was_ = nopal::detail::asymmetric_fences;
    nopal::detail::asymmetric_fences = was_ && GetParam().membarrier;
  }
  void TearDown() override { nopal::detail::asymmetric_fences = was_; }

  bool was_ = false;
};

TEST_P(Pool, EachTaskComesOutOnce) {
  if (GetParam().pointers) return each_task_comes_out_once<salsa, pointer>(GetParam());
  switch (GetParam().of) {
    case mechanism::salsa:
      return each_task_comes_out_once<salsa>(GetParam());
    case mechanism::salsa_cas:
      return each_task_comes_out_once<salsa_cas>(GetParam());
    case mechanism::concurrent_bag:
      return each_task_comes_out_once<concurrent_bag>(GetParam());
    case mechanism::ms_queue:
      return each_task_comes_out_once<ms_queue>(GetParam());
    case mechanism::lifo_stack:
      return each_task_comes_out_once<lifo_stack>(GetParam());
  }
}

TEST_P(Pool, NeverEmpty) {
  if (GetParam().pointers) return never_empty<salsa, pointer>(GetParam());
  switch (GetParam().of) {
    case mechanism::salsa:
      return never_empty<salsa>(GetParam());
    case mechanism::salsa_cas:
      return never_empty<salsa_cas>(GetParam());
    case mechanism::concurrent_bag:
      return never_empty<concurrent_bag>(GetParam());
    case mechanism::ms_queue:
      return never_empty<ms_queue>(GetParam());
    case mechanism::lifo_stack:
      return never_empty<lifo_stack>(GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, Pool,
                         testing::Values(load{1, 1, 1000}, load{1, 1, 2}, load{2, 2, 16},
                                         load{1, 4, 4}, load{4, 1, 8}, load{3, 3, 2}, load{4, 4, 1},
                                         load{4, 8, 3}, load{2, 3, 4, false},
                                         load{3, 3, 2, false, true}, load{1, 1, 4, true, true},
                                         load{2, 4, 16, true, true}, load{4, 4, 3, true, true}),
                         testing::PrintToStringParamName());

std::vector<load> of_pointers() {
  std::vector<load> all;
  for (load l : {load{1, 1, 2}, load{2, 2, 16}, load{1, 4, 4}, load{3, 3, 2}, load{4, 4, 1},
                 load{4, 8, 3}, load{2, 3, 4, false}, load{4, 4, 3, true, true}}) {
    l.pointers = true;
    all.push_back(l);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pointers, Pool, testing::ValuesIn(of_pointers()),
                         testing::PrintToStringParamName());

std::vector<load> of_other_mechanisms() {
  std::vector<load> all;
  for (const mechanism m : {mechanism::salsa_cas, mechanism::concurrent_bag, mechanism::ms_queue,
                            mechanism::lifo_stack})
    for (load l :
         {load{1, 1, 4}, load{2, 2, 16}, load{4, 1, 8}, load{3, 3, 2, true, true}, load{2, 4, 1}}) {
      l.of = m;
      all.push_back(l);
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(OtherMechanisms, Pool, testing::ValuesIn(of_other_mechanisms()),
                         testing::PrintToStringParamName());

}  // namespace
