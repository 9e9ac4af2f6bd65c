// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/sync/wait_case.hpp"

#include <cstddef>
#include <functional>
#include <mutex>

#include "sync/events.hpp"

namespace nopal::detail {
namespace {

/// The locks of all objects of a wait. They are locked in the order of their addresses, each once,
/// so that two waits over the same objects do not block each other.
class all_locks {
 public:
  /// \param room  as many elements as there are cases.
  all_locks(std::span<wait_case* const> cases, std::span<brief_lock*> room) noexcept
      : in_order_(room) {
    // Waits have few cases.
    std::size_t n = 0;
    for (wait_case* c : cases) {
      std::size_t i = n++;
      for (; i > 0 && std::less<>()(c->lock, room[i - 1]); --i) room[i] = room[i - 1];
      room[i] = c->lock;
    }
    for (std::size_t i = 0; i < n; ++i)
      if (is_first(i)) in_order_[i]->lock();
  }
  ~all_locks() {
    for (std::size_t i = 0; i < in_order_.size(); ++i)
      if (is_first(i)) in_order_[i]->unlock();
  }
  all_locks(const all_locks&) = delete;
  all_locks& operator=(const all_locks&) = delete;

 private:
  [[nodiscard]] bool is_first(std::size_t i) const noexcept {
    return i == 0 || in_order_[i] != in_order_[i - 1];
  }

  std::span<brief_lock*> in_order_;
};

/// Serves one case. The caller has all locks.
unsigned take_under_locks(std::span<wait_case* const> cases, unsigned first,
                          taken_offers& served) noexcept {
  const auto n = static_cast<unsigned>(cases.size());
  for (unsigned k = 0, i = first; k < n; ++k, i = i + 1 == n ? 0 : i + 1)
    if (cases[i]->does->take(*cases[i], served)) return i;
  return n;
}

}  // namespace

unsigned take_one(std::span<wait_case* const> cases, std::span<brief_lock*> room,
                  unsigned first) noexcept {
  taken_offers served;
  unsigned which = 0;
  {
    const all_locks held(cases, room);
    which = take_under_locks(cases, first, served);
  }
  served.complete();
  return which;
}

unsigned take_one_or_list_all(std::span<wait_case* const> cases, std::span<brief_lock*> room,
                              unsigned first, decision& d) noexcept {
  taken_offers served;
  unsigned which = 0;
  emit<sync_events::selecting>();
  {
    const all_locks held(cases, room);
    which = take_under_locks(cases, first, served);
    if (which == cases.size()) {
      for (wait_case* c : cases) {
        c->of = &d;
        c->does->list(*c);
      }
    }
  }
  served.complete();
  return which;
}

bool take(wait_case& c) noexcept {
  taken_offers served;
  bool taken = false;
  {
    const std::lock_guard held(*c.lock);
    taken = c.does->take(c, served);
  }
  served.complete();
  return taken;
}

bool take_or_list(wait_case& c, decision& d) noexcept {
  taken_offers served;
  bool taken = false;
  {
    const std::lock_guard held(*c.lock);
    taken = c.does->take(c, served);
    if (!taken) {
      c.of = &d;
      c.does->list(c);
    }
  }
  served.complete();
  return taken;
}

void unlist(wait_case& c) noexcept {
  const std::lock_guard held(*c.lock);
  c.does->unlist(c);
}

void unlist_all_except(std::span<wait_case* const> cases, unsigned served) noexcept {
  for (wait_case* c : cases) {
    if (c->number == served) continue;
    emit<sync_events::unlisting>();
    unlist(*c);
  }
}

}  // namespace nopal::detail
