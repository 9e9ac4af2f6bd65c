// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/wait/limited_wait.hpp"

#include <string>

#include "nopal/detail/platform/config.hpp"
#include "nopal/wait/stopped.hpp"
#include "wait/timers.hpp"

namespace nopal::detail {
namespace {

/// Decides for one of the numbers that end any wait.
void decide_now(decision& d, unsigned number) noexcept {
  if (d.decide(number)) d.complete();
}

}  // namespace

void limited_wait::expire(timer& t) noexcept {
  auto& self = static_cast<deadline&>(t);
  decide_now(*self.of, self.number);
}

void limited_wait::stop_function::operator()() const noexcept {
  decide_now(*of, decision::stopped);
}

// begin() and end() are not inlined into a function that waits between them. A stop callback
// recognizes its own thread by the id, which compilers take for a constant.
NOPAL_NOINLINE void limited_wait::begin(decision& d, const limits& within) noexcept {
  if (within.deadline != limits::moment::max()) begin_at(d, within.deadline, decision::timed_out);
  if (within.stop.stop_possible()) {
    expect_event();
    on_stop_.emplace(within.stop, stop_function{&d});
  }
  in_scope_.begin(d);
}

/// Lets a checking build know that something outside may end the wait.
void limited_wait::expect_event() noexcept {
#ifdef NOPAL_CHECK
  if (!ends_) ends_.emplace();
#endif
}

void limited_wait::begin_at(decision& d, limits::moment at, unsigned number) noexcept {
  if (at <= std::chrono::steady_clock::now()) return decide_now(d, number);
  try {
    timers& all = timers::of_this_process();
    expect_event();
    deadline_.of = &d;
    deadline_.number = number;
    all.add(deadline_, at);
  } catch (...) {  // std::bad_alloc, or there is no thread
    decide_now(d, decision::no_timer);
  }
}

NOPAL_NOINLINE void limited_wait::end() noexcept {
  on_stop_.reset();  // waits for a callback that has not returned yet
  in_scope_.end();
  if (deadline_.in != nullptr) deadline_.in->remove(deadline_);
#ifdef NOPAL_CHECK
  ends_.reset();
#endif
}

std::errc error_of_limit(unsigned number) noexcept {
  switch (number) {
    case decision::timed_out:
      return std::errc::timed_out;
    case decision::stopped:
      return std::errc::operation_canceled;
    default:
      return std::errc::resource_unavailable_try_again;
  }
}

void throw_limit(unsigned number, const char* what) {
  const std::string text(what);
  if (number == decision::stopped)
    throw nopal::stopped((text + " ended by a requested stop").c_str());
  throw std::system_error(
      std::make_error_code(error_of_limit(number)),
      number == decision::timed_out
          ? text + " ended by its deadline"
          : text + " has a deadline, and there is no memory or thread for its timer");
}

unsigned wait_for(decision& d) noexcept {
  wait_for([&d](waiter& w) noexcept { return d.announce(w); });
  return d.number();
}

}  // namespace nopal::detail
