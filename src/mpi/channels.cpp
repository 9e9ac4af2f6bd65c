// SPDX-License-Identifier: Apache-2.0
#include "mpi/channels.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "nopal/detail/mpi/channel_calls.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail::mpi {

namespace {

using nopal::mpi::input_archive;
using nopal::mpi::output_archive;

/// Returns how many elements each rank may have sent that have not been received: equal shares of
/// the capacity, and at least one.
std::vector<std::size_t> windows_of(std::size_t capacity, std::size_t ranks) {
  std::vector<std::size_t> all(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    all[r] = std::max<std::size_t>(1, capacity / ranks + (r < capacity % ranks ? 1 : 0));
  return all;
}

/// As many permits as nobody can use up.
constexpr std::ptrdiff_t enough_credits = semaphore::max() / 2;

}  // namespace

channel_end::channel_end(std::shared_ptr<channels> all, std::uint64_t number, int receiver,
                         std::vector<std::size_t> windows)
    : all_(std::move(all)),
      number_(number),
      receiver_(receiver),
      rank_(all_->mail().rank()),
      windows_(std::move(windows)),
      capacity_(std::accumulate(windows_.begin(), windows_.end(), std::size_t{0})),
      credits_(static_cast<std::ptrdiff_t>(windows_[static_cast<std::size_t>(rank_)])),
      is_receiving_(receiver == rank_),
      open_(windows_.size()),
      owed_(windows_.size()) {
  if (is_receiving_) elements_.emplace(capacity_);
}

channel_end::~channel_end() {
  close_both();
  all_->forget(number_);
}

bool channel_end::send(bytes letter) {
  const std::lock_guard l(mutex_);
  if (is_closed_) return false;
  if (receiver_ == rank_)
    put(rank_, std::move(letter));
  else
    all_->mail().send(kind::element, receiver_, std::move(letter));
  return true;
}

void channel_end::put(int from, bytes letter) {
  [[maybe_unused]] const bool had_room = elements_->try_send({from, std::move(letter)});
  NOPAL_ASSERT(had_room);  // its sender had a credit, and has not closed
}

void channel_end::close() noexcept {
  const std::lock_guard l(mutex_);
  if (is_closed_) return;
  stop_sending();
  if (receiver_ == rank_)
    note_closed();
  else
    tell_closed(receiver_);
}

void channel_end::stop_sending() noexcept {
  is_closed_ = true;
  credits_.release(enough_credits);
}

void channel_end::tell_closed(int to) {
  output_archive out;
  out(number_);
  all_->mail().send(kind::closed, to, out.take());
}

void channel_end::note_closed() {
  NOPAL_ASSERT(open_ > 0);
  if (--open_ == 0) elements_->close();
}

bool channel_end::is_closed() const noexcept {
  const std::lock_guard l(mutex_);
  return is_closed_;
}

nopal::channel<sent_element>& channel_end::elements(const char* call) {
  if (receiver_ != rank_)
    throw std::logic_error(std::string("nopal::mpi::channel: ") + call + ": rank " +
                           std::to_string(receiver_) + " receives, and this is rank " +
                           std::to_string(rank_) + ", which can only send");
  return *elements_;
}

void channel_end::note_received(int from) {
  const auto r = static_cast<std::size_t>(from);
  const std::lock_guard l(mutex_);
  // Half of a window at once: the sender has credits as long as this rank keeps up with it.
  if (!is_receiving_ || ++owed_[r] < (windows_[r] + 1) / 2) return;
  const std::size_t n = std::exchange(owed_[r], 0);
  if (from == rank_) return add_credits(n);
  output_archive out;
  out(number_, std::uint64_t{n});
  all_->mail().send(kind::credit, from, out.take());
}

void channel_end::add_credits(std::size_t n) noexcept {
  if (!is_closed_) credits_.release(static_cast<std::ptrdiff_t>(n));
}

void channel_end::close_receiving() {
  static_cast<void>(elements("close_receiving"));
  close_both();
}

void channel_end::close_both() noexcept {
  close();
  const std::lock_guard l(mutex_);
  if (!std::exchange(is_receiving_, false)) return;
  elements_->close();
  while (elements_->try_receive()) {
  }
  if (open_ == 0) return;
  for (int r = 0; r < all_->mail().size(); ++r)
    if (r != rank_) tell_closed(r);
}

void channel_end::got_element(int from, bytes letter) {
  const std::lock_guard l(mutex_);
  if (is_receiving_) put(from, std::move(letter));
}

void channel_end::got_credits(std::size_t n) {
  const std::lock_guard l(mutex_);
  add_credits(n);
}

void channel_end::got_close() {
  const std::lock_guard l(mutex_);
  if (receiver_ == rank_)
    note_closed();
  else if (!is_closed_)
    stop_sending();
}

bool send_to_rank::value() {
  try {
    return end_->send(letter_(end_->number(), element_));
  } catch (...) {
    end_->credits().release();
    throw;
  }
}

std::shared_ptr<channel_end> channels::open(int receiver, std::size_t capacity) {
  std::uint64_t number = 0;
  {
    const std::lock_guard l(mutex_);
    number = last_ + 1;
  }
  auto end =
      std::make_shared<channel_end>(shared_from_this(), number, receiver,
                                    windows_of(capacity, static_cast<std::size_t>(mail_.size())));
  const std::lock_guard l(mutex_);
  ends_.emplace(number, end.get());
  last_ = number;
  if (const auto early = early_.extract(number))
    for (early_letter& e : early.mapped()) hand_on(*end, e.what, e.from, std::move(e.content));
  if (has_ended_) end->close_both();
  return end;
}

void channels::end() noexcept {
  const std::lock_guard l(mutex_);
  has_ended_ = true;
  for (const auto& [number, e] : ends_) e->close_both();
}

void channels::deliver(kind what, int from, bytes letter) {
  const auto number = input_archive(letter).next<std::uint64_t>();
  const std::lock_guard l(mutex_);
  if (number > last_)
    early_[number].push_back({what, from, std::move(letter)});
  else if (const auto at = ends_.find(number); at != ends_.end())
    hand_on(*at->second, what, from, std::move(letter));
}

void channels::hand_on(channel_end& to, kind what, int from, bytes letter) {
  if (what == kind::element) return to.got_element(from, std::move(letter));
  if (what == kind::closed) return to.got_close();
  input_archive in(letter);
  static_cast<void>(in.next<std::uint64_t>());
  to.got_credits(in.next<std::uint64_t>());
}

void channels::forget(std::uint64_t number) noexcept {
  const std::lock_guard l(mutex_);
  ends_.erase(number);
}

}  // namespace nopal::detail::mpi
