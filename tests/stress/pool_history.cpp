// SPDX-License-Identifier: Apache-2.0
// The pool under contention, nearly empty most of the time: what its threads saw, and when, must be
// what a bag could have done.
#include "support/pool_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/salsa.hpp"
#include "nopal/pool.hpp"
#include "support/amount.hpp"
#include "support/build.hpp"
#include "support/pin.hpp"
#include "support/pool_log.hpp"
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
using nopal_test::history_report;
using nopal_test::pool_fault;
using nopal_test::pool_history;
using nopal_test::pool_log;
using nopal_test::random_numbers;
using nopal_test::task_number;

#ifdef NOPAL_EVENTS
using delays = nopal_test::random_delays;
constexpr unsigned share = nopal_test::with_sanitizer ? nopal_test::work_divisor : 2;
#else
struct delays {
  explicit delays(std::uint64_t) {}
};
constexpr unsigned share = 1;
#endif

struct load {
  unsigned producers;  ///< Threads that only put,
  unsigned consumers;  ///< only get,
  unsigned both;       ///< or do both in turn.
  std::uint32_t chunk;
  bool membarrier = true;

  [[nodiscard]] unsigned putting() const { return producers + both; }
  [[nodiscard]] unsigned getting() const { return consumers + both; }
};

std::ostream& operator<<(std::ostream& out, const load& l) {
  return out << l.producers << "p" << l.consumers << "c" << l.both << "b" << l.chunk
             << (l.membarrier ? "" : "Fenced");
}

/// How many tasks there are at a time, more or less.
enum class pace { never_none, one_by_one, in_heaps, as_each_likes };
constexpr unsigned paces = 4;

/// Few enough for their records to stay in a cache.
constexpr std::uint64_t most_in_a_round = 50000;
constexpr unsigned least_rounds = 2 * paces;

template <class Pool>
class contest {
 public:
  contest(const load& l, std::uint64_t seed)
      : pool_({.producers = l.putting(), .consumers = l.getting(), .chunk = l.chunk}),
        putting_(l.putting()),
        chunk_(l.chunk) {
    const unsigned threads = l.producers + l.consumers + l.both;
    for (unsigned i = 0; i < threads; ++i) {
      sides_.emplace_back(seed + i);
      if (i < l.putting()) sides_.back().in.emplace(pool_.producer());
      if (i >= l.producers) sides_.back().out.emplace(pool_.consumer());
    }
    logs_.resize(threads + 1);
  }

  /// That many tasks are put, and got by all; what is left is got by one. Then all operations are
  /// judged.
  history_report run_round(std::uint64_t tasks, pace p) {
    for (pool_log& log : logs_) log.clear();
    producing_.store(putting_);
    to_spare_.store(-1);
    inside_.store(0);
    {
      std::vector<std::jthread> threads;
      task_number first = 0;
      for (unsigned i = 0; i < sides_.size(); ++i) {
        const auto end =
            i < putting_ ? static_cast<task_number>(tasks * (i + 1) / putting_) : first;
        threads.emplace_back([i, first, end, p, this] {
          nopal_test::pin(i);
          if (p == pace::never_none)
            keep_few(sides_[i], logs_[i], first, end);
          else if (sides_[i].in)
            put_all(sides_[i], logs_[i], first, end, p);
          else
            get_all(sides_[i], logs_[i]);
        });
        first = end;
      }
    }
    drain();
    return pool_history(logs_).check();
  }

 private:
  struct side {
    explicit side(std::uint64_t seed) : random(seed) {}
    std::optional<decltype(std::declval<Pool&>().producer())> in;
    std::optional<decltype(std::declval<Pool&>().consumer())> out;
    random_numbers random;
  };

  void put_all(side& s, pool_log& log, task_number next, task_number end, pace p) {
    bool heaps = p == pace::in_heaps;
    while (next != end) {
      if (p == pace::as_each_likes && s.random.one_in(64)) heaps = !heaps;
      const unsigned some = heaps                ? 1 + s.random.below(4 * std::min(chunk_, 50U) + 8)
                            : s.random.one_in(4) ? 2
                                                 : 1;
      const auto first = next;
      const auto last = next + std::min(end - next, some);
      while (next != last) next = put_some(s, log, next, last);
      if (s.out) get_as_many(s, log, next - first, s.random.one_in(4));
      pause(s.random);
      if (p == pace::one_by_one && !s.out) wait_for_few(s.random);
    }
    producing_.fetch_sub(1);
  }

  /// Until those that get have caught up; not for ever, since a pool that is wrong may lose tasks.
  void wait_for_few(random_numbers& random) const {
    for (unsigned n = 0; n < 1000 && inside_.load(std::memory_order_relaxed) > 3; ++n)
      pause(random);
  }

  void get_as_many(side& s, pool_log& log, unsigned most, bool one_more) {
    for (unsigned got = 0; got < most;) {
      const unsigned n = get_some(s, log, most - got);
      if (n == 0) break;
      got += n;
    }
    if (one_more) get_some(s, log, 1);
  }

