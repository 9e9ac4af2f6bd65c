// SPDX-License-Identifier: Apache-2.0
#include "nopal/stm/synchronize.hpp"

#include <sched.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "nopal/stm/statistics.hpp"
#include "platform/message.hpp"
#include "stm/registry.hpp"

namespace nopal::stm {
namespace {

using detail::stm_count;
using detail::transaction_log;

/// Returns how many transactions have begun before `version` and not ended.
std::uint64_t older_than(std::uint64_t version) noexcept {
  std::uint64_t n = 0;
  detail::for_each_log([&](const transaction_log& l) {
    // Pairs with the release in transaction_core::end().
    if (l.start.load(detail::acquire_at_fence) < version) ++n;
  });
  return n;
}

/// Lets something else run, before synchronize() looks again: other threads or, on a worker, other
/// strands. The caller's strand can go on at once. That does not keep strands from beginning: see
/// scheduler::take_submission().
void step_aside(unsigned turn) noexcept {
  if (detail::this_worker() == nullptr) {
    if (turn < 16)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    return;
  }
  detail::wait_for([](detail::waiter& w) noexcept {
    w.go_on();
    return true;
  });
  sched_yield();
}

/// Tells the user that synchronize() waits for so many transactions, and has done so for long.
void say_who_is_awaited(std::uint64_t n) noexcept {
  char text[160];
  std::snprintf(text, sizeof text,
                "stm::synchronize() has waited for 10 s, and still waits for %llu transactions; "
                "called within a transaction it never returns",
                static_cast<unsigned long long>(n));
  detail::write_message(text);
}

}  // namespace

void synchronize() {
  using clock = std::chrono::steady_clock;
  // This version is later than the clock that any running transaction has begun with.
  const std::uint64_t version =
      detail::clock_of_stm.version.fetch_add(1, std::memory_order_acq_rel) + 1;
  // Pairs with the light fence in transaction_core::begin(): a transaction that is not seen reads
  // what the caller has committed.
  detail::heavy_fence();
  const clock::time_point say_at = clock::now() + std::chrono::seconds(10);
  bool has_said = false;
  for (unsigned turn = 0;; ++turn) {
    const std::uint64_t n = older_than(version);
    if (n == 0) break;
    if (!has_said && clock::now() > say_at) {
      has_said = true;
      say_who_is_awaited(n);
    }
    step_aside(turn);
  }
  transaction_log& mine = detail::take_log();
  detail::reclaim(mine);
  detail::give_back_log(mine);
  detail::reclaim_of_free_logs();
}

statistics stats() noexcept {
  statistics s;
  detail::for_each_log([&](const transaction_log& l) {
    const auto of = [&](stm_count c) {
      return l.counts[static_cast<std::size_t>(c)].load(std::memory_order_relaxed);
    };
    s.commits += of(stm_count::commits);
    s.read_only_commits += of(stm_count::read_only_commits);
    s.conflicts += of(stm_count::conflicts);
    s.retries += of(stm_count::retries);
    s.extensions += of(stm_count::extensions);
    s.validations += of(stm_count::validations);
    s.validations_skipped += of(stm_count::validations_skipped);
    s.tokens += of(stm_count::tokens);
    s.locations_read += of(stm_count::locations_read);
    s.locations_written += of(stm_count::locations_written);
    if (l.start.load(std::memory_order_relaxed) != transaction_log::idle) ++s.running;
  });
  return s;
}

}  // namespace nopal::stm
