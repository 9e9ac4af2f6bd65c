// SPDX-License-Identifier: Apache-2.0
#include "mpi/post.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "nopal/mpi/error.hpp"

namespace nopal::detail::mpi {

namespace {

using namespace std::chrono_literals;

constexpr auto shortest_nap = 20us;
constexpr auto longest_nap = 1000us;
constexpr auto beat_every = 500ms;

/// Whether more letters are likely to follow soon. Ranks without work ask each other, in vain.
bool hurries(kind what) {
  return what != kind::request && what != kind::denial && what != kind::beat;
}

/// Ends the run of all ranks.
[[noreturn]] void end_run(MPI_Comm all) {
  // An engine may call exit(), of which the last handler comes first. Those of the program would
  // wait for strands that wait for this thread.
  std::atexit([] { std::_Exit(1); });
  MPI_Abort(all, 1);
  std::_Exit(1);
}

}  // namespace

post::post(int* argc, char*** argv, std::chrono::milliseconds patience,
           std::function<void(kind, int, bytes)> deliver, std::function<bool()> tick)
    : deliver_(std::move(deliver)), tick_(std::move(tick)), patience_(patience) {
  thread_ = std::thread([=, this] {
    try {
      open(argc, argv);
    } catch (...) {
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard l(mutex_);
      is_open_ = true;
    }
    something_to_do_.notify_all();
    if (failure_ != nullptr) return;
    {
      std::unique_lock l(mutex_);
      something_to_do_.wait(l, [this] { return is_started_; });
    }
    try {
      work();
    } catch (const std::exception& e) {
      // A letter that is not handed on would leave others waiting.
      std::fprintf(stderr, "nopal: rank %d cannot take part any more, so the run ends: %s\n", rank_,
                   e.what());
      end_run(all_);
    }
    close();
  });
  std::unique_lock l(mutex_);
  something_to_do_.wait(l, [this] { return is_open_; });
  if (failure_ != nullptr) {
    l.unlock();
    thread_.join();
    std::rethrow_exception(failure_);
  }
}

void post::start() {
  {
    const std::lock_guard l(mutex_);
    is_started_ = true;
  }
  something_to_do_.notify_all();
}

void post::finish() {
  {
    const std::lock_guard l(mutex_);
    ends_ = true;
    for (int r = 0; r < size_; ++r)
      if (r != rank_) to_send_.push_back({kind::bye, r, {}});
  }
  something_to_do_.notify_one();
  thread_.join();
}

void post::abort() noexcept {
  {
    const std::lock_guard l(mutex_);
    aborts_ = true;
  }
  something_to_do_.notify_one();
  thread_.join();  // which never ends
  std::abort();
}

void post::open(int* argc, char*** argv) {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  int level = MPI_THREAD_SINGLE;
  if (is_initialized != 0) {
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED)
      throw nopal::mpi::error(
          "nopal: MPI was initialized for one thread, and nopal calls it from a thread of its own; "
          "initialize it by MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or "
          "leave that to nopal::mpi::world");
  } else {
    // This thread alone calls MPI, so it is the one that is meant by FUNNELED.
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    is_ours_ = true;
    if (level < MPI_THREAD_FUNNELED) {
      MPI_Finalize();
      throw nopal::mpi::error("nopal: this MPI does not work in programs with threads");
    }
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &all_);
  MPI_Comm_rank(all_, &rank_);
  MPI_Comm_size(all_, &size_);
  find_near();
  heard_ = beaten_ = clock::now();
}

void post::find_near() {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
  int n = 0;
  MPI_Comm_size(here, &n);
  near_.resize(static_cast<std::size_t>(n));
  MPI_Allgather(&rank_, 1, MPI_INT, near_.data(), 1, MPI_INT, here);
  MPI_Comm_free(&here);
  std::erase(near_, rank_);
}

void post::send(kind what, int to, bytes content) {
  if (content.size() > std::numeric_limits<int>::max())
    throw nopal::mpi::error("nopal: a message of " + std::to_string(content.size()) +
                            " bytes to rank " + std::to_string(to) +
                            "; at most 2147483647 are allowed: let pieces and results be smaller");
  {
    const std::lock_guard l(mutex_);
    to_send_.push_back({what, to, std::move(content)});
  }
  something_to_do_.notify_one();
}

