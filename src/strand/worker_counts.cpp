// SPDX-License-Identifier: Apache-2.0
#include "strand/worker_counts.hpp"

#include <array>
#include <bit>
#include <cstddef>

namespace nopal {
namespace {

/// The counts by number, so that a count that is added to the struct is summed and copied without
/// being named.
using all_counts = std::array<std::uint64_t, sizeof(counts) / sizeof(std::uint64_t)>;

}  // namespace

counts& counts::operator+=(const counts& other) noexcept {
  auto sum = std::bit_cast<all_counts>(*this);
  const auto more = std::bit_cast<all_counts>(other);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return *this = std::bit_cast<counts>(sum);
}

namespace detail {

counts worker_counts::snapshot() const noexcept {
  all_counts read;
  auto* const first = reinterpret_cast<std::uint64_t*>(&own_);
  for (std::size_t i = 0; i < read.size(); ++i)
    read[i] = std::atomic_ref(first[i]).load(std::memory_order_relaxed);
  return std::bit_cast<counts>(read);
}

}  // namespace detail
}  // namespace nopal
