// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace nopal::detail {

/// Hashes whatever a view of a string can be made from, without a string.
template <class View>
struct string_hash {
  using is_transparent = void;
  std::size_t operator()(View s) const noexcept { return std::hash<View>{}(s); }
};

/// The hash of keys if no other is named.
template <class K>
struct key_hash {
  using type = std::hash<K>;
};
template <class C, class Traits, class Allocator>
  requires std::is_default_constructible_v<std::hash<std::basic_string_view<C, Traits>>>
struct key_hash<std::basic_string<C, Traits, Allocator>> {
  using type = string_hash<std::basic_string_view<C, Traits>>;
};

}  // namespace nopal::detail
