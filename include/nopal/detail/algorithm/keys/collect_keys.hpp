// SPDX-License-Identifier: Apache-2.0
// This brings elements with equal keys together, wherever they are in a range.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/keys/distribute.hpp"
#include "nopal/detail/algorithm/keys/first_places.hpp"
#include "nopal/detail/algorithm/keys/key_table.hpp"
#include "nopal/detail/algorithm/keys/keyed.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The hash of each element decides to which part it belongs, so equal keys are in the same part,
/// in the order of the range. Each part has a hash table. A part with far more elements than others
/// has a key, or some, that many elements share: it is cut into pieces with tables of their own,
/// which are then put together in order. If a sample of the range has few keys, the range itself is
/// cut into such pieces first, and what their tables hold is distributed instead of the elements.
/// Parts, pieces and the sample depend on the hashes and on the number of elements alone, and so
/// does the order in which what belongs to a key is put together.
///
/// Elements whose keys and values are small are copied to their parts; of others their numbers are.
///
/// \tparam Collect  says what is collected, by the places of elements:
///   most_in_pieces      if there are more keys, elements are distributed at once
///   number(i)           the number of element i in the range
///   kept                what is copied of an element, or void
///   keep(i)             such a copy
///   among(kept)         says the same of elements that have been kept, by their places there
///   hash(i)             the hash of the key of element i
///   begin(i)            the value of the first element with a key
///   add(value, i)       adds a further one
///   append(value, more) adds the value of all elements with that key in the next piece
///   same(entry, i)      whether the element has the key of the entry
///   same(entry, other)  whether two entries have the same key
///   result(entry)       what the whole returns for a key
///   elements_suffice    whether that is element(number), by the number of the key's first element
template <class Collect>
class key_collector {
 public:
  using value = typename Collect::value;
  using result = typename Collect::result_type;
  using entry = key_entry<value>;

  explicit key_collector(const Collect& collect) : collect_(collect) {}

  /// Returns the results for all keys of n elements, in the order in which the keys first appear.
  [[nodiscard]] std::vector<result> run(std::ptrdiff_t n) const {
    const elements_of<Collect> range{collect_};
    if (n <= most_in_part) {
      key_table<value> table;
      add_all({0, n}, range, table);
      std::vector<result> all;
      all.reserve(table.entries().size());
      for (entry& e : table.entries()) all.push_back(collect_.result(std::move(e)));
      return all;
    }
    const std::ptrdiff_t keys = estimated_keys(n);
    if (keys > std::min(Collect::most_in_pieces, n / 64)) {
      std::vector<key_table<value>> tables = of_parts(n, keys, range);
      return in_order(tables, n);
    }
    std::vector<key_table<value>> tables = of_pieces({0, n}, piece_of(n, keys), range);
    const std::vector<entry*> entries = entries_of(tables);
    const auto m = static_cast<std::ptrdiff_t>(entries.size());
    std::vector<key_table<value>> parts = of_parts(m, keys, elements_of_tables{*this, entries});
    return in_order(parts, n);
  }

 private:
  using numbers = keyed<std::uint64_t>;

  // The table of so many elements fits into a cache, and is not worth a fork.
  static constexpr std::ptrdiff_t most_in_part = 4096;
  static constexpr int most_bits = 10;

  /// The elements of the range, by their numbers, or such as have been kept, by their places.
  template <class C>
  struct elements_of {
    C collect;

    [[nodiscard]] std::uint64_t hash(std::ptrdiff_t i) const {
      return spread_hash(collect.hash(i));
    }
    void add(key_table<value>& table, std::uint64_t hash, std::ptrdiff_t i) const {
      if (entry* const e = table.find(hash, [&](const entry& at) { return collect.same(at, i); }))
        collect.add(e->value, i);
      else
        table.add({collect.number(i), hash, collect.begin(i)});
    }
  };
  /// The entries of tables that are put together, by their numbers.
  struct elements_of_tables {
    const key_collector& self;
    const std::vector<entry*>& entries;

    [[nodiscard]] std::uint64_t hash(std::ptrdiff_t i) const {
      return entries[static_cast<std::size_t>(i)]->hash;
    }
    void add(key_table<value>& table, std::uint64_t /*hash*/, std::ptrdiff_t i) const {
      self.append(table, std::move(*entries[static_cast<std::size_t>(i)]));
    }
  };

  void append(key_table<value>& table, entry&& more) const {
    if (entry* const e =
            table.find(more.hash, [&](const entry& at) { return collect_.same(at, more); }))
      collect_.append(e->value, std::move(more.value));
    else
      table.add(std::move(more));
  }

