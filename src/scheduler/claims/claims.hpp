// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace nopal::detail {

class scheduler;

/// How many workers the scheduler of a runtime or a claim is to have, and how many it has. The lock
/// of claims guards all members except the last.
struct crew {
  unsigned wanted = 0;
  unsigned members = 0;  ///< Workers that are in it or on their way to it.
  /// The workers that may touch a claim, whether they are members or leaving.
  unsigned threads = 0;
  unsigned called = 0;  ///< The members that are to leave because another claim owns them.
  /// Whether a claim by place may have a worker, by index. Empty if it may have any.
  std::vector<bool> place;
  /// The number of members that are to leave, besides those that are called. Every searcher polls
  /// it.
  std::atomic<unsigned> surplus{0};
};

/// Knows which workers of a runtime are in which of its claims, and which way they go.
/// docs/async.md has the protocol and says why it holds; tests/models/claim.pml is the model.
///
/// Summed over the runtime and its claims, the workers wanted are always as many as the members,
/// and as many as there are workers. The runtime always wants at least one. A worker goes only from
/// a surplus. From a claim that has more than it wants, it goes to the runtime. From the runtime,
/// unless it is the last one there, it goes to a claim that has fewer than it wants.
///
/// A claim by place owns as many workers as it wants. A worker that is owned and elsewhere is
/// called: it goes to its owner, through the runtime.
class claims {
 public:
  /// All workers are in the runtime at first. None has started yet.
  explicit claims(scheduler& runtime);

  [[nodiscard]] scheduler& runtime() noexcept { return runtime_; }

  /// Gets workers for a new claim: at_least, or as many as are free up to at_most.
  /// \param place  whether it may have a worker, by index; empty if it may have any.
  /// \throws std::runtime_error if fewer than at_least are free.
  void open(scheduler& claim, unsigned at_least, unsigned at_most, std::vector<bool> place = {});

  /// Gets `n` more workers for a claim.
  /// \throws std::runtime_error if fewer than `n` are free.
  void grow(scheduler& claim, unsigned n);

  /// Gives `n` workers of a claim back to the runtime.
  /// \throws std::invalid_argument if none would stay.
  void shrink(scheduler& claim, unsigned n);

  /// Sends back all workers of a claim in which nothing runs, and waits for them.
  void close(scheduler& claim) noexcept;

  [[nodiscard]] unsigned wanted(const scheduler& of);

  /// Whether a claim lives.
  [[nodiscard]] bool any();

  /// Whether worker `index` is to leave where it is, whatever the surplus there.
  [[nodiscard]] bool calls(unsigned index, std::memory_order o) const noexcept {
    return seats_[index].called.load(o);
  }

  /// Lets searcher `index` of `from` leave, if it is called or `from` has too many workers. Returns
  /// where it goes, or nullptr if it stays.
  scheduler* leave(scheduler& from, unsigned index) noexcept;

  /// Notes that a thread has left `claim`, and does not touch it any more.
  void left(scheduler& claim) noexcept;

 private:
  /// Where a worker is, and which claim by place owns it. The lock guards all but the last.
  struct seat {
    scheduler* at = nullptr;  ///< Whose member it is.
    scheduler* owner = nullptr;
    std::atomic<bool> called{false};  ///< Its worker polls this, wherever that is.
  };

  [[nodiscard]] unsigned free_at(const std::vector<bool>& place) const noexcept;
  void require_free(unsigned at_least, const std::vector<bool>& place) const;
  void want_more(scheduler& claim, unsigned at_most) noexcept;
  void want_less(scheduler& claim, unsigned n) noexcept;
  static void call(seat& s, bool called) noexcept;
  void tell_all() noexcept;
  static void tell(scheduler& of, unsigned surplus) noexcept;

  scheduler& runtime_;
  std::unique_ptr<seat[]> seats_;  ///< One for each worker, by index.
  std::mutex lock_;
  std::condition_variable left_;    ///< crew::threads of some claim has come to 0.
  std::vector<scheduler*> living_;  ///< The claims, the oldest first.
};

}  // namespace nopal::detail
