// SPDX-License-Identifier: Apache-2.0
// What a task costs on the way that no steal disturbs, counted: no atomic read-modify-write and no
// fence.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <utility>

#include "instructions/single_step.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/salsa.hpp"
#include "nopal/pool.hpp"
#include "variants/pool/salsa_cas.hpp"

namespace {

using nopal_test::begin_section;
using nopal_test::executed;
using nopal_test::single_stepped;
using nopal_test::stepped;

enum section : std::size_t { not_counted, putting, getting, in_turn, through_chunks };

constexpr unsigned tasks_inside = 100;
constexpr unsigned tasks_in_turn = 50;
constexpr unsigned chunks = 3;

enum status : int { done, something_missing, no_membarrier };

template <class Producer>
[[gnu::noinline]] void put(Producer& in, unsigned n) {
  for (std::uint64_t i = 0; i < n; ++i) in.put(i);
}

template <class Consumer>
[[gnu::noinline]] bool get(Consumer& out, unsigned n) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    const std::optional<std::uint64_t> x = out.get();
    if (!x) return false;
    sum += *x;
  }
  return sum == std::uint64_t{n} * (n - 1) / 2;
}

template <class Producer, class Consumer>
[[gnu::noinline]] bool put_and_get_in_turn(Producer& in, Consumer& out, unsigned n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    in.put(i);
    if (out.get() != i) return false;
  }
  return true;
}

/// A pool, and a handle of each kind.
template <class Pool>
struct pool_and_handles {
  pool_and_handles(unsigned handles, unsigned chunk)
      : pool({.producers = handles, .consumers = handles, .chunk = chunk}),
        in(pool.producer()),
        out(pool.consumer()) {}

  Pool pool;
  decltype(std::declval<Pool&>().producer()) in;
  decltype(std::declval<Pool&>().consumer()) out;
};

/// What is counted, in the process that is stepped through. The pool has been used for a while, and
/// a chunk been begun.
template <class Pool>
status inside_a_chunk(unsigned handles) {
  constexpr unsigned chunk = 1000;
  pool_and_handles<Pool> p(handles, chunk);
  if (!nopal::detail::asymmetric_fences) return no_membarrier;
  bool all = put_and_get_in_turn(p.in, p.out, 4 * chunk + 1);

  begin_section(putting);
  put(p.in, tasks_inside);
  begin_section(getting);
  all = get(p.out, tasks_inside) && all;
  begin_section(in_turn);
  all = put_and_get_in_turn(p.in, p.out, tasks_in_turn) && all;
  begin_section(not_counted);
  static_assert(1 + tasks_inside + tasks_in_turn < chunk);
  return all ? done : something_missing;
}

/// Chunks end in the middle of puts and of gets.
template <class Pool>
status through_chunks_of_100(unsigned handles) {
  pool_and_handles<Pool> p(handles, 100);
  if (!nopal::detail::asymmetric_fences) return no_membarrier;
  bool all = true;
  for (unsigned i = 0; i < 2 * chunks; ++i) {
    if (i == chunks) begin_section(through_chunks);
    put(p.in, 80);
    all = get(p.out, 80) && all;
    all = put_and_get_in_turn(p.in, p.out, 20) && all;
  }
  begin_section(not_counted);
  return all ? done : something_missing;
}

struct mechanism {
  const char* name;
  status (*inside)(unsigned handles);
  status (*through)(unsigned handles);
  bool is_cheap;  ///< A task costs neither an atomic read-modify-write nor a fence. Else a get
                  ///< does: a test of the test.
  unsigned handles = 1;  ///< So many of each kind there may be; one of each is used.
};

void PrintTo(const mechanism& m, std::ostream* out) { *out << m.name << "For" << m.handles; }

template <template <class> class Mechanism>
constexpr mechanism of(const char* name, bool is_cheap, unsigned handles = 1) {
  using pool = nopal::pool<std::uint64_t, Mechanism<std::uint64_t>>;
  return {name, inside_a_chunk<pool>, through_chunks_of_100<pool>, is_cheap, handles};
}

class PoolInstructions : public testing::TestWithParam<mechanism> {
 protected:
  void SetUp() override {
#if NOPAL_ASSERTIONS
    GTEST_SKIP()
        << "a build with assertions exchanges a flag to see whether two threads use one handle";
#endif
  }

  /// Skips the test where it cannot be run.
  void count(status (*use)(unsigned)) {
    counted_ = single_stepped([use] { return use(GetParam().handles); });
    if (!counted_.impossible.empty()) GTEST_SKIP() << counted_.impossible;
    if (counted_.status == no_membarrier) GTEST_SKIP() << "this kernel has no membarrier(2)";
    ASSERT_EQ(counted_.status, done);
  }

  /// What the section's tasks cost, printed for each.
  const executed& cost_of(section s, const char* what, double tasks) const {
    const executed& e = counted_.sections[s];
    const auto n = [](std::uint64_t count) { return static_cast<double>(count); };
    std::cout << what << ": " << n(e.instructions) / tasks << " instructions, of them "
              << n(e.dear()) / tasks << " dear ones; for all " << tasks << " tasks: " << e << '\n';
    EXPECT_GE(n(e.instructions), tasks);
    return e;
  }

 private:
  stepped counted_;
};

TEST_P(PoolInstructions, InsideAChunk) {
  count(GetParam().inside);
  if (IsSkipped() || HasFatalFailure()) return;
  const executed& puts = cost_of(putting, "put", tasks_inside);
  const executed& gets = cost_of(getting, "get", tasks_inside);
  const executed& both = cost_of(in_turn, "put and get in turn", tasks_in_turn);
  EXPECT_EQ(puts.dear(), 0U) << puts;
  EXPECT_EQ(gets.dear(), GetParam().is_cheap ? 0U : tasks_inside) << gets;
  EXPECT_EQ(both.dear(), GetParam().is_cheap ? 0U : tasks_in_turn) << both;
}

TEST_P(PoolInstructions, ThroughManyChunks) {
  count(GetParam().through);
  if (IsSkipped() || HasFatalFailure()) return;
  const executed& e = cost_of(through_chunks, "put and get, in chunks of 100", 100 * chunks);
  EXPECT_LE(e.dear(), 16 * chunks + (GetParam().is_cheap ? 0U : 100 * chunks))
      << "for " << chunks << " chunks";
  EXPECT_EQ(e.system_calls, 0U);
}

INSTANTIATE_TEST_SUITE_P(, PoolInstructions,
                         testing::Values(of<nopal::detail::salsa>("Salsa", true),
                                         of<nopal::detail::salsa>("Salsa", true, 4),
                                         of<nopal::detail::salsa_cas>("SalsaCas", false)),
                         testing::PrintToStringParamName());

}  // namespace