  /// Returns about how many different keys the range has, from how many a sample of it has, as if
  /// all keys were alike often. If few are very often, that is too few, and no harm: most elements
  /// have these keys. Each hash in the sample sets a bit, and these are counted.
  std::ptrdiff_t estimated_keys(std::ptrdiff_t n) const {
    constexpr int log_bits = 18;
    constexpr double bits = 1 << log_bits;
    const std::ptrdiff_t sampled = std::min<std::ptrdiff_t>(4096, n / 32);
    std::vector<std::uint64_t> words((std::size_t{1} << log_bits) / 64);
    for (std::ptrdiff_t i = 0; i < sampled; ++i) {
      const std::uint64_t bit = spread_hash(collect_.hash(n / sampled * i)) >> (64 - log_bits);
      words[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    std::ptrdiff_t set = 0;
    for (const std::uint64_t w : words) set += std::popcount(w);
    // Different hashes may share a bit.
    const double different = -bits * std::log1p(-static_cast<double>(set) / bits);
    // Returns how many different keys a sample is expected to have if there are so many.
    const auto expected = [=](std::ptrdiff_t keys) {
      const auto k = static_cast<double>(keys);
      return k * -std::expm1(-static_cast<double>(sampled) / k);
    };
    const double least = different - static_cast<double>(sampled) / 512;  // less is chance
    std::ptrdiff_t keys = std::max<std::ptrdiff_t>(set, 1);
    while (keys < n && expected(keys) < least) keys += keys / 8 + 1;
    return std::min(keys, n);
  }
  /// Returns the length of pieces of the range: many times the number of keys, so that tables of
  /// pieces are short compared with the pieces, but eight pieces at least, to be shared out.
  static std::ptrdiff_t piece_of(std::ptrdiff_t n, std::ptrdiff_t keys) {
    return std::max(most_in_part, std::min(n / 8, std::max(n / 128, 32 * keys)));
  }

  /// \param all  a copy, which no store to a table can change.
  template <class Elements>
  static void add_all(part p, const Elements all, key_table<value>& table) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i) all.add(table, all.hash(i), i);
  }

  template <class Elements>
  std::vector<key_table<value>> of_parts(std::ptrdiff_t n, std::ptrdiff_t keys,
                                         const Elements& all) const {
    const int bits = std::min(
        most_bits, static_cast<int>(std::bit_width(static_cast<std::size_t>(n / most_in_part))));
    const std::size_t parts = std::size_t{1} << bits;
    std::vector<key_table<value>> tables(parts);
    if (parts == 1) {
      add_all({0, n}, all, tables[0]);
      return tables;
    }
    bucket_offsets offsets(n, parts, distribution_grain(n));
    const auto collect_parts = [&](const auto& by_place) {
      const std::ptrdiff_t longest = std::max(most_in_part, 8 * (n >> bits));
      const auto expected = static_cast<std::size_t>(keys + keys / 8) >> bits;
      for_each_block({0, static_cast<std::ptrdiff_t>(parts)}, 1, [&](part p) {
        for (auto i = static_cast<std::size_t>(p.from); i < static_cast<std::size_t>(p.to); ++i) {
          const part elements{offsets.begin(i), offsets.end(i)};
          tables[i].reserve(std::min(expected, static_cast<std::size_t>(elements.size())));
          collect(elements, longest, by_place, tables[i]);
          tables[i].close();
        }
      });
    };
    if constexpr (keeps<Elements>) {
      const raw_buffer<typename Collect::kept> buffer(n);
      distribute_kept(bits, all, buffer.data(), offsets);
      const auto kept = all.collect.among(buffer.data());
      collect_parts(elements_of<std::remove_const_t<decltype(kept)>>{kept});
    } else {
      const raw_buffer<numbers> buffer(n);
      distribute(n, bits, all, buffer.data(), offsets);
      collect_parts(elements_of_part<Elements>{all, buffer.data()});
    }
    return tables;
  }

  /// Whether such elements are copied to their parts.
  template <class Elements>
  static constexpr bool keeps =
      std::same_as<Elements, elements_of<Collect>> && !std::is_void_v<typename Collect::kept>;

  /// The elements of a part, by their places in it.
  template <class Elements>
  struct elements_of_part {
    const Elements& all;
    const numbers* sorted;

    [[nodiscard]] std::uint64_t hash(std::ptrdiff_t i) const { return sorted[i].key; }
    void add(key_table<value>& table, std::uint64_t hash, std::ptrdiff_t i) const {
      all.add(table, hash, static_cast<std::ptrdiff_t>(sorted[i].at));
    }
  };

  template <class Elements>
  static void distribute(std::ptrdiff_t n, int bits, const Elements& all, numbers* sorted,
                         bucket_offsets& offsets) {
    const raw_buffer<numbers> buffer(n);
    numbers* const noted = buffer.data();
    note_keys(noted, n, [&](std::ptrdiff_t i) { return all.hash(i); });
    const auto part_of = [=](std::ptrdiff_t i) {
      return static_cast<std::size_t>(noted[i].key >> (64 - bits));
    };
    offsets.count(part_of);
    offsets.write(part_of, [=](std::ptrdiff_t i, std::ptrdiff_t to) { sorted[to] = noted[i]; });
  }

