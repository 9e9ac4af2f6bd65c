// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/spare_chunks.hpp"

#include <new>

#include "nopal/detail/pool/events.hpp"

namespace nopal::detail {

chunk_table::~chunk_table() {
  for (const auto& s : segments_) delete[] s.load(std::memory_order_relaxed);
}

void chunk_table::add(chunk_header* c) {
  std::uint32_t n = next_.load(std::memory_order_relaxed);
  do {
    if (n >> number_bits != 0) throw std::bad_alloc();
    segment(segment_of(n));
    emit<pool_events::swapping>();
  } while (!next_.compare_exchange_weak(n, n + 1, std::memory_order_relaxed));
  c->number = n;
  entry_of(n)->store(c, std::memory_order_release);  // pairs with operator[]
}

chunk_table::entry* chunk_table::segment(unsigned k) {
  entry* s = segments_[k].load(std::memory_order_acquire);  // pairs with the compare-and-swap below
  if (s != nullptr) return s;
  auto* made = new entry[std::size_t{1} << k]{};
  if (segments_[k].compare_exchange_strong(s, made, std::memory_order_acq_rel,
                                           std::memory_order_acquire))  // pairs with itself
    return made;
  delete[] made;
  return s;
}

}  // namespace nopal::detail
