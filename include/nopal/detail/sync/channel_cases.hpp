// SPDX-License-Identifier: Apache-2.0
// What waits at a channel, and the two calls that wait for one of these alone.
#pragma once

#include <optional>
#include <utility>

#include "nopal/detail/sync/wait_case.hpp"

namespace nopal {

template <class T>
class channel;

namespace detail {

template <class T>
struct send_case;

/// One that waits for an element.
template <class T>
struct receive_case : wait_case {
  receive_case(channel<T>& c, std::optional<T>* to) noexcept
      : wait_case(c.lock_, functions), from(&c), into(to) {}

  /// What lies there from before is destroyed here, since its destructor may use the channel.
  void prepare() const noexcept { into->reset(); }
  void check() const noexcept {}

  channel<T>* from;
  std::optional<T>* into;  ///< It is empty. Whoever closes the channel leaves it so.

 private:
  static bool take(wait_case& w, taken_offers& served) noexcept {
    auto& self = static_cast<receive_case&>(w);
    channel<T>& c = *self.from;
    if (c.elements_.size() > 0) {
      self.into->emplace(std::move(c.elements_.front()));
      c.elements_.pop();
      if (send_case<T>* s = send_case<T>::next(c, served)) c.elements_.push(s->sent());
    } else if (send_case<T>* s = send_case<T>::next(c, served)) {
      self.into->emplace(s->sent());
    } else {
      return c.is_closed_;
    }
    return true;
  }
  static void list(wait_case& w) noexcept {
    auto& self = static_cast<receive_case&>(w);
    self.from->receivers_.push_back(self);
  }
  static void unlist(wait_case& w) noexcept { w.unlink(); }

  static constexpr case_functions functions{take, list, unlist};
};

/// One that waits for room, or for one that waits for an element.
template <class T>
struct send_case : wait_case {
  send_case(channel<T>& c, T&& v) noexcept : wait_case(c.lock_, functions), to(&c), given(&v) {}
  send_case(channel<T>& c, const T& v) : wait_case(c.lock_, functions), to(&c), copied(v) {}

  /// Returns the element, for whoever receives it.
  [[nodiscard]] T&& sent() noexcept {
    is_sent = true;
    return std::move(given != nullptr ? *given : *copied);
  }
  /// Takes out the one that has waited longest, or returns nullptr.
  static send_case* next(channel<T>& c, taken_offers& served) noexcept {
    offer* first = c.senders_.take();
    if (first != nullptr) served.add(*first);
    return static_cast<send_case*>(first);
  }
  /// \throws std::system_error if the channel was closed.
  void check() const {
    if (!is_sent)
      throw std::system_error(std::make_error_code(std::errc::broken_pipe),
                              "nopal::select: the nopal::channel of a sending case is closed");
  }

  channel<T>* to;
  T* given = nullptr;       ///< The element, where the sender has it,
  std::optional<T> copied;  ///< or else a copy.
  bool is_sent = false;

 private:
  static bool take(wait_case& w, taken_offers& served) noexcept {
    auto& self = static_cast<send_case&>(w);
    channel<T>& c = *self.to;
    if (c.is_closed_) return true;
    if (offer* first = c.receivers_.take()) {
      static_cast<receive_case<T>&>(*first).into->emplace(self.sent());
      served.add(*first);
    } else if (!c.elements_.is_full()) {
      c.elements_.push(self.sent());
    } else {
      return false;
    }
    return true;
  }
  static void list(wait_case& w) noexcept {
    auto& self = static_cast<send_case&>(w);
    self.to->senders_.push_back(self);
  }
  static void unlist(wait_case& w) noexcept { w.unlink(); }

  static constexpr case_functions functions{take, list, unlist};
};

/// What the operations of one case share.
template <class Case>
class one_case {
 public:
  template <class... A>
  explicit one_case(A&&... a) : case_(std::forward<A>(a)...) {}

  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = true;  // take() is no cheaper than begin()

  bool take() noexcept { return detail::take(case_); }
  bool begin(decision& d, bool /*for_task*/) noexcept { return take_or_list(case_, d); }
  bool end(unsigned number) noexcept {
    if (decision::is_limit(number)) unlist(case_);
    return true;
  }

 protected:
  Case case_;
};

template <class T>
class send_operation : public one_case<send_case<T>> {
 public:
  using result = bool;
  static constexpr const char* name = "nopal::channel: send";
  static constexpr const char* waits_for = "room in the nopal::channel";

  using one_case<send_case<T>>::one_case;
  bool try_to() noexcept { return this->take() && value(); }
  bool value() const noexcept { return this->case_.is_sent; }
  [[nodiscard]] const void* object() const noexcept { return this->case_.to; }
};

template <class T>
class receive_operation : public one_case<receive_case<T>> {
 public:
  using result = std::optional<T>;
  static constexpr const char* name = "nopal::channel: receive";
  static constexpr const char* waits_for = "an element of the nopal::channel";

  explicit receive_operation(channel<T>& c) noexcept : one_case<receive_case<T>>(c, nullptr) {}
  bool take() noexcept { return into_own().one_case<receive_case<T>>::take(); }
  bool begin(decision& d, bool for_task) noexcept {
    return into_own().one_case<receive_case<T>>::begin(d, for_task);
  }
  std::optional<T> value() noexcept { return std::move(received_); }
  [[nodiscard]] const void* object() const noexcept { return this->case_.from; }

 private:
  /// The operation may have been moved before it began.
  receive_operation& into_own() noexcept {
    this->case_.into = &received_;
    return *this;
  }

  std::optional<T> received_;
};

}  // namespace detail
}  // namespace nopal
