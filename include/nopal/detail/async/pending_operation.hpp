// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "nopal/async/countdown.hpp"
#include "nopal/detail/async/countdown_operation.hpp"
#include "nopal/detail/async/outcome.hpp"

namespace nopal {

template <class T>
class pending;

namespace detail {

/// One that waits until a result is there.
template <class T>
class ready_operation : public countdown_operation {
 public:
  static constexpr const char* name = "nopal::pending: wait";

  /// \param is_set  nullptr if there is no result to take any more. Then value() says so.
  ready_operation(pending<T>& p, countdown* is_set) noexcept
      : countdown_operation(is_set), of_(&p) {}

  void value() const {
    if (!of_->valid()) no_result_to_get();
  }

 protected:
  pending<T>* of_;
};

/// One that waits for a result and takes it.
template <class T>
class get_operation : public ready_operation<T> {
 public:
  using result = T;
  static constexpr const char* name = "nopal::pending: get";

  using ready_operation<T>::ready_operation;
  T value() const {
    ready_operation<T>::value();
    return this->of_->take();
  }
};

}  // namespace detail
}  // namespace nopal
