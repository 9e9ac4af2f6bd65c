// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"

namespace nopal::detail {

/// The place where a value is to be written, which has words of `word_size` bytes each. If it has 0
/// words, only the lock of the location gets a new version.
struct write_place {
  void* first_word;
  versioned_lock* lock;
  std::uint32_t words;
  std::uint32_t word_size;
};

/// Holds what a transaction has written, until it commits.
class write_log {
 public:
  struct entry {
    write_place place;
    std::uint64_t value;  ///< The bytes of the value, or the index in long_values_ of its words.
  };
  /// Says how far the log has come.
  struct mark {
    std::size_t entries = 0;
    std::size_t long_values = 0;
    std::size_t replaced = 0;
    std::size_t kept = 0;
  };

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] const std::vector<entry>& entries() const noexcept { return entries_; }

  /// Returns the words that were last written there, or nullptr.
  [[nodiscard]] const void* find(const void* first_word) const noexcept {
    const std::uint32_t at = index_.find(first_word);
    return at == address_index::nowhere ? nullptr : words_of(entries_[at]);
  }
  [[nodiscard]] const void* words_of(const entry& e) const noexcept {
    return is_long(e.place) ? static_cast<const void*>(&long_values_[e.value]) : &e.value;
  }

  /// \param value  the bytes of the one word, if there is one.
  /// \param is_new  whether nothing was written there yet; false if that is not known.
  /// \throws std::bad_alloc; the log is as before then.
  void write_word(const write_place& p, std::uint64_t value, bool is_new) {
    const std::uint32_t at = is_new ? address_index::nowhere : index_.find(p.first_word);
    if (at == address_index::nowhere)
      add(p, value);
    else
      replace(at, value);
  }
  /// Does what write_word() does, for a value of several words.
  void write_long(const write_place& p, const void* words);

  [[nodiscard]] mark here() const noexcept {
    return {entries_.size(), long_values_.size(), replaced_.size(), kept_};
  }
  /// Lets what is written from now on be taken back to `m`, which is here().
  void keep_before(const mark& m) noexcept { kept_ = m.entries; }
  /// Says that what was written after `m` will not be taken back to it.
  void forget(const mark& m) noexcept { kept_ = m.kept; }
  /// Takes back what was written after `m`.
  void take_back(const mark& m) noexcept;

  void clear() noexcept;
  /// Writes all values to their places.
  void store_all() const noexcept;

 private:
  struct replacement {
    std::size_t entry;
    std::uint64_t value;
  };

  /// Adds the first write to a place; replace() is for a later one. A value that lies before the
  /// innermost mark is kept by replace(), so that it can be restored.
  void add(const write_place& p, std::uint64_t value) {
    index_.make_room();
    entries_.push_back({p, value});
    index_.add(p.first_word, static_cast<std::uint32_t>(entries_.size() - 1));
  }
  void replace(std::uint32_t at, std::uint64_t value) {
    if (at < kept_) replaced_.push_back({at, entries_[at].value});
    entries_[at].value = value;
  }
  [[nodiscard]] static bool is_long(const write_place& p) noexcept { return p.words > 1; }

  std::vector<entry> entries_;
  std::vector<std::uint64_t> long_values_;
  std::vector<replacement> replaced_;  ///< Values from before a mark, to be restored.
  std::size_t kept_ = 0;  ///< Entries before this one are older than the innermost mark.
  address_index index_;
};

}  // namespace nopal::detail
