// SPDX-License-Identifier: Apache-2.0
// Wrong calls of what strands share: reducers and transactions; see check_calls.py.
#include "nopal/nopal.hpp"

namespace stm = nopal::stm;

nopal::task<int> some_task() { co_return 1; }

struct reduces_by_a_task {
  using value_type = int;
  static int identity() { return 0; }
  static nopal::task<> reduce(int& a, int& b) {
    a += b;
    co_return;
  }
};

int main() {
  stm::var<int> v{1};
  nopal::reducer<nopal::monoid::add<int>> sum;
#if NOPAL_REFUSED == 0
  stm::atomically([&](stm::transaction& t) { t.set(v, t.get(v) + 1); });
  sum += 1;
#elif NOPAL_REFUSED == 1
  // says: the body of a transaction returns a task
  static_cast<void>(stm::atomically([](stm::transaction&) { return some_task(); }));
#elif NOPAL_REFUSED == 2
  // says: a part of a transaction returns a task
  stm::atomically(
      [&](stm::transaction& t) { static_cast<void>(t.nested([](auto&) { return some_task(); })); });
#elif NOPAL_REFUSED == 3
  // says: a part of a transaction returns a task
  stm::atomically([&](stm::transaction& t) { t.on_commit([] { return some_task(); }); });
#elif NOPAL_REFUSED == 4
  // says: a part of a transaction returns a task
  stm::list<int> list;
  stm::atomically([&](stm::transaction& t) { list.for_each(t, [](int) { return some_task(); }); });
#elif NOPAL_REFUSED == 5
  // says: deleted
  auto copy = sum;
#elif NOPAL_REFUSED == 6
  // says: reduce() of the monoid returns a task, which would never run
  nopal::reducer<reduces_by_a_task> r;
#endif
}
