// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/ticks.hpp"
#include "nopal/detail/sync/wait_case.hpp"
#include "nopal/detail/wait/limited_wait.hpp"

namespace nopal::detail {

struct after_case {
  limits::moment at;
  void prepare() const noexcept {}
  void check() const noexcept {}
};
struct otherwise_case {
  void prepare() const noexcept {}
  void check() const noexcept {}
};

/// Returns an index below `n`, another one from time to time. The counter of a CPU may count in
/// steps, which may be even: so the index comes from all bits of `time`.
constexpr unsigned index_at(std::uint64_t time, unsigned n) noexcept {
  const std::uint64_t mixed = time * 0x9e3779b97f4a7c15 >> 32;  // by the golden ratio
  return static_cast<unsigned>(mixed * n >> 32);
}

template <class C>
concept select_case = std::derived_from<C, wait_case> || std::same_as<C, after_case> ||
                      std::same_as<C, otherwise_case>;

/// Whether the first argument of a select says how long it may wait.
template <class... Arguments>
inline constexpr bool begins_with_limits = false;
template <class First, class... Rest>
inline constexpr bool begins_with_limits<First, Rest...> =
    std::is_convertible_v<First, const limits&>;

/// Whether a select takes these cases. If not, the compiler says why.
template <class... Cases>
constexpr bool check_select() noexcept {
  constexpr bool are_cases = (select_case<Cases> && ...);
  constexpr bool waits = !are_cases || (std::derived_from<Cases, wait_case> || ...);
  constexpr std::size_t others =
      (std::size_t{0} + ... + std::size_t{!std::derived_from<Cases, wait_case>});
  constexpr bool has_one_other = !are_cases || others <= 1;
  static_assert(are_cases,
                "nopal::select: each case is what channel::receiving() or channel::sending(), "
                "nopal::after() or nopal::otherwise() returns");
  static_assert(waits, "nopal::select: nothing can be received or sent in any of its cases");
  static_assert(has_one_other,
                "nopal::select: one case at most is nopal::after() or nopal::otherwise()");
  return are_cases && waits && has_one_other;
}

/// Waits for one of several cases.
template <class... Cases>
class select_operation {
  static constexpr std::size_t waiting =
      (std::size_t{0} + ... + std::size_t{std::derived_from<Cases, wait_case>});
  static constexpr std::size_t timed =
      (std::size_t{0} + ... + std::size_t{std::same_as<Cases, after_case>});
  static constexpr std::size_t otherwise =
      (std::size_t{0} + ... + std::size_t{std::same_as<Cases, otherwise_case>});

 public:
  using result = int;
  static constexpr const char* name = "nopal::select";
  static constexpr const char* waits_for = "a case of nopal::select";
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = otherwise == 0;  // take() is no cheaper than begin()

  explicit select_operation(Cases&&... c) : cases_(std::move(c)...) {
    std::apply([](Cases&... all) { (all.prepare(), ...); }, cases_);
    number_cases();
  }
  /// Precondition: `o` has not begun.
  select_operation(select_operation&& o) noexcept : cases_(std::move(o.cases_)) {}

  bool take() noexcept {
    const pointers all = waiting_cases();
    locks room;
    const unsigned i = take_one(all, room, some_index());
    if (i < waiting)
      taken_ = all[i]->number;
    else if constexpr (otherwise != 0)
      taken_ = index_of<otherwise_case>();
    else
      return false;
    return true;
  }
  bool begin(decision& d, bool /*for_task*/) noexcept {
    const pointers all = waiting_cases();
    locks room;
    const unsigned i = take_one_or_list_all(all, room, some_index(), d);
    if (i < waiting) {
      taken_ = all[i]->number;
      return true;
    }
    if constexpr (timed != 0)
      timed_.begin_at(d, std::get<after_case>(cases_).at, index_of<after_case>());
    return false;
  }
  bool end(unsigned number) noexcept {
    if constexpr (timed != 0) timed_.end();
    unlist_all_except(waiting_cases(), number);
    taken_ = number;
    return true;
  }
  int value() const {
    if constexpr (timed != 0)
      if (taken_ == decision::no_timer) throw_limit(taken_, name);
    check(std::index_sequence_for<Cases...>());
    return static_cast<int>(taken_);
  }
  [[nodiscard]] const void* object() const noexcept { return this; }

 private:
  using pointers = std::array<wait_case*, waiting>;
  using locks = std::array<brief_lock*, waiting>;

  /// Where take_one() begins: anywhere, so that no case comes first for ever.
  static unsigned some_index() noexcept { return index_at(ticks(), waiting); }

  template <class C>
  static constexpr unsigned index_of() noexcept {
    unsigned i = 0;
    const bool found = ((std::same_as<C, Cases> || (++i, false)) || ...);
    return found ? i : static_cast<unsigned>(sizeof...(Cases));
  }

  /// Gives each case that waits its number. Only once: the others read it while the case is listed.
  void number_cases() noexcept {
    unsigned number = 0;
    const auto give = [&]<class C>(C& c) {
      if constexpr (std::derived_from<C, wait_case>) c.number = number;
      ++number;
    };
    std::apply([&](Cases&... c) { (give(c), ...); }, cases_);
  }

  pointers waiting_cases() noexcept {
    pointers all{};
    std::size_t n = 0;
    const auto add = [&]<class C>(C& c) {
      if constexpr (std::derived_from<C, wait_case>) all[n++] = &c;
    };
    std::apply([&](Cases&... c) { (add(c), ...); }, cases_);
    return all;
  }

  template <std::size_t... I>
  void check(std::index_sequence<I...>) const {
    (void)((taken_ == I && (std::get<I>(cases_).check(), true)) || ...);
  }

  struct nothing {
    void end() noexcept {}
  };

  std::tuple<Cases...> cases_;
  [[no_unique_address]] std::conditional_t<timed != 0, limited_wait, nothing> timed_;
  unsigned taken_ = 0;
};

}  // namespace nopal::detail
