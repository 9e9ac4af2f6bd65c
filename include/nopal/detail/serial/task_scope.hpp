// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "nopal/async/claim.hpp"
#include "nopal/async/near.hpp"
#include "nopal/async/pending.hpp"
#include "nopal/detail/async/kept_call.hpp"
#include "nopal/detail/serial/sync/made_call.hpp"
#include "nopal/runtime.hpp"

namespace nopal {
inline namespace serial {

/// Every spawned function is called at once.
class task_scope {
 public:
  task_scope() = default;
  explicit task_scope(runtime&) {}
  explicit task_scope(claim& c) { c.require_workers(); }
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;

  template <class F, class... A>
  void spawn(F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>()) {
      auto call = detail::keep_call(std::forward<F>(f), std::forward<A>(args)...);
      try {
        static_cast<void>(call(stop_));
      } catch (...) {
        if (first_exception_ == nullptr) first_exception_ = std::current_exception();
      }
    }
  }

  template <class F, class... A>
  void spawn(near hint, F&& f, A&&... args) {
    if (hint.index != 0)
      throw std::out_of_range("nopal: there is no worker " + std::to_string(hint.index) +
                              "; the serial elision has worker 0 alone");
    spawn(std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No spawn(...);

  template <class F, class... A>
  auto async(F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>()) {
      auto call = detail::keep_call(std::forward<F>(f), std::forward<A>(args)...);
      using result = decltype(call(stop_));
      if constexpr (detail::check_result<result>()) {
        pending<result> p;
        auto make = [&]() -> result { return call(stop_); };
        p.result_.set_from(make);
        return p;
      }
    }
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No async(...);

  void request_stop() noexcept { stop_.request_stop(); }
  [[nodiscard]] std::stop_token get_stop_token() const noexcept { return stop_.get_token(); }

  auto join() { return join_within({}); }
  auto join(const limits& within) { return join_within({&within}); }
  auto join(std::error_code& error, const limits& within) { return join_within({&within, &error}); }

 private:
  serial_detail::made_call<void> join_within(const serial_detail::call_limits& l) {
    if (serial_detail::make("nopal::task_scope: join", l, [] { return true; }))
      if (std::exception_ptr e = std::exchange(first_exception_, nullptr))
        std::rethrow_exception(std::move(e));
    return {};
  }

  std::stop_source stop_;
  std::exception_ptr first_exception_;
};

}  // namespace serial
}  // namespace nopal
