// SPDX-License-Identifier: Apache-2.0
// What a rank knows of the work that ranks share, and what it does when a letter comes. docs/mpi.md
// has the protocol and its argument.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "mpi/channels.hpp"
#include "mpi/post.hpp"
#include "mpi/victims.hpp"
#include "nopal/async/countdown.hpp"
#include "nopal/async/task_scope.hpp"
#include "nopal/detail/mpi/hub.hpp"
#include "nopal/detail/mpi/saving.hpp"
#include "nopal/mpi/archive.hpp"
#include "nopal/mpi/error.hpp"
#include "nopal/mpi/statistics.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::input_archive;
using nopal::mpi::output_archive;
using clock = std::chrono::steady_clock;

/// What a letter may have beside its head.
constexpr std::size_t most_bytes = 2'000'000'000;

/// Does work that may throw, and returns what has become of it.
/// \param rank  named in the text, unless the failure has come from another rank.
/// \param op  the operation that the work is a part of, or null.
template <class F>
outcome outcome_of(int rank, const operation* op, const F& f) {
  const auto failed = [rank](const std::string& what) {
    return outcome::of_failure("rank " + std::to_string(rank) + ": " + what);
  };
  try {
    bytes data = f();
    if (data.size() > most_bytes)
      return failed("a result of " + std::to_string(data.size()) + " bytes; at most " +
                    std::to_string(most_bytes) + " can be sent to another rank");
    return {false, std::move(data)};
  } catch (const nopal::stopped& e) {
    const std::string cause = op != nullptr ? op->cause() : std::string();
    return cause.empty() ? failed(e.what()) : outcome::of_failure(cause);
  } catch (const nopal::mpi::error& e) {
    return outcome::of_failure(e.what());
  } catch (const std::exception& e) {
    return failed(e.what());
  } catch (...) {
    return failed("an exception that is no std::exception");
  }
}

/// A strand that waits for a piece.
struct seeker {
  countdown done{1};
  std::optional<piece> got;
};

/// A strand that waits for the end of a call.
struct caller {
  countdown done{1};
  outcome result;
};

struct sharing {
  struct asker {
    request from;
    clock::time_point since;
  };
  struct expected_child {
    std::shared_ptr<given_children> of;
    std::size_t child;
    std::uint64_t operation;
  };

  struct replies_to_one {
    int number = 0;
    output_archive letter;
  };

  explicit sharing(hub& h) : self(h) {}

  hub& self;
  std::mutex mutex;
  std::uint64_t number = 0;  ///< The operation's, counted from 1.
  operation* op = nullptr;   ///< Null between operations.
  std::size_t workers = 0;   ///< Of the runtime that takes part in it.
  std::map<std::uint64_t, outcome>
      ends;                       ///< How operations ended that this rank is still to leave.
  int running = 0;                ///< Strands that run nodes.
  std::deque<piece> stash;        ///< Pieces that have come and nobody runs yet.
  task_scope* feeders = nullptr;  ///< Null between operations.
  std::map<int, replies_to_one> replies;  ///< Not sent yet, by rank.
  std::deque<seeker*> seekers;
  int requests = 0;  ///< Not answered yet.
  std::deque<asker> askers;
  int denials = 0;  ///< How many have come in a row.
  clock::time_point not_before;
  std::map<std::uint64_t, expected_child> expected;
  std::map<std::uint64_t, std::shared_ptr<caller>> callers;
  std::map<std::uint64_t, std::shared_ptr<countdown>> barriers;  ///< On rank 0.
  std::uint64_t next_number = 0;
  std::uint64_t paused = 0;       ///< The last operation that was to pause.
  std::unique_ptr<saving> saved;  ///< On rank 0, if work is to be saved.
  std::chrono::milliseconds save_period{};
  clock::time_point save_at = clock::time_point::max();
  bool is_save_due = false;
  std::optional<victims> others;
  nopal::mpi::statistics counts;

  task_scope calls;
  std::unique_ptr<post> mail;
  std::shared_ptr<channels> all_channels;

  // These are called while `mutex` is held.
  [[nodiscard]] bool has_ended() const { return ends.contains(number); }
  /// Asks other ranks for as many pieces as strands wait.
  void ask();
  /// Gives pieces that have come to strands that wait for some.
  void hand_out();
  /// Sends what has become of pieces.
  void send_replies();
  void deny(const request& r);
  void send_pieces(const request& r, const std::vector<piece>& all);
  /// Returns what counts the ranks that have still to come to a barrier.
  std::shared_ptr<countdown> barrier_of(std::uint64_t at);

  /// On rank 0: lets all ranks pause, if it is time to save what is left.
  void pause_if_due();

  /// Lets one strand more run pieces.
  void add_feeder();

  // These are called while it is not.
  /// Runs pieces until the operation ends.
  void feed();
  /// Returns the next piece to run, once there is one; nothing when the operation has ended.
  std::optional<piece> next_piece();
  /// Notes what has become of a piece that this rank has run.
  void reply(const piece& p, const outcome& o);
  /// Ends the operation here: nobody seeks or asks any more.
  void end(std::uint64_t of, outcome o);

  // These are called by the thread that receives letters.
  void deliver(kind what, int from, bytes content);
  /// Sends what rank 0 says to all to the ranks that have it from this one.
  void hand_on(kind what, const bytes& content);
  void requested(const request& r);
  void pause(std::uint64_t of);
  void denied(std::uint64_t of);
  void got_pieces(input_archive& in);
  void got_replies(input_archive& in);
  void got_reply(input_archive& in);
  void arrived(std::uint64_t at);
  void called(int from, input_archive& in);
  void answered(input_archive& in);
  /// Lets all ranks pause if it is time to save, sends the replies that wait, asks again, and
  /// denies ranks that have waited for long.
  /// \returns whether work is to be saved, for which it is to be called though nothing comes.
  bool tick();
};

}  // namespace nopal::detail::mpi
