// SPDX-License-Identifier: Apache-2.0
// Bodies of loops, and how often they look up a view. check_hoisted.py reads the names.
#include <cilk/cilk.h>
#include <cilk/reducer.h>

#include <cstddef>
#include <nopal/reducer.hpp>
#include <optional>

using sum = nopal::reducer<nopal::monoid::add<long>>;
void unknown();
inline void add(long& to, long x) { to += x; }

extern "C" {

long vectors_variable(const long* a, std::size_t n) {
  cilk::opadd_reducer<long> all = 0;
  cilk_for (std::size_t i = 0; i < n; ++i) all += a[i];
  return all;
}

long vectors_object(const long* a, std::size_t n) {
  sum all;
  cilk_for (std::size_t i = 0; i < n; ++i) all += a[i];
  return all.get_value();
}

cilk::opadd_reducer<long> total = 0;
void vectors_global(const long* a, std::size_t n) {
  cilk_for (std::size_t i = 0; i < n; ++i) add(total, a[i]);
}

long once_with_calls(const long* a, std::size_t n) {
  cilk::opadd_reducer<long> all = 0;
  cilk_for (std::size_t i = 0; i < n; ++i) {
    if (a[i] > 3) all += a[i];
    unknown();
    all += 1;
  }
  return all;
}

long often_divided(const long* a, std::size_t n) {
  cilk::opadd_reducer<long> all = 0;
  cilk_for (std::size_t i = 0; i < n; ++i) {
    all += a[i];
    cilk_spawn unknown();
    all += 1;
  }
  return all;
}

/// The storage has a reducer in one turn only.
void often_sometimes(const long* a, std::size_t n, std::optional<sum>& storage) {
  cilk_for (std::size_t i = 0; i < n; ++i)
    if (a[i] == 7) {
      storage.emplace();
      *storage += 1;
      storage.reset();
    }
}

}  // extern "C"
