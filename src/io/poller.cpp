// SPDX-License-Identifier: Apache-2.0
#include "io/poller.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace nopal::detail {

// poll(2) and epoll(7) have one set of events, with the same bits.
static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI &&
              EPOLLERR == POLLERR && EPOLLHUP == POLLHUP);

int io_poller::open() noexcept {
  if (epoll_ >= 0) return 0;
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return errno;
  const int end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  int error = errno;
  if (end >= 0) {
    epoll_ = epoll;
    end_ = end;
    error = watch(end);
    if (error == 0) return 0;
    ::close(end);
    epoll_ = end_ = -1;
  }
  ::close(epoll);
  return error;
}

io_poller::~io_poller() {
  for (const int fd : {epoll_, end_})
    if (fd >= 0) ::close(fd);
}

void io_poller::end_waits() noexcept { eventfd_write(end_, 1); }

int io_poller::watch(int fd) noexcept {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.u64 = static_cast<std::uint32_t>(fd);
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e) == 0 || errno == EEXIST ? 0 : errno;
}

/// Asks epoll for these events instead of those that it is asked for, or for none. Each is told
/// once, so that an event for which nobody waits any more does not come again and again.
int io_poller::ask(int fd, waiters& w, short events) noexcept {
  if (events == w.asked) return 0;
  if (events == 0) {
    w.asked = 0;
    // This fails if the descriptor has been closed, and epoll has forgotten it by itself.
    epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
    return 0;
  }
  epoll_event e{};
  e.events = static_cast<std::uint32_t>(static_cast<unsigned short>(events)) | EPOLLONESHOT;
  e.data.u64 = std::uint64_t{w.asks + 1} << 32 | static_cast<std::uint32_t>(fd);
  // The number may be that of another file by now, which epoll does not know.
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e) != 0 &&
      (errno != ENOENT || epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e) != 0))
    return errno;
  w.asked = events;
  ++w.asks;
  return 0;
}

int io_poller::add(io_request& r) noexcept {
  try {
    waiters& w = waiters_[r.call.fd];
    // Another file may have got the number of one that was closed while epoll was asked about it.
    if (w.list.empty()) ask(r.call.fd, w, 0);
    const int error = ask(r.call.fd, w, static_cast<short>(w.asked | w.awaited_by(r)));
    if (error == 0) w.list.push_back(r);
    return error;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

io_request* io_poller::first_ready(int fd, short come, std::uint32_t answered) noexcept {
  const auto found = waiters_.find(fd);
  if (found == waiters_.end()) return nullptr;
  waiters& w = found->second;
  // Epoll may have been asked anew since it told of these. It still is asked then.
  if (answered == w.asks) w.asked = 0;
  for (list_links* l = w.list.first(); l != nullptr; l = w.list.after(*l)) {
    auto& r = static_cast<io_request&>(*l);
    const short awaited = w.awaited_by(r);
    if (awaited == 0 || ((awaited | POLLERR | POLLHUP) & come) == 0) continue;
    r.unlink();
    return &r;
  }
  return nullptr;
}

void io_poller::add_again(io_request& r) noexcept { waiters_[r.call.fd].list.push_front(r); }

int io_poller::ask_again(int fd) noexcept {
  const auto found = waiters_.find(fd);
  if (found == waiters_.end()) return 0;
  short events = 0;
  waiters& w = found->second;
  for (list_links* l = w.list.first(); l != nullptr; l = w.list.after(*l))
    events = static_cast<short>(events | w.awaited_by(static_cast<io_request&>(*l)));
  // Epoll may be asked although nobody is listed: a call that began while another one was tried has
  // been tried next, because of the same event.
  return ask(fd, w, events);
}

void io_poller::hand_out(io_request& r) noexcept {
  waiters& w = waiters_[r.call.fd];
  w.handed = static_cast<short>(w.handed | r.events);
  r.handed_after = r.events;
  r.events = 0;
}

void io_poller::take_back(io_request& r) noexcept {
  if (r.handed_after == 0) return;
  waiters& w = waiters_[r.call.fd];
  w.handed = static_cast<short>(w.handed & ~r.handed_after);
  r.handed_after = 0;
  // ask_again() fails if the descriptor has been closed, which it must not be while calls wait.
  ask_again(r.call.fd);
}

void io_poller::ask_no_more(int fd) noexcept {
  const auto found = waiters_.find(fd);
  if (found != waiters_.end() && found->second.list.empty()) ask(fd, found->second, 0);
}

std::span<const epoll_event> io_poller::wait(std::span<epoll_event> room,
                                             std::chrono::milliseconds patience) noexcept {
  return events_within(static_cast<int>(patience.count()), room);
}

// Since Linux 6.10 a look of epoll holds each file that it examines. If the program closes the file
// meanwhile, the kernel frees it when the thread that looks leaves the kernel. A thread that finds
// no event does not leave the kernel. It sleeps on, and the peer of the file is not told that the
// connection has ended.
//
// The program may close a file for which no call waits. Epoll examines such a file only if it was
// told of the file again during the look that found the last event. So this function keeps others
// from looking, and looks once without waiting before it waits without a limit. docs/io.md has the
// argument.
std::span<const epoll_event> io_poller::wait_alone(std::span<epoll_event> room) noexcept {
  std::span<const epoll_event> events;
  // In the order of all sequentially consistent operations this store comes before the load in
  // look(), which finds no event then, or else the addition there comes before the load here.
  alone_.store(true, std::memory_order_seq_cst);
  if (looking_.load(std::memory_order_seq_cst) == 0) {
    events = events_within(0, room);
    if (events.empty()) events = events_within(-1, room);
  }
  alone_.store(false, std::memory_order_relaxed);  // a look that comes too late finds nothing
  return events;
}

std::span<const epoll_event> io_poller::look(std::span<epoll_event> room) noexcept {
  std::span<const epoll_event> events;
  looking_.fetch_add(1, std::memory_order_seq_cst);  // pairs with wait_alone()
  if (!alone_.load(std::memory_order_seq_cst)) events = events_within(0, room);
  looking_.fetch_sub(1, std::memory_order_seq_cst);  // pairs with wait_alone()
  return events;
}

/// Calls epoll_wait(2), once more if a signal has broken it off. Returns the events that have come.
/// \param timeout  in milliseconds; -1: none.
std::span<const epoll_event> io_poller::events_within(int timeout,
                                                      std::span<epoll_event> room) const noexcept {
  int n = 0;
  do {
    n = epoll_wait(epoll_, room.data(), static_cast<int>(room.size()), timeout);
  } while (n < 0 && errno == EINTR);
  return room.first(n < 0 ? 0 : static_cast<std::size_t>(n));
}

}  // namespace nopal::detail
