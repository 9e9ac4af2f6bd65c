// SPDX-License-Identifier: Apache-2.0
// The seam of events: who is told of what, and what the events of a fork and a steal say.
// A program of its own, with events: it tests them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "nopal/nopal.hpp"
#include "platform/subscription.hpp"
#include "support/all_events.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::detail::event;
using nopal::detail::event_list;
using nopal::detail::strand_id;
using nopal::detail::subscription;

struct rang : event {
  int times;
};
struct knocked : event {};
struct entering : event {
  using answer = bool;
};

unsigned rings_heard = 0;
unsigned knocks_heard = 0;

struct hears_rings {
  void operator()(const rang& e) const { rings_heard += static_cast<unsigned>(e.times); }
};
struct hears_all {
  void operator()(const rang& /*event*/) const { rings_heard += 100; }
  void operator()(const knocked& /*event*/) const { ++knocks_heard; }
};
struct allows {
  bool operator()(const entering& /*event*/) const { return false; }
};
struct refuses {
  bool operator()(const entering& /*event*/) const { return true; }
};

TEST(Events, ReachEachSubscriberToTheirType) {
  using nopal::detail::emit;
  rings_heard = knocks_heard = 0;
  emit<rang>(1);
  EXPECT_EQ(rings_heard, 0U);
  {
    const subscription<rang> one(hears_rings{});
    emit<rang>(2);
    emit<knocked>();
    EXPECT_EQ(rings_heard, 2U);
    {
      const subscription<event_list<event_list<rang>, knocked>> two(hears_all{});
      emit<rang>(3);
      emit<knocked>();
      EXPECT_EQ(rings_heard, 105U);
    }
    emit<rang>(4);
    EXPECT_EQ(rings_heard, 109U);
  }
  emit<rang>(5);
  EXPECT_EQ(rings_heard, 109U);
  EXPECT_EQ(knocks_heard, 1U);
}

TEST(Events, AreRefusedByAnySubscriber) {
  using nopal::detail::emit;
  EXPECT_FALSE(emit<entering>());
  const subscription<entering> one(allows{});
  EXPECT_FALSE(emit<entering>());
  {
    const subscription<entering> two(refuses{});
    const subscription<entering> three(allows{});
    EXPECT_TRUE(emit<entering>());
  }
  EXPECT_FALSE(emit<entering>());
}

TEST(Events, HaveNames) {
  EXPECT_EQ(nopal::detail::event_name<nopal_test::deque_events::pushed>(), "deque_events::pushed");
  EXPECT_EQ(nopal::detail::event_name<nopal_test::pool_events::put>(), "pool_events::put");
}

TEST(Events, NameNoWorkerAndNoStrandOutside) {
  const event here = nopal::detail::whereabouts();
  EXPECT_EQ(here.worker, event::no_worker);
  EXPECT_FALSE(here.strand.some());
}

std::mutex mutex;
std::vector<strand_id> begun;
std::vector<strand_id> ended;
std::vector<nopal_test::deque_events::pushed> pushes;
std::vector<nopal_test::scheduler_events::stolen> steals;

/// Writes down what happens to strands.
struct recorder {
  void operator()(const nopal_test::strand_events::beginning& e) const { add(begun, e.strand); }
  void operator()(const nopal_test::strand_events::suspending& e) const {
    if (e.ends) add(ended, e.strand);
  }
  void operator()(const nopal_test::deque_events::pushed& e) const { add(pushes, e); }
  void operator()(const nopal_test::scheduler_events::stolen& e) const { add(steals, e); }

 private:
  template <class T>
  static void add(std::vector<T>& to, const T& what) {
    const std::lock_guard locked(mutex);
    to.push_back(what);
  }
};

TEST(Events, SayWhoForksAndWhoSteals) {
  begun.clear();
  ended.clear();
  pushes.clear();
  steals.clear();
  const subscription<nopal_test::strand_events::beginning, nopal_test::strand_events::suspending,
                     nopal_test::deque_events::pushed, nopal_test::scheduler_events::stolen>
      records(recorder{});
  event in_f;
  event in_g;
  {
    nopal::runtime r({.workers = 2});
    r.run([&] {
      std::atomic<bool> stolen{false};
      nopal::parallel_invoke(
          [&] {
            nopal_test::until(stolen);
            in_f = nopal::detail::whereabouts();
          },
          [&] {
            in_g = nopal::detail::whereabouts();
            stolen = true;
          });
    });
  }
  ASSERT_EQ(pushes.size(), 1U);
  ASSERT_EQ(steals.size(), 1U);
  EXPECT_EQ(pushes[0].worker, in_f.worker);
  EXPECT_EQ(pushes[0].strand, in_f.strand);
  EXPECT_EQ(steals[0].what, pushes[0].what);
  EXPECT_EQ(steals[0].victim, in_f.worker);
  EXPECT_EQ(steals[0].worker, in_g.worker);
  EXPECT_FALSE(steals[0].strand.some()) << "a thief does not run a strand";
  EXPECT_EQ(begun, (std::vector<strand_id>{in_f.strand, in_g.strand}));
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_TRUE(std::ranges::is_permutation(begun, ended));
}

}  // namespace
