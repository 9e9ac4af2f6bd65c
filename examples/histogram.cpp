// SPDX-License-Identifier: Apache-2.0
// How often each byte occurs in a file. Its pieces are read at the same time: a strand that waits
// for the kernel leaves its worker to others. Usage: histogram [file]
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nopal/algorithm/histogram.hpp>
#include <nopal/nopal.hpp>
#include <span>
#include <vector>

namespace {

constexpr std::size_t piece = 1 << 18;

std::vector<unsigned char> contents(const char* path) {
  const int file = nopal::io::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  struct statx about{};
  nopal::io::statx(file, "", AT_EMPTY_PATH, STATX_SIZE, about);
  std::vector<unsigned char> bytes(about.stx_size);
  const std::size_t pieces = (bytes.size() + piece - 1) / piece;
  // A body that waits is worth a block of its own, however short it is.
  nopal::for_each(nopal::grain{1}, 0, pieces, [&](std::size_t i) {
    const std::size_t last = std::min((i + 1) * piece, bytes.size());
    for (std::size_t at = i * piece; at < last;) {
      const std::span<unsigned char> rest(&bytes[at], last - at);
      const std::size_t read =
          nopal::io::pread(file, std::as_writable_bytes(rest), static_cast<std::int64_t>(at));
      if (read == 0) break;  // the file has become shorter: what is missing counts as zeros
      at += read;
    }
  });
  nopal::io::close(file);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<unsigned char> bytes = contents(argc > 1 ? argv[1] : "/proc/self/exe");
  const std::vector<std::size_t> counts = nopal::histogram(bytes, 256);

  std::vector<std::size_t> expected(256);
  for (const unsigned char byte : bytes) ++expected[byte];
  const auto most = std::ranges::max_element(counts);
  std::printf("%zu bytes, most of them are %td\n", bytes.size(), most - counts.begin());
  return !bytes.empty() && counts == expected ? 0 : 1;
}
