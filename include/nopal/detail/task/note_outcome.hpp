// SPDX-License-Identifier: Apache-2.0
// A promise cannot write the exception of its task, or the end of a task without a result, to a
// place. So another task, which calls the child, writes it.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "nopal/detail/strand/strand_words.hpp"
#include "nopal/detail/task/promise.hpp"
#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_declaration.hpp"

namespace nopal::detail {

template <class Place>
struct outcome_noter {
  /// Makes the child by make(), which is called as in a fork, and the task that calls the child.
  /// The frames lie on the stack that the parent has named just before, the child's above.
  template <class Make>
  static auto make_task(Place& place, Make&& make) {
    void* const on = take_words_of_strand().left;
    leave_word_of_strand(on);
    auto outer = run(place, static_cast<decltype(make())*>(nullptr));
    leave_word_of_strand(on);
    result_access::child_of(place) = task_access::release(make());
    leave_word_of_strand(nullptr);  // the child may have been made elsewhere
    return outer;
  }

 private:
  /// \tparam Nothing  is void: a task is not complete here.
  template <class T, class Nothing = void>
  static task<Nothing> run(Place& place, task<T>*) {
    // The frame of the child lies there already.
    const auto child = [&] {
      leave_word_of_strand(nullptr);
      return task_access::again<T>(result_access::child_of(place));
    };
    using call = call_expression<std::nullptr_t, decltype(child)&>;
    if constexpr (std::is_same_v<Place, eventual<void>>) {
      co_await call{nullptr, child, {}};
      result_access::has_ended(place) = true;
    } else {
      auto& outcome = result_access::outcome_of(place);
      try {
        if constexpr (std::is_void_v<T>) {
          co_await call{nullptr, child, {}};
          outcome.set_value();
        } else {
          outcome.set_value(co_await call{nullptr, child, {}});
        }
      } catch (...) {
        outcome.set_error(std::current_exception());
      }
    }
  }
};

}  // namespace nopal::detail
