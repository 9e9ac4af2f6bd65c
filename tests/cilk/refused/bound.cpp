// SPDX-License-Identifier: Apache-2.0
// clang-format off: a message stands behind the line that it is about
// References and pointers to views of reducers that would be used by other strands.
#include <cilk/cilk.h>
#include <cilk/reducer.h>
#include <memory>
#include <utility>

struct numbers {
  numbers& operator+=(const numbers&) { return *this; }
  int first, second, all[4];
};
using sum = cilk::opadd_reducer<int>;
sum global;
bool some;
void other();
template <class F> void call(const F& f) { f(); }

void deduced() {
  sum x = 0;
  cilk::opadd_reducer<numbers> n;
  auto& reference = x;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto&& forwarding = x;
//! 10: error: what is deduced here refers to one strand's view; name or capture the reducer
  const auto& constant = x;
//! 15: error: what is deduced here refers to one strand's view; name or capture the reducer
  decltype(auto) of_type = (global);
//! 18: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto* pointer = &x;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto address = std::addressof(x);
//! 8: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto&& moved = std::move(x);
//! 10: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto& either = some ? x : global;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto& changed = x += 1;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto& member = n.first;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto* element = n.all + 2;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  auto& [first, second, all] = n;
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
  if (auto& in_condition = x; in_condition > 0) other();
//! 13: error: what is deduced here refers to one strand's view; name or capture the reducer
  call([&y = x] { y += 1; });
//! 10: error: what is deduced here refers to one strand's view; name or capture the reducer
  call([y = &x] { *y += 1; });
//! 9: error: what is deduced here refers to one strand's view; name or capture the reducer
}

void written(int n) {
  sum x = 0;
  int& in_loop = x;
//! 8: error: this refers to one strand's view, but is used in others; name the reducer there
  cilk_for (int i = 0; i < n; ++i) in_loop += i;
  for (int i = 0; i < n; ++i) {
    cilk_spawn other();
    int& after_sync = x;
//! 10: error: this refers to one strand's view, but is used in others; name the reducer there
    cilk_sync;
    after_sync += 1;
  }
  int* after_spawn = &x;
//! 8: error: this refers to one strand's view, but is used in others; name the reducer there
  cilk_spawn { other(); }
  *after_spawn += 1;
  int& after_try = x;
//! 8: error: this refers to one strand's view, but is used in others; name the reducer there
  try { other(); } catch (...) {}
  after_try += 1;
  static int& kept = x;
//! 15: error: this refers to one strand's view, but is used in others; name the reducer there
  int& captured = x;
  call([&] { captured += 1; });
//! 14: error: what is captured refers to one strand's view; capture the reducer
  call([&captured] { captured += 1; });
//! 10: error: what is captured refers to one strand's view; capture the reducer
}

template <class T> void in_loop(T& x, int n) { cilk_for (int i = 0; i < n; ++i) x += i; }
template <class T> void after_spawn(int n, T&& x) {
  cilk_spawn other();
  x += n;
}
void passed() {
  sum x = 0;
  in_loop(x, 10);
//! 11: error: what is called uses this view in other strands; give it a lambda with the reducer
  after_spawn(3, global);
//! 18: error: what is called uses this view in other strands; give it a lambda with the reducer
  [](auto& y) { cilk_for (int i = 0; i < 10; ++i) y += i; }(x);
//! 61: error: what is called uses this view in other strands; give it a lambda with the reducer
}
