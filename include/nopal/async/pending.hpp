// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/pending.hpp"
#else

#include <memory>
#include <utility>

#include "nopal/async/countdown.hpp"
#include "nopal/detail/async/outcome.hpp"
#include "nopal/detail/async/promised_result.hpp"

namespace nopal {

class task_scope;

/// The result of a function that task_scope::async() has spawned.
/// \code
/// nopal::task<int> twice(nopal::pending<int>& p) { co_return 2 * co_await p; }
/// \endcode
///
/// A pending may be dropped before its result is there. When the result has been taken, or the
/// pending has been moved from, it has no result: then it may be destroyed, assigned to, and asked
/// by valid().
/// Thread-safety: one strand, task or thread at a time uses it.
template <class T>
class pending {
 public:
  /// Takes the result, or the exception, of the function. If the function has not ended, the
  /// calling strand is suspended until then; a thread that is no worker sleeps. It may be called
  /// once.
  /// \throws what the function has thrown; std::logic_error if there is no result to take any more.
  T get() {
    is_set().wait();
    return take();
  }
  /// Whether get() returns at once.
  /// \throws std::logic_error if there is no result to take any more.
  [[nodiscard]] bool ready() const { return is_set().done(); }
  /// Whether the result, which may not be there yet, is still to be taken from this object.
  [[nodiscard]] bool valid() const noexcept { return result_ != nullptr; }

  /// A co_await in a task calls this. It does what get() does, and the task is suspended meanwhile.
  [[nodiscard]] auto awaiter_in(detail::task_promise& t) noexcept { return awaiter(t, *this); }

 private:
  friend task_scope;

  class awaiter : public detail::countdown_awaiter<countdown> {
   public:
    awaiter(detail::task_promise& t, pending& p) noexcept
        : detail::countdown_awaiter<countdown>(t, p.valid() ? &p.result_->is_set() : nullptr),
          pending_(&p) {}
    [[nodiscard]] bool await_ready() const { return pending_->ready(); }
    T await_resume() const {
      detail::countdown_awaiter<countdown>::await_resume();
      return pending_->take();
    }

   private:
    pending* pending_;
  };

  explicit pending(std::shared_ptr<detail::promised_result<T>> r) noexcept
      : result_(std::move(r)) {}

  static std::pair<std::shared_ptr<detail::promised_result<T>>, pending> make() {
    // std::make_shared() uses a tag because of which the C library never unloads a plugin that g++
    // has compiled.
    const std::shared_ptr<detail::promised_result<T>> r(new detail::promised_result<T>);
    return {r, pending(r)};
  }

  [[nodiscard]] countdown& is_set() const {
    if (result_ == nullptr) [[unlikely]]
      detail::no_result_to_get();
    return result_->is_set();
  }

  /// This function is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE T take() { return std::exchange(result_, nullptr)->take(); }

  std::shared_ptr<detail::promised_result<T>> result_;
};

}  // namespace nopal

#endif
