// SPDX-License-Identifier: Apache-2.0
// Wrong calls of nopal/sync.hpp; see check_calls.py.
#include "nopal/sync.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <system_error>

#include "nopal/nopal.hpp"

struct move_throws {
  move_throws();
  move_throws(move_throws&&) noexcept(false);
};
struct alignas(64) aligned {
  int value;
};

nopal::channel<int> numbers(1);
nopal::mutex m;
std::optional<int> got;

#if NOPAL_REFUSED == 0
nopal::task<int> receives(nopal::channel<bool>& c) {
  co_await m.lock();
  std::optional<bool> b = co_await c.receive();
  co_return co_await nopal::select(numbers.receiving(got), nopal::otherwise()) + b.value_or(true);
}
int main() {
  nopal::channel<bool> flags(1);
  const auto flag = std::optional<bool>(flags.receive());
  std::optional<bool> another(flags.receive());
  const bool sent = flags.send(true);
  if (flags.send(sent) && flag && another) m.lock(std::chrono::seconds(1));
  std::optional<int> number = numbers.receive();
  while ((number = numbers.receive())) numbers.send(*number);
  switch (nopal::select(numbers.receiving(got), nopal::after(std::chrono::seconds(1)))) {
    default:
      return nopal::select(numbers.receiving(got));
  }
}
#elif NOPAL_REFUSED == 1
// says: its elements are moved while the channel is locked, so the move constructor has to be
nopal::channel<move_throws> moved(1);
#elif NOPAL_REFUSED == 2
// says: nopal::select: nothing can be received or sent in any of its cases
int selected() { return nopal::select(); }
#elif NOPAL_REFUSED == 3
// says: nopal::select: nothing can be received or sent in any of its cases
int selected() { return nopal::select(nopal::otherwise()); }
#elif NOPAL_REFUSED == 4
// says: nopal::select: one case at most is nopal::after() or nopal::otherwise()
int selected() {
  using std::chrono::seconds;
  return nopal::select(numbers.receiving(got), nopal::after(seconds(1)), nopal::otherwise());
}
#elif NOPAL_REFUSED == 5
// says: nopal::select: each case is what channel::receiving() or channel::sending()
int selected() { return nopal::select(numbers); }
#elif NOPAL_REFUSED == 6
// says: the call has not been made: auto keeps the call itself
int received() {
  auto v = numbers.receive();
  return v ? 1 : 0;
}
#elif NOPAL_REFUSED == 7
// says: write std::optional<T> v = c.receive()
int received() {
  const auto v = numbers.receive();
  return *v;
}
#elif NOPAL_REFUSED == 8
// says: bool sent = c.send(v)
int sent() {
  auto ok = numbers.send(1);
  if (!ok) return 1;
  return 0;
}
#elif NOPAL_REFUSED == 9
// says: the call has not been made: auto keeps the call itself
struct point {
  int x;
};
nopal::channel<point> points;
int received() {
  auto v = points.receive();
  return v->x;
}
#elif NOPAL_REFUSED == 10
// says: frames are aligned to 16 bytes
nopal::channel<aligned> aligned_ones;
nopal::task<int> receives() {
  std::optional<int> none;
  co_await aligned_ones.receive();
  co_return 0;
}
#endif
