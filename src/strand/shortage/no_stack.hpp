// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

namespace nopal::detail {

/// A std::bad_alloc that says which stack there was no memory for. The object holds its own text.
class no_stack : public std::bad_alloc {
 public:
  /// \param what  the stack, with its article: "a strand's stack".
  /// \param error  the number of the error with which the system has refused the memory.
  /// \param advice  what to do, if the limits cannot be raised.
  no_stack(const char* what, std::size_t bytes, int error, const char* advice) noexcept {
    std::snprintf(text_.data(), text_.size(),
                  "nopal: there is no memory for %s of %zu bytes: %s. Raise the limits (ulimit -v, "
                  "vm.max_map_count, the memory of the control group)%s",
                  what, bytes, strerrordesc_np(error), advice);
  }
  [[nodiscard]] const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 384> text_;
};

}  // namespace nopal::detail
