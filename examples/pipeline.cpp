// SPDX-License-Identifier: Apache-2.0
// A pipeline of three stages: one function reads lines, many turn each into its words in
// alphabetical order, and one writes the lines in the order in which they were read. Nobody joins a
// stage where it is forked, so the stages are functions that a task_scope spawns. What is ready
// goes to the writer through a pool, and the reader never gets far ahead of the writer, whatever
// the length of the text. Usage: pipeline [lines]
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nopal/async.hpp>
#include <nopal/pool.hpp>
#include <nopal/runtime.hpp>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// Some lines that belong together, and their number in the text.
struct block {
  std::size_t number = 0;
  std::vector<std::string> lines;
};

constexpr std::size_t lines_in_block = 32;
constexpr std::size_t blocks_in_window = 16;

std::string in_order(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  std::sort(words.begin(), words.end());
  std::string sorted;
  for (const std::string& word : words) sorted += word + ' ';
  return sorted;
}

class pipeline {
 public:
  explicit pipeline(nopal::runtime& r) : runtime_(r), ready_({.producers = r.workers()}) {}

  // A thread that is no worker calls this. It is the writer, and may sleep while nothing is ready.
  void run(std::istream& in, std::ostream& out) {
    nopal::task_scope reader(runtime_);
    reader.spawn([&] { read(in); });
    write(out);
    reader.join();
  }

 private:
  // The text is cut into windows of blocks. Before the reader begins a window it waits until the
  // last but one has been written: its strand is suspended, and its worker runs other functions.
  void read(std::istream& in) {
    nopal::task_scope workers;
    for (std::size_t number = 0; in; ++number) {
      if (number % blocks_in_window == 0) written_[window_of(number)].wait();
      block b{number, {}};
      for (std::string line; b.lines.size() < lines_in_block && std::getline(in, line);)
        b.lines.push_back(std::move(line));
      written_[window_of(number)].add();
      workers.spawn([this, b = std::move(b)]() mutable { work_on(std::move(b)); });
    }
    workers.join();
    ready_.close();  // the writer ends when it has got what is there
  }

  void work_on(block b) {
    for (std::string& line : b.lines) line = in_order(line);
    auto ready = ready_.producer();  // no more of them at a time than there are workers
    ready.put(std::move(b));
  }

  void write(std::ostream& out) {
    std::map<std::size_t, block> early;
    std::size_t next = 0;
    auto ready = ready_.consumer();
    for (block& got : ready.all()) {
      early.emplace(got.number, std::move(got));
      for (auto first = early.begin(); first != early.end() && first->first == next; ++next) {
        for (const std::string& line : first->second.lines) out << line << '\n';
        first = early.erase(first);
        written_[window_of(next)].signal();
      }
    }
  }

  static std::size_t window_of(std::size_t block) { return block / blocks_in_window % 2; }

  nopal::runtime& runtime_;
  nopal::pool<block> ready_;
  nopal::countdown written_[2];  // blocks of each window that are yet to be written
};

std::string text(std::size_t lines) {
  std::mt19937 random(1);
  std::string all;
  for (std::size_t i = 0; i < lines; ++i) {
    for (unsigned words = random() % 12; words > 0; --words) {
      for (unsigned letters = 1 + random() % 8; letters > 0; --letters)
        all += static_cast<char>('a' + random() % 26);
      all += ' ';
    }
    all += '\n';
  }
  return all;
}

int main(int argc, char** argv) {
  const auto lines = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 100'000);
  std::istringstream in(text(lines));
  std::ostringstream out;

  nopal::runtime r;
  pipeline(r).run(in, out);

  std::istringstream again(in.str());
  std::ostringstream expected;
  for (std::string line; std::getline(again, line);) expected << in_order(line) << '\n';
  const bool right = out.str() == expected.str();
  std::cout << lines << " lines went through the pipeline" << (right ? "" : ", and came out WRONG")
            << '\n';
  return right ? 0 : 1;
}
