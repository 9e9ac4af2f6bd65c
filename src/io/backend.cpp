// SPDX-License-Identifier: Apache-2.0
#include "io/backend.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "io/attempt.hpp"
#include "io/events.hpp"
#include "nopal/detail/io/by_threads.hpp"
#include "nopal/detail/io/plain_call.hpp"
#include "nopal/detail/platform/sigpipe_held.hpp"
#include "nopal/detail/scheduler/outside.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "platform/futex.hpp"
#include "platform/process_generation.hpp"
#include "platform/threads/service_thread.hpp"
#include "platform/threads/thread_setting.hpp"
#include "platform/unloading/at_unloading.hpp"
#include "wait/timers.hpp"

namespace nopal::detail {
namespace {

/// The backend of this process, and before it is made that of the parent, if any.
std::atomic<io_backend*> newest_backend{nullptr};

/// The poller's thread leaves events to the workers after so many at once, and for so long, or
/// until a worker goes to sleep.
constexpr std::size_t many_events = 8;
constexpr std::chrono::microseconds longest_rest(1000);

/// While events come, and workers may look for them, the poller's thread waits for so long at once.
constexpr std::chrono::milliseconds longest_wait(1);

/// Whether the kernel makes such a call without a thread, whenever it can. The others are not for
/// the ring: openat would not wait for the other end of a FIFO, close may wait while it is
/// submitted, and a write to a pipe may send SIGPIPE to the thread that has submitted it, whatever
/// that does by then.
bool is_for_ring(const io_call& c) noexcept {
  using enum io_operation;
  const io_operation o = c.operation;
  if (o == write || o == writev) return !may_send_sigpipe(c.fd);
  return o == read || o == readv || o == accept || o == connect;
}

/// Tries to lock for a tenth of a second. end() does so at the end of the process, where waiting
/// for ever would be worse than ending nothing.
bool locked_soon(std::unique_lock<std::mutex>& l) noexcept {
  for (int i = 0; i < 100; ++i) {
    if (l.try_lock()) return true;
    usleep(1000);
  }
  return false;
}

}  // namespace

io_backend::io_backend() noexcept : generation_(process_generation()) {
  static_cast<void>(thread_setting::of_program());  // while this thread still has it
  // The lock is held for less time than a futex takes, so whoever finds it taken spins for a moment
  // first.
  *mutex_.native_handle() = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
}

io_backend* io_backend::if_made() noexcept {
  // Pairs with of_this_process().
  io_backend* known = newest_backend.load(std::memory_order_acquire);
  return known != nullptr && known->generation_ == process_generation() ? known : nullptr;
}

io_backend& io_backend::of_this_process() {
  for (;;) {
    if (io_backend* known = if_made()) return *known;
    // There is no lock here, since a thread of the parent might hold it for ever in a child of
    // fork(2). The acquire pairs with the compare-and-swap below.
    io_backend* before = newest_backend.load(std::memory_order_acquire);
    auto fresh = std::make_unique<io_backend>();
    fresh->before_ = before;
    if (!newest_backend.compare_exchange_strong(before, fresh.get(), std::memory_order_acq_rel,
                                                std::memory_order_relaxed))
      continue;
    static constinit at_unloading ends{unloading_step::io, end_newest};
    ends.note();
    return *fresh.release();
  }
}

void io_backend::end(bool idle_only) noexcept {
  lock l(mutex_, std::defer_lock);
  // A handler of a signal may have called exit(3) on a thread that has the lock.
  if (!idle_only)
    l.lock();
  else if (!locked_soon(l))
    return;
  helpers_.end(l, idle_only);
  if (!std::exchange(polls_, false)) return;
  ending_.store(true, std::memory_order_relaxed);
  poller_.end_waits();
  l.unlock();
  end_rest();
  pthread_join(poller_thread_, nullptr);
}

/// Ends the threads of io, and frees the backend if the code of nopal is unmapped. \see
/// at_unloading
void io_backend::end_newest(bool process_ends) noexcept {
  io_backend* b = if_made();
  if (b == nullptr) return;
  b->end(process_ends);
  if (process_ends) return;
  ask_outside.store(nullptr, std::memory_order_relaxed);  // no worker is left
  // The backends before it are the parent's, whose descriptors may be those of other files here.
  newest_backend.store(b->before_, std::memory_order_relaxed);
  delete b;
}

bool io_backend::begin(io_request& r, waiter& w) noexcept {
  emit<io_events::beginning>();
  lock l(mutex_);
  NOPAL_ASSERT(r.stage == io_stage::nowhere);
  r.waits = &w;
  ++waits_;
  if (const int error = start(r); error != 0) {
    end(r, -error);
    l.unlock();
    // There may be too few descriptors, so a close is made nonetheless.
    if (r.call.operation == io_operation::close && error != ECANCELED && error != ETIMEDOUT)
      r.result = plain_call(r.call);
    return false;
  }
  if (r.stage != io_stage::in_ring) return true;  // once the lock is free `r` may be gone
  // The kernel may have made the call at once, as it does with a file that is in memory.
  intrusive_list ended;
  reap(ended);
  const bool waits = r.stage != io_stage::ended;
  if (!waits) r.unlink();
  end_waits(l, ended);
  return waits;
}

/// Returns 0, or the error number with which `r` ends.
int io_backend::start(io_request& r) noexcept {
  if (r.refused != 0) return r.refused;
  const bool sleeps = r.call.operation == io_operation::sleep;
  if (const int error = sleeps ? 0 : start_poller(); error != 0) return error;
  if (const int error = start_timer(r); error != 0) return error;
  return start_call(r);
}

/// Sets a timer for the end of a sleep, or for a call's deadline. Returns 0, or the error number
/// with which `r` ends.
int io_backend::start_timer(io_request& r) noexcept {
  const bool sleeps = r.call.operation == io_operation::sleep;
  const auto due = sleeps ? std::min(r.call.until, r.within->deadline) : r.within->deadline;
  if (due == io::limits::moment::max()) return 0;
  if (r.within->deadline <= std::chrono::steady_clock::now()) return ETIMEDOUT;
  return set_timer(r, due);
}

/// Has expire() called at that moment. Returns 0 or the error number.
int io_backend::set_timer(io_request& r, io::limits::moment due) noexcept {
  try {
    timers::of_this_process().add(r.alarm, due);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (const std::system_error& e) {
    return e.code().value();
  }
}

/// Gives `r` to the kernel, to the poller, or to a helper thread.
int io_backend::start_call(io_request& r) noexcept {
  if (r.needs_thread && start_in_ring(r)) return 0;
  r.stage = io_stage::polled;
  if (r.call.operation == io_operation::sleep) return 0;
  if (r.events != 0) {
    const int error = poller_.add(r);
    if (error != EPERM) return error;
    // Such a file has no events: a regular file, for one.
    if (r.call.operation == io_operation::poll) return 0;
    if (start_in_ring(r)) return 0;
  }
  r.stage = io_stage::queued;
  return helpers_.put(r);
}

/// Returns whether the kernel has `r` now.
bool io_backend::start_in_ring(io_request& r) noexcept {
  if (!ring_.is_open() || r.left_ring || !is_for_ring(r.call)) return false;
  r.stage = io_stage::in_ring;
  return ring_.submit(r);
}

/// Starts the poller's thread, and opens the ring if the system has one, before the first call
/// waits. Returns 0 or the error number.
int io_backend::start_poller() noexcept {
  if (polls_) return 0;
  if (const int error = poller_.open(); error != 0) return error;
  if (!io_by_threads() && ring_.open() && poller_.watch(ring_.descriptor()) != 0) ring_.close();
  const int error = start_service_thread(
      poller_thread_,
      [](void* self) -> void* {
        become_service_thread("nopal-io");
        static_cast<io_backend*>(self)->poll();
        return nullptr;
      },
      this);
  polls_ = error == 0;
  if (polls_) ask_outside.store(look, std::memory_order_release);  // pairs with search.cpp
  return error;
}

/// Ends `r` with that result. The caller lets its waiter go on, by end_wait(), once it frees the
/// lock. A timer that `r` still has finds that it has ended, or is taken back by its strand.
/// Precondition: `r` is in no list any more.
void io_backend::end(io_request& r, std::int64_t result) noexcept {
  NOPAL_ASSERT(r.stage != io_stage::ended);
  poller_.take_back(r);
  r.stage = io_stage::ended;
  r.result = result;
}

/// Frees the lock and lets `r` go on, which has ended.
void io_backend::end_wait(lock& l, io_request& r) noexcept {
  NOPAL_ASSERT(r.stage == io_stage::ended);
  l.unlock();
  emit<io_events::ended>();
  r.waits->go_on();  // `r` may be gone now
}

/// Frees the lock and lets several requests go on.
void io_backend::end_waits(lock& l, intrusive_list& ended) noexcept {
  l.unlock();
  while (list_links* first = ended.first()) {
    first->unlink();
    emit<io_events::ended>();
    static_cast<io_request&>(*first).waits->go_on();
  }
}

void io_backend::refuse(io_request& r, int error) noexcept {
  // The call in a child of fork(2) is the parent's, and so is the thread that may have the lock.
  if (generation_ != process_generation()) return;
  emit<io_events::refusing>();
  lock l(mutex_);
  if (refuse_now(r, error)) end_wait(l, r);
}

/// Returns whether `r` has ended by this, and its waiter is to go on.
bool io_backend::refuse_now(io_request& r, int error) noexcept {
  switch (r.stage) {
    case io_stage::polled:
      r.unlink();
      poller_.ask_no_more(r.call.fd);
      end(r, -std::int64_t{error});
      return true;
    case io_stage::queued:
      if (!r.is_listed()) break;
      helpers_.take_back(r);
      end(r, -std::int64_t{error});
      return true;
    case io_stage::ended:
      return false;
    default:
      break;
  }
  // Whoever tries the call looks at `refused` if there is no result then.
  if (r.refused == 0) r.refused = error;
  if (r.stage == io_stage::in_ring) cancel_in_ring(r);
  return false;
}

/// Asks the kernel to break the call of `r` off. The kernel may miss a call that it is just about
/// to make, and which then waits on. So it is asked again, until the call has ended.
void io_backend::cancel_in_ring(io_request& r) noexcept {
  ring_.cancel(r);
  if (r.alarm.in != nullptr) r.alarm.in->cancel(r.alarm);
  const auto again = std::chrono::steady_clock::now() + r.cancel_again;
  r.cancel_again = std::min(2 * r.cancel_again, std::chrono::milliseconds(1000));
  // Without a timer, a call that the kernel has missed now ends by itself.
  static_cast<void>(set_timer(r, again));
}

/// Goes on with `r`, whose call has been tried by whoever had it alone. Returns whether `r` has
/// ended.
bool io_backend::goes_on_after(io_request& r, bool has_result) noexcept {
  if (has_result)
    end(r, r.result);
  else if (r.refused != 0)
    end(r, -std::int64_t{r.refused});
  else if (const int error = start_call(r); error != 0)
    end(r, -std::int64_t{error});
  return r.stage == io_stage::ended;
}

/// Goes on with `r` after the kernel has made its call, or has said why not: a stop, a descriptor
/// with O_NONBLOCK, or the end of the thread that has submitted it. Returns whether `r` has ended.
bool io_backend::goes_on_after_ring(io_request& r, std::int64_t result) noexcept {
  const bool not_made = result == -EAGAIN || result == -EINTR || result == -ECANCELED;
  r.result = result;
  r.left_ring = true;
  return goes_on_after(r, !not_made);
}

void io_backend::run_request(io_job& job) noexcept {
  auto& r = static_cast<io_request&>(job);
  io_backend& b = *r.backend;
  emit<io_events::trying>();
  const bool has_result = attempt_on_thread(r);
  lock l(b.mutex_);
  if (b.goes_on_after(r, has_result)) end_wait(l, r);
}

int io_backend::run(io_job& job) noexcept {
  const lock l(mutex_);
  const int error = helpers_.put(job);
  if (error == 0) ++waits_;
  return error;
}

/// Waits for events, and serves them, until end(). This is the whole of the poller's thread.
void io_backend::poll() noexcept {
  std::array<epoll_event, most_events> room;
  std::uint64_t looks_before_rest = 0;
  std::uint64_t looks_before_wait = 0;
  bool is_quiet = false;
  while (!ending_.load(std::memory_order_relaxed)) {
    auto events = is_quiet ? poller_.wait_alone(room) : std::span<const epoll_event>();
    if (events.empty()) events = poller_.wait(room, longest_wait);
    const std::uint64_t before =
        std::exchange(looks_before_wait, looks_.load(std::memory_order_relaxed));
    is_quiet = events.empty() && before == looks_before_wait;
    serve(events);
    if (events.size() >= many_events) leave_to_workers(looks_before_rest);
  }
}

/// Rests as long as workers find events themselves, since this thread would only take a CPU from
/// them. It does not rest if they have found none since its last rest began: the events may be
/// those of threads that are no workers.
/// \param before  the number of looks when the last rest began; gets the number now.
void io_backend::leave_to_workers(std::uint64_t& before) noexcept {
  std::uint64_t now = looks_.load(std::memory_order_relaxed);
  if (std::exchange(before, now) == now) return;
  while (rest()) {
    const std::uint64_t seen = std::exchange(now, looks_.load(std::memory_order_relaxed));
    if (now == seen) return;
  }
}

/// Returns whether no worker has gone to sleep meanwhile. One that has done so just before is
/// missed, which costs one rest.
bool io_backend::rest() noexcept {
  resting_.store(1, std::memory_order_relaxed);
  futex_wait_until(resting_, 1, std::chrono::steady_clock::now() + longest_rest);
  return resting_.exchange(0, std::memory_order_relaxed) != 0;
}

/// Lets the poller's thread wait for events again, because a worker that has looked for them goes
/// to sleep.
void io_backend::end_rest() noexcept {
  if (resting_.load(std::memory_order_relaxed) == 0) return;
  resting_.store(0, std::memory_order_relaxed);
  futex_wake(resting_, 1);
}

/// Lets requests go on whose events have come. A worker that has nothing else to do calls it.
bool io_backend::look(bool before_sleep) noexcept {
  io_backend* b = if_made();
  if (b == nullptr) return false;
  if (before_sleep) b->end_rest();
  std::array<epoll_event, most_events> room;
  const auto events = b->poller_.look(room);
  if (events.empty()) return false;
  b->looks_.fetch_add(1, std::memory_order_relaxed);
  b->serve(events);
  return true;
}

/// Makes the calls that wait for these events. It takes the lock once a round, not once an event:
/// the calls of a round are made in between.
void io_backend::serve(std::span<const epoll_event> events) noexcept {
  std::array<turn, most_events> room;
  std::span<turn> turns(room.data(), 0);
  for (const epoll_event& e : events) {
    if (ring_.is_open() && io_poller::descriptor_of(e) == ring_.descriptor())
      reap_ring();
    else
      (turns = std::span(room.data(), turns.size() + 1)).back() = turn(e);
  }
  while (!turns.empty()) {
    intrusive_list ended;
    lock l(mutex_);
    const auto over = std::ranges::remove_if(turns, [&](turn& t) { return !begin_try(t, ended); });
    end_waits(l, ended);
    turns = turns.first(turns.size() - over.size());
    for (turn& t : turns) {
      emit<io_events::trying>();
      t.has_result = attempt(*t.tried);
    }
  }
}

/// Ends the try of a request, and begins that of the next one that waits for the same event.
/// Returns false if there is none.
bool io_backend::begin_try(turn& t, intrusive_list& ended) noexcept {
  if (t.tried != nullptr) end_try(t, ended);
  while (io_request* r = poller_.first_ready(t.fd, t.come, t.answered)) {
    r->stage = io_stage::tried;
    t.tried = r;
    t.events = r->events;
    t.has_result = false;
    if (!r->needs_thread) return true;
    // Another call may have taken meanwhile what the event has announced.
    if (poll_once(t.fd, r->events, 0) != 0) poller_.hand_out(*r);
    end_try(t, ended);
  }
  if (const int error = poller_.ask_again(t.fd); error != 0) {
    // The descriptor has been closed. Nobody else would tell those that wait.
    while (io_request* r = poller_.first_ready(t.fd, POLLERR, t.answered)) {
      end(*r, -std::int64_t{error});
      ended.push_back(*r);
    }
  }
  return false;
}

/// Ends a try: the request has its result, or goes on otherwise, or is listed again.
void io_backend::end_try(turn& t, intrusive_list& ended) noexcept {
  io_request& r = *t.tried;
  if (!t.has_result && r.refused == 0 && r.events != 0) {
    r.stage = io_stage::polled;
    poller_.add_again(r);
    // If one request does not find these events ready, the others after it do not either.
    t.come = static_cast<short>(t.come & ~(t.events | POLLERR | POLLHUP));
  } else if (goes_on_after(r, t.has_result)) {
    ended.push_back(r);
  }
}

void io_backend::expire(io_request& r) noexcept {
  lock l(mutex_);
  const bool slept =
      r.call.operation == io_operation::sleep && r.call.until <= std::chrono::steady_clock::now();
  if (!refuse_now(r, ETIMEDOUT)) return;
  if (slept) r.result = 0;
  end_wait(l, r);
}

/// Lists the requests in the ring that have ended.
void io_backend::reap(intrusive_list& ended) noexcept {
  std::int64_t result = 0;
  while (io_request* r = ring_.reap(result))
    if (goes_on_after_ring(*r, result)) ended.push_back(*r);
}

/// Ends the requests whose calls the kernel has made.
void io_backend::reap_ring() noexcept {
  lock l(mutex_);
  intrusive_list ended;
  reap(ended);
  end_waits(l, ended);
}

io::statistics io_backend::stats() noexcept {
  const lock l(mutex_);
  return {.ring = ring_.is_open(),
          .waits = waits_,
          .helper_threads = helpers_.threads(),
          .looks = looks_.load(std::memory_order_relaxed)};
}

}  // namespace nopal::detail
