// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace nopal::detail {

/// The options that all pools of a family are made with.
struct sc_pool_options {
  unsigned producers;
  unsigned consumers;
  std::uint32_t chunk;  ///< Elements in a chunk, for those that have chunks.
};

/// A pool with a single consumer, from which others steal: the mechanism below managed_pool, which
/// has one for each consumer.
///
/// `common` is what the pools of a family share, and is made once for them. `producer_end` is what
/// a producer keeps, and is made once for each. A producer calls put_if_room() and put(),
/// which take the constructor arguments of an element. Any consumer calls is_empty() and the
/// functions of the indicators. The others are called by the consumer whose pool it is.
template <class P>
concept sc_pool = requires(P& mine, P& victim, const P& looked_at, typename P::producer_end& in,
                           typename P::value_type&& x, std::optional<typename P::value_type>& to,
                           unsigned consumer) {
  requires std::constructible_from<typename P::common, const sc_pool_options&>;
  requires std::constructible_from<P, typename P::common&, unsigned>;
  requires std::constructible_from<typename P::producer_end, unsigned>;
  /// Returns false, with nothing done, if the pool keeps room and has none without an allocation.
  { mine.put_if_room(in, std::move(x)) } -> std::same_as<bool>;
  /// Throws std::bad_alloc, with nothing done, if there is no room at all.
  mine.put(in, std::move(x));
  /// Moves an element to `to`, once. Returns false if it finds none.
  { mine.get(to) } -> std::same_as<bool>;
  /// Takes one element from another's pool, and maybe the right to more. The consumer of `mine`
  /// calls it. It may find nothing though there is something.
  { mine.steal(victim, to) } -> std::same_as<bool>;
  /// May return false though there is nothing. Returns true only if it found nothing in all places,
  /// each at some moment.
  { looked_at.is_empty(consumer) } -> std::same_as<bool>;
  mine.set_indicator(consumer);
  { looked_at.check_indicator(consumer) } -> std::same_as<bool>;
  /// Says that the pool's consumer will not come back soon. The consumer gives up what it keeps
  /// from being used again.
  mine.let_go();
};

}  // namespace nopal::detail
