// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// A number for each worker of the process, whatever its runtime. No two workers that exist have
/// the same number. A new worker gets one that another has given back, if there is one, so that
/// numbers stay small.
///
/// The worker that has a number sees everything that the workers did that had it before.
class worker_number {
 public:
  /// \throws std::bad_alloc
  worker_number();
  ~worker_number();
  worker_number(const worker_number&) = delete;
  worker_number& operator=(const worker_number&) = delete;

  [[nodiscard]] unsigned value() const noexcept { return value_; }

  struct node;

 private:
  node* node_;
  unsigned value_;
};

}  // namespace nopal::detail
