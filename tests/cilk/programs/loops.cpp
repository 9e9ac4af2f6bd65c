// SPDX-License-Identifier: Apache-2.0
// Every form of a parallel loop in C++.
#include <cilk/cilk.h>

#include <atomic>
#include <deque>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

namespace {

long iterators() {
  std::vector<int> v(1000, 1);
  std::deque<long> d(777, 2);
  cilk_for (auto i = v.begin(); i != v.end(); ++i) *i += 1;
  cilk_for (auto i = v.cbegin(); i < v.cend(); i += 2) const_cast<int&>(*i) += 1;
  cilk_for (auto i = v.rbegin(); i != v.rend(); i++) *i += 1;
  cilk_for (auto i = v.end() - 1; i >= v.begin() + 1; --i) *i += 1;
  cilk_for (long& l : d) l += 1;
  cilk_for (auto l : d) {
    if (l != 3) throw std::logic_error("a turn has seen what another has not done");
  }
  int plain[5] = {1, 2, 3, 4, 5};
  cilk_for (int& i : plain) i *= 2;
  return std::accumulate(v.begin(), v.end(), 0L) + std::accumulate(d.begin(), d.end(), 0L) +
         std::accumulate(plain, plain + 5, 0L);
}

struct matrix {
  std::vector<double> at;
  int size;
  explicit matrix(int n) : at(static_cast<std::size_t>(n * n), 1.0), size(n) {}
  void scale(double by) {
    cilk_for (int i = 0; i < size; ++i) {
      cilk_for (int j = 0; j < size; ++j) {
        const std::string text = std::to_string(i + j);
        at[static_cast<std::size_t>(i * size + j)] *= by + static_cast<double>(text.size());
      }
    }
  }
};

template <class T, class F>
void each(T n, F f) {
  cilk_for (T i = 0; i < n; ++i) f(i);
}

long generic() {
  std::atomic<long> sum{0};
  each(100, [&](int i) { sum += i; });
  each(100L, [&sum](long i) {
    std::atomic<long> inner{0};
    cilk_for (long j = 0; j < i; ++j) inner += 1;
    sum += inner;
  });
  return sum;
}

long thrown(int where) {
  std::vector<std::string> alive(100, "a string that is longer than what lies in the object");
  long got = 0;
  try {
    cilk_for (int i = 0; i < 100; ++i) {
      const std::string local = alive[static_cast<std::size_t>(i)] + "x";
      try {
        if (i == where + 1) throw i;
      } catch (int) {
        continue;
      }
      if (i == where || i == where + 20) throw std::runtime_error(std::to_string(i));
    }
  } catch (const std::exception& e) {
    got = std::stol(e.what());
  }
  return got;
}

}  // namespace

#ifndef REPEATS
#define REPEATS 100
#endif

int main() {
  for (int i = 0; i < REPEATS; ++i) {
    check("iterators", iterators(), 1000 * 3 + 500 + 999 + 3 * 777 + 30);
    matrix m(30);
    m.scale(2);
    double sum = 0;
    for (double d : m.at) sum += d;
    double expected = 0;
    for (int a = 0; a < 30; ++a)
      for (int b = 0; b < 30; ++b) expected += a + b < 10 ? 3 : 4;
    check("members", static_cast<long>(sum), static_cast<long>(expected));
    check("templates", generic(), 2 * 4950);
    check("exceptions", thrown(i % 90), i % 90);
    if (failures != 0) return 1;
  }
  return 0;
}
