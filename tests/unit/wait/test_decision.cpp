// SPDX-License-Identifier: Apache-2.0
// A decision: one event of several ends a wait, once. And the lists of offers to it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "nopal/detail/wait/decision.hpp"
#include "nopal/detail/wait/limited_wait.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "support/everywhere.hpp"
#include "support/sleeper.hpp"

namespace {

using nopal::detail::decision;
using nopal::detail::offer;
using nopal::detail::offer_list;
using nopal::detail::taken_offers;
using nopal::detail::wait_for;
using nopal_test::sleeper;

struct offer_to : offer {
  offer_to(decision& d, unsigned n) {
    of = &d;
    number = n;
  }
};

TEST(Decision, TheFirstEventDecides) {
  for (const unsigned number : {0U, 1U, 0xfffcU, decision::no_timer, decision::stopped}) {
    decision d;
    EXPECT_FALSE(d.is_over());
    EXPECT_TRUE(d.decide(number));
    EXPECT_FALSE(d.decide(number));
    EXPECT_FALSE(d.decide(5));
    EXPECT_FALSE(d.is_over());  // the event has yet to do its part
    d.complete();
    EXPECT_TRUE(d.is_over());
    EXPECT_FALSE(d.decide(5));
    EXPECT_EQ(d.number(), number);
    EXPECT_EQ(wait_for(d), number);
  }
}

TEST(Decision, WhoeverWaitsGoesOnWhenTheEventIsCompleteAndNotBefore) {
  decision d;
  int written = 0;
  std::atomic<bool> goes_on{false};
  sleeper waits([&] {
    EXPECT_EQ(wait_for(d), 3U);
    EXPECT_EQ(written, 7);
    goes_on = true;
  });
  waits.until_asleep();
  EXPECT_TRUE(d.decide(3));
  waits.until_asleep();
  EXPECT_FALSE(goes_on);
  written = 7;
  d.complete();
  waits.join();
  EXPECT_TRUE(goes_on);
}

// The same on a worker: the strand leaves its stack between decide() and complete(), or before.
TEST(Decision, AStrandWaitsForTheRestOfAnEventThatHasDecided) {
  nopal_test::everywhere([] {
    for (const bool is_decided : {false, true}) {
      decision d;
      int written = 0;
      EXPECT_TRUE(!is_decided || d.decide(4));
      nopal::parallel_invoke(
          [&] {
            EXPECT_EQ(wait_for(d), 4U);
            EXPECT_EQ(written, 7);
          },
          [&] {
            EXPECT_TRUE(is_decided || d.decide(4));
            written = 7;
            d.complete();
          });
    }
  });
}

// Events that come at the same time, while a thread begins to wait. The decision ends
// as soon as that goes on, and the next one lies in its place.
TEST(Decision, OneOfManyEventsAtTheSameTimeDecides) {
  constexpr unsigned events = 3;
  constexpr int rounds = 1000;
  std::atomic<decision*> of{nullptr};
  std::array<unsigned, events> won{};
  std::barrier all_come(events + 1);
  std::vector<std::jthread> threads;
  for (unsigned e = 0; e < events; ++e)
    threads.emplace_back([&, e] {
      for (int i = 0; i < rounds; ++i) {
        all_come.arrive_and_wait();
        decision& d = *of.load();
        const bool has_won = d.decide(e);
        all_come.arrive_and_wait();  // all have had a look before the decision may end
        if (has_won) {
          ++won[e];
          d.complete();
        }
      }
    });
  std::array<unsigned, events> seen{};
  for (int i = 0; i < rounds; ++i) {
    decision d;
    of = &d;
    all_come.arrive_and_wait();
    all_come.arrive_and_wait();
    ++seen[wait_for(d)];
  }
  threads.clear();
  EXPECT_EQ(won, seen);
  EXPECT_EQ(won[0] + won[1] + won[2], static_cast<unsigned>(rounds));
}

TEST(Offers, AreTakenInTheirOrderAndOnlyIfTheyCanDecide) {
  std::array<decision, 4> waits;
  std::array<offer_to, 4> offers{offer_to(waits[0], 0), offer_to(waits[1], 1),
                                 offer_to(waits[2], 2), offer_to(waits[3], 3)};
  offer_list list;
  list.push_back(offers[1]);
  list.push_back(offers[2]);
  list.push_back(offers[3]);
  list.push_front(offers[0]);
  EXPECT_TRUE(waits[1].decide(decision::timed_out));
  EXPECT_TRUE(waits[3].decide(decision::stopped));
  EXPECT_EQ(list.take(), &offers[0]);
  EXPECT_EQ(list.take(), &offers[2]);
  EXPECT_EQ(list.take(), nullptr);
  EXPECT_TRUE(list.empty());
  for (offer& o : offers) EXPECT_FALSE(o.is_listed());
  for (decision& d : waits) d.complete();
  EXPECT_EQ(waits[0].number(), 0U);
  EXPECT_EQ(waits[1].number(), decision::timed_out);
  EXPECT_EQ(waits[2].number(), 2U);
  EXPECT_EQ(waits[3].number(), decision::stopped);
}

// A wait that has left several offers at one object is served once.
TEST(Offers, OfOneWaitAreTakenOnce) {
  decision d;
  offer_to a(d, 0), b(d, 1), c(d, 2);
  offer_list list;
  for (offer* o : {&b, &a, &c}) list.push_back(*o);
  EXPECT_EQ(list.take(), &b);
  EXPECT_EQ(list.take(), nullptr);
  EXPECT_FALSE(a.is_listed() || c.is_listed());
  d.complete();
  EXPECT_EQ(d.number(), 1U);
}

TEST(Offers, AnOfferThatIsTakenOutIsNotServed) {
  std::array<decision, 3> waits;
  std::array<offer_to, 3> offers{offer_to(waits[0], 0), offer_to(waits[1], 1),
                                 offer_to(waits[2], 2)};
  offer_list list;
  for (offer& o : offers) list.push_back(o);
  offers[1].unlink();
  offers[1].unlink();  // it may have been taken out already
  taken_offers taken;
  taken.add_all(list);
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(waits[0].is_over());
  taken.complete();
  EXPECT_TRUE(waits[0].is_over());
  EXPECT_TRUE(waits[2].is_over());
  EXPECT_TRUE(waits[1].decide(1));
}

// A waiter and its offer end as soon as the waiter goes on.
TEST(Offers, AreCompletedWhileThoseThatWaitGoOn) {
  constexpr unsigned threads = 4;
  constexpr int rounds = 100;
  for (int i = 0; i < rounds; ++i) {
    offer_list list;
    std::mutex lock;
    std::latch listed(threads);
    std::vector<std::jthread> waiting;
    for (unsigned t = 0; t < threads; ++t)
      waiting.emplace_back([&, t] {
        decision d;
        offer_to o(d, t);
        {
          const std::lock_guard held(lock);
          list.push_back(o);
        }
        listed.count_down();
        EXPECT_EQ(wait_for(d), t);
      });
    listed.wait();
    taken_offers taken;
    {
      const std::lock_guard held(lock);
      taken.add_all(list);
    }
    taken.complete();
  }
}

}  // namespace
