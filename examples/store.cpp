// SPDX-License-Identifier: Apache-2.0
// A key-value store with transactions over several keys: threads that are no workers, and strands
// of a runtime, move articles between shelves and swap what two keys hold. A key is a string; a
// value is a string as well, kept in a box that never changes. Usage: store [operations]
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nopal/nopal.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stm = nopal::stm;

class store {
 public:
  explicit store(std::size_t keys) : values_(keys) {}
  ~store() {
    stm::atomically([&](stm::transaction& t) {
      values_.for_each(t, [&](const std::string&, const std::string* v) { t.destroy(v); });
    });
  }

  std::optional<std::string> get(stm::transaction& t, const std::string& key) const {
    const auto v = values_.find(t, key);
    if (!v) return std::nullopt;
    return **v;
  }
  void put(stm::transaction& t, const std::string& key, const std::string& value) {
    const auto before = values_.find(t, key);
    values_.set(t, key, t.make<std::string>(value));
    if (before) t.destroy(*before);
  }
  bool erase(stm::transaction& t, const std::string& key) {
    if (const auto before = values_.find(t, key)) t.destroy(*before);
    return values_.erase(t, key);
  }
  /// What a and b hold changes places; if one of them holds nothing, the other's value moves.
  void swap(stm::transaction& t, const std::string& a, const std::string& b) {
    const auto x = values_.find(t, a), y = values_.find(t, b);
    if (y)
      values_.set(t, a, *y);
    else
      values_.erase(t, a);
    if (x)
      values_.set(t, b, *x);
    else
      values_.erase(t, b);
  }
  std::map<std::string, std::string> all(stm::transaction& t) const {
    std::map<std::string, std::string> copy;
    values_.for_each(t, [&](const std::string& k, const std::string* v) { copy[k] = *v; });
    return copy;
  }

 private:
  stm::hash_map<std::string, const std::string*> values_;
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
