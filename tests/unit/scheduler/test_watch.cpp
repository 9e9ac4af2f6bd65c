// SPDX-License-Identifier: Apache-2.0
// What a checking build says of workers that are all blocked.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"
#include "support/child_process.hpp"

namespace {

using namespace std::chrono_literals;
using nopal_test::ended_process;
using nopal_test::in_child;

/// Something that a strand blocks its worker on.
class door {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

template <class F>
void run_on(nopal::detail::scheduler& s, F&& f) {
  nopal::detail::run_on(s, [](void* call) { (*static_cast<F*>(call))(); }, &f);
}

/// Calls `occupy` on each worker, and hands one more call to them. `until` says when the door is
/// opened.
template <class F, class U>
void with_all_workers(F occupy, U until) {
  constexpr unsigned workers = 2;
  nopal::options o;
  o.workers = workers;
  nopal::detail::scheduler s(o, {.patience = 100ms});
  door d;
  std::vector<std::jthread> callers;
  for (unsigned i = 0; i <= workers; ++i)
    callers.emplace_back([&] { run_on(s, [&] { occupy(d); }); });
  until();
  d.open();
}

/// What was written to stderr since this was made.
class caught_errors {
 public:
  caught_errors() : stderr_(dup(STDERR_FILENO)) {
    if (pipe(ends_.data()) != 0) std::abort();
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }

  /// Waits for something.
  void read_some() {
    std::array<char, 4096> buffer;
    const ssize_t n = read(ends_[0], buffer.data(), buffer.size());
    if (n > 0) text_.append(buffer.data(), static_cast<std::size_t>(n));
  }

  /// Writes it to where it would have gone.
  void hand_on() {
    dup2(stderr_, STDERR_FILENO);
    for (std::size_t before = std::string::npos; before != text_.size();) {
      before = text_.size();
      read_some();
    }
    std::cerr << text_ << std::flush;
  }

 private:
  int stderr_;
  std::array<int, 2> ends_{};
  std::string text_;
};

std::size_t times(const std::string& what, const std::string& in) {
  std::size_t n = 0;
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++n;
  return n;
}

TEST(Watch, SaysOnceThatAllWorkersAreBlocked) {
  const ended_process child = in_child([] {
    caught_errors errors;
    with_all_workers([](door& d) { d.wait(); },
                     [&] {
                       errors.read_some();
                       std::this_thread::sleep_for(500ms);
                     });
    errors.hand_on();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(times("nopal: all 2 workers of a runtime have been blocked for 100 ms", child.errors),
            1U)
      << child;
  EXPECT_EQ(times("\n  worker ", child.errors), 2U) << child;
}

TEST(Watch, SaysNothingOfWorkersThatCompute) {
  const ended_process child = in_child([] {
    const auto compute = [](door&) {
      const auto end = std::chrono::steady_clock::now() + 400ms;
      while (std::chrono::steady_clock::now() < end) {
      }
    };
    with_all_workers(compute, [] {});
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(child.errors, "");
}

TEST(Watch, SaysNothingWhileNothingWaits) {
  const ended_process child = in_child([&] {
    nopal::options o;
    o.workers = 1;
    nopal::detail::scheduler s(o, {.patience = 100ms});
    run_on(s, [] { std::this_thread::sleep_for(500ms); });
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
  EXPECT_EQ(child.errors, "");
}

}  // namespace
