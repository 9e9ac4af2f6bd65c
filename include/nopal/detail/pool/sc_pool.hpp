// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

namespace nopal::detail {

/// What all pools of a family are made with.
struct sc_pool_options {
  unsigned producers;
  unsigned consumers;
  std::uint32_t chunk;  ///< Elements in a chunk, for those that have chunks.
};

/// A pool with a single consumer, from which others steal: the mechanism below managed_pool, which
/// has one for each consumer.
///
/// `common` is what the pools of a family share, `producer_end` what a producer keeps; both are
/// made once for each pool, or producer. Each of the functions takes the constructor arguments of a
/// element, or is called by the consumer whose pool it is, but for is_empty and the indicators,
/// which any consumer uses.
template <class P>
concept sc_pool = requires(P& mine, P& victim, const P& looked_at, typename P::producer_end& in,
                           typename P::value_type&& x, std::optional<typename P::value_type>& to,
                           unsigned consumer) {
  requires std::constructible_from<typename P::common, const sc_pool_options&>;
  requires std::constructible_from<P, typename P::common&, unsigned>;
  requires std::constructible_from<typename P::producer_end, unsigned>;
  /// Producer. False, and nothing done, when the pool has no room without an allocation, if it
  /// keeps room at all.
  { mine.produce(in, std::move(x)) } -> std::same_as<bool>;
  /// Producer. Throws std::bad_alloc, and nothing done, when there is no room at all.
  mine.produce_force(in, std::move(x));
  /// Its consumer. Moves an element to `to`, once. False: there is none to be had.
  { mine.consume(to) } -> std::same_as<bool>;
  /// The consumer of `mine`: takes one element from another's pool, and maybe the right to more.
  /// May find nothing though there is something.
  { mine.steal(victim, to) } -> std::same_as<bool>;
  /// Any consumer. May say no though there is nothing, but says yes only where it found nothing in
  /// all places, each at some moment.
  { looked_at.is_empty(consumer) } -> std::same_as<bool>;
  mine.set_indicator(consumer);
  { looked_at.check_indicator(consumer) } -> std::same_as<bool>;
  /// Its consumer will not come back soon: it gives up what it keeps from being used again.
  mine.let_go();
};

}  // namespace nopal::detail
