// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::detail {

/// The handles of one kind that a pool gives out: which are out, and in a build with assertions
/// whether one is being used.
class pool_handles {
 public:
  /// \param kind  "producers" or "consumers", the name of the option that sets the limit.
  pool_handles(const char* kind, unsigned limit) : kind_(kind), entries_(limit) {}

  /// Ends the process with a message if a handle is still out: what it refers to is about to go.
  ~pool_handles();
  pool_handles(const pool_handles&) = delete;
  pool_handles& operator=(const pool_handles&) = delete;

  /// Takes a handle. What its last holder did happened before. \throws std::length_error naming the
  /// limit.
  unsigned take();
  void give_back(unsigned handle) noexcept {
    entries_[handle].is_out.store(false, std::memory_order_release);  // pairs with take()
  }

  /// Ends the process, in a checking build, if a handle refers to no pool any more.
  static void require([[maybe_unused]] const void* pool) noexcept {
#ifdef NOPAL_CHECK
    if (pool == nullptr) [[unlikely]]
      moved_from();
#endif
  }

#if NOPAL_ASSERTIONS
  /// Ends the process if two of these objects live at a time for one handle.
  class use {
   public:
    use(pool_handles& all, unsigned handle) noexcept : in_use_(&all.entries_[handle].in_use) {
      if (in_use_->exchange(true, std::memory_order_relaxed)) used_by_two();
    }
    use(use&& other) noexcept : in_use_(std::exchange(other.in_use_, nullptr)) {}
    use& operator=(use&&) = delete;
    ~use() {
      if (in_use_ != nullptr) in_use_->store(false, std::memory_order_relaxed);
    }

   private:
    std::atomic<bool>* in_use_;
  };
#else
  struct use {
    use(pool_handles&, unsigned) noexcept {}
  };
#endif

 private:
  [[noreturn]] static void used_by_two() noexcept;
  [[noreturn]] static void moved_from() noexcept;

  struct alignas(cache_line) entry {
    std::atomic<bool> is_out{false};
    std::atomic<bool> in_use{false};
  };

  const char* kind_;
  std::vector<entry> entries_;
};

// The messages of compilers for calls that no handle takes; see checked_function.hpp.

template <class T, class... A>
inline constexpr bool is_put = false;
template <class T, class A>
inline constexpr bool is_put<T, A> =
    std::is_convertible_v<A, T&&> ||
    (std::is_copy_constructible_v<T> && std::is_convertible_v<A, const T&>);
template <class T, class... A>
inline constexpr bool is_try_put = false;
template <class T, class A>
inline constexpr bool is_try_put<T, A> = std::is_convertible_v<A, T&&>;

/// Whether an element of T can be made from the arguments. If not, the compiler says so.
template <class T, class... A>
constexpr bool check_element() noexcept {
  constexpr bool makes = std::is_constructible_v<T, A...>;
  static_assert(makes,
                "nopal::pool: no element can be made from these arguments; if it is of a type that "
                "cannot be copied, std::move it");
  return makes;
}

// Overloads that accept any other arguments call these, so that the compiler says what is right.

template <class T, class... A>
constexpr void refuse_put() noexcept {
  static_assert(
      std::is_void_v<T>,
      "nopal::pool: put(x) takes one element, or what converts to one; std::move one that "
      "cannot be copied, and emplace(a, b) makes one from several arguments");
}

template <class T, class... A>
constexpr void refuse_try_put() noexcept {
  static_assert(std::is_void_v<T>,
                "nopal::pool: try_put(x) moves one element, which stays what it is if the pool is "
                "closed: try_put(std::move(x)); try_emplace(x) copies it");
}

/// Whether several elements of T can be got at once.
template <class T>
inline constexpr bool is_got_in_a_row =
    std::is_nothrow_move_assignable_v<T> && std::is_nothrow_move_constructible_v<T>;

template <class T, class... A>
inline constexpr bool is_place_for_elements = sizeof...(A) == 0;
template <class T, class A>
inline constexpr bool is_place_for_elements<T, A> =
    std::is_same_v<A, std::optional<T>&> ||
    (std::is_convertible_v<A, std::span<T>> && is_got_in_a_row<T>);

template <class T, class... A>
constexpr void refuse_place() noexcept {
  static_assert(!is_got_in_a_row<T>,
                "nopal::pool: get() returns a std::optional<T>; get(to) fills a std::span<T>, and "
                "returns how many elements have come");
  static_assert(
      is_got_in_a_row<T>,
      "nopal::pool: get(to) fills no span of a T whose move may throw, since nobody would "
      "know how many elements have come; get() returns one");
}

/// Whether a wait may take the arguments.
template <class... A>
inline constexpr bool is_limits = sizeof...(A) == 0;
template <class A>
inline constexpr bool is_limits<A> = std::is_convertible_v<A, const limits&>;
template <class E, class A>
inline constexpr bool is_limits<E, A> =
    std::is_convertible_v<E, std::error_code&> && std::is_convertible_v<A, const limits&>;

template <class T, class... A>
constexpr void refuse_wait() noexcept {
  static_assert(
      std::is_void_v<T>,
      "nopal::pool: wait_for() takes a std::chrono::duration, wait_until() a time_point, and a "
      "std::stop_token may follow; wait() takes nopal::limits, such as a duration or a token");
}

}  // namespace nopal::detail
