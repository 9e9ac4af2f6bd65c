// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

#include "platform/message.hpp"

namespace {

/// While this lives, what a system call writes to stderr arrives here as one packet.
class packets_of_stderr {
 public:
  packets_of_stderr() : saved_(dup(STDERR_FILENO)) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_.data()), 0);
    dup2(ends_[1], STDERR_FILENO);
  }
  ~packets_of_stderr() {
    dup2(saved_, STDERR_FILENO);
    for (const int fd : {saved_, ends_[0], ends_[1]}) close(fd);
  }
  packets_of_stderr(const packets_of_stderr&) = delete;
  packets_of_stderr& operator=(const packets_of_stderr&) = delete;

  std::string next() {
    std::array<char, 4096> buffer;
    const ssize_t n = recv(ends_[0], buffer.data(), buffer.size(), MSG_DONTWAIT);
    return n < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(n));
  }

 private:
  int saved_;
  std::array<int, 2> ends_{};
};

TEST(Message, IsWrittenByOneSystemCall) {
  packets_of_stderr written;
  nopal::detail::write_message("what went wrong");
  EXPECT_EQ(written.next(), "nopal: what went wrong\n");
  EXPECT_EQ(written.next(), "");
}

}  // namespace
