// SPDX-License-Identifier: Apache-2.0
// Whether epoll is asked for events of a descriptor once no call waits for it any more.
// A program of its own, with events: they hold the poller's thread between two steps.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include "io/events.hpp"
#include "io/poller.hpp"
#include "nopal/nopal.hpp"
#include "platform/subscription.hpp"
#include "support/io.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;
namespace io_events = nopal::detail::io_events;

/// Whether an epoll of this process is asked for events of `fd`. The kernel lists what each epoll
/// is asked for, with a bit that says "once" and stays when the event has been told.
bool is_asked_for(int fd) {
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(each, gone) != "anon_inode:[eventpoll]") continue;
    std::ifstream about("/proc/self/fdinfo" / each.path().filename());
    std::string word;
    while (about >> word) {
      int known = -1;
      unsigned events = 0;
      if (word == "tfd:" && about >> known >> word >> std::hex >> events >> std::dec &&
          known == fd && (events & (EPOLLIN | EPOLLOUT)) != 0)
        return true;
    }
  }
  return false;
}

void wait_until_asked_for(int fd) {
  while (!is_asked_for(fd)) std::this_thread::sleep_for(100us);
}

/// Holds the poller's thread, while it lives, each time that the thread is about to make a call.
class held_tries {
 public:
  held_tries() : subscription_(handler{}) { passed = begun = 0; }
  ~held_tries() {
    passed = ~0U;
    passed.notify_all();
  }

  /// Waits until the thread is about to make its n-th call.
  void wait_for(unsigned n) const {
    for (unsigned now; (now = begun) < n;) begun.wait(now);
  }
  /// Lets the thread make one more call.
  void let_go_on() {
    ++passed;
    passed.notify_all();
  }

 private:
  struct handler {
    void operator()(const io_events::trying& /*event*/) const {
      const unsigned own = ++begun;
      begun.notify_all();
      for (unsigned now; (now = passed) < own;) passed.wait(now);
    }
  };

  static inline std::atomic<unsigned> begun{0};
  static inline std::atomic<unsigned> passed{0};
  nopal::detail::subscription<io_events::trying> subscription_;
};

/// Two sockets that are connected to each other.
class connection {
 public:
  connection() : connection(made()) {}
  [[nodiscard]] int here() const { return here_; }
  void say() const { EXPECT_EQ(::send(there_, "x", 1, 0), 1); }
  void hear() const {
    char one = 0;
    EXPECT_EQ(::recv(here_, &one, 1, MSG_DONTWAIT), 1);
  }

 private:
  explicit connection(std::array<int, 2> fds) : here_(fds[0]), there_(fds[1]) {}
  static std::array<int, 2> made() {
    std::array<int, 2> fds{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()), 0);
    return fds;
  }

  descriptor here_;
  descriptor there_;
};

/// A thread that receives a byte, and can be stopped.
class receiver {
 public:
  explicit receiver(const connection& c)
      : thread_([this, &c] {
          std::array<std::byte, 1> one;
          received_ = io::recv(c.here(), one, 0, error_, stop_.get_token());
        }) {}
  ~receiver() {
    if (thread_.joinable()) thread_.join();
  }
  void stop() { stop_.request_stop(); }
  /// Returns whether it has received a byte, and has not been stopped.
  bool has_received() {
    thread_.join();
    EXPECT_EQ(received_ == 0, error_ == std::errc::operation_canceled) << error_;
    return received_ == 1;
  }

 private:
  std::stop_source stop_;
  std::error_code error_;
  std::size_t received_ = 0;
  std::thread thread_;
};

class Asked : public Io {
 protected:
  void SetUp() override {
    const pipe_ends p;
    const descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event e{.events = EPOLLIN, .data = {}};
    ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, p.out(), &e), 0);
    if (!is_asked_for(p.out())) GTEST_SKIP() << "this kernel does not list what epoll is asked";
  }

 private:
  watchdog patience_{60s, "who asks for events", 0};
};

/// The poller's thread has found an event, and the call that has waited for it is refused while the
/// thread makes it. Meanwhile `second` begins to wait, so that epoll is asked again. The thread
/// tries that call, too, since the first has not found anything. Returns as it is about to.
void begin_in_a_turn(held_tries& tries, const connection& c, receiver& first, const auto& second) {
  wait_until_asked_for(c.here());
  c.say();
  tries.wait_for(1);
  EXPECT_FALSE(is_asked_for(c.here())) << "an event is told once";
  c.hear();
  second();
  wait_until_asked_for(c.here());
  first.stop();
  tries.let_go_on();
  EXPECT_FALSE(first.has_received());
  tries.wait_for(2);
}

TEST_F(Asked, NothingIsAskedForOnceACallIsRefusedThatBeganInATurn) {
  const connection c;
  held_tries tries;
  receiver first(c);
  std::optional<receiver> second;
  begin_in_a_turn(tries, c, first, [&] { second.emplace(c); });
  second->stop();
  tries.let_go_on();
  EXPECT_FALSE(second->has_received());
  EXPECT_FALSE(is_asked_for(c.here()));
}

TEST_F(Asked, NothingIsAskedForOnceACallHasItsResultThatBeganInATurn) {
  const connection c;
  held_tries tries;
  receiver first(c);
  std::optional<receiver> second;
  begin_in_a_turn(tries, c, first, [&] { second.emplace(c); });
  c.say();
  tries.let_go_on();
  EXPECT_TRUE(second->has_received());
  EXPECT_FALSE(is_asked_for(c.here()));
}

/// A thread has found an event, and serves it when the call that waited for it has been stopped and
/// another one waits.
TEST_F(Asked, AnOlderEventLeavesNothingAskedForByANewerCall) {
  const connection c;
  const io::limits none;
  const auto call = nopal::detail::io_call::recv(c.here(), {}, 0);
  nopal::detail::io_request older(call, none);
  nopal::detail::io_request newer(call, none);
  older.events = newer.events = EPOLLIN;
  nopal::detail::io_poller poller;
  ASSERT_EQ(poller.open(), 0);
  std::array<epoll_event, 2> room;

  ASSERT_EQ(poller.add(older), 0);
  c.say();
  const auto found = poller.look(room);
  ASSERT_EQ(found.size(), 1U);
  older.unlink();
  poller.ask_no_more(c.here());
  c.hear();
  ASSERT_EQ(poller.add(newer), 0);
  EXPECT_TRUE(is_asked_for(c.here()));
  const auto answered = nopal::detail::io_poller::ask_of(found.front());
  EXPECT_EQ(poller.first_ready(c.here(), EPOLLIN, answered), &newer);
  EXPECT_EQ(poller.ask_again(c.here()), 0);
  EXPECT_FALSE(is_asked_for(c.here())) << "nobody waits any more";

  ASSERT_EQ(poller.add(newer), 0);
  EXPECT_TRUE(is_asked_for(c.here()));
  EXPECT_EQ(poller.first_ready(c.here(), EPOLLOUT, answered), nullptr);
  newer.unlink();
  poller.ask_no_more(c.here());
  EXPECT_FALSE(is_asked_for(c.here())) << "a call has ended that an older event did not concern";
}

}  // namespace
