// SPDX-License-Identifier: Apache-2.0
#include "refusal/programs.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/sync.hpp"
#include "support/random_tree.hpp"

namespace nopal_test {
namespace {

using namespace std::chrono_literals;
namespace io = nopal::io;

constexpr tree_shape shape{.depth = 5};

bool tree_is_right(std::uint64_t seed) {
  return run_tree(seed, shape.depth, shape) == run_tree_serially(seed, shape.depth, shape);
}

NOPAL_FORKS int fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  nopal::fork_frame frame;
  frame.fork(&a, fib, n - 1);
  frame.fork(&b, fib, n - 2);
  frame.join();
  return a + b;
}

bool sums_are_right() {
  std::vector<std::uint64_t> v(20000);
  std::iota(v.begin(), v.end(), 0);
  nopal::reducer<nopal::monoid::add<std::uint64_t>> sum;
  nopal::for_each(v, [&](std::uint64_t& x) { *sum += x; });
  const auto folded = nopal::fold(v, std::uint64_t{0}, [](auto a, auto b) { return a + b; });
  return *sum == folded && folded == v.size() * (v.size() - 1) / 2;
}

/// Closes its descriptors whatever is thrown.
struct pair_of_descriptors {
  std::array<int, 2> fd{-1, -1};
  ~pair_of_descriptors() {
    for (const int one : fd)
      if (one >= 0) ::close(one);
  }
};

/// One byte that is sent by a strand and awaited by another, `times` times.
bool bytes_arrive(int from, int to, int times) {
  int arrived = 0;
  nopal::parallel_invoke(
      [&] {
        for (int i = 0; i < times; ++i) {
          std::array<std::byte, 1> one;
          // Each read ends by its deadline, so that a failure of the other side is no hang.
          arrived += io::read(from, one, std::chrono::steady_clock::now() + 500ms) == 1 &&
                     one[0] == static_cast<std::byte>(i);
        }
      },
      [&] {
        for (int i = 0; i < times; ++i) {
          io::sleep_for(100us);
          const std::array one{static_cast<std::byte>(i)};
          io::write(to, one);
        }
      });
  return arrived == times;
}

bool file_is_right() {
  std::string name = "/tmp/nopal_refusal_XXXXXX";
  const int fd = ::mkstemp(name.data());
  ::unlink(name.c_str());
  const pair_of_descriptors closed{{fd, -1}};
  std::vector<std::byte> all(100000, std::byte{7});
  for (std::size_t done = 0; done < all.size();)
    done += io::pwrite(fd, std::span(all).subspan(done), static_cast<std::int64_t>(done));
  io::fsync(fd);
  std::vector<std::byte> read(all.size());
  for (std::size_t done = 0; done < read.size();)
    done += io::pread(fd, std::span(read).subspan(done), static_cast<std::int64_t>(done));
  return read == all;
}

/// A wait with a deadline ends by it, or says that there is no memory or thread for its timer.
bool deadlines_end_waits() {
  nopal::channel<int> c;
  std::optional<int> none;
  std::error_code error;
  const int which = nopal::select(c.receiving(none), nopal::after(100us));
  c.send(1, error, 100us);
  return which == 1 &&
         (error == std::errc::timed_out || error == std::errc::resource_unavailable_try_again);
}

}  // namespace

bool forks() {
  if (fib(12) != 144 || !tree_is_right(1)) return false;  // by the default runtime
  nopal::runtime r({.workers = 4, .reclaim = nopal::reclaim_policy::dontneed});
  nopal::runtime lazily({.workers = 2, .reclaim = nopal::reclaim_policy::free});
  for (std::uint64_t seed = 2; seed < 12; ++seed)
    if (!(seed % 2 == 0 ? r : lazily).run([&] { return tree_is_right(seed); })) return false;
  return r.run(sums_are_right) && r.run([] { return fib(15) == 610; });
}

bool waits() {
  if (!deadlines_end_waits()) return false;
  for (unsigned workers = 1; workers <= 4; ++workers) {
    nopal::runtime r({.workers = workers});
    std::atomic<int> ran{0};
    r.run([&] {
      nopal::task_scope scope;
      for (int i = 0; i < 50; ++i) scope.spawn([&] { ++ran; });
      scope.join();
    });
    if (ran != 50) return false;
    nopal::countdown comes(1);
    std::thread other([&] {
      std::this_thread::sleep_for(1ms);
      comes.signal();
    });
    r.run([&] { comes.wait(); });
    other.join();
    if (workers > 1) {
      nopal::claim some = r.claim({});
      if (!some.run([] { return tree_is_right(3); })) return false;
    }
  }
  nopal::stm::var<int> turn(0);
  nopal::runtime r({.workers = 2});
  r.run([&] {
    nopal::parallel_invoke(
        [&] {
          nopal::stm::atomically([&](nopal::stm::transaction& t) {
            if (t.get(turn) == 0) t.retry();
          });
        },
        [&] { nopal::stm::atomically([&](nopal::stm::transaction& t) { t.set(turn, 1); }); });
  });
  return true;
}

bool calls() {
  nopal::runtime r({.workers = 2});
  return r.run([] {
    pair_of_descriptors pipe;
    if (::pipe2(pipe.fd.data(), O_CLOEXEC) != 0) std::abort();
    pair_of_descriptors sockets;
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.fd.data()) != 0) std::abort();
    return bytes_arrive(pipe.fd[0], pipe.fd[1], 20) &&
           bytes_arrive(sockets.fd[0], sockets.fd[1], 20) && file_is_right() &&
           nopal::blocking([] { return 42; }) == 42;
  });
}

}  // namespace nopal_test
