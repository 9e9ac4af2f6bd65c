// SPDX-License-Identifier: Apache-2.0
// A pipeline of three stages: lines of JSON are read one after the other, several are parsed at the
// same time, and what they say is booked in the order in which they were read. No more than some
// lines are in memory, however long the text is. Usage: json_lines [lines]
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nopal/algorithm/pipeline.hpp>
#include <nopal/nopal.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace {

/// A line: an object whose values are integers, and strings without escapes.
class object {
 public:
  explicit object(std::string_view text) : text_(text) {}

  /// Returns the number that belongs to a key, or 0. It reads all of the object.
  long number(std::string_view key) {
    long found = 0;
    expect('{');
    do {
      expect('"');
      const bool is_wanted = string() == key;
      expect(':');
      if (take('"'))
        string();
      else if (const long n = number(); is_wanted)
        found = n;
    } while (take(','));
    expect('}');
    return found;
  }

 private:
  void skip_spaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  bool take(char c) {
    skip_spaces();
    const bool is_next = text_.starts_with(c);
    if (is_next) text_.remove_prefix(1);
    return is_next;
  }
  void expect(char c) {
    if (!take(c)) throw std::runtime_error("this is no JSON");
  }
  std::string_view string() {
    const std::string_view s = text_.substr(0, text_.find('"'));
    text_.remove_prefix(s.size());
    expect('"');
    return s;
  }
  long number() {
    skip_spaces();
    long n = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
    if (error != std::errc()) throw std::runtime_error("this is no number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return n;
  }

  std::string_view text_;
};

struct account {
  long balance = 0;
  long lowest = 0;  // this depends on the order in which amounts are booked

  void book(long amount) {
    balance += amount;
    lowest = std::min(lowest, balance);
  }
};

account read_account(std::istream& in) {
  const auto line = [&]() -> std::optional<std::string> {
    std::string l;
    if (std::getline(in, l)) return l;
    return {};
  };
  account a;
  nopal::pipeline(64, line, nopal::stage::parallel([](const std::string& l) {
                    return object(l).number("amount");
                  }),
                  nopal::stage::in_order([&](long amount) { a.book(amount); }));
  return a;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(1);
  std::stringstream text;
  account expected;
  for (int lines = argc > 1 ? std::atoi(argv[1]) : 20'000; lines > 0; --lines) {
    const long amount = static_cast<long>(random() % 1001) - 500;
    text << R"({"line": )" << lines << R"(, "name": "amount", "amount": )" << amount << "}\n";
    expected.book(amount);
  }
  const account found = read_account(text);
  std::printf("the balance is %ld, and was %ld\n", found.balance, found.lowest);
  return found.balance == expected.balance && found.lowest == expected.lowest ? 0 : 1;
}
