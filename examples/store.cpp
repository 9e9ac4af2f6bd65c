// SPDX-License-Identifier: Apache-2.0
// A key-value store with transactions over several keys: threads that are no workers, and strands
// of a runtime, move articles between shelves and swap what two keys hold. Keys and values are
// strings. Usage: store [operations]
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nopal/nopal.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace stm = nopal::stm;

class store {
 public:
  explicit store(std::size_t keys) : values_(keys) {}

  std::optional<std::string> get(stm::transaction& t, std::string_view key) const {
    return values_.find(t, key);
  }
  void put(stm::transaction& t, std::string_view key, const std::string& value) {
    values_.set(t, key, value);
  }
  bool erase(stm::transaction& t, std::string_view key) { return values_.erase(t, key); }
  /// What a and b hold changes places; if one of them holds nothing, the other's value moves.
  void swap(stm::transaction& t, std::string_view a, std::string_view b) {
    const auto x = get(t, a), y = get(t, b);
    put_or_erase(t, a, y);
    put_or_erase(t, b, x);
  }
  std::map<std::string, std::string> all(stm::transaction& t) const {
    std::map<std::string, std::string> copy;
    values_.for_each(t, [&](const std::string& k, const std::string& v) { copy[k] = v; });
    return copy;
  }

 private:
  void put_or_erase(stm::transaction& t, std::string_view key,
                    const std::optional<std::string>& value) {
    if (value)
      put(t, key, *value);
    else
      erase(t, key);
  }

  stm::hash_map<std::string, std::string> values_;
};

std::string shelf(std::size_t i) { return "shelf " + std::to_string(i); }
std::string article(std::size_t i) {
  return "an article of which the name is long, number " + std::to_string(i);
}

int main(int argc, char** argv) {
  const auto operations = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 20'000);
  constexpr std::size_t shelves = 100, articles = 50;
  store s(shelves);
  stm::atomically([&](stm::transaction& t) {
    for (std::size_t i = 0; i < articles; ++i) s.put(t, shelf(i), article(i));
  });

  const auto swap_some = [&](std::size_t i) {
    const std::string a = shelf(i * 7919 % shelves), b = shelf(i * 104729 % shelves);
    if (a == b) return;
    stm::atomically([&](stm::transaction& t) { s.swap(t, a, b); });
  };
  {
    std::jthread no_worker([&] {
      for (std::size_t i = 0; i < operations / 2; ++i) swap_some(i);
    });
    nopal::for_each(operations / 2, operations, swap_some);
  }

  // Each article is on one shelf, whoever has moved it.
  std::map<std::string, int> times;
  const auto all = stm::atomically([&](stm::transaction& t) { return s.all(t); });
  for (const auto& [key, value] : all) ++times[value];
  bool right = all.size() == articles && times.size() == articles;
  right = right && stm::atomically([&](stm::transaction& t) {
            const std::string key = all.begin()->first;
            return s.get(t, key).has_value() && s.erase(t, key) && !s.get(t, key).has_value();
          });
  std::cout << all.size() << " articles on " << shelves << " shelves"
            << (right ? "" : ", which is WRONG") << '\n';
  return right ? 0 : 1;
}
