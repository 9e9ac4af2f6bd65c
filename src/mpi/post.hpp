// SPDX-License-Identifier: Apache-2.0
// The one thread of a rank that calls MPI.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "nopal/mpi/archive.hpp"

namespace nopal::detail::mpi {

using nopal::mpi::bytes;

enum class kind : int {
  request,  ///< for work
  denial,
  pieces,   ///< of work
  reply,    ///< what has become of a piece
  end,      ///< of an operation
  arrived,  ///< at a barrier
  call,     ///< of a function
  answer,
  element,  ///< of a channel
  credit,   ///< for elements of a channel
  closed,   ///< of a channel
  pause,    ///< of an operation
  beat,
  bye,
};

struct letter {
  kind what;
  int to;
  bytes content;
};

/// Sends letters to other ranks, and hands on those that come. A thread does both. It looks whether
/// something has come every 20 microseconds to every millisecond: the longer nothing has come, the
/// less often.
///
/// Two-sided messages need no help from the engine while nobody calls it. A rank that is not there
/// to answer is found by its beat, which each rank sends to the next one.
class post {
 public:
  /// \param deliver  called by the thread for each letter that comes.
  /// \param tick  called by the thread after each look. Says whether it is to be called again
  /// though nothing may come.
  /// \param patience  after how long a rank that is not heard of is given up.
  post(int* argc, char*** argv, std::chrono::milliseconds patience,
       std::function<void(kind, int from, bytes)> deliver, std::function<bool()> tick);
  ~post() = default;
  post(const post&) = delete;
  post& operator=(const post&) = delete;

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The other ranks on this machine.
  [[nodiscard]] const std::vector<int>& near() const noexcept { return near_; }

  /// Lets letters be handed on. The constructor has returned by then.
  void start();

  /// Collective: returns when all ranks have called this, and no letter can come any more. Letters
  /// are handed on until then.
  void finish();

  /// Sends a letter. Any thread may call this. One to this rank itself is only handed on.
  /// \throws nopal::mpi::error if it is too long.
  void send(kind what, int to, bytes content);

  /// Ends the run of all ranks.
  [[noreturn]] void abort() noexcept;

  [[nodiscard]] std::uint64_t sent() const noexcept {
    return sent_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept {
    return sent_bytes_.load(std::memory_order_relaxed);
  }

 private:
  using clock = std::chrono::steady_clock;
  struct on_its_way {
    letter what;
    MPI_Request request;
  };

  void open(int* argc, char*** argv);
  void find_near();
  void work();
  bool send_all();
  bool receive_all();
  void finish_sends();
  void check_beat();
  void close();

  std::function<void(kind, int, bytes)> deliver_;
  std::function<bool()> tick_;
  std::chrono::milliseconds patience_;
  MPI_Comm all_ = MPI_COMM_NULL;
  bool is_ours_ = false;  ///< Whether MPI is to be ended here.
  int rank_ = 0;
  int size_ = 1;
  std::vector<int> near_;
  int byes_ = 0;
  bool is_before_here_ = true;  ///< Whether the rank before has not said goodbye.
  clock::time_point heard_, beaten_;
  std::list<on_its_way> on_their_way_;
  std::atomic<std::uint64_t> sent_{0}, sent_bytes_{0};

  std::mutex mutex_;
  std::condition_variable something_to_do_;
  std::deque<letter> to_send_;
  bool is_open_ = false;
  bool is_started_ = false;
  bool ends_ = false;
  bool aborts_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace nopal::detail::mpi
