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

/// Memory of objects that transactions have deleted, kept for those that they make next. What is
/// destroyed is deleted in large groups, of which the caches of malloc hold only a small part. Each
/// block is one of `operator new` with just its size, so users may delete what is made of it.
class block_cache {
 public:
  static constexpr std::size_t largest = 128;
  static constexpr std::size_t most = 128;  ///< Blocks of one size.

  template <class T>
  static constexpr bool is_for =
      // The sanitizer finds what is used after it was freed only if it is freed.
      !NOPAL_ASAN && sizeof(T) <= largest && sizeof(T) % sizeof(void*) == 0 &&
      alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && !std::has_virtual_destructor_v<T> &&
      !requires { T::operator new(sizeof(T)); } && !requires(void* p) { T::operator delete(p); } &&
      !requires(void* p) { T::operator delete(p, sizeof(T)); };

  /// \throws std::bad_alloc
  template <class T>
  [[nodiscard]] void* take() {
    list& l = list_of<T>();
    if (l.first == nullptr) return ::operator new(sizeof(T));
    --l.length;
    free_block* const taken = std::exchange(l.first, l.first->next);
    return reinterpret_cast<std::byte*>(taken) - offset_in<T>;
  }
  template <class T>
  void put(void* block) noexcept {
    list& l = list_of<T>();
    if (l.length == most) {
      ::operator delete(block, sizeof(T));
      return;
    }
    NOPAL_ASSERT(!l.has(static_cast<std::byte*>(block) + offset_in<T>));  // destroyed twice
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
  /// At the end: the first word of an object, which tells that it was destroyed, remains.
  template <class T>
  static constexpr std::size_t offset_in = sizeof(T) - sizeof(free_block);

  template <class T>
  [[nodiscard]] list& list_of() noexcept {
    static_assert(is_for<T>);
    return lists_[sizeof(T) / sizeof(void*) - 1];
  }

  std::array<list, largest / sizeof(void*)> lists_;
};

/// `delete` of an object made by new_object() or by `new`.
template <class T>
void delete_object(void* object, [[maybe_unused]] block_cache& cache) noexcept {
  if constexpr (block_cache::is_for<T>) {
    static_cast<T*>(object)->~T();
    cache.put<T>(object);
  } else {
    delete static_cast<T*>(object);
  }
}

/// new T(args...).
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
