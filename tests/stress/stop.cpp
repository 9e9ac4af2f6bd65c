// SPDX-License-Identifier: Apache-2.0
// Random trees of all front ends in which strands enter and leave scopes, with delays at every
// step: each strand is in the scope that the serial program would be in.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/sync_run.hpp"

namespace {

using nopal_test::random_numbers;
using nopal_test::rounds_of;
using nopal_test::run_sync;
using namespace std::chrono_literals;

std::atomic<unsigned> wrong{0};
std::atomic<unsigned> seen_in_scopes{0};
std::atomic<unsigned> stopped_waits{0};

/// Counts whether the caller is in the scope of this token.
void expect_in(const std::stop_token& t) {
  if (nopal::current_stop_token() != t) ++wrong;
  if (t.stop_possible()) seen_in_scopes.fetch_add(1, std::memory_order_relaxed);
}

class tree {
 public:
  explicit tree(nopal::flag& open) : open_(&open) {}

  /// A node in the scope of `t`.
  void visit(unsigned depth, std::uint64_t seed, const std::stop_token& t) const {
    random_numbers random(seed);
    expect_in(t);
    if (random.one_in(4))
      enter(depth, random, t);
    else
      fork(depth, random, t);
    expect_in(t);
  }

 private:
  void enter(unsigned depth, random_numbers& random, const std::stop_token& t) const {
    const std::uint64_t seed = random.next();
    const auto inside = [&] {
      random_numbers r(seed);
      fork(depth, r, nopal::current_stop_token());
    };
    switch (random.below(3)) {
      case 0:
        nopal::with_stop(std::stop_token(), inside);
        break;
      case 1:
        nopal::with_deadline(1h, inside);
        break;
      default:
        nopal::without_stop([&] {
          random_numbers r(seed);
          fork(depth, r, {});
        });
    }
    expect_in(t);
  }

  void fork(unsigned depth, random_numbers& random, const std::stop_token& t) const {
    if (depth == 0) return wait(random, t);
    const std::uint64_t a = random.next();
    const std::uint64_t b = random.next();
    const std::uint64_t c = random.next();
    switch (random.below(6)) {
      case 0:
        nopal::parallel_invoke([&] { visit(depth - 1, a, t); }, [&] { visit(depth - 1, b, t); });
        break;
      case 1:
        nopal::parallel_invoke([&] { visit(depth - 1, a, t); }, [&] { visit(depth - 1, b, t); },
                               [&] { visit(depth - 1, c, t); });
        break;
      case 2:
        by_frame(depth, a, b, t);
        break;
      case 3:
        nopal::wait(by_tasks(*this, depth, a, b, t));
        break;
      case 4:
        nopal::for_each(nopal::grain{1}, 0, 3,
                        [&](int i) { visit(depth - 1, a + static_cast<std::uint64_t>(i), t); });
        break;
      default:
        by_scope(depth, a, b);
    }
    expect_in(t);
    if (random.one_in(4)) wait(random, t);
  }

  NOPAL_FORKS void by_frame(unsigned depth, std::uint64_t a, std::uint64_t b,
                            const std::stop_token& t) const {
    nopal::fork_frame frame;
    frame.fork([](const tree* self, unsigned d, std::uint64_t s,
                  const std::stop_token* in) { self->visit(d, s, *in); },
               this, depth - 1, a, &t);
    expect_in(t);
    visit(depth - 1, b, t);
    frame.join();
    expect_in(t);
  }

  static nopal::task<> by_task(tree self, unsigned depth, std::uint64_t seed,
                               const std::stop_token* t) {
    expect_in(*t);
    self.visit(depth, seed, *t);
    if (seed % 4 == 0) co_await self.open_->wait();
    expect_in(*t);
  }
  static nopal::task<> by_tasks(tree self, unsigned depth, std::uint64_t a, std::uint64_t b,
                                const std::stop_token& t) {
    co_await nopal::fork(by_task, self, depth - 1, a, &t);
    expect_in(t);
    co_await nopal::call(by_task, self, depth - 1, b, &t);
    expect_in(t);
    co_await nopal::join();
    expect_in(t);
  }

  void by_scope(unsigned depth, std::uint64_t a, std::uint64_t b) const {
    nopal::task_scope s;
    const std::stop_token t = s.get_stop_token();
    s.spawn([&, a] { visit(depth - 1, a, t); });
    s.spawn([&, b] { visit(depth - 1, b, t); });
    s.join();
  }

  /// Is suspended, with all that its worker has forked.
  void wait(random_numbers& random, const std::stop_token& t) const {
    if (random.one_in(2))
      open_->wait();
    else
      nopal::io::sleep_for(nopal_test::moment_below(20, random));
    expect_in(t);
  }

  nopal::flag* open_;
};

TEST(StopStress, EachStrandIsInItsScope) {
  for (const unsigned workers : {2U, 5U})
    run_sync(workers, "scopes in random trees", 50000 * workers, [](std::uint64_t seed) {
      for (unsigned i = 0; i < rounds_of(60); ++i) {
        nopal::flag open;
        nopal::parallel_invoke([&] { tree(open).visit(6, seed + i, {}); },
                               [&] {
                                 nopal::io::sleep_for(100us);
                                 open.set();
                               });
        ASSERT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << seed + i;
      }
    });
  EXPECT_GT(seen_in_scopes, 100U);
}

nopal::task<> waits_in_task(nopal::flag& never) { co_await never.wait(); }

/// Many wait in one scope, at objects of their own that are gone right afterwards. Some are let go
/// on by what they wait for, at about the time of the stop.
void wait_in_scope(unsigned i, std::uint64_t seed) {
  random_numbers random(seed + i);
  const auto flag = std::make_unique<nopal::flag>();
  const bool is_set = random.one_in(3);
  const auto waits = [&] {
    nopal_test::pass_time(random);
    if (random.one_in(2))
      flag->wait();
    else
      nopal::wait(waits_in_task(*flag));
  };
  const auto ends = [&] {
    try {
      waits();
      if (!is_set) ++wrong;
    } catch (const nopal::stopped&) {
      stopped_waits.fetch_add(1, std::memory_order_relaxed);
    }
  };
  if (is_set)
    nopal::parallel_invoke(ends, [&, time = nopal_test::moment_below(50, random)] {
      nopal::without_stop([&] { nopal::io::sleep_for(time); });
      flag->set();
    });
  else
    ends();
}

TEST(StopStress, EachWaitInAScopeEnds) {
  run_sync(4, "waits in scopes that are stopped", 630000, [](std::uint64_t seed) {
    random_numbers random(seed);
    for (unsigned i = 0; i < rounds_of(400); ++i) {
      const std::uint64_t of_round = random.next();
      try {
        nopal::with_deadline(nopal_test::moment_below(100, random), [&] {
          const std::jthread outside([&, t = nopal::current_stop_token()] {
            try {
              nopal::with_stop(t, [&] { wait_in_scope(0, of_round); });
            } catch (const nopal::stopped&) {  // as below
            }
          });
          nopal_test::in_strands(6, [&](unsigned s) { wait_in_scope(s + 1, of_round); });
        });
      } catch (const std::system_error& e) {  // a thief has not begun what was stopped
        EXPECT_EQ(e.code(), std::errc::timed_out);
      }
      ASSERT_EQ(wrong, 0U) << "NOPAL_TEST_SEED=" << of_round;
    }
  });
  EXPECT_GT(stopped_waits, rounds_of(400) / 10);
}

}  // namespace
