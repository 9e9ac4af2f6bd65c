// SPDX-License-Identifier: Apache-2.0
// Whether the benchmark of the pool finds what is wrong with a queue, and where it lets threads
// run. Exit status 1: it does not.
#include <deque>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>

#include "pool/load.hpp"
#include "pool/places.hpp"
#include "pool/repetition.hpp"
#include "pool/same_end.hpp"

namespace nopal_bench {
namespace {

enum class fault { none, loses, repeats, swaps, throws };

template <fault what>
class faulty_queue : public same_end<faulty_queue<what>> {
 public:
  explicit faulty_queue(const pool_load&) {}

  void put(pool_task x) {
    const std::lock_guard lock(mutex_);
    const bool now = ++puts_ == 1000;
    if (now && what == fault::throws) {
      throw std::runtime_error("no room");
    }
    if (now && what == fault::loses) {
      return;
    }
    if (now && what == fault::repeats) {
      tasks_.push_back(x);
    }
    tasks_.push_back(now && what == fault::swaps ? x + 1 : x);
  }

  bool get(pool_task& to) {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      return false;
    }
    to = tasks_.front();
    tasks_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<pool_task> tasks_;
  unsigned puts_ = 0;
};

bool all_is_well = true;

void expect(bool condition, const std::string& what) {
  if (!condition) {
    std::cerr << "FAILED: " << what << '\n';
    all_is_well = false;
  }
}

template <fault what>
std::string complaint() {
  try {
    repeat_once<faulty_queue<what>>(
        {.producers = 2, .consumers = 2, .window = 4096, .seconds = 0.02});
    return {};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

void check_places(unsigned producers, unsigned consumers, unsigned places,
                  const thread_places& expected) {
  const thread_places found = mixed_places(producers, consumers, places);
  expect(found.producers == expected.producers && found.consumers == expected.consumers,
         "places of " + std::to_string(producers) + '/' + std::to_string(consumers) + " on " +
             std::to_string(places));
}

}  // namespace
}  // namespace nopal_bench

int main() {
  using namespace nopal_bench;
  expect(complaint<fault::none>().empty(), "a queue without fault passes");
  expect(complaint<fault::loses>().starts_with("wrong: "), "a lost task is found");
  expect(complaint<fault::repeats>().starts_with("wrong: "),
         "a task that comes out twice is found");
  expect(complaint<fault::swaps>().starts_with("wrong: "), "another task than was put is found");
  expect(complaint<fault::throws>() == "no room", "an exception arrives");

  check_places(1, 1, 2, {{0}, {1}});
  check_places(2, 2, 8, {{0, 2}, {1, 3}});
  check_places(2, 2, 2, {{0, 1}, {0, 1}});
  check_places(1, 3, 4, {{1}, {0, 2, 3}});
  check_places(1, 7, 2, {{0}, {0, 0, 0, 1, 1, 1, 1}});
  check_places(3, 1, 1, {{0, 0, 0}, {0}});
  return all_is_well ? 0 : 1;
}
