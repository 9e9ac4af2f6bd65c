// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "hash.hpp"

namespace treehash {

/// A number of bytes for people, such as "12.5 MiB".
[[nodiscard]] std::string human_bytes(double bytes);

/// A line on standard error, renewed ten times a second while this lives, and wiped away at its
/// end. Shows nothing unless standard error is a terminal.
class progress {
 public:
  progress(const counters& done, bool wanted);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

 private:
  void show_until_stopped(const std::stop_token& stop);
  void show();
  void wipe();

  const counters& done_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t width_ = 0;
  std::jthread thread_;
};

}  // namespace treehash
