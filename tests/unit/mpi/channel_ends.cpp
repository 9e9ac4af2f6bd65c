// SPDX-License-Identifier: Apache-2.0
// How a channel ends, and what ends a wait at it. A part of test_mpi_channels.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "channels.hpp"
#include "nopal/nopal.hpp"
#include "nopal/stop.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::mpi::channel;
using nopal_test::all;
using nopal_test::last_rank;
using nopal_test::received;
using nopal_test::sent;

TEST(MpiChannel, IsClosedWhenAllRanksHaveClosed) {
  for (int shift = 0; shift < all->size(); ++shift) {
    auto c = all->channel<int>(0, 8);
    EXPECT_TRUE(sent(c, 1));
    int sum = 0;
    for (int turn = 0; turn < all->size(); ++turn) {
      all->barrier();
      if (all->rank() == 0) {
        std::error_code error;
        while (const std::optional<int> v = c.receive(error, 2ms)) sum += *v;
        EXPECT_EQ(error, std::errc::timed_out);
      }
      all->barrier();
      EXPECT_EQ(c.is_closed(), turn > (all->rank() + shift) % all->size());
      if (turn == (all->rank() + shift) % all->size()) c.close();
    }
    EXPECT_FALSE(sent(c, 1));
    if (all->rank() != 0) continue;
    for (const int v : c) sum += v;
    EXPECT_EQ(sum, all->size());
    EXPECT_FALSE(received(c));
    EXPECT_FALSE(c.try_receive());
  }
}

TEST(MpiChannel, TheReceiverClosesEarly) {
  for (const bool by_handle : {false, true}) {
    std::optional c = all->channel<std::vector<int>>(0, 5);
    nopal::task_scope senders;
    for (int strand = 0; strand < 3 && !(by_handle && all->rank() == 0); ++strand)
      senders.spawn([&] {
        while (c->send(std::vector<int>(100))) {
        }
      });
    if (all->rank() == 0) {
      for (int i = 0; i < 10 && !(by_handle && all->size() == 1); ++i) EXPECT_TRUE(received(*c));
      if (!by_handle) {
        c->close_receiving();
        EXPECT_FALSE(received(*c));
        c->close_receiving();
      } else {
        c.reset();
      }
    }
    senders.join();
    if (!c) continue;
    EXPECT_TRUE(c->is_closed());
    EXPECT_FALSE(c->try_send({}));
  }
}

TEST(MpiChannel, TheLastHandleCloses) {
  std::optional c = all->channel<int>(0, 100);
  auto copy = std::make_optional(*c);
  EXPECT_TRUE(sent(*c, 1));
  c.reset();
  EXPECT_TRUE(sent(*copy, 2));
  if (all->rank() != 0) return copy.reset();
  copy->close();
  int sum = 0;
  for (const int v : *copy) sum += v;
  EXPECT_EQ(sum, 3 * all->size());
}

TEST(MpiChannel, LimitsEndAWait) {
  auto c = all->channel<int>(0, static_cast<std::size_t>(all->size()));
  auto unused = all->channel<int>(0, 1);
  EXPECT_TRUE(sent(c, 1));
  // Nothing is received yet, so there is no room.
  std::error_code error;
  EXPECT_EQ(bool(c.send(2, error, 1ms)), false);
  EXPECT_EQ(error, std::errc::timed_out);
  EXPECT_THROW(static_cast<void>(bool(c.send(2, 1ms))), std::system_error);
  std::stop_source source;
  nopal::task_scope stopper;
  stopper.spawn([&] {
    std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { c.send(2); }), nopal::stopped);
  if (all->rank() == 0) {
    EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { unused.receive(); }), nopal::stopped);
    EXPECT_EQ(std::optional<int>(unused.receive(error, 1ms)), std::nullopt);
    EXPECT_EQ(error, std::errc::timed_out);
  }
  stopper.join();
  all->barrier();
  // What was ended has changed nothing.
  nopal::task_scope sender;
  sender.spawn([&] {
    EXPECT_TRUE(sent(c, 3));
    c.close();
  });
  int sum = 0;
  for (int i = 0; all->rank() == 0 && i < 2 * all->size(); ++i) sum += received(c).value_or(0);
  if (all->rank() == 0) {
    EXPECT_EQ(sum, 4 * all->size());
    EXPECT_FALSE(received(c));
  }
  sender.join();
}

/// What f throws.
template <class Error, class F>
std::string text_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(MpiChannel, OneRankReceives) {
  auto c = all->channel<int>(last_rank(), 1);
  if (all->rank() != last_rank()) {
    const std::string ranks = ": rank " + std::to_string(last_rank()) +
                              " receives, and this is rank " + std::to_string(all->rank()) +
                              ", which can only send";
    const std::string text = "nopal::mpi::channel: receive" + ranks;
    EXPECT_EQ(text_of<std::logic_error>([&] { c.receive(); }), text);
    EXPECT_EQ(text_of<std::logic_error>([&] { c.receive(1ms); }), text);
    EXPECT_EQ(text_of<std::logic_error>([&] { c.try_receive(); }), text);
    EXPECT_EQ(text_of<std::logic_error>([&] { static_cast<void>(c.begin()); }), text);
    EXPECT_EQ(text_of<std::logic_error>([&] { c.close_receiving(); }),
              "nopal::mpi::channel: close_receiving" + ranks);
  }
  EXPECT_EQ(text_of<std::out_of_range>([&] { all->channel<int>(all->size(), 1); }),
            "nopal::mpi::world::channel: there is no rank " + std::to_string(all->size()) +
                "; they are numbered from 0 to " + std::to_string(last_rank()));
  EXPECT_THROW(all->channel<int>(-1, 1), std::out_of_range);
  EXPECT_THROW(all->channel<int>(0, 0), std::invalid_argument);
}

/// It cannot be sent if it is 1, and cannot be read if it is 2.
struct unwilling {
  int value = 0;
  void serialize(nopal::mpi::output_archive& a) {
    if (value == 1) throw std::range_error("not sent");
    a(value);
  }
  void serialize(nopal::mpi::input_archive& a) {
    a(value);
    if (value == 2) throw std::range_error("not read");
  }
};

TEST(MpiChannel, ExceptionsOfElementsCostNoCredit) {
  auto c = all->channel<unwilling>(0, 1);
  nopal::task_scope sender;
  sender.spawn([&] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(text_of<std::range_error>([&] { c.send({1}); }), "not sent");
      EXPECT_TRUE(sent(c, {2}));
    }
    c.close();
  });
  for (int i = 0; all->rank() == 0 && i < 5 * all->size(); ++i)
    EXPECT_EQ(text_of<std::range_error>([&] { c.receive(); }), "not read");
  EXPECT_FALSE(all->rank() == 0 && received(c));
  sender.join();
}

}  // namespace

bool nopal_test::goes_on_when_the_world_ends(std::optional<nopal::mpi::world>& world) {
  auto c = world->channel<int>(0, 1);
  auto unused = world->channel<int>(0, 1);  // nobody sends or closes
  std::atomic<int> wrong{0};
  std::thread sender([&] {
    while (c.send(1)) {
    }
    if (!c.is_closed()) ++wrong;
  });
  std::thread receiver([&, receives = world->rank() == 0] {
    if (receives && received(unused)) ++wrong;
  });
  std::this_thread::sleep_for(2ms);
  world.reset();
  sender.join();
  receiver.join();
  return wrong == 0 && !c.send(1) && !unused.try_send(1);
}
