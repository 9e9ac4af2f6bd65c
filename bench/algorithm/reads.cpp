// SPDX-License-Identifier: Apache-2.0
#include "algorithm/reads.hpp"

namespace nopal_bench {

template <class T>
reading<T>::reading(distribution d, std::size_t n)
    : elements_(d, n), found_(calls()), right_(calls()) {}

template <class T>
void reading<T>::prepare() {
  found_.assign(calls(), 0);
}

template <class T>
std::string reading<T>::error() const {
  for (std::size_t i = 0; i < calls(); ++i)
    if (found_[i] != right_[i])
      return std::to_string(found_[i]) + " and not " + std::to_string(right_[i]);
  return {};
}

template <class T>
std::uint64_t reading<T>::result() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t x : found_) sum += mixed(x);
  return sum;
}

template class reading<std::uint64_t>;
template class reading<double>;

searching::searching(distribution d, std::size_t n, std::size_t place) : reading(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) {
    right_[i] = place;
    if (place < n) elements_.now(i)[place] = pred.value;
  }
}

minimum::minimum(distribution d, std::size_t n) : reading(d, n) {
  for (std::size_t i = 0; i < calls(); ++i) {
    const auto elements = elements_.made(i);
    for (std::size_t at = 0; at < n; ++at)
      if (elements[at] < elements[right_[i]]) right_[i] = at;
  }
}

sum_of_squares::sum_of_squares(distribution d, std::size_t n) : reading(d, n) {
  for (std::size_t i = 0; i < calls(); ++i)
    for (double& x : elements_.now(i)) {
      const auto whole = static_cast<std::uint64_t>(x * 0x1p-54);
      x = static_cast<double>(whole);
      right_[i] += whole * whole;
    }
}

std::string running_sums::error() const {
  for (std::size_t i = 0; i < calls(); ++i) {
    std::uint64_t sum = 0;
    const auto sums = elements_.now(i);
    for (std::size_t at = 0; at < sums.size(); ++at)
      if (sums[at] != (sum += elements_.made(i)[at])) return "a sum is wrong";
  }
  return {};
}

std::uint64_t running_sums::result() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < calls(); ++i) sum += checksum(elements_.now(i));
  return sum;
}

}  // namespace nopal_bench
