// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/io/request.hpp"

#include <cerrno>
#include <new>

#include "io/attempt.hpp"
#include "io/backend.hpp"
#include "nopal/detail/io/plain_call.hpp"
#include "nopal/detail/strand/stop_scope.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "strand/strand_worker.hpp"
#include "wait/timers.hpp"

namespace nopal::detail {

io_request::io_request(const io_call& c, const io::limits& l) noexcept
    : io_job(io_backend::run_request), call(c), within(&l) {}

NOPAL_NOINLINE bool io_request::prepare() noexcept {
  result = -ECANCELED;
  if (within->stop.stop_requested()) return true;
  if (attempt_unless_vain(*this)) return true;
  try {
    backend = &io_backend::of_this_process();
  } catch (const std::bad_alloc&) {
    result = call.operation == io_operation::close ? plain_call(call) : -ENOMEM;
    return true;
  }
  if (within->stop.stop_possible()) on_stop.emplace(within->stop, stop_function{this});
  if (const stop_scope* s = current_scope(); s != nullptr && !call.is_unbroken)
    on_stop_of_scope.emplace(s->source.get_token(), stop_function{this});
  return false;
}

void io_request::expire_request(timer& t) noexcept {
  io_request& r = *static_cast<moment&>(t).of;
  r.backend->expire(r);
}

bool io_request::begin(waiter& w) noexcept { return backend->begin(*this, w); }

void io_request::stop_function::operator()() const noexcept {
  stops->backend->refuse(*stops, ECANCELED);
}

// conclude() and prepare() are not inlined into a function that waits between them. A stop callback
// recognizes its own thread by the id, which compilers take for a constant.
NOPAL_NOINLINE std::int64_t io_request::conclude() noexcept {
  on_stop.reset();  // waits for a callback that has not returned yet
  on_stop_of_scope.reset();
  if (alarm.in != nullptr) alarm.in->remove(alarm);  // so does this
  return result;
}

bool is_on_worker() noexcept { return is_on_worker_of_this_process(); }

bool is_call_of_thread(const io::limits& l) noexcept {
  const bool is_limited = l.stop.stop_possible() || l.deadline != io::limits::moment::max();
  return !is_limited && !is_on_worker() && current_scope() == nullptr;
}

std::int64_t perform(const io_call& c, const io::limits& l) noexcept {
  if (is_call_of_thread(l)) return plain_call(c);
  io_request r(c, l);
  if (r.prepare()) return r.conclude();
  wait_for([&r](waiter& w) noexcept { return r.begin(w); });
  return r.conclude();
}

}  // namespace nopal::detail

namespace nopal::io {

statistics stats() noexcept {
  detail::io_backend* b = detail::io_backend::if_made();
  return b != nullptr ? b->stats() : statistics{};
}

}  // namespace nopal::io
