// SPDX-License-Identifier: Apache-2.0
// This finds the order of keys by where each first appears in a range.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A set of elements of a range, by their numbers. When all are in it, each knows how many come
/// before it. A byte for each element of the range says whether that is in the set, so that workers
/// put elements into it at the same time; then a bit does.
class first_places {
 public:
  /// \param n  the length of the range
  explicit first_places(std::ptrdiff_t n)
      : words_((n + in_word - 1) / in_word),
        bytes_(words_ * in_word),
        bits_(words_),
        before_(words_ + 1) {
    for_each_block({0, words_}, 0, [this](part p) {
      std::memset(bytes_.data() + p.from * in_word, 0,
                  static_cast<std::size_t>(p.size()) * in_word);
    });
  }

  /// Puts an element into the set. Other threads may put others there meanwhile.
  void put(std::size_t number) noexcept { bytes_.data()[number] = 1; }

  /// To be called when all are there.
  void count() {
    for_each_block({0, words_}, 0, [this](part p) {
      for (std::ptrdiff_t w = p.from; w < p.to; ++w) bits_.data()[w] = word(w);
    });
    std::size_t sum = 0;
    for (std::ptrdiff_t w = 0; w < words_; ++w) {
      before_.data()[w] = sum;
      sum += static_cast<std::size_t>(std::popcount(bits_.data()[w]));
    }
    before_.data()[words_] = sum;
  }

  /// Returns how many elements of the set come before this one.
  [[nodiscard]] std::size_t before(std::size_t number) const noexcept {
    const std::uint64_t lower = (std::uint64_t{1} << number % in_word) - 1;
    return before_.data()[number / in_word] +
           static_cast<std::size_t>(std::popcount(bits_.data()[number / in_word] & lower));
  }

  /// Calls f(number, how many come before it) for each element of the set.
  template <class F>
  void for_each_in_order(const F& f) const {
    for_each_block({0, words_}, 0, [&](part p) {
      for (std::ptrdiff_t w = p.from; w < p.to; ++w) {
        std::size_t place = before_.data()[w];
        for (std::uint64_t left = bits_.data()[w]; left != 0; left &= left - 1)
          f(static_cast<std::size_t>(w * in_word + std::countr_zero(left)), place++);
      }
    });
  }

 private:
  static constexpr int in_word = 64;

  /// Returns 64 bytes as bits.
  [[nodiscard]] std::uint64_t word(std::ptrdiff_t w) const noexcept {
    std::uint64_t all = 0;
    for (int i = 0; i < in_word; ++i) all |= std::uint64_t{bytes_.data()[w * in_word + i]} << i;
    return all;
  }

  std::ptrdiff_t words_;
  raw_buffer<unsigned char> bytes_;
  raw_buffer<std::uint64_t> bits_;
  raw_buffer<std::size_t> before_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
