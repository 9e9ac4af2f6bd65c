// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/stm/write_log.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nopal::detail {

void write_log::write_long(const write_place& p, const void* words) {
  const std::uint32_t at = index_.find(p.first_word);
  const bool is_new = at == address_index::nowhere;
  const bool is_kept = !is_new && at < kept_;
  std::uint64_t value = long_values_.size();
  if (is_new || is_kept)
    long_values_.resize(long_values_.size() + p.words);
  else
    value = entries_[at].value;
  std::memcpy(&long_values_[value], words, std::size_t{p.words} * p.word_size);
  if (is_new)
    add(p, value);
  else
    replace(at, value);
}

void write_log::take_back(const mark& m) noexcept {
  for (; replaced_.size() > m.replaced; replaced_.pop_back())
    entries_[replaced_.back().entry].value = replaced_.back().value;
  kept_ = m.kept;
  long_values_.resize(m.long_values);
  if (entries_.size() == m.entries) return;
  entries_.resize(m.entries);
  index_.clear();
  for (std::uint32_t i = 0; i < m.entries; ++i) index_.add(entries_[i].place.first_word, i);
}

void write_log::clear() noexcept {
  entries_.clear();
  long_values_.clear();
  replaced_.clear();
  kept_ = 0;
  index_.clear();
}

namespace {

/// Writes what the log has for one cell to the cell itself. A commit does so for each cell that it
/// has written, while it holds their locks.
template <class Word>
void store_words(const write_place& p, const void* words) noexcept {
  auto* to = static_cast<std::atomic<Word>*>(p.first_word);
  for (std::uint32_t i = 0; i < p.words; ++i) {
    Word w;
    std::memcpy(&w, static_cast<const char*>(words) + i * sizeof w, sizeof w);
    // Pairs with the acquire in transaction_core::read().
    to[i].store(w, std::memory_order_release);
  }
}

}  // namespace

void write_log::store_all() const noexcept {
  for (const entry& e : entries_) {
    const void* words = words_of(e);
    switch (e.place.word_size) {
      case 8:
        store_words<std::uint64_t>(e.place, words);
        break;
      case 4:
        store_words<std::uint32_t>(e.place, words);
        break;
      case 2:
        store_words<std::uint16_t>(e.place, words);
        break;
      case 1:
        store_words<std::uint8_t>(e.place, words);
        break;
      default:  // a lock alone
        break;
    }
  }
}

}  // namespace nopal::detail
