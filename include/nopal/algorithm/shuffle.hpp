// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/random_order.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct shuffle_function {
  static constexpr auto kind = algorithm_kind::moved;
  static constexpr auto what_is_left = refusal::seed;

  template <class I, permuted_by<I> S, std::integral Seed>
  I operator()(grain /*g*/, I first, S last, Seed seed) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    shuffle_elements(unwrapped(first), n, static_cast<std::uint64_t>(seed));
    return advanced(first, n);
  }
  template <class I, permuted_by<I> S, class Generator>
    requires std::uniform_random_bit_generator<std::remove_reference_t<Generator>>
  I operator()(grain g, I first, S last, Generator&& generator) const {
    return (*this)(g, first, last, seed_of(generator));
  }

 private:
  template <class Generator>
  static std::uint64_t seed_of(Generator& generator) {
    constexpr std::uint64_t most = Generator::max() - Generator::min();
    std::uint64_t seed = 0;
    for (int bits = 0; bits < 64; bits += static_cast<int>(std::bit_width(most)))
      seed = random_number(seed, generator() - Generator::min());
    return seed;
  }
};

}  // namespace algorithm_detail

/// Puts the elements of a range into a random order, each as likely as the others: shuffle(range,
/// seed) or shuffle(first, last, seed). The order depends on the seed, the number of elements and
/// their type alone, not on the number of workers, nor on the platform. Versions of nopal may
/// differ. A grain has no effect.
/// \code
/// std::vector<int> v{1, 2, 3, 4, 5};
/// nopal::shuffle(v, 42);
/// std::mt19937 generator;
/// nopal::shuffle(v, generator);
/// \endcode
/// \param range  has random access, a known size, and elements that can be moved; the same goes for
/// first and last.
/// \param seed  a number, or a uniform random bit generator, of which a seed of 64 bits is drawn.
/// \returns the end of the range.
/// \throws std::bad_alloc if there is no memory; then nothing has changed. Nor has it if a stop
/// ends the shuffle. If moves may throw, whatever a swap throws; the range then is in another
/// order, and the two elements are as the swap leaves them.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: three moves of an element on an average. Some thousand elements, or elements whose
/// moves may throw, are shuffled in a row. Otherwise the span is that of a bucket: O(n / 1024 + log
/// n), and memory for n elements and half a per cent of that is taken.
/// Source: Sanders, Random permutations on distributed, external and hierarchical memory, 1998.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::shuffle_function>
    shuffle{};

}  // namespace parallel
}  // namespace nopal