void post::work() {
  auto nap = shortest_nap;
  for (;;) {
    const bool has_sent = send_all();
    const bool has_come = receive_all();
    const bool ticks = tick_();
    finish_sends();
    if (size_ > 1) check_beat();
    std::unique_lock l(mutex_);
    if (aborts_) end_run(all_);
    if (ends_ && to_send_.empty() && on_their_way_.empty() && byes_ == size_ - 1) return;
    // Two ranks that answer each other see an answer late by a part of the time that it has taken.
    // If they doubled their naps, that part would be a half on an average on either side, and no
    // answer would come before naps have become the longest.
    nap = has_sent || has_come ? shortest_nap : std::min(nap + nap / 2, longest_nap);
    // What is on its way to or from here goes on only while this thread calls MPI.
    const auto most = ends_ || !on_their_way_.empty() ? std::min(nap, 4 * shortest_nap) : nap;
    const auto is_called = [this] { return ends_ || aborts_ || !to_send_.empty(); };
    if (size_ > 1)
      something_to_do_.wait_for(l, most, [this] { return !to_send_.empty(); });
    else if (ticks)
      something_to_do_.wait_for(l, 5 * longest_nap, is_called);
    else  // On a single rank nothing can come.
      something_to_do_.wait(l, is_called);
  }
}

bool post::send_all() {
  std::deque<letter> all;
  {
    const std::lock_guard l(mutex_);
    all.swap(to_send_);
  }
  bool has_sent = false;
  for (letter& each : all) {
    has_sent = has_sent || hurries(each.what);
    if (each.to == rank_) {
      deliver_(each.what, rank_, std::move(each.content));
      continue;
    }
    on_their_way_.push_back({std::move(each), MPI_REQUEST_NULL});
    on_its_way& o = on_their_way_.back();
    MPI_Isend(o.what.content.data(), static_cast<int>(o.what.content.size()), MPI_BYTE, o.what.to,
              static_cast<int>(o.what.what), all_, &o.request);
    sent_.fetch_add(1, std::memory_order_relaxed);
    sent_bytes_.fetch_add(o.what.content.size(), std::memory_order_relaxed);
  }
  return has_sent;
}

bool post::receive_all() {
  bool has_come = false;
  for (;;) {
    int flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &flag, &status);
    // An engine may look before it lets in what has come: then only the second look finds it.
    if (flag == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &flag, &status);
    if (flag == 0) return has_come;
    int n = 0;
    MPI_Get_count(&status, MPI_BYTE, &n);
    bytes content(static_cast<std::size_t>(n));
    MPI_Recv(content.data(), n, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, all_, &status);
    if (status.MPI_SOURCE == (rank_ + size_ - 1) % size_) heard_ = clock::now();
    const kind what{status.MPI_TAG};
    if (what == kind::bye) {
      ++byes_;
      if (status.MPI_SOURCE == (rank_ + size_ - 1) % size_) is_before_here_ = false;
    } else if (what != kind::beat) {
      deliver_(what, status.MPI_SOURCE, std::move(content));
      has_come = has_come || hurries(what);
    }
  }
}

void post::finish_sends() {
  std::erase_if(on_their_way_, [](on_its_way& o) {
    int flag = 0;
    MPI_Test(&o.request, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
  });
}

/// Sends this rank's beat, and ends the run if the rank before has not been heard of for long.
void post::check_beat() {
  const auto now = clock::now();
  if (now - beaten_ < beat_every) return;
  // This thread itself may have been stopped, with the whole process or its machine.
  const bool was_away = now - beaten_ > 4 * beat_every;
  beaten_ = now;
  {
    // Whoever has said goodbye sends nothing any more: the next rank may be gone.
    const std::lock_guard l(mutex_);
    if (!ends_) to_send_.push_back({kind::beat, (rank_ + 1) % size_, {}});
  }
  if (was_away) heard_ = now;
  if (!is_before_here_ || now - heard_ < patience_) return;
  const int silent = (rank_ + size_ - 1) % size_;
  std::fprintf(stderr,
               "nopal: rank %d has not been heard of for %lld ms, so rank %d ends the run "
               "(nopal::mpi::options::patience)\n",
               silent, static_cast<long long>(patience_.count()), rank_);
  end_run(all_);
}

void post::close() {
  MPI_Comm_free(&all_);
  if (is_ours_) MPI_Finalize();
}

}  // namespace nopal::detail::mpi
