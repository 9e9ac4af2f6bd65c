// SPDX-License-Identifier: Apache-2.0
// A scheduler of one's own: of the tasks that wait for their turn, the one with the highest
// priority goes on next, and no more than one has its turn at a time. nopal's workers run the
// tasks; this scheduler decides in which order.
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <iostream>
#include <mutex>
#include <nopal/nopal.hpp>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

class by_priority {
 public:
  // What a task waits for. schedule() makes it a nopal::task_scheduler.
  struct turn {
    by_priority* of;
    int priority;
    void schedule(std::coroutine_handle<> h) const { of->wait(priority, h); }
  };
  turn at(int priority) { return {this, priority}; }

  // The task that has its turn calls this. The next one goes on.
  void pass_on() {
    std::unique_lock held(lock_);
    is_taken_ = !waiting_.empty();
    if (!is_taken_) return;
    const std::coroutine_handle<> next = waiting_.top().second;
    waiting_.pop();
    held.unlock();
    next.resume();  // returns at once: a worker of nopal runs the task
  }

  std::size_t waiting() {
    const std::lock_guard held(lock_);
    return waiting_.size();
  }

 private:
  void wait(int priority, std::coroutine_handle<> h) {
    {
      const std::lock_guard held(lock_);
      if (std::exchange(is_taken_, true)) {
        waiting_.emplace(priority, h);
        return;
      }
    }
    h.resume();  // it is free
  }

  std::mutex lock_;
  bool is_taken_ = false;
  std::priority_queue<std::pair<int, std::coroutine_handle<>>> waiting_;
};

nopal::task<> job(by_priority& s, int priority, std::vector<int>& order) {
  auto turn = s.at(priority);
  co_await nopal::schedule_on(turn);
  order.push_back(priority);  // nobody else has a turn
  s.pass_on();
}

nopal::task<std::vector<int>> jobs() {
  const std::vector<int> priorities = {3, 1, 4, 15, 9, 2, 6, 5};
  by_priority s;
  std::vector<int> order;
  auto first = s.at(0);
  co_await nopal::schedule_on(first);
  for (const int p : priorities) co_await nopal::fork(job, s, p, order);
  while (s.waiting() < priorities.size()) std::this_thread::yield();
  s.pass_on();
  co_await nopal::join();
  co_return order;
}

int main() {
  const std::vector<int> order = nopal::run(jobs);

  const bool right = order.size() == 8 && std::ranges::is_sorted(order, std::greater<>());
  std::cout << "the order is";
  for (const int p : order) std::cout << ' ' << p;
  std::cout << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
