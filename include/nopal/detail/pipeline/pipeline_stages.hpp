// SPDX-License-Identifier: Apache-2.0
// These are the ways in which items pass a stage of a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/sync/mutex.hpp"
#include "nopal/sync/semaphore.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class stage_order : unsigned char { parallel, serial, in_order };

/// A stage, as the program writes it.
template <stage_order Order, class F>
struct stage_function {
  F f;
};

template <class S>
inline constexpr bool is_stage = false;
template <stage_order Order, class F>
inline constexpr bool is_stage<stage_function<Order, F>> = true;

/// What a stage is opened with.
template <class Stage>
struct stage_to_open {
  Stage& stage;
  std::size_t most;  ///< How many items may be on their way.
};

/// A stage, while the pipeline runs. pass(number, item) calls its function.
template <class Stage>
class open_stage;

template <class F>
class open_stage<stage_function<stage_order::parallel, F>> {
 public:
  using function = const F&;
  explicit open_stage(stage_to_open<stage_function<stage_order::parallel, F>> s) : f_(s.stage.f) {}

  template <class X>
  auto pass(std::uint64_t /*number*/, X&& item) {
    return detail::invoke_to_end(f_, std::forward<X>(item));
  }

 private:
  const F& f_;
};

template <class F>
class open_stage<stage_function<stage_order::serial, F>> {
 public:
  using function = F&;
  explicit open_stage(stage_to_open<stage_function<stage_order::serial, F>> s) : f_(s.stage.f) {}

  template <class X>
  auto pass(std::uint64_t /*number*/, X&& item) {
    const std::lock_guard held(alone_);
    return detail::invoke_to_end(f_, std::forward<X>(item));
  }

 private:
  F& f_;
  mutex alone_;
};

/// The items that have not passed yet are one of each carrier at most, and none is missing between
/// them: so their numbers differ modulo the number of carriers. Each waits at the semaphore of its
/// own, for the one before it.
template <class F>
class open_stage<stage_function<stage_order::in_order, F>> {
 public:
  using function = F&;
  explicit open_stage(stage_to_open<stage_function<stage_order::in_order, F>> s) : f_(s.stage.f) {
    for (std::size_t i = 0; i < s.most; ++i) turns_.emplace_back(i == 0 ? 1 : 0);
  }

  /// If the function throws, no later item passes. All of them are stopped.
  template <class X>
  auto pass(std::uint64_t number, X&& item) {
    turns_[number % turns_.size()].acquire();
    semaphore& next = turns_[(number + 1) % turns_.size()];
    if constexpr (std::is_void_v<detail::result_to_end<F&, X>>) {
      detail::invoke_to_end(f_, std::forward<X>(item));
      next.release();
    } else {
      auto result = detail::invoke_to_end(f_, std::forward<X>(item));
      next.release();
      return result;
    }
  }

 private:
  F& f_;
  std::deque<semaphore> turns_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
