// SPDX-License-Identifier: Apache-2.0
// A request that reads and computes, and has two milliseconds for both. Then the answer is the best
// that has been found.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <nopal/nopal.hpp>
#include <system_error>

namespace {

/// Tries all of many numbers, and notes in `best` what is better than the best so far.
void improve(std::atomic<unsigned>& best) {
  nopal::for_each(0U, 1'000'000'000U, [&](unsigned i) {
    const unsigned v = i * 2654435761U;
    unsigned seen = best;
    while (seen < v && !best.compare_exchange_weak(seen, v)) {
    }
  });
}

struct answer {
  std::size_t bytes = 0;
  unsigned best = 0;
  bool is_late = false;
};

answer serve(int fd) {
  answer a;
  std::atomic<unsigned> best = 0;
  try {
    nopal::with_deadline(std::chrono::milliseconds(2), [&] {
      std::array<std::byte, 64> request{};
      a.bytes = nopal::io::read(fd, request);
      improve(best);
    });
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::timed_out) throw;
    a.is_late = true;
  }
  a.best = best;
  return a;
}

}  // namespace

int main() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return 1;
  const bool is_sent = ::write(ends[1], "go", 2) == 2;
  const answer computed = serve(ends[0]);  // reads, and is late while it computes
  const answer waited = serve(ends[0]);    // is late while it reads
  std::printf("read %zu bytes, best %u\n", computed.bytes, computed.best);
  const bool right = is_sent && computed.bytes == 2 && computed.is_late && waited.bytes == 0 &&
                     waited.is_late && waited.best == 0;
  for (const int end : ends) ::close(end);
  return right ? 0 : 1;
}