  template <class Elements, class Kept>
  static void distribute_kept(int bits, const Elements& all, Kept* sorted,
                              bucket_offsets& offsets) {
    const auto part_of = [=](std::ptrdiff_t i) {
      return static_cast<std::size_t>(all.hash(i) >> (64 - bits));
    };
    offsets.count(part_of);
    offsets.write(part_of, [=](std::ptrdiff_t i, std::ptrdiff_t to) {
      std::construct_at(sorted + to, all.collect.keep(i));
    });
  }

  template <class Elements>
  void collect(part p, std::ptrdiff_t longest, const Elements& all, key_table<value>& table) const {
    if (p.size() > longest) {
      std::vector<key_table<value>> pieces = of_pieces(p, longest / 2, all);
      for (key_table<value>& piece : pieces)
        for (entry& more : piece.entries()) append(table, std::move(more));
    } else {
      add_all(p, all, table);
    }
  }

  template <class Elements>
  static std::vector<key_table<value>> of_pieces(part p, std::ptrdiff_t length,
                                                 const Elements& all) {
    const std::ptrdiff_t pieces = (p.size() - 1) / length + 1;
    std::vector<key_table<value>> tables(static_cast<std::size_t>(pieces));
    for_each_block({0, pieces}, 1, [&](part some) {
      for (std::ptrdiff_t piece = some.from; piece < some.to; ++piece) {
        const std::ptrdiff_t from = p.from + piece * length;
        key_table<value>& table = tables[static_cast<std::size_t>(piece)];
        add_all({from, std::min(p.to, from + length)}, all, table);
        table.close();
      }
    });
    return tables;
  }

  static std::vector<entry*> entries_of(std::vector<key_table<value>>& tables) {
    std::vector<entry*> entries;
    for (key_table<value>& t : tables)
      for (entry& e : t.entries()) entries.push_back(&e);
    return entries;
  }

  /// Returns the results of all tables, of n elements.
  std::vector<result> in_order(std::vector<key_table<value>>& tables, std::ptrdiff_t n) const {
    std::size_t keys = 0;
    for (key_table<value>& t : tables) keys += t.entries().size();
    return keys < static_cast<std::size_t>(n / 16) ? sorted(tables, keys)
                                                   : at_places(tables, keys, n);
  }

  static constexpr bool assigned = std::default_initializable<result> &&
                                   std::assignable_from<result&, result> &&
                                   !std::same_as<result, bool>;

  /// Does so for few keys.
  std::vector<result> sorted(std::vector<key_table<value>>& tables, std::size_t keys) const {
    const std::vector<entry*> entries = entries_of(tables);
    const auto n = static_cast<std::ptrdiff_t>(keys);
    const raw_buffer<keyed<std::size_t>> order(n);
    note_keys(order.data(), n,
              [&](std::ptrdiff_t i) { return entries[static_cast<std::size_t>(i)]->first; });
    sort_keyed(order.data(), n);
    return results(keys, [&](std::ptrdiff_t i) -> entry& { return *entries[order.data()[i].at]; });
  }

  /// Does so for many keys.
  std::vector<result> at_places(std::vector<key_table<value>>& tables, std::size_t keys,
                                std::ptrdiff_t n) const {
    first_places places(n);
    for_each_entry(tables, [&](entry& e) { places.put(e.first); });
    places.count();
    if constexpr (assigned) {
      std::vector<result> all(keys);
      if constexpr (Collect::elements_suffice)
        places.for_each_in_order(
            [&](std::size_t number, std::size_t place) { all[place] = collect_.element(number); });
      else
        for_each_entry(tables, [&](entry& e) {
          const std::size_t place = places.before(e.first);
          all[place] = collect_.result(std::move(e));
        });
      return all;
    } else {
      const raw_buffer<entry*> order(static_cast<std::ptrdiff_t>(keys));
      for_each_entry(tables, [&](entry& e) { order.data()[places.before(e.first)] = &e; });
      return results(keys, [&](std::ptrdiff_t i) -> entry& { return *order.data()[i]; });
    }
  }

  template <class F>
  static void for_each_entry(std::vector<key_table<value>>& tables, const F& f) {
    for_each_block({0, static_cast<std::ptrdiff_t>(tables.size())}, 1, [&](part p) {
      for (std::ptrdiff_t t = p.from; t < p.to; ++t)
        for (entry& e : tables[static_cast<std::size_t>(t)].entries()) f(e);
    });
  }

  /// Returns the results of entries, by their places.
  template <class EntryAt>
  std::vector<result> results(std::size_t keys, const EntryAt& entry_at) const {
    const auto n = static_cast<std::ptrdiff_t>(keys);
    std::vector<result> all;
    if constexpr (assigned) {
      all.resize(keys);
      for_each_block({0, n}, 0, [&](part p) {
        for (std::ptrdiff_t i = p.from; i < p.to; ++i)
          all[static_cast<std::size_t>(i)] = collect_.result(std::move(entry_at(i)));
      });
    } else {
      all.reserve(keys);
      for (std::ptrdiff_t i = 0; i < n; ++i) all.push_back(collect_.result(std::move(entry_at(i))));
    }
    return all;
  }

  const Collect& collect_;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
