// SPDX-License-Identifier: Apache-2.0
// A consumer that stands still, at any step of the protocol: the others get all that is in the pool
// except one task at most.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <typeindex>
#include <vector>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/pool/events.hpp"
#include "nopal/detail/pool/salsa.hpp"
#include "nopal/pool.hpp"
#include "platform/subscription.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::pool;
namespace pool_events = nopal::detail::pool_events;

/// Where the thread that has set this stops, when it comes there for the n-th time.
struct stop_sign {
  std::type_index at;
  unsigned times;
  std::atomic<bool> reached{false};
  std::atomic<bool> go_on{false};
};

thread_local stop_sign* sign = nullptr;

void stop_there(std::type_index at) {
  stop_sign* s = sign;
  if (s == nullptr || at != s->at || --s->times != 0) return;
  sign = nullptr;
  s->reached.store(true);
  s->reached.notify_all();
  s->go_on.wait(false);
}

struct stops {
  template <class E>
  void operator()(const E& /*event*/) const {
    stop_there(typeid(E));
  }
};

struct where {
  const char* name;
  std::type_index at;
  bool thief;  ///< It takes from a pool to which nobody puts.
};

void PrintTo(const where& w, std::ostream* out) { *out << w.name; }

class Stopped : public testing::TestWithParam<where> {
  nopal::detail::subscription<pool_events::all> subscription_{stops{}};
};

constexpr unsigned tasks = 200;
constexpr unsigned consumers = 4;

void run(const where& w, unsigned times, std::uint32_t chunk) {
  const nopal_test::watchdog dog(30s, std::string("stopped at ") + w.name, 0);
  pool<unsigned> p({.producers = 1, .consumers = consumers, .chunk = chunk});
  std::vector<nopal::pool_consumer<unsigned>> out;
  for (unsigned i = 0; i < consumers; ++i) out.push_back(p.consumer());
  auto in = p.producer();  // puts to the pool of the first
  for (unsigned i = 0; i < tasks; ++i) in.put(i);

  std::vector<std::atomic<unsigned>> taken(tasks);
  std::atomic<unsigned> sum{0};
  const auto take_all = [&](nopal::pool_consumer<unsigned>& c) {
    while (std::optional<unsigned> x = c.get()) {
      ++taken[*x];
      ++sum;
    }
  };
  stop_sign s{.at = w.at, .times = times};
  std::atomic<bool> ended{false};
  std::jthread stopped([&] {
    sign = &s;
    take_all(out[w.thief ? 1 : 0]);
    sign = nullptr;
    ended = true;
    s.reached.store(true);
    s.reached.notify_all();
  });
  s.reached.wait(false);
  const bool is_stopped = !ended;
  {
    std::vector<std::jthread> others;
    for (unsigned i = 0; i < consumers; ++i)
      if (i != (w.thief ? 1U : 0U)) others.emplace_back([&, i] { take_all(out[i]); });
  }
  if (is_stopped) {
    std::this_thread::sleep_for(2ms);
    EXPECT_GE(sum, tasks - 1) << "of " << tasks;
  }
  // New tasks as well, also in chunks that are used again.
  for (unsigned i = 0; i < tasks; ++i) {
    const std::optional<unsigned> x = (in.put(i), out[2].get());
    EXPECT_TRUE(x.has_value());
    if (x) taken[*x].fetch_add(1);
  }
  s.go_on.store(true);
  s.go_on.notify_all();
  stopped.join();
  take_all(out[3]);
  for (unsigned i = 0; i < tasks; ++i) EXPECT_EQ(taken[i], 2U) << "task " << i;
}

