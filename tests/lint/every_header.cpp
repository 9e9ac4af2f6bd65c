// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/nopal.hpp"
#include "nopal/pipeline.hpp"
#include "nopal/pool.hpp"
#include "nopal/stm.hpp"

// Templates are looked at as they are; these instantiate the paths that every user takes.
namespace {

nopal::task<int> twice(int n) { co_return 2 * n; }

nopal::task<int> both(int n) {
  int a = 0;
  int b = 0;
  co_await nopal::fork(&a, twice, n);
  co_await nopal::call(&b, twice, n);
  co_await nopal::join();
  co_return a + b;
}

NOPAL_FORKS int frame(int n) {
  nopal::fork_frame f;
  int a = 0;
  f.fork(&a, frame, n - 1);
  f.join();
  return a;
}

}  // namespace

int every_front_end(int n) {
  std::vector<int> numbers(8, n);
  nopal::for_each(numbers, [](int& x) { ++x; });
  nopal::sort(numbers);
  nopal::stable_sort(numbers, {}, [](int x) { return -x; });
  nopal::integer_sort(numbers);
  const auto odd = [](int x) { return x % 2 != 0; };
  static_cast<void>(nopal::partition(numbers, odd));
  static_cast<void>(nopal::find_if(nopal::filter(numbers, odd), odd));
  static_cast<void>(nopal::group_by(numbers, odd));
  nopal::pool<int> pool({.producers = 1, .consumers = 1});
  pool.producer().put(n);
  const std::optional<int> taken = pool.consumer().get();
  nopal::stm::map<int, int> map;
  nopal::stm::queue<int> queue;
  nopal::stm::atomically([&](nopal::stm::transaction& t) {
    map.set(t, n, 1);
    queue.push(t, map.find(t, n).value_or(0));
  });
  int a = 0;
  int b = 0;
  nopal::parallel_invoke([&] { a = frame(n); }, [&] { b = nopal::run(both, n); });
  return a + b + taken.value_or(0);
}
