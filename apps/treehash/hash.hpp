// SPDX-License-Identifier: Apache-2.0
// The SHA-256 of one open file.
//
// SHA-256 is sequential: no piece of a file can be hashed before the one in front of it. What can
// run in parallel is reading. A file larger than one window (4 pieces of 256 KiB) is hashed window
// by window, and while one window is hashed the pieces of the next are read, each by a fork of its
// own, so that a device with a queue sees several requests at once. A large file thus holds two
// windows, 2 MiB; a smaller one at most 256 KiB and no fork.
//
// A file is read by pread and not through a mapping, because a mapped file that shrinks raises
// SIGBUS. What counts is the size when the file was opened: if it grows without end, the digest
// covers that many bytes, and the file is reported as changed.
#pragma once

#include <atomic>
#include <cstdint>

#include "sha256.hpp"

namespace treehash {

/// How far the program is, for whoever watches. Accesses are relaxed: the numbers order no other
/// data.
struct counters {
  std::atomic<std::uint64_t> files = 0;
  std::atomic<std::uint64_t> bytes = 0;
};

enum class hash_outcome {
  hashed,
  changed,  ///< Hashed, but the file was written meanwhile; the digest is that of the bytes read.
  failed,   ///< No digest; hash_result::error says why.
  unusual,  ///< No digest: this is no regular file.
};

struct hash_result {
  hash_outcome outcome = hash_outcome::hashed;
  digest sum = {};
  std::uint64_t bytes = 0;
  int error = 0;
};

/// Hashes the file open at `file`. Forks for large files. Ends early, with any result, once
/// interrupted(). Adds the bytes to `done` as it goes.
[[nodiscard]] hash_result hash_file(int file, counters& done);

}  // namespace treehash
