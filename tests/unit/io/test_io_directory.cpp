// SPDX-License-Identifier: Apache-2.0
// What is in a directory; and calls on helper threads that their callers leave.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;
namespace io = nopal::io;
using io::directory_entry;
using io::file_kind;

std::vector<directory_entry> sorted(std::vector<directory_entry> entries) {
  std::ranges::sort(entries, {}, &directory_entry::name);
  return entries;
}

TEST_F(Io, ADirectoryIsReadWithNamesAndKinds) {
  const temporary_folder folder;
  const std::string path = folder.path();
  std::ofstream(path + "/file") << "x";
  std::filesystem::create_directory(path + "/folder");
  std::filesystem::create_symlink("folder", path + "/link");
  std::filesystem::create_symlink("nothing", path + "/lost");
  ASSERT_EQ(::mkfifo((path + "/queue").c_str(), 0600), 0);
  const std::vector<directory_entry> all{{"file", file_kind::regular},
                                         {"folder", file_kind::directory},
                                         {"link", file_kind::symlink},
                                         {"lost", file_kind::symlink},
                                         {"queue", file_kind::fifo}};
  everywhere([&] {
    EXPECT_EQ(sorted(io::read_directory(path)), all);
    EXPECT_EQ(sorted(io::read_directory(std::filesystem::path(path), 10s)), all);
    std::error_code error = std::make_error_code(std::errc::timed_out);
    EXPECT_EQ(sorted(io::read_directory(path.c_str(), error)), all);
    EXPECT_FALSE(error);
    EXPECT_TRUE(io::read_directory(path + "/link").empty());
    nopal::run([&]() -> nopal::task<> {
      EXPECT_EQ(sorted(co_await io::async_read_directory(path)), all);
      std::error_code none = std::make_error_code(std::errc::timed_out);
      EXPECT_EQ(sorted(co_await io::async_read_directory(path, none)), all);
      EXPECT_FALSE(none);
    });
  });
}

TEST_F(Io, EachKindOfFileIsTold) {
  const auto kind_of = [](const std::string& folder, const std::string& name) {
    const std::vector<directory_entry> all = io::read_directory(folder);
    const auto it = std::ranges::find(all, name, &directory_entry::name);
    return it == all.end() ? file_kind::unknown : it->kind;
  };
  EXPECT_EQ(kind_of("/dev", "null"), file_kind::character_device);
  const temporary_folder folder;
  const descriptor s(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder.path() + "/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(s, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(kind_of(folder.path(), "socket"), file_kind::socket);
}

TEST_F(Io, ADirectoryThatCannotBeReadIsNamed) {
  const temporary_folder folder;
  const std::string gone = folder.path() + "/gone", file = folder.path() + "/file";
  std::ofstream(file) << "x";
  const auto text_of = [](auto&& f) {
    try {
      f();
    } catch (const std::system_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  everywhere([&] {
    EXPECT_EQ(text_of([&] { io::read_directory(gone); }),
              "nopal::io: read_directory of '" + gone + "': No such file or directory");
    EXPECT_EQ(text_of([&] {
                nopal::run([&]() -> nopal::task<> { co_await io::async_read_directory(gone); });
              }),
              "nopal::io: read_directory of '" + gone + "': No such file or directory");
    std::error_code error;
    EXPECT_TRUE(io::read_directory(file, error).empty());
    EXPECT_EQ(error, std::errc::not_a_directory);
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(io::read_directory("/", error, source.get_token()).empty());
    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(text_of([&] { io::read_directory("/", source.get_token()); }),
              "nopal::io: read_directory of '/' ended by a requested stop: Operation canceled");
  });
}

/// A call that is not over before it is released, and tells when it has been destroyed.
struct held {
  struct shared {
    std::atomic<bool> released{false};
    std::atomic<int> running{0};
  };
  struct counted {
    explicit counted(shared& s) : of(&s) { ++of->running; }
    ~counted() { --of->running; }
    shared* of;
  };

  explicit held(shared& s) : lives(std::make_shared<counted>(s)), of(&s) {}
  int operator()(std::error_code&) const {
    while (!of->released) std::this_thread::sleep_for(100us);
    return 7;
  }

  std::shared_ptr<counted> lives;
  shared* of;
};

TEST_F(Io, ACallOnAHelperThreadIsLeftAtItsDeadlineAndFreesWhatItUsed) {
  everywhere([] {
    held::shared shared;
    std::error_code error;
    EXPECT_EQ(nopal::detail::call_on_helper(held(shared), error, 1ms), 0);
    EXPECT_EQ(error, std::errc::timed_out);
    nopal::run([&]() -> nopal::task<> {
      EXPECT_EQ(co_await nopal::detail::async_call_on_helper(held(shared), error, 1ms), 0);
      EXPECT_EQ(error, std::errc::timed_out);
    });
    EXPECT_EQ(shared.running, 2);
    shared.released = true;
    while (shared.running != 0) std::this_thread::sleep_for(100us);
  });
}

TEST_F(Io, ACallOnAHelperThreadIsLeftAtAStop) {
  on_workers(1, [] {
    held::shared shared;
    std::stop_source source;
    std::error_code error;
    nopal::parallel_invoke(
        [&] {
          EXPECT_EQ(nopal::detail::call_on_helper(held(shared), error, source.get_token()), 0);
          EXPECT_EQ(error, std::errc::operation_canceled);
        },
        [&] { source.request_stop(); });
    shared.released = true;
    while (shared.running != 0) std::this_thread::sleep_for(100us);
  });
}

TEST_F(Io, ACallOnAHelperThreadReturnsWithinItsLimits) {
  everywhere([] {
    held::shared shared;
    shared.released = true;
    std::error_code error = std::make_error_code(std::errc::timed_out);
    EXPECT_EQ(nopal::detail::call_on_helper(held(shared), error, 100s), 7);
    EXPECT_FALSE(error);
    while (shared.running != 0) std::this_thread::sleep_for(100us);
  });
}

}  // namespace
