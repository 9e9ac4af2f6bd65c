// SPDX-License-Identifier: Apache-2.0
// One thing that a strand waits for at an object of nopal/sync.hpp. docs/sync.md has the protocol
// and its argument.
#pragma once

#include <cstddef>
#include <span>

#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

struct wait_case;

/// What a kind of object does for a case. All of it is called under the lock of the object.
struct case_functions {
  /// Does what the case waits for, if that needs no wait. Returns whether it has. Adds the offers
  /// of others that it has served to `served`.
  bool (*take)(wait_case& c, taken_offers& served) noexcept;
  /// Makes the case known to whoever can serve it later.
  void (*list)(wait_case& c) noexcept;
  /// Takes back what list() has done, after the case has not been served.
  void (*unlist)(wait_case& c) noexcept;
};

/// A case lies with whoever waits, beside what is to be received or sent.
struct wait_case : offer {
  wait_case(brief_lock& l, const case_functions& f) noexcept : lock(&l), does(&f) {}

  /// select() calls this before all else, without a lock.
  void prepare() const noexcept {}

  brief_lock* lock;
  const case_functions* does;
};

/// Serves the case if that needs no wait. Returns whether it has.
bool take(wait_case& c) noexcept;
/// Does what take() does, and lists the case for `d` if it returns false.
bool take_or_list(wait_case& c, decision& d) noexcept;
/// Takes the case out of the list of its object.
void unlist(wait_case& c) noexcept;

/// Serves the first of the cases, from the one with the index `first` on, that needs no wait.
/// Returns its index, or cases.size().
/// \param room  as many elements as there are cases, for their locks.
unsigned take_one(std::span<wait_case* const> cases, std::span<brief_lock*> room,
                  unsigned first) noexcept;
/// Does what take_one() does, and lists all cases for `d` if it returns cases.size().
unsigned take_one_or_list_all(std::span<wait_case* const> cases, std::span<brief_lock*> room,
                              unsigned first, decision& d) noexcept;
/// Takes all cases out of the lists of their objects, except the one with the number `served`. This
/// is called when the decision is over.
void unlist_all_except(std::span<wait_case* const> cases, unsigned served) noexcept;

}  // namespace nopal::detail
