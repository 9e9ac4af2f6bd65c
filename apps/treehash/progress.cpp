// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace treehash {
namespace {

std::size_t terminal_columns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A terminal that does not take the text is no reason to fail.
void put(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

std::string human_bytes(double bytes) {
  constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

progress::progress(const counters& done, bool wanted) : done_(done) {
  if (wanted && isatty(STDERR_FILENO) == 1) {
    thread_ = std::jthread([this](const std::stop_token& stop) { show_until_stopped(stop); });
  }
}

progress::~progress() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  wipe();
}

void progress::show_until_stopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  do {
    show();
    stopped.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; });
  } while (!stop.stop_requested());
}

void progress::show() {
  // The loads are relaxed, because the numbers are only for the eye.
  const auto files = done_.files.load(std::memory_order_relaxed);
  const auto bytes = static_cast<double>(done_.bytes.load(std::memory_order_relaxed));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const double rate = bytes / std::max(elapsed.count(), 1e-3);
  std::string line =
      fmt::format("{} files, {}, {}/s", files, human_bytes(bytes), human_bytes(rate));
  // A line that wraps could not be overwritten. Blanks wipe a line on every terminal, escape
  // sequences only on most.
  line.resize(std::min(line.size(), terminal_columns() - 1));
  const std::size_t width = line.size();
  line.resize(std::max(width, width_), ' ');
  put('\r' + line);
  width_ = width;
}

void progress::wipe() { put('\r' + std::string(width_, ' ') + '\r'); }

}  // namespace treehash
