// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/sync/wait_case.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

namespace nopal::detail {
namespace {

/// The locks of all objects of a wait. They are locked in the order of their addresses, each once,
/// so that two waits over the same objects do not block each other.
class all_locks {
 public:
  explicit all_locks(std::span<wait_case* const> cases) noexcept : cases_(cases) {
    // Waits have few cases, so each lock is found by a look over all.
    for (brief_lock* l = after(nullptr); l != nullptr; l = after(l)) l->lock();
  }
  ~all_locks() {
    for (brief_lock* l = after(nullptr); l != nullptr; l = after(l)) l->unlock();
  }
  all_locks(const all_locks&) = delete;
  all_locks& operator=(const all_locks&) = delete;

 private:
  /// Returns the lock with the next higher address, or nullptr.
  [[nodiscard]] brief_lock* after(brief_lock* l) const noexcept {
    brief_lock* next = nullptr;
    for (const wait_case* c : cases_)
      if (std::less<>()(l, c->lock) && (next == nullptr || std::less<>()(c->lock, next)))
        next = c->lock;
    return next;
  }

  std::span<wait_case* const> cases_;
};

/// Serves one case under all locks.
unsigned take_under_locks(std::span<wait_case* const> cases, unsigned first,
                          taken_offers& served) noexcept {
  const auto n = static_cast<unsigned>(cases.size());
  for (unsigned k = 0; k < n; ++k) {
    const unsigned i = (first + k) % n;
    if (cases[i]->does->take(*cases[i], served)) return i;
  }
  return n;
}

}  // namespace

unsigned take_one(std::span<wait_case* const> cases, unsigned first) noexcept {
  taken_offers served;
  unsigned which = 0;
  {
    const all_locks held(cases);
    which = take_under_locks(cases, first, served);
  }
  served.complete();
  return which;
}

unsigned take_one_or_list_all(std::span<wait_case* const> cases, unsigned first,
                              decision& d) noexcept {
  for (wait_case* c : cases) c->of = &d;
  taken_offers served;
  unsigned which = 0;
  {
    const all_locks held(cases);
    which = take_under_locks(cases, first, served);
    if (which == cases.size())
      for (wait_case* c : cases) c->does->list(*c);
  }
  served.complete();
  return which;
}

void unlist_all_except(std::span<wait_case* const> cases, unsigned served) noexcept {
  for (wait_case* c : cases) {
    if (c->number == served) continue;
    const std::lock_guard held(*c->lock);
    c->does->unlist(*c);
  }
}

}  // namespace nopal::detail
