// SPDX-License-Identifier: Apache-2.0
// These policies say where the locks of shared values lie, and how a transaction keeps what it has
// read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/stm/lock_parts.hpp"
#include "nopal/detail/stm/read_log.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"

namespace nopal::stm {

/// The lock of an object lies in it, one for all its fields. A field costs no cache line for its
/// lock, and an object of which several fields are read is one entry of the read-set.
/// \code
/// struct point : nopal::stm::object<nopal::stm::inline_lock> {
///   nopal::stm::field<int, nopal::stm::inline_lock> x, y;
/// };
/// \endcode
/// Source: Gidron 2012, section 2.4.2; McRT-STM.
struct inline_lock {
  struct in_object : detail::one_lock {};
  struct in_field : detail::no_lock {};
  static detail::versioned_lock& lock_of(const in_object& o, const in_field&,
                                         const void*) noexcept {
    return o.lock;
  }
  static detail::versioned_lock* lock_of_all(const in_object& o) noexcept { return &o.lock; }
};

/// A lock lies beside each field.
/// \code
/// nopal::stm::array<int, nopal::stm::word_lock> counters(100);
/// \endcode
struct word_lock {
  struct in_object : detail::no_lock {};
  struct in_field : detail::one_lock {};
  static detail::versioned_lock& lock_of(const in_object&, const in_field& f,
                                         const void*) noexcept {
    return f.lock;
  }
  static detail::versioned_lock* lock_of_all(const in_object&) noexcept { return nullptr; }
};

/// The locks lie in a table: 2^Bits of them, chosen by the address of the word, without its lowest
/// Shift bits. Locations that share a lock conflict for no reason. This policy is for large objects
/// and arrays.
/// \code
/// nopal::stm::array<int, nopal::stm::lock_table<16, 6>> counters(100);
/// \endcode
/// Source: TL2, Dice, Shalev and Shavit, DISC 2006.
template <unsigned Bits, unsigned Shift>
struct lock_table {
  static_assert(Bits > 0 && Bits <= 28 && Shift < 32);

  struct in_object : detail::no_lock {};
  struct in_field : detail::no_lock {};
  static detail::versioned_lock& lock_of(const in_object&, const in_field&,
                                         const void* address) noexcept {
    constexpr std::uintptr_t mask = (std::uintptr_t{1} << Bits) - 1;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) >> Shift & mask;
    return *reinterpret_cast<detail::versioned_lock*>(&locks[at * sizeof(detail::versioned_lock)]);
  }
  static detail::versioned_lock* lock_of_all(const in_object&) noexcept { return nullptr; }

 private:
  // The locks are bytes here: clang++ would call the constructor of each lock while it compiles,
  // and give up. A lock of zeros is free and has version 0.
  alignas(detail::cache_line) static inline constinit std::array<
      std::byte, sizeof(detail::versioned_lock) << Bits> locks{};
};

/// The read-set is an array. A lock that is read again after another lock is in it again.
/// \code
/// int x = nopal::stm::atomically<nopal::stm::array_reads>(
///     [](nopal::stm::basic_transaction<nopal::stm::array_reads>&) { return 1; });
/// \endcode
/// Source: TL2, Dice, Shalev and Shavit, DISC 2006.
struct array_reads {
  NOPAL_ALWAYS_INLINE static void add(detail::read_log& to, const detail::versioned_lock& lock) {
    to.add(lock);
  }
};

/// The read-set is a hash set, in which each lock is once. It is emptied in constant time.
/// \code
/// int x = nopal::stm::atomically<nopal::stm::hash_reads>(
///     [](nopal::stm::basic_transaction<nopal::stm::hash_reads>&) { return 1; });
/// \endcode
/// Source: Gidron 2012, section 2.4.2, where emptying it takes linear time.
struct hash_reads {
  static void add(detail::read_log& to, const detail::versioned_lock& lock) { to.add_once(lock); }
};

// These two macros, if defined in all sources of a program, change the default policies.
#ifdef NOPAL_STM_LOCKS
using default_locks = NOPAL_STM_LOCKS;
#else
using default_locks = inline_lock;
#endif
#ifdef NOPAL_STM_READS
using default_reads = NOPAL_STM_READS;
#else
using default_reads = array_reads;
#endif
/// The default policy of the locks of an stm::array.
using default_table = lock_table<20, 3>;

}  // namespace nopal::stm
