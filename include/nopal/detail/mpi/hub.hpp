// SPDX-License-Identifier: Apache-2.0
// What the ranks say to each other while they share work: docs/mpi.md has the protocol.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "nopal/async/countdown.hpp"
#include "nopal/async/task_scope.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/statistics.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::bytes;

/// What has become of a piece of work, or of an operation: its result, or what went wrong.
struct outcome {
  bool failed = false;
  bytes data;  ///< The result, or a text.

  static outcome of_failure(const std::string& what);
  [[nodiscard]] std::string text() const;
};

/// A piece of work that one rank has given to another.
struct piece {
  int home;          ///< The rank that waits for its outcome.
  std::uint64_t id;  ///< Under which that rank knows it.
  bytes node;
};

/// The children of one node that other ranks run. The strand of the node waits for them.
class given_children {
 public:
  explicit given_children(std::size_t nodes) : outcomes_(nodes) {}

  /// Notes that a child is given away. The node's strand, or one below it, calls this.
  void expect() noexcept { arrivals_.add(); }
  void arrive(std::size_t child, outcome o);
  /// Returns what has become of the children, once all have arrived.
  /// \throws nopal::stopped
  std::vector<std::optional<outcome>>& wait();

 private:
  countdown arrivals_;
  std::mutex mutex_;
  std::vector<std::optional<outcome>> outcomes_;
};

/// A rank that asks gets no further piece when it has so many bytes.
inline constexpr std::size_t enough_for_one = std::size_t{64} << 20;

/// A rank that asks for work.
struct request {
  int from;
  std::uint64_t operation;
};

/// The long nodes that strands of this rank run. While one is run, the thread that receives letters
/// may give away what is left in the frames above it, which live as long.
class long_nodes {
 public:
  class entry {
   public:
    /// \param give  answers a rank that asks, if there is something to give, and says so.
    entry(long_nodes& all, std::function<bool(const request&)> give);
    ~entry();
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

   private:
    friend long_nodes;
    long_nodes& all_;
    std::function<bool(const request&)> give_;
  };

  /// Answers a rank that asks, if there is something to give, and says so.
  bool give(const request& r);

 private:
  std::mutex mutex_;
  std::vector<entry*> entries_;
};

/// A collective operation, as a rank takes part in it.
class operation {
 public:
  operation() = default;
  virtual ~operation() = default;
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  /// Whether its strands can leave the work, to go on later.
  [[nodiscard]] virtual bool can_pause() const noexcept = 0;
  /// Runs a piece that has come from another rank.
  virtual bytes run_piece(const bytes& node) = 0;

  /// Stops what runs here of the operation, because of this. The first cause counts.
  void fail(const std::string& cause);
  /// The first cause; empty if there is none.
  [[nodiscard]] std::string cause() const;
  [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }
  /// Shared, since a letter may come when the operation ends.
  [[nodiscard]] const std::shared_ptr<long_nodes>& nodes() const noexcept { return nodes_; }

 private:
  std::shared_ptr<long_nodes> nodes_ = std::make_shared<long_nodes>();
  mutable std::mutex mutex_;
  std::string cause_;
  std::stop_source stop_;
};

class saving;
struct sharing;
class channel_end;

/// The part of a rank in what all ranks do together. One thread of it makes all calls of MPI.
class hub {
 public:
  /// Collective.
  hub(int* argc, char*** argv, std::chrono::milliseconds patience);
  /// Collective.
  ~hub();
  /// Ends the run of all ranks.
  [[noreturn]] void abort() noexcept;
  hub(const hub&) = delete;
  hub& operator=(const hub&) = delete;

  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] nopal::mpi::statistics counts() const;

  /// Collective: runs `root` on rank 0, and pieces of the work on all ranks. Returns what has
  /// become of the operation, on all ranks.
  outcome run(operation& op, const std::function<bytes()>& root);

  /// Collective: returns when all ranks have come here.
  void barrier();

  /// Has rank 0 pause all ranks from time to time, and write what is left of the work.
  void save_every(std::chrono::milliseconds period, const std::filesystem::path& file);
  /// What is saved; null if nothing is to be.
  [[nodiscard]] saving* saved() noexcept;
  /// Writes what is kept, if it is time to.
  void save_if_due();

  /// Whether strands that run nodes are to do something else first: a rank waits for work of this
  /// one, or all ranks pause. They ask this often.
  [[nodiscard]] bool is_called() const noexcept {
    return calls_for_.load(std::memory_order_relaxed) != 0;
  }
  /// Whether strands are to leave the nodes that they have not begun.
  [[nodiscard]] bool is_paused() const noexcept {
    return (calls_for_.load(std::memory_order_relaxed) & pause) != 0;
  }
  /// To be called before a strand that runs a node waits: another strand then runs what comes.
  void before_wait();
  /// Takes a request, which is then to be answered. Another strand may have been faster.
  std::optional<request> take_request();
  /// Sends pieces to the rank that asked, or says that there are none.
  void answer(const request& r, std::vector<piece> pieces);
  /// Returns the number under which another rank sends the outcome of a child.
  std::uint64_t expect(std::shared_ptr<given_children> of, std::size_t child);

  /// \param call  is named in the message.
  /// \throws std::out_of_range if there is no such rank.
  void check_rank(int rank, const char* call) const;
  /// Has a rank call a function, and returns what becomes of the call. The strand waits.
  outcome call(int rank, std::uint64_t function, bytes arguments);
  /// Where calls are waited for.
  task_scope& calls() noexcept;
  /// Makes this rank's end of a channel. All ranks make theirs, in the same order.
  /// \throws std::out_of_range if there is no such rank, std::invalid_argument without capacity.
  std::shared_ptr<channel_end> open_channel(int receiver, std::size_t capacity);

 private:
  friend sharing;

  static constexpr int pause = 1 << 30;

  std::unique_ptr<sharing> state_;
  std::atomic<int> calls_for_{0};  ///< How many ranks wait for work, and `pause`.
};

}  // namespace nopal::detail::mpi
