// SPDX-License-Identifier: Apache-2.0
// Wrong uses of pools; see check_calls.py.
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&&) noexcept(false) {}
  throws_when_moved& operator=(throws_when_moved&&) noexcept(false) { return *this; }
};

int main() {
  nopal::pool<int> numbers;
  nopal::pool<std::string> texts;
  nopal::pool<std::unique_ptr<int>> owners;
  auto in = numbers.producer();
  auto out = numbers.consumer();
  auto text_in = texts.producer();
  auto owner_in = owners.producer();
#if NOPAL_REFUSED == 0
  in.put(1);
  in.put('a');
  in.put(2L);
  in.put({});
  static_cast<void>(in.try_put(2));
  in.emplace();
  text_in.put("text");
  static_cast<void>(text_in.try_put("text"));
  const std::string text = "text";
  text_in.put(text);
  text_in.put({"text", 2});
  text_in.emplace(3, 'x');
  static_cast<void>(text_in.try_emplace("text"));
  owner_in.put(std::make_unique<int>(1));
  owner_in.put(nullptr);
  std::array<int, 3> some{};
  out.get(some);
  static_cast<void>(out.wait_for(std::chrono::seconds(1)));
  static_cast<void>(out.wait(std::chrono::seconds(1)));
#elif NOPAL_REFUSED == 1
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<int&> p;
#elif NOPAL_REFUSED == 2
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<void> p;
#elif NOPAL_REFUSED == 3
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<std::mutex> p;
#elif NOPAL_REFUSED == 4
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<const int> p;
#elif NOPAL_REFUSED == 5
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<int[3]> p;
#elif NOPAL_REFUSED == 6
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool<int()> p;
#elif NOPAL_REFUSED == 7
  // says: Mechanism must be one for T
  nopal::pool<int, std::string> p;
#elif NOPAL_REFUSED == 9
  // says: no matching
  nopal::pool<int> p(4);
#elif NOPAL_REFUSED == 10
  // says: put(x) takes one element
  in.put("text");
#elif NOPAL_REFUSED == 11
  // says: put(x) takes one element
  text_in.put(7);
#elif NOPAL_REFUSED == 12
  // says: std::move one that cannot be copied
  const auto owner = std::make_unique<int>(1);
  owner_in.put(owner);
#elif NOPAL_REFUSED == 13
  // says: put(x) takes one element
  owner_in.put(1);
#elif NOPAL_REFUSED == 14
  // says: put(x) takes one element
  in.put();
#elif NOPAL_REFUSED == 15
  // says: emplace(a, b) makes one from several arguments
  in.put(1, 2);
#elif NOPAL_REFUSED == 16
  // says: no element can be made from these arguments
  text_in.emplace(1.5, 2.5, 3.5);
#elif NOPAL_REFUSED == 17
  // says: try_put(x) moves one element
  static_cast<void>(in.try_put("text"));
#elif NOPAL_REFUSED == 18
  // says: no element can be made from these arguments
  static_cast<void>(in.try_emplace("text"));
#elif NOPAL_REFUSED == 19
  // says: try_put(std::move(x)); try_emplace(x) copies it
  int n = 1;
  static_cast<void>(in.try_put(n));
#elif NOPAL_REFUSED == 20
  // says: has no member named || no member named
  numbers.put(1);
#elif NOPAL_REFUSED == 21
  // says: has no member named || no member named
  out.put(1);
#elif NOPAL_REFUSED == 22
  // says: get(to) fills a std::span<T>
  std::vector<std::string> some(3);
  out.get(some);
#elif NOPAL_REFUSED == 23
  // says: a T whose move may throw
  nopal::pool<throws_when_moved> p;
  auto from = p.consumer();
  std::array<throws_when_moved, 2> some;
  from.get(some);
#elif NOPAL_REFUSED == 24
  // says: wait_for() takes a std::chrono::duration
  static_cast<void>(out.wait_for(10));
#elif NOPAL_REFUSED == 25
  // says: wait_until() a time_point
  static_cast<void>(out.wait_until(std::chrono::seconds(1)));
#elif NOPAL_REFUSED == 26
  // says: std::optional<int>
  int n = out.get();
#elif NOPAL_REFUSED == 27
  // says: get(to) fills a std::span<T>
  int n = 0;
  out.get(n);
#elif NOPAL_REFUSED == 28
  // says: deleted
  auto copy = in;
#elif NOPAL_REFUSED == 29
  // says: deleted
  auto copy = out;
#elif NOPAL_REFUSED == 30
  // says: deleted
  auto copy = numbers;
#elif NOPAL_REFUSED == 31
  // says: for (T& x : c.all()) or c.drain()
  for (int& x : out) ++x;
#elif NOPAL_REFUSED == 32
  // says: c = p.consumer() of a pool p
  for (int& x : numbers) ++x;
#elif NOPAL_REFUSED == 33
  // says: wait() takes nopal::limits
  static_cast<void>(out.wait(1));
#elif NOPAL_REFUSED == 34
  // says: the call has not been made
  auto x = out.wait();
  static_cast<void>(static_cast<bool>(x));
#elif NOPAL_REFUSED == 35
  // says: the elements can be read only once
  nopal::for_each(out.all(), [](int) {});
#elif NOPAL_REFUSED == 36
  // says: try_put(std::move(x)); try_emplace(x) copies it
  std::string s = "text";
  static_cast<void>(text_in.try_put(s));
#elif NOPAL_REFUSED == 37
  // says: get(to) fills a std::span<T>
  int some[3];
  out.get(some, 3);
#elif NOPAL_REFUSED == 8
  // says: p.producer() of a pool p makes one
  nopal::pool_producer<int> handle;
#elif NOPAL_REFUSED == 38
  // says: p.producer() of a pool p makes one
  nopal::pool_producer<int> handle(numbers);
#elif NOPAL_REFUSED == 39
  // says: p.producer() of a pool p makes one
  nopal::pool_producer handle(numbers);
#elif NOPAL_REFUSED == 40
  // says: p.consumer() of a pool p makes one
  nopal::pool_consumer<int> handle;
#elif NOPAL_REFUSED == 41
  // says: p.consumer() of a pool p makes one
  nopal::pool_consumer handle(numbers);
#elif NOPAL_REFUSED == 42
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool p;
#elif NOPAL_REFUSED == 43
  // says: nopal::pool<T>: T must be an object type that can be moved
  nopal::pool p({.producers = 1, .consumers = 1});
#endif
}
