// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
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
  /// The number of members that are to leave. Every searcher polls it.
  std::atomic<unsigned> surplus{0};
};

/// Knows which workers of a runtime are in which of its claims, and which way they go.
/// docs/async.md has the protocol and says why it holds; tests/models/claim.pml is the model.
///
/// Summed over the runtime and its claims, the workers wanted are always as many as the members,
/// and as many as there are workers. The runtime always wants at least one. A worker goes only from
/// a surplus. From a claim that has more than it wants, it goes to the runtime. From the runtime,
/// unless it is the last one there, it goes to a claim that has fewer than it wants.
class claims {
 public:
  /// All workers are in the runtime at first. None has started yet.
  explicit claims(scheduler& runtime) noexcept;

  [[nodiscard]] scheduler& runtime() noexcept { return runtime_; }

  /// Gets workers for a new claim: at_least, or as many as are free up to at_most.
  /// \throws std::runtime_error if fewer than at_least are free.
  void open(scheduler& claim, unsigned at_least, unsigned at_most);

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

  /// Lets a searcher of `from` leave, if `from` has too many workers. Returns where it goes, or
  /// nullptr if it stays.
  scheduler* leave(scheduler& from) noexcept;

  /// Notes that a thread has left `claim`, and does not touch it any more.
  void left(scheduler& claim) noexcept;

 private:
  void require_free(unsigned at_least) const;
  void want_more(scheduler& claim, unsigned at_most) noexcept;
  [[nodiscard]] unsigned surplus(const scheduler& of) const noexcept;
  void tell(scheduler& of) noexcept;

  scheduler& runtime_;
  std::mutex lock_;
  std::condition_variable left_;    ///< crew::threads of some claim has come to 0.
  std::vector<scheduler*> living_;  ///< The claims, the oldest first.
};

}  // namespace nopal::detail
