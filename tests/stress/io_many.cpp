// SPDX-License-Identifier: Apache-2.0
// As many strands as a busy server has connections, all suspended in reads at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/io.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::ptrdiff_t mappings() {
  std::ifstream file("/proc/self/maps");
  return std::count(std::istreambuf_iterator(file), {}, '\n');
}

struct readers {
  pipe_ends pipe;
  std::atomic<int> begun{0};
  std::atomic<int> read{0};
  nopal::task_scope scope;

  void start(int n) {
    for (int i = 0; i < n; ++i)
      scope.spawn([this] {
        std::array<std::byte, 1> one;
        ++begun;
        read += static_cast<int>(io::read(pipe.out(), one));
      });
    while (begun < n) io::sleep_for(1ms);
    io::sleep_for(50ms);  // until the last of them is suspended, too
  }
  void end() {
    const std::vector<std::byte> bytes(4096);
    for (int left = begun - read; left > 0;)
      left -= static_cast<int>(
          io::write(pipe.in(), std::span(bytes).first(std::min<std::size_t>(4096, left))));
    scope.join();
    EXPECT_EQ(read, begun);
  }
};

TEST_F(Io, AHundredThousandStrandsReadAtOnce) {
  const watchdog w(100s, "strands that read", 0);
  const int many = with_sanitizer ? 1000 : 100'000;
  bool splits = false;
  on_workers(2, [&] {
    readers some;
    const std::ptrdiff_t before = mappings();
    some.start(1000);
    splits = mappings() - before > 1000;
    some.end();
  });
  if (splits)
    GTEST_SKIP() << "each stack costs two mappings here, of which vm.max_map_count allows too few";
  on_workers(2, [&] {
    readers all;
    const std::size_t before = resident_bytes();
    all.start(many);
    const std::size_t each = (resident_bytes() - before) / static_cast<std::size_t>(many);
    std::cout << many << " strands suspended in reads: " << each << " bytes a strand\n";
    if (!with_sanitizer) {
      EXPECT_LT(each, 8192U);
    }
    all.end();
  });
}

}  // namespace
