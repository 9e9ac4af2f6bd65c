// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// The type that the result of a task is kept as.
template <class T>
struct stored_result {
  using type = T;
};
template <class T>
struct stored_result<T&> {
  using type = T*;
};
template <class T>
using stored = typename stored_result<T>::type;

}  // namespace nopal::detail