  /// A side that gets makes sure beforehand that one will be left. So there is no moment at which
  /// the pool is empty.
  void keep_few(side& s, pool_log& log, task_number next, task_number end) {
    bool producing = s.in.has_value();
    do {
      if (next != end && to_spare_.load() < 4) {
        next = put_some(s, log, next, next + 1);
        to_spare_.fetch_add(1);
      }
      if (producing && next == end) {
        producing = false;
        producing_.fetch_sub(1);
      }
      if (s.out && s.random.one_in(2) && spare_one()) get_some(s, log, 1);
      pause(s.random);
    } while (producing || producing_.load() != 0);
  }

  bool spare_one() {
    int n = to_spare_.load();
    while (n > 0 && !to_spare_.compare_exchange_weak(n, n - 1)) {
    }
    return n > 0;
  }

  void get_all(side& s, pool_log& log) {
    for (;;) {
      const bool over = producing_.load() == 0;
      if (get_some(s, log, 4) != 0) continue;
      if (over) return;
      pause(s.random);
    }
  }

  task_number put_some(side& s, pool_log& log, task_number next, task_number end) {
    const auto first = next;
    const auto last = std::min(end, next + (s.random.one_in(4) ? 2 + s.random.below(4) : 1));
    log.begin();
    for (; next != last; ++next) {
      s.in->put(next);
      log.put(next);
    }
    log.end();
    inside_.fetch_add(static_cast<int>(last - first), std::memory_order_relaxed);
    return next;
  }

  /// At most so many, at most 4, in one of the ways that there are.
  unsigned get_some(side& s, pool_log& log, unsigned most) {
    unsigned got = 0;
    const auto note = [&](const std::optional<task_number>& x) {
      if (x)
        log.got(*x);
      else
        log.nothing();
      got += x ? 1 : 0;
    };
    log.begin();
    switch (s.random.below(16)) {
      case 0:
        note(s.out->wait_for(std::chrono::microseconds(s.random.below(50))));
        break;
      case 1: {
        std::array<task_number, 4> to{};
        const std::size_t n = s.out->get(std::span(to).first(std::min(most, 4U)));
        for (std::size_t i = 0; i < n; ++i) note(to[i]);
        if (n == 0) note(std::nullopt);
        break;
      }
      case 2:
      case 3:
        for (unsigned n = 1 + s.random.below(std::min(most, 4U)); n != 0; --n) note(s.out->get());
        break;
      default:
        note(s.out->get());
    }
    log.end();
    inside_.fetch_sub(static_cast<int>(got), std::memory_order_relaxed);
    return got;
  }

  static void pause(random_numbers& random) {
    if (random.one_in(512))
      std::this_thread::sleep_for(50us);
    else if (random.one_in(16))
      std::this_thread::yield();
    else
      for (unsigned n = random.below(200); n != 0; --n) asm volatile("");
  }

  void drain() {
    side& s = sides_.back();
    while (get_some(s, logs_.back(), 4) != 0) {
    }
  }

  Pool pool_;
  const unsigned putting_;  // the first so many
  const std::uint32_t chunk_;
  std::vector<side> sides_;
  std::vector<pool_log> logs_;  // one for each thread, and one for the drain
  std::atomic<unsigned> producing_{0};
  std::atomic<int> inside_{0};  // tasks that are in the pool, about
  // Tasks but one that are in the pool and that nobody is about to get.
  std::atomic<int> to_spare_{0};
};

/// Until all tasks are through, or something is wrong.
template <class Pool>
history_report run_contest(const load& l, const std::string& what, std::uint64_t seed) {
  const std::uint64_t all = nopal_test::tasks_or(100000 / share);
  const std::uint64_t in_a_round =
      std::clamp<std::uint64_t>(all / least_rounds, 1, most_in_a_round);
  contest<Pool> c(l, seed);
  history_report sum;
  for (unsigned round = 0; sum.tasks < all && sum.faults.empty(); ++round) {
    const nopal_test::watchdog w(60s, what, seed);
    history_report r =
        c.run_round(std::min(in_a_round, all - sum.tasks), static_cast<pace>(round % paces));
    sum.faults = std::move(r.faults);
    sum.tasks += r.tasks;
    sum.nothing += r.nothing;
    sum.contested += r.contested;
  }
  return sum;
}

template <template <class> class Mechanism>
using pool_of = nopal::pool<task_number, Mechanism<task_number>>;

struct mechanism {
  const char* name;
  history_report (*run)(const load& l, const std::string& what, std::uint64_t seed);
};

template <template <class> class Mechanism>
constexpr mechanism of(const char* name) {
  return {name, run_contest<pool_of<Mechanism>>};
}

using parameters = std::tuple<mechanism, load>;

std::string name_of(const parameters& p) {
  std::ostringstream text;
  text << std::get<mechanism>(p).name << std::get<load>(p);
  return text.str();
}