TEST_P(Stopped, OthersGetAllButOne) {
  for (const std::uint32_t chunk : {1U, 2U, 3U, 7U, 50U, 300U})
    for (const unsigned times : {1U, 2U, 3U, 5U, 40U}) {
      SCOPED_TRACE("chunk " + std::to_string(chunk) + ", time " + std::to_string(times));
      run(GetParam(), times, chunk);
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, Stopped,
                         testing::Values(where{"Beginning", typeid(pool_events::swapping), false},
                                         where{"Looked", typeid(pool_events::looked), false},
                                         where{"Taking", typeid(pool_events::taking), false},
                                         where{"Marking", typeid(pool_events::marking), false},
                                         where{"Moving", typeid(pool_events::moving), false},
                                         where{"Retiring", typeid(pool_events::retiring), false},
                                         where{"Checking", typeid(pool_events::checking), false},
                                         where{"Stealing", typeid(pool_events::stealing), true},
                                         where{"Stolen", typeid(pool_events::stolen), true},
                                         where{"Settled", typeid(pool_events::settled), true},
                                         where{"ThiefTaking", typeid(pool_events::taking), true},
                                         where{"ThiefMarking", typeid(pool_events::marking), true},
                                         where{"ThiefRetiring", typeid(pool_events::retiring),
                                               true}),
                         testing::PrintToStringParamName());

/// Fences of thieves, all together.
std::atomic<unsigned> fences{0};
struct counts_fences {
  void operator()(const pool_events::fencing& /*event*/) const { ++fences; }
};

/// The shares of two consumers, without the policy above them.
struct two_shares {
  using salsa = nopal::detail::salsa<int>;

  std::optional<int> take() {
    std::optional<int> to;
    owner.get(to);
    return to;
  }
  std::optional<int> steal() {
    std::optional<int> to;
    if (!thief.get(to)) thief.steal(owner, to);
    return to;
  }

  bool asymmetric = (nopal::detail::choose_fences(true), nopal::detail::asymmetric_fences);
  salsa::common common{{.producers = 2, .consumers = 2, .chunk = 100}};
  salsa owner{common, 0};
  salsa thief{common, 1};
  salsa::producer_end a{0};
  salsa::producer_end b{1};
};

// The owner has begun a chunk and takes from another: it has left the node of the first, which is
// all that the thief has to know.
TEST(Asking, NobodyIsAskedOrFencedWhoHasLeft) {
  const nopal::detail::subscription<pool_events::fencing> subscription(counts_fences{});
  two_shares of;
  fences = 0;
  of.owner.put(of.b, 1);
  EXPECT_EQ(of.take(), 1);  // the chunk of b is begun
  for (int i = 0; i < 3; ++i) of.owner.put(of.a, 2);
  EXPECT_EQ(of.take(), 2);  // the owner takes from that of a now
  of.owner.put(of.b, 3);
  EXPECT_EQ(of.steal(), 3);
  EXPECT_EQ(fences, 0U);
  EXPECT_EQ(of.steal(), 2);  // the owner is there, and does not answer
  EXPECT_EQ(fences, of.asymmetric ? 1U : 0U);
  EXPECT_EQ(of.take(), std::nullopt);
  EXPECT_EQ(of.steal(), 2);
}

// The thief is stopped where it has become the owner. The former owner comes back and finds that;
// then the thief finds the answer.
TEST(Asking, AnOwnerAnswersAtItsNextGet) {
  const nopal_test::watchdog dog(30s, "asking", 0);
  const nopal::detail::subscription<pool_events::all> stopping(stops{});
  const nopal::detail::subscription<pool_events::fencing> subscription(counts_fences{});
  two_shares of;
  for (int i = 0; i < 3; ++i) of.owner.put(of.a, i);
  EXPECT_EQ(of.take(), 0);
  fences = 0;
  stop_sign s{.at = typeid(pool_events::stolen), .times = 1};
  std::jthread stealing([&] {
    sign = &s;
    EXPECT_EQ(of.steal(), 1);
    EXPECT_EQ(of.steal(), 2);
  });
  s.reached.wait(false);
  EXPECT_EQ(of.take(), std::nullopt);
  s.go_on.store(true);
  s.go_on.notify_all();
  stealing.join();
  EXPECT_EQ(fences, 0U);
}

}  // namespace
