// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"
#include "support/scheduler_run.hpp"
#include "support/temporary_folder.hpp"

namespace nopal_test {

inline std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}
inline std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

#ifdef NOPAL_TEST_IO_BY_THREADS
/// The same tests with helper threads only, where there is io_uring.
inline const int by_threads = ::setenv("NOPAL_IO", "threads", 1);
#endif

/// Closed at the end.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) { EXPECT_GE(fd, 0); }
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  operator int() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

class pipe_ends {
 public:
  pipe_ends() : pipe_ends(made()) {}
  [[nodiscard]] int out() const { return out_; }
  [[nodiscard]] int in() const { return in_; }
  int release_out() { return out_.release(); }
  int release_in() { return in_.release(); }

 private:
  explicit pipe_ends(std::array<int, 2> fds) : out_(fds[0]), in_(fds[1]) {}
  static std::array<int, 2> made() {
    std::array<int, 2> fds{-1, -1};
    EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
    return fds;
  }

  descriptor out_;
  descriptor in_;
};

/// Whether a write to a pipe can be tried without waiting. Kernels before 6.4 and qemu-user can't,
/// and a call that can't be tried fails once its deadline has passed.
inline bool pipes_know_nowait() {
  const pipe_ends p;
  char x = 'x';
  const iovec part{&x, 1};
  return ::pwritev2(p.in(), &part, 1, -1, RWF_NOWAIT) == 1;
}

inline std::string read_text(int fd, std::size_t most = 64) {
  std::string room(most, '\0');
  room.resize(nopal::io::read(fd, std::as_writable_bytes(std::span(room))));
  return room;
}

template <class F>
void on_workers(unsigned workers, F&& f) {
  nopal::runtime r({.workers = workers});
  r.run(f);
  EXPECT_TRUE(frees_all_stacks(r)) << "a strand is left";
}

/// Of several counts the least: where UBSan looks whether memory may be read, on whatever thread,
/// it has a pipe open for a moment, and the watch of a checking build a file.
inline std::ptrdiff_t open_descriptors() {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  std::ptrdiff_t least = count();
  for (int i = 0; (with_sanitizer || with_check) && i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    least = std::min(least, count());
  }
  return least;
}

/// By a call that has to wait, however late it comes.
inline void makes_backend() {
  const pipe_ends p;
  std::byte nothing{};
  std::error_code too_late;
  nopal::io::read(p.out(), {&nothing, 1}, too_late, std::chrono::steady_clock::now());
}

/// Each test leaves as many descriptors as it found.
class Io : public testing::Test {
 protected:
  Io() {
    on_workers(1, makes_backend);
    before_ = open_descriptors();
  }
  ~Io() override { EXPECT_EQ(open_descriptors(), before_) << "descriptors are left"; }

 private:
  std::ptrdiff_t before_;
};

}  // namespace nopal_test