class PoolHistory : public testing::TestWithParam<parameters> {
 protected:
  // Chosen by the first pool for all; a test may choose again while there is no other.
  void SetUp() override {
    nopal::detail::choose_fences(true);
    was_ = nopal::detail::asymmetric_fences;
    nopal::detail::asymmetric_fences = was_ && std::get<load>(GetParam()).membarrier;
  }
  void TearDown() override { nopal::detail::asymmetric_fences = was_; }

 private:
  bool was_ = false;
};

TEST_P(PoolHistory, IsThatOfABag) {
  const auto& [m, l] = GetParam();
  const std::uint64_t seed =
      nopal_test::seed_or(1 + l.producers * 1000 + l.consumers * 100 + l.both * 10 + l.chunk);
  const delays d(seed);
  const std::string what = name_of(GetParam());
  const history_report r = m.run(l, what, seed);
  std::cout << what << ", seed " << seed << ": " << r.tasks << " tasks; " << r.nothing
            << " times nothing was got, " << r.contested
            << " of them while there was a task for some of the time\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(r.faults.size(), 10); ++i)
    ADD_FAILURE() << r.faults[i];
  EXPECT_EQ(r.faults.size(), 0U) << "NOPAL_TEST_SEED=" << seed;
  EXPECT_GT(r.nothing, 0U) << "the pool was never empty, so half of the rules were not tested";
}

INSTANTIATE_TEST_SUITE_P(
    , PoolHistory,
    testing::Combine(testing::Values(of<nopal::detail::salsa>("Salsa"),
                                     of<nopal::detail::salsa_cas>("SalsaCas"),
                                     of<nopal::detail::concurrent_bag>("ConcurrentBag"),
                                     of<nopal::detail::ms_queue>("MsQueue"),
                                     of<nopal::detail::lifo_stack>("LifoStack")),
                     testing::Values(load{1, 1, 0, 1}, load{2, 2, 0, 2}, load{0, 0, 2, 2},
                                     load{0, 0, 3, 1}, load{0, 0, 4, 7}, load{1, 2, 2, 2},
                                     load{4, 1, 0, 7}, load{1, 4, 0, 1}, load{1, 1, 3, 1000},
                                     load{1, 2, 2, 1, false})),
    [](const auto& i) { return name_of(i.param); });

// --- the test of the test: pools that are wrong ----------------------------------------------

std::set<pool_fault> faults_of(const history_report& r) {
  std::set<pool_fault> kinds;
  for (const auto& f : r.faults) kinds.insert(f.what);
  return kinds;
}

/// Does not look now and then, and always believes that what it has not found is not there.
template <class T>
struct hasty : nopal::detail::salsa<T> {
  using nopal::detail::salsa<T>::salsa;
  bool get(std::optional<T>& to) {
    looks_ = ++calls_ % 100 != 0;
    return looks_ && nopal::detail::salsa<T>::get(to);
  }
  bool steal(hasty& victim, std::optional<T>& to) {
    return looks_ && nopal::detail::salsa<T>::steal(victim, to);
  }
  [[nodiscard]] bool is_empty(unsigned /*consumer*/) const noexcept { return true; }
  [[nodiscard]] bool check_indicator(unsigned /*consumer*/) const noexcept { return true; }

 private:
  unsigned calls_ = 0;
  bool looks_ = true;
};

TEST(WrongPool, ThatIsSaidToBeEmpty) {
  const history_report r =
      run_contest<pool_of<hasty>>({1, 1, 3, 7}, "hasty", nopal_test::seed_or(1));
  EXPECT_TRUE(faults_of(r).contains(pool_fault::was_not_empty));
}

/// Hands out again what it has handed out, now and then.
template <class T>
struct generous : nopal::detail::salsa<T> {
  using nopal::detail::salsa<T>::salsa;
  bool get(std::optional<T>& to) {
    if (++calls_ % 100 == 0 && last_) {
      to = last_;
      return true;
    }
    if (!nopal::detail::salsa<T>::get(to)) return false;
    last_ = to;
    return true;
  }

 private:
  unsigned calls_ = 0;
  std::optional<T> last_;
};

TEST(WrongPool, ThatHandsOutTwice) {
  const history_report r =
      run_contest<pool_of<generous>>({1, 1, 3, 7}, "generous", nopal_test::seed_or(1));
  EXPECT_TRUE(faults_of(r).contains(pool_fault::got_twice));
}

/// Loses a task now and then.
template <class T>
struct forgetful : nopal::detail::salsa<T> {
  using nopal::detail::salsa<T>::salsa;
  bool get(std::optional<T>& to) {
    if (++calls_ % 100 == 0) nopal::detail::salsa<T>::get(to);
    return nopal::detail::salsa<T>::get(to);
  }

 private:
  unsigned calls_ = 0;
};

TEST(WrongPool, ThatLosesTasks) {
  const history_report r =
      run_contest<pool_of<forgetful>>({1, 1, 3, 7}, "forgetful", nopal_test::seed_or(1));
  EXPECT_TRUE(faults_of(r).contains(pool_fault::lost));
}

}  // namespace
