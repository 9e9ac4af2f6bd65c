// SPDX-License-Identifier: Apache-2.0
// Wrong monoids, and wrong uses of reducers; see check_calls.py.
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"

struct no_types {
  static int identity() { return 0; }
  static void reduce(int& left, int& right) { left += right; }
};
struct no_identity {
  using value_type = int;
  static void reduce(int& left, int& right) { left += right; }
};
struct no_reduce {
  using value_type = int;
  static int identity() { return 0; }
};
struct other_identity {
  using value_type = int;
  static long identity() { return 0; }
  static void reduce(int& left, int& right) { left += right; }
};
struct reduce_of_one {
  using value_type = int;
  static int identity() { return 0; }
  static void reduce(int&) {}
};
struct reduce_of_others {
  using value_type = int;
  static int identity() { return 0; }
  static void reduce(std::string&, std::string&) {}
};
struct reduce_of_temporaries {
  using value_type = int;
  static int identity() { return 0; }
  static void reduce(int&, int&&) {}
};
struct reduce_returns {
  using value_type = int;
  static int identity() { return 0; }
  static int reduce(int left, int right) { return left + right; }
};
struct not_const {
  using value_type = int;
  int identity() { return 0; }
  void reduce(int& left, int& right) { left += right; }
};
struct hidden {
 private:
  using value_type = int;
  static int identity() { return 0; }
  static void reduce(int& left, int& right) { left += right; }
};
struct no_default {
  explicit no_default(int) {}
  using value_type = int;
  static int identity() { return 0; }
  static void reduce(int& left, int& right) { left += right; }
};
struct reduces_by_a_task {
  using value_type = int;
  static int identity() { return 0; }
  static nopal::task<> reduce(int& a, int& b) {
    a += b;
    co_return;
  }
};
struct identity_is_a_constant {
  using value_type = int;
  static constexpr int identity = 0;
  static void reduce(int& left, int& right) { left += right; }
};

int main() {
  nopal::reducer<nopal::monoid::add<int>> sum;
  nopal::reducer<nopal::monoid::vector<int>> numbers;
  nopal::reducer<nopal::monoid::string> text;
  nopal::reducer<nopal::monoid::min<int>> least;
#if NOPAL_REFUSED == 0
  sum += 1;
  ++sum;
  numbers->push_back(1);
  text += "text";
  least.update(1);
#elif NOPAL_REFUSED == 1
  // says: M is a monoid, which names the type of its values
  nopal::reducer<no_types> r;
#elif NOPAL_REFUSED == 2
  // says: m.identity(), of a const M& m, must return
  nopal::reducer<no_identity> r;
#elif NOPAL_REFUSED == 3
  // says: m.reduce(left, right), of a const M& m, must take
  nopal::reducer<no_reduce> r;
#elif NOPAL_REFUSED == 4
  // says: m.identity(), of a const M& m, must return
  nopal::reducer<other_identity> r;
#elif NOPAL_REFUSED == 5
  // says: m.reduce(left, right), of a const M& m, must take
  nopal::reducer<reduce_of_one> r;
#elif NOPAL_REFUSED == 6
  // says: m.reduce(left, right), of a const M& m, must take
  nopal::reducer<reduce_of_others> r;
#elif NOPAL_REFUSED == 7
  // says: m.reduce(left, right), of a const M& m, must take
  nopal::reducer<reduce_of_temporaries> r;
#elif NOPAL_REFUSED == 8
  // says: returns a value, which would be lost
  nopal::reducer<reduce_returns> r;
#elif NOPAL_REFUSED == 9
  // says: m.identity(), of a const M& m, must return
  nopal::reducer<not_const> r;
#elif NOPAL_REFUSED == 10
  // says: M is a monoid, which names the type of its values
  nopal::reducer<hidden> r;
#elif NOPAL_REFUSED == 11
  // says: a monoid is made without arguments
  nopal::reducer<no_default> r;
#elif NOPAL_REFUSED == 12
  // says: reduce() of the monoid returns a task, which would never run
  nopal::reducer<reduces_by_a_task> r;
#elif NOPAL_REFUSED == 13
  // says: m.identity(), of a const M& m, must return
  nopal::reducer<identity_is_a_constant> r;
#elif NOPAL_REFUSED == 14
  // says: M is a monoid, which names the type of its values
  nopal::reducer<int> r;
#elif NOPAL_REFUSED == 15
  // says: M is a monoid, which names the type of its values
  nopal::reducer<std::plus<>> r;
#elif NOPAL_REFUSED == 16
  // says: those of nopal::monoid do if the values have their operator
  nopal::reducer<nopal::monoid::add<std::unique_ptr<int>>> r;
#elif NOPAL_REFUSED == 17
  // says: min and max for types with std::numeric_limits
  nopal::reducer<nopal::monoid::min<std::string>> r;
#elif NOPAL_REFUSED == 18
  // says: those of nopal::monoid have one for integers
  nopal::reducer<nopal::monoid::bit_or<double>> r;
#elif NOPAL_REFUSED == 19
  // says: type/value mismatch || requires template arguments
  nopal::reducer<nopal::monoid::add> r;
#elif NOPAL_REFUSED == 20
  // says: deleted
  auto copy = sum;
#elif NOPAL_REFUSED == 21
  // says: its values have no such operator
  sum += "text";
#elif NOPAL_REFUSED == 22
  // says: a reducer r is set by *r = x
  sum = 1;
#elif NOPAL_REFUSED == 23
  // says: a reducer r is read by r.get_value() or *r
  int n = sum;
#elif NOPAL_REFUSED == 24
  // says: update(x) makes a value of the monoid from x
  least += 1.5;
  least.update("text");
#elif NOPAL_REFUSED == 25
  // says: no member named
  numbers.push_back(1);
#elif NOPAL_REFUSED == 26
  // says: its values have no such operator
  numbers += 1;
#elif NOPAL_REFUSED == 27
  // says: postfix || cannot increment
  sum++;
#elif NOPAL_REFUSED == 28
  // says: no value of the monoid can be constructed
  nopal::reducer<nopal::monoid::add<int>> r("text");
#elif NOPAL_REFUSED == 29
  // says: no value of the monoid can be constructed
  nopal::reducer<nopal::monoid::ostream> r("text");
#elif NOPAL_REFUSED == 30
  // says: no value of the monoid can be constructed
  nopal::reducer<nopal::monoid::add<int>> r(1, 2);
#elif NOPAL_REFUSED == 31
  // says: operator<< || invalid operands
  text << "text";
#elif NOPAL_REFUSED == 32
  // says: a reducer r is read by r.get_value() or *r
  sum = sum + 1;
#elif NOPAL_REFUSED == 33
  // says: a reducer r is read by r.get_value() or *r
  if (sum == 3) return 1;
#elif NOPAL_REFUSED == 34
  // says: its values have no such operator
  sum -= std::string();
#elif NOPAL_REFUSED == 35
  // says: its values have no such operator
  ++text;
#elif NOPAL_REFUSED == 36
  // says: discards qualifiers || not marked const
  const auto& seen = sum;
  return seen.get_value();
#elif NOPAL_REFUSED == 37
  // says: a reducer r is read by r.get_value() or *r
  least < 3;
#endif
}
