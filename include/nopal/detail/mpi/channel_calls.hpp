// SPDX-License-Identifier: Apache-2.0
// The two calls of a channel between ranks. What they wait for lies on the rank of the caller:
// credits, or elements that have come.
#pragma once

#include <cstdint>
#include <optional>

#include "nopal/detail/mpi/channel_end.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/sync/channel_cases.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/decision.hpp"
#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

/// Returns an element as bytes behind the number of its channel.
template <class T>
bytes letter_of(std::uint64_t number, const void* element) {
  static_assert(nopal::mpi::is_archivable<T>,
                "nopal::mpi::channel: an element is sent to another rank, so it must be trivially "
                "copyable and no pointer, a standard container, or have a member function template "
                "serialize(archive)");
  nopal::mpi::output_archive out;
  if constexpr (nopal::mpi::is_archivable<T>) out(number, *static_cast<const T*>(element));
  return out.take();
}

using make_letter = bytes (*)(std::uint64_t number, const void* element);

/// Waits for a credit, and then sends the caller's element.
class send_to_rank {
 public:
  using result = bool;
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = false;
  static constexpr const char* name = "nopal::mpi::channel: send";
  static constexpr const char* waits_for = "room in the nopal::mpi::channel";

  /// \param letter  makes the letter of the element.
  /// \param element  lives until the end of the expression with the call.
  send_to_rank(channel_end& e, make_letter letter, const void* element) noexcept
      : end_(&e), letter_(letter), element_(element), credit_(&e.credits()) {}

  bool take() noexcept { return credit_.take(); }
  bool begin(decision& d, bool for_task) noexcept { return credit_.begin(d, for_task); }
  bool end(unsigned number) noexcept { return credit_.end(number); }
  bool value();
  [[nodiscard]] const void* object() const noexcept { return end_; }

 private:
  channel_end* end_;
  make_letter letter_;
  const void* element_;
  list_operation<object_event<semaphore>> credit_;
};

/// Waits for an element that has come.
template <class T>
class receive_from_ranks {
 public:
  using result = std::optional<T>;
  static constexpr bool is_interruptible = true;
  static constexpr bool begins_at_once = true;
  static constexpr const char* name = "nopal::mpi::channel: receive";
  static constexpr const char* waits_for = "an element of the nopal::mpi::channel";

  /// \throws std::logic_error if this rank does not receive.
  explicit receive_from_ranks(channel_end& e) : end_(&e), letter_(e.elements("receive")) {}

  bool take() noexcept { return letter_.take(); }
  bool begin(decision& d, bool for_task) noexcept { return letter_.begin(d, for_task); }
  bool end(unsigned number) noexcept { return letter_.end(number); }
  // It may throw, so it is not inlined: see held_exception.hpp.
  NOPAL_NOINLINE std::optional<T> value() {
    const std::optional<sent_element> got = letter_.value();
    if (!got) return {};
    end_->note_received(got->from);
    nopal::mpi::input_archive in(got->letter);
    static_cast<void>(in.next<std::uint64_t>());
    return in.next<T>();
  }
  [[nodiscard]] const void* object() const noexcept { return end_; }

 private:
  channel_end* end_;
  receive_operation<sent_element> letter_;
};

}  // namespace nopal::detail::mpi
