// SPDX-License-Identifier: Apache-2.0
// The 0/1 knapsack of n items by branch and bound, as in Cilk's benchmark. A branch takes the next
// item or leaves it. It ends if what still fits would be worth no more than the best so far even if
// items could be cut. All branches share the best, so how many of them are searched depends on
// their order. There is no cutoff.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/enroll.hpp"

namespace nopal_bench {

struct knapsack_item {
  std::int64_t value;
  std::int64_t weight;
};

/// What all branches share. Accesses are relaxed: a bound that is late costs time only, and the
/// join orders the last raise before the best is read.
class knapsack_search {
 public:
  explicit knapsack_search(const knapsack_item* last) : last_(last) {}

  void restart() { best_.store(0, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t best() const { return best_.load(std::memory_order_relaxed); }

  /// Whether a branch ends here: nothing is left to choose, or nothing that could be better than
  /// the best so far.
  bool ends(const knapsack_item* first, std::int64_t room, std::int64_t value) {
    if (first == last_) {
      raise(value);
      return true;
    }
    // The items are sorted by value per weight, so no item that is left has more of it than the
    // first.
    return room * first->value <= (best() - value) * first->weight;
  }

 private:
  void raise(std::int64_t value) {
    std::int64_t seen = best();
    while (seen < value && !best_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

  const knapsack_item* last_;
  alignas(64) std::atomic<std::int64_t> best_{0};
};

struct knapsack_problem {
  static constexpr std::string_view name = "knapsack";
  static constexpr std::array sizes{problem_size{"smoke", 20}, problem_size{"quick", 28},
                                    problem_size{"paper", 32}};

  explicit knapsack_problem(std::uint64_t size)
      : items(generate(size)), search(items.data() + items.size()) {
    std::int64_t weight = 0;
    for (const auto& item : items) {
      weight += item.weight;
    }
    // The capacity is half an item more than half of the items. So the bound, which may cut items,
    // stays above what whole ones can reach.
    const auto n = static_cast<std::int64_t>(size);
    capacity = weight * (n + 1) / (2 * n);
  }

  void prepare() {
    search.restart();
    result = 0;
  }
  [[nodiscard]] std::string error() const {
    const std::uint64_t right = optimum();
    return result == right ? "" : std::to_string(result) + ", not " + std::to_string(right);
  }

  std::vector<knapsack_item> items;
  std::int64_t capacity = 0;
  knapsack_search search;
  std::uint64_t result = 0;

 private:
  // The items differ little in value and weight, so it is settled only late which of them belong
  // in.
  static std::vector<knapsack_item> generate(std::uint64_t size) {
    if (size < 1 || size > 64) {
      throw std::invalid_argument("knapsack: n is " + std::to_string(size) +
                                  ", allowed are 1 to 64");
    }
    std::mt19937 random(2);
    std::vector<knapsack_item> generated(size);
    for (auto& item : generated) {
      item.weight = 1000 + static_cast<std::int64_t>(random() % 100);
      item.value = 1000 + static_cast<std::int64_t>(random() % 100);
    }
    std::sort(generated.begin(), generated.end(),
              [](const knapsack_item& a, const knapsack_item& b) {
                return a.value * b.weight > b.value * a.weight;
              });
    return generated;
  }

  // Computes by dynamic programming the most that fits each capacity, item by item.
  [[nodiscard]] std::uint64_t optimum() const {
    std::vector<std::int64_t> most(static_cast<std::size_t>(capacity) + 1, 0);
    for (const auto& item : items) {
      for (auto c = most.size(); c-- > static_cast<std::size_t>(item.weight);) {
        most[c] = std::max(most[c], most[c - static_cast<std::size_t>(item.weight)] + item.value);
      }
    }
    return static_cast<std::uint64_t>(most.back());
  }
};

/// The kernel of all variants.
template <class Session, class F>
void run_knapsack(Session& session, knapsack_problem& p, F f) {
  session.run(f, &p.search, static_cast<const knapsack_item*>(p.items.data()), p.capacity,
              std::int64_t{0});
  p.result = static_cast<std::uint64_t>(p.search.best());
}

}  // namespace nopal_bench
