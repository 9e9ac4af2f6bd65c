// SPDX-License-Identifier: Apache-2.0
#include "algorithm/data.hpp"

namespace nopal_bench {
namespace {

constexpr std::size_t shortest = 5, lengths = 46;  // of strings: 5 to 50 characters
constexpr unsigned letter_bits = 5, letters_of_key = 13;

/// Number i of n in ascending order, different from each other.
std::uint64_t ascending(std::size_t i, std::size_t n) {
  const std::uint64_t step = ~std::uint64_t{0} / n;
  return i * step + mixed(i) % step;
}

/// Number i of n keys of so many bits.
std::uint64_t key(distribution d, std::size_t i, std::size_t n, unsigned bits) {
  const unsigned away = 64 - bits;
  switch (d) {
    case distribution::random:
      return mixed(i) >> away;
    case distribution::sorted:
      return ascending(i, n) >> away;
    case distribution::reversed:
      return ascending(n - 1 - i, n) >> away;
    case distribution::few:
      return mixed(mixed(i) % 100) >> away;
    case distribution::exponential:
      return (mixed(i) >> away) >> (mixed(i + n) % bits);
    case distribution::almost:
      return (mixed(i + n) % 100 == 0 ? mixed(i) : ascending(i, n)) >> away;
    case distribution::runs:
      return mixed((i + (mixed(i) & 1)) / 2) >> away;
  }
  return 0;
}

/// Keys in order make strings in order: those with equal first letters are equally long.
std::string text_of(std::uint64_t k) {
  std::string text(shortest + mixed(k >> (64 - shortest * letter_bits)) % lengths, 'A');
  std::uint64_t more = k;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at % letters_of_key == 0 && at != 0) more = mixed(more);
    const std::size_t digit = at % letters_of_key;
    const std::uint64_t rest = more << (digit * letter_bits);
    text[at] = static_cast<char>('A' + (rest >> (64 - letter_bits)));
  }
  return text;
}

template <class T>
T element(std::uint64_t k, std::size_t i) {
  if constexpr (std::is_same_v<T, record>) {
    return {k, i, {i, i, i, i, i, i}};
  } else if constexpr (std::is_same_v<T, key_value>) {
    return {k, mixed(i)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text_of(k);
  } else {
    return static_cast<T>(k);
  }
}

}  // namespace

template <class T>
std::vector<T> make_data(distribution d, std::size_t n) {
  std::vector<T> data;
  data.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    data.push_back(element<T>(key(d, i, n, std::is_same_v<T, std::uint32_t> ? 32 : 64), i));
  return data;
}

template std::vector<std::uint32_t> make_data(distribution, std::size_t);
template std::vector<std::uint64_t> make_data(distribution, std::size_t);
template std::vector<double> make_data(distribution, std::size_t);
template std::vector<key_value> make_data(distribution, std::size_t);
template std::vector<std::string> make_data(distribution, std::size_t);
template std::vector<record> make_data(distribution, std::size_t);

}  // namespace nopal_bench
