// SPDX-License-Identifier: Apache-2.0
// A pipeline of three stages: lines of JSON are read one after the other, several are parsed at the
// same time, and what they say is booked in the order in which they were read. No more than some
// lines are in memory, however long the text is. Usage: json_lines [lines]
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <istream>
#include <nopal/nopal.hpp>
#include <nopal/pipeline.hpp>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

/// Returns the number that belongs to a key of a JSON object that is not empty and has no values
/// but integers; 0 if there is none.
long number(const std::string& json, std::string_view key) {
  std::istringstream in(json);
  std::string this_key;
  long value = 0, found = 0;
  char mark = ' ';
  for (in >> mark; mark != '}' && in >> std::quoted(this_key) >> mark >> value >> mark;)
    if (this_key == key) found = value;
  if (!in) throw std::runtime_error("this is no JSON: " + json);
  return found;
}

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
  nopal::pipeline(64, line,
                  nopal::stage::parallel([](const std::string& l) { return number(l, "amount"); }),
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
    text << R"({"line": )" << lines << R"(, "amount": )" << amount << "}\n";
    expected.book(amount);
  }
  const account found = read_account(text);
  std::printf("the balance is %ld, and was %ld\n", found.balance, found.lowest);
  return found.balance == expected.balance && found.lowest == expected.lowest ? 0 : 1;
}
