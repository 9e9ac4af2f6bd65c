// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nopal/detail/io/request.hpp"

struct io_uring;

namespace nopal::detail {

/// An io_uring, by which the kernel makes the calls. If the library was built without liburing,
/// open() returns false, and nothing else is called.
class io_ring {
 public:
  io_ring() noexcept;
  ~io_ring();
  io_ring(const io_ring&) = delete;
  io_ring& operator=(const io_ring&) = delete;

  /// Returns whether there is a ring now. The system may refuse one, or may be too old.
  bool open() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return ring_ != nullptr; }
  /// Returns a descriptor that is readable, for epoll, while there is something to reap.
  [[nodiscard]] int descriptor() const noexcept;
  /// Precondition: no call has been submitted.
  void close() noexcept;

  // The functions below are called under the lock of the backend.

  /// Hands the call of `r` to the kernel. Returns whether it takes the call: it may be short of
  /// memory, or have more results than room for them.
  bool submit(io_request& r) noexcept;
  /// Asks the kernel to break the call of `r` off. It may miss the call, or refuse to be asked; the
  /// call goes on then.
  void cancel(io_request& r) noexcept;

  /// Returns a request whose call the kernel has made, with the result, or nullptr if there is none
  /// now.
  io_request* reap(std::int64_t& result) noexcept;

 private:
  std::unique_ptr<io_uring> ring_;
};

}  // namespace nopal::detail
