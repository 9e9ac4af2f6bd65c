// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the algorithms; see check_calls.py.
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

int overloaded(int n) { return n; }
double overloaded(double x) { return x; }
struct named {
  std::string name;
};
nopal::task<std::string> text(int) { co_return "text"; }

int main() {
  std::vector<int> v(3), out(3);
  std::vector<std::string> words(3);
  std::vector<bool> bits(3);
  std::vector<named> records(3);
#if NOPAL_REFUSED == 0
  nopal::for_each(v, [](int&) {});
#elif NOPAL_REFUSED == 1
  // says: several workers call the function at the same time
  nopal::for_each(v, [calls = 0](int) mutable { ++calls; });
#elif NOPAL_REFUSED == 2
  // says: the function cannot be called with the elements
  nopal::for_each(v, [](std::string&) {});
#elif NOPAL_REFUSED == 3
  // says: std::vector<bool> share words
  nopal::for_each(bits, [](auto&&) {});
#elif NOPAL_REFUSED == 4
  // says: an algorithm begins with a range
  nopal::for_each(7, [](int) {});
#elif NOPAL_REFUSED == 5
  // says: an argument is missing
  nopal::for_each(v);
#elif NOPAL_REFUSED == 6
  // says: overloaded function with no || one_function_comes_first || could not be resolved
  nopal::for_each(v, overloaded);
#elif NOPAL_REFUSED == 7
  // says: an algorithm begins with a range
  nopal::for_each(0, 1.5, [](int) {});
#elif NOPAL_REFUSED == 8
  // says: an algorithm begins with a range
  nopal::for_each(v.begin(), words.end(), [](int) {});
#elif NOPAL_REFUSED == 9
  // says: an algorithm begins with a range
  nopal::for_each([](int) {}, v);
#elif NOPAL_REFUSED == 10
  // says: an algorithm begins with a range
  nopal::for_each(10, v, [](int) {});
#elif NOPAL_REFUSED == 11
  // says: must be a random-access iterator to elements that exist
  nopal::map(v, std::back_inserter(out), std::negate<>());
#elif NOPAL_REFUSED == 12
  // says: std::vector<bool> share words
  nopal::map(v, bits.begin(), [](int x) { return x > 0; });
#elif NOPAL_REFUSED == 13
  // says: cannot be assigned to the element
  nopal::map(v, out.begin(), [](int) { return std::string(); });
#elif NOPAL_REFUSED == 14
  // says: out.begin() and not out
  nopal::map(v, out, std::negate<>());
#elif NOPAL_REFUSED == 15
  // says: an argument is missing
  nopal::map(v, std::negate<>());
#elif NOPAL_REFUSED == 16
  // says: several workers call the function at the same time
  nopal::map(v, out.begin(), [sum = 0](int x) mutable { return sum += x; });
#elif NOPAL_REFUSED == 17
  // says: the function cannot be called with the elements
  nopal::map(v, words, out.begin(), std::plus<>());
#elif NOPAL_REFUSED == 18
  // says: the function cannot be called with the elements
  static_cast<void>(nopal::fold(words, 0, std::plus<>()));
#elif NOPAL_REFUSED == 19
  // says: a partial result begins with an element
  static_cast<void>(nopal::fold(words, std::size_t{0},
                                [](std::size_t n, const std::string& s) { return n + s.size(); }));
#elif NOPAL_REFUSED == 20
  // says: several workers call the function at the same time
  static_cast<void>(nopal::fold(v, 0, [sum = 0](int a, int b) mutable { return sum += a + b; }));
#elif NOPAL_REFUSED == 21
  // says: the projection, the last argument
  static_cast<void>(nopal::fold(v, std::plus<>(), 0));
#elif NOPAL_REFUSED == 22
  // says: the projection, the last argument
  static_cast<void>(nopal::fold(records, std::string(), std::plus<>(), [](int x) { return x; }));
#elif NOPAL_REFUSED == 23
  // says: overloaded function with no || one_function_comes_first || could not be resolved
  static_cast<void>(nopal::fold(v, 0, overloaded));
#elif NOPAL_REFUSED == 24
  // says: must be a random-access iterator to elements that exist
  nopal::scan(v, std::back_inserter(out), std::plus<>());
#elif NOPAL_REFUSED == 25
  // says: std::vector<bool> share words
  nopal::scan(v, bits.begin(), std::plus<>());
#elif NOPAL_REFUSED == 26
  // says: an argument is missing
  nopal::exclusive_scan(v, out.begin(), std::plus<>());
#elif NOPAL_REFUSED == 27
  // says: the function cannot be called with the elements
  nopal::exclusive_scan(v, out.begin(), std::string(), std::plus<>());
#elif NOPAL_REFUSED == 28
  // says: several workers call the function at the same time
  nopal::scan(v, out.begin(), [sum = 0](int a, int b) mutable { return sum += a + b; });
#elif NOPAL_REFUSED == 29
  // says: a container that is a temporary is gone when the task runs
  nopal::run(
      [&]() -> nopal::task<> { co_await nopal::tasks::for_each(std::vector<int>(3), [](int) {}); });
#elif NOPAL_REFUSED == 30
  // says: several workers call the function at the same time
  nopal::run([&]() -> nopal::task<> {
    co_await nopal::tasks::for_each(v, [sum = 0](int a) mutable { sum += a; });
  });
#elif NOPAL_REFUSED == 31
  // says: the function cannot be called with the elements
  const std::vector<int> fixed(3);
  nopal::for_each(fixed, [](int& x) { x = 1; });
#elif NOPAL_REFUSED == 32
  // says: cannot be assigned to the element
  const std::vector<int> fixed(3);
  nopal::map(v, fixed.begin(), std::negate<>());
#elif NOPAL_REFUSED == 33
  // says: must be a random-access iterator to elements that exist
  std::list<int> list(3);
  nopal::map(v, list.begin(), std::negate<>());
#elif NOPAL_REFUSED == 34
  // says: cannot be assigned to the element
  nopal::map(v, out.begin(), text);
#elif NOPAL_REFUSED == 35
  // says: narrow
  nopal::for_each(nopal::grain{0.5}, v, [](int) {});
#elif NOPAL_REFUSED == 36
  // says: the function cannot be called with the elements
  std::vector<std::unique_ptr<int>> owners(3);
  static_cast<void>(nopal::fold(owners, [](auto a, auto) { return a; }));
#endif
}
