// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/stop/entered_scope.hpp"

#include <exception>
#include <system_error>

#include "nopal/stop.hpp"
#include "wait/timers.hpp"

namespace nopal::detail {

entered_scope::entered_scope() : entered_scope(std::stop_token()) {}

entered_scope::entered_scope(const std::stop_token& t)
    : scope_(std::stop_source()), outer_(current_scope()) {
  token_.begin(t, scope_);
  outer_stop_.begin_in_current_scope(scope_);
  set_current_scope(&scope_);
}

entered_scope::~entered_scope() { set_current_scope(outer_); }

timed_scope::timed_scope(const limits& within) : scope_(within.stop) {
  if (within.deadline == limits::moment::max()) return;
  deadline_.of = this;
  timers::of_this_process().add(deadline_, within.deadline);
}

timed_scope::~timed_scope() {
  if (deadline_.in != nullptr) deadline_.in->remove(deadline_);
}

void timed_scope::expire(timer& t) noexcept {
  timed_scope& self = *static_cast<deadline&>(t).of;
  if (self.scope_.is_stopped()) return;  // then the function has been stopped by something else
  self.is_over_.store(true, std::memory_order_relaxed);  // the stop orders this
  self.scope_.request_stop();
}

void timed_scope::rethrow() const {
  if (!is_over_.load(std::memory_order_relaxed) || scope_.is_stopped_outside()) throw;
  throw std::system_error(std::make_error_code(std::errc::timed_out),
                          "nopal::with_deadline ended by its deadline");
}

bool is_stopped(const std::exception_ptr& e) noexcept {
  try {
    std::rethrow_exception(e);
  } catch (const stopped&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace nopal::detail

namespace nopal {

std::stop_token current_stop_token() noexcept {
  const detail::stop_scope* s = detail::current_scope();
  return s != nullptr ? s->source.get_token() : std::stop_token();
}

}  // namespace nopal
