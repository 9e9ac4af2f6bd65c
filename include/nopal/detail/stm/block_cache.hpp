// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Keeps the memory of objects that transactions have deleted, for those that they make next.
/// Destroyed objects are deleted in large groups, and the caches of malloc hold only a small part
/// of a group. Each block came from `operator new` with just its size, so users may delete what is
/// made in it.
class block_cache {
 public:
  static constexpr std::size_t largest = 128;
  static constexpr std::size_t most = 128;  ///< The most blocks of one size.

  template <class T>
  static constexpr bool is_for =
      // The address sanitizer finds a use of a deleted object only if its memory is freed.
      !NOPAL_ASAN && sizeof(T) <= largest && sizeof(T) % sizeof(void*) == 0 &&
      alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && !std::has_virtual_destructor_v<T> &&
      !requires { T::operator new(sizeof(T)); } && !requires(void* p) { T::operator delete(p); } &&
      !requires(void* p) { T::operator delete(p, sizeof(T)); };

  /// Returns memory for a T.
  /// \throws std::bad_alloc
  template <class T>
  [[nodiscard]] void* take() {
    list& l = list_of<T>();
    if (l.first == nullptr) return ::operator new(sizeof(T));
    --l.length;
    free_block* const taken = std::exchange(l.first, l.first->next);
    return reinterpret_cast<std::byte*>(taken) - offset_in<T>;
  }
  /// Keeps the memory of a T that has been destroyed, or frees it if enough is kept.
  template <class T>
  void put(void* block) noexcept {
    list& l = list_of<T>();
    if (l.length == most) {
      ::operator delete(block, sizeof(T));
      return;
    }
    // An object that is destroyed twice comes here twice.
    NOPAL_ASSERT(!l.has(static_cast<std::byte*>(block) + offset_in<T>));
    ++l.length;
    l.first = new (static_cast<std::byte*>(block) + offset_in<T>) free_block{l.first};
  }

 private:
  struct free_block {
    free_block* next;
  };
  struct list {
    free_block* first = nullptr;
    std::size_t length = 0;

    [[nodiscard]] bool has(const void* b) const noexcept {
      const free_block* at = first;
      while (at != nullptr && at != b) at = at->next;
      return at != nullptr;
    }
  };
  /// The link lies at the end of the block. So the first word of the object remains, which tells
  /// that the object was destroyed.
  template <class T>
  static constexpr std::size_t offset_in = sizeof(T) - sizeof(free_block);

  template <class T>
  [[nodiscard]] list& list_of() noexcept {
    static_assert(is_for<T>);
    return lists_[sizeof(T) / sizeof(void*) - 1];
  }

  std::array<list, largest / sizeof(void*)> lists_;
};

/// Deletes an object that new_object() or `new` has made.
template <class T>
void delete_object(void* object, [[maybe_unused]] block_cache& cache) noexcept {
  if constexpr (block_cache::is_for<T>) {
    static_cast<T*>(object)->~T();
    cache.put<T>(object);
  } else {
    delete static_cast<T*>(object);
  }
}

/// Returns new T(args...), whose memory may come from the cache.
template <class T, class... A>
[[nodiscard]] T* new_object([[maybe_unused]] block_cache& cache, A&&... args) {
  if constexpr (block_cache::is_for<T>) {
    void* block = cache.take<T>();
    try {
      return ::new (block) T(std::forward<A>(args)...);
    } catch (...) {
      cache.put<T>(block);
      throw;
    }
  } else {
    return new T(std::forward<A>(args)...);
  }
}

}  // namespace nopal::detail
