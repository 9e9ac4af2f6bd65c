// SPDX-License-Identifier: Apache-2.0
// While elements lie in two places, a stop must not end what moves them.
#pragma once

#include "nopal/algorithm/grain.hpp"

#ifndef NOPAL_SERIAL
#include "nopal/detail/strand/current_scope.hpp"
#endif

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// While this exists, no stop comes to what its function does.
class unstoppable {
 public:
#ifdef NOPAL_SERIAL
  unstoppable() noexcept {}  // no loop asks for a stop
  ~unstoppable() {}
#else
  unstoppable() noexcept : left_(detail::current_scope()) { detail::set_current_scope(nullptr); }
  ~unstoppable() { detail::set_current_scope(left_); }
#endif
  unstoppable(const unstoppable&) = delete;
  unstoppable& operator=(const unstoppable&) = delete;

#ifndef NOPAL_SERIAL
 private:
  detail::stop_scope* const left_;
#endif
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
