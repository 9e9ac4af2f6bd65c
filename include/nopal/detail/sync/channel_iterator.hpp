// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace nopal::detail {

/// Goes over what is received from a channel, until that is closed and empty.
template <class Channel>
class channel_iterator {
 public:
  using value_type = typename Channel::value_type;
  using difference_type = std::ptrdiff_t;

  explicit channel_iterator(Channel& c) : from_(&c), element_(c.receive()) {}
  value_type& operator*() const noexcept { return *element_; }
  channel_iterator& operator++() {
    std::optional<value_type> next = from_->receive();
    element_.reset();
    if (next) element_.emplace(*std::move(next));
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const noexcept { return !element_; }

 private:
  Channel* from_;
  mutable std::optional<value_type> element_;
};

}  // namespace nopal::detail
