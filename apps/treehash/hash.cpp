// SPDX-License-Identifier: Apache-2.0
#include "hash.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <nopal/nopal.hpp>
#include <utility>

#include "interrupt.hpp"
#include "window.hpp"

namespace treehash {
namespace {

constexpr std::uint64_t to_its_end = std::numeric_limits<std::uint64_t>::max();

struct file_state {
  int error = 0;
  bool regular = false;
  std::uint64_t size = 0;
  timespec modified = {};
};

// The function is not inlined because of errno, see tree.cpp.
[[gnu::noinline]] file_state state_of(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return {.error = errno};
  return {.regular = S_ISREG(status.st_mode),
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = status.st_mtim};
}

bool same(const file_state& a, const file_state& b) {
  return a.size == b.size && a.modified.tv_sec == b.modified.tv_sec &&
         a.modified.tv_nsec == b.modified.tv_nsec;
}

// Files made up on the fly, as under /proc, say that their size is 0 and have to be read to find
// their end. An ordinary file that got its first bytes just now shows a size by now; it was empty
// when opened.
std::uint64_t bytes_to_read(int file, const file_state& before) {
  if (before.size != 0) return before.size;
  return goes_on_at(file, 0) && state_of(file).size == 0 ? to_its_end : 0;
}

void hash_small(int file, std::uint64_t limit, sha256& sum, hash_result& result, counters& done) {
  const std::size_t capacity =
      static_cast<std::size_t>(std::min<std::uint64_t>(limit, piece_bytes));
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(capacity);
  while (result.bytes < limit && !interrupted()) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(limit - result.bytes, capacity));
    const read_result got = read_at(file, result.bytes, buffer.get(), wanted);
    sum.update(buffer.get(), got.count);
    result.bytes += got.count;
    result.error = got.error;
    done.bytes.fetch_add(got.count, std::memory_order_relaxed);
    if (got.count < wanted) return;
  }
}

void hash_large(int file, std::uint64_t limit, sha256& sum, hash_result& result, counters& done) {
  posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  window first;
  window second;
  window* now = &first;
  window* next = &second;
  now->read(file, 0, limit);
  bool more = true;
  while (more) {
    const std::uint64_t following = result.bytes + now->size();
    more = now->complete() && following < limit && !interrupted();
    if (more) {
      nopal::parallel_invoke([&] { sum.update(now->data(), now->size()); },
                             [&] { next->read(file, following, limit); });
    } else {
      sum.update(now->data(), now->size());
      result.error = now->error();
    }
    done.bytes.fetch_add(now->size(), std::memory_order_relaxed);
    result.bytes = following;
    std::swap(now, next);
  }
}

}  // namespace

hash_result hash_file(int file, counters& done) {
  hash_result result;
  const file_state before = state_of(file);
  if (before.error != 0) return {.outcome = hash_outcome::failed, .error = before.error};
  if (!before.regular) return {.outcome = hash_outcome::unusual};

  sha256 sum;
  const std::uint64_t limit = bytes_to_read(file, before);
  if (limit > window_bytes && limit != to_its_end) {
    hash_large(file, limit, sum, result, done);
  } else {
    hash_small(file, limit, sum, result, done);
  }
  if (result.error != 0) {
    result.outcome = hash_outcome::failed;
    return result;
  }
  result.sum = sum.finish();
  const bool grew = limit != to_its_end && goes_on_at(file, limit);
  if (grew || !same(before, state_of(file))) result.outcome = hash_outcome::changed;
  done.files.fetch_add(1, std::memory_order_relaxed);
  return result;
}

}  // namespace treehash
