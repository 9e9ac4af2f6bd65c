// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/left_scope.hpp"
#else

#include "nopal/detail/strand/current_scope.hpp"

namespace nopal::detail {

/// Takes the calling strand, task or thread out of its scope, for as long as this exists.
class left_scope {
 public:
  left_scope() noexcept : scope_(current_scope()) { set_current_scope(nullptr); }
  ~left_scope() { set_current_scope(scope_); }
  left_scope(const left_scope&) = delete;
  left_scope& operator=(const left_scope&) = delete;

 private:
  stop_scope* scope_;
};

}  // namespace nopal::detail

#endif
