// SPDX-License-Identifier: Apache-2.0
// Exceptions in parallel code. Several lines of a text are no numbers; the error that arrives is
// always that of the first such line, as in the serial program, whoever meets its error first.
#include <charconv>
#include <iostream>
#include <nopal/nopal.hpp>
#include <stdexcept>
#include <string>
#include <vector>

long parse(const std::string& line) {
  long value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size())
    throw std::invalid_argument("not a number: " + line);
  return value;
}

using lines = std::vector<std::string>;

// When one half throws, parallel_invoke waits for the other, and throws the exception of the first
// in the order written. So nothing still runs, or uses these locals, when the caller gets it.
long sum(const lines& text, std::size_t first, std::size_t last) {
  if (last - first == 1) return parse(text[first]);
  const std::size_t middle = first + (last - first) / 2;
  long left = 0;
  long right = 0;
  nopal::parallel_invoke([&] { left = sum(text, first, middle); },
                         [&] { right = sum(text, middle, last); });
  return left + right;
}

std::string outcome(const lines& text) {
  try {
    // run() hands an exception back to the thread that called it.
    return "the sum is " + std::to_string(nopal::run(sum, text, 0, text.size()));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

int main() {
  lines text(1000, "7");
  const std::string good = outcome(text);
  text[123] = "seven";
  text[800] = "eight";
  text[999] = "";
  const std::string bad = outcome(text);

  std::cout << good << '\n' << bad << '\n';
  return good == "the sum is 7000" && bad == "not a number: seven" ? 0 : 1;
}
