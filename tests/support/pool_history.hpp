// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/ordered_clock.hpp"
#include "support/pool_log.hpp"

namespace nopal_test {

enum class pool_fault { got_twice, never_put, got_before_put, lost, was_not_empty };

struct found_fault {
  pool_fault what;
  task_number task;  ///< Where it is about one.
  moment begin;      ///< Of the operation that is wrong; of the put where a task is lost.
  moment end;

  friend bool operator==(const found_fault&, const found_fault&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const found_fault& f) {
  switch (f.what) {
    case pool_fault::got_twice:
      out << "task " << f.task << " was got once more";
      break;
    case pool_fault::never_put:
      out << "task " << f.task << " was got and never put";
      break;
    case pool_fault::got_before_put:
      out << "task " << f.task << " was got before it was put";
      break;
    case pool_fault::lost:
      out << "task " << f.task << " never came out";
      break;
    case pool_fault::was_not_empty:
      out << "nothing was got though at each moment there was a task";
      break;
  }
  return out << ", in a call from " << f.begin << " to " << f.end << " ns";
}

struct history_report {
  std::vector<found_fault> faults;
  std::size_t tasks = 0;
  std::size_t nothing = 0;  ///< So many calls got nothing.
  /// So many of these while for some of the time, not all, there was a task.
  std::size_t contested = 0;
};

/// Whether the pool did what a bag does, each operation at one moment of its call: when it is over,
/// and the pool has been drained.
///
/// - Each task comes out once, and its get does not end before its put begins.
/// - A call that gets nothing does so at a moment at which the bag is empty. A task is surely in
///   it from the end of its put to the begin of its get. So there must be a moment of the call at
///   which no task is surely in; that one after the other was in all the time is a fault, though
///   none of them was in throughout.
///
/// There are no other rules: where these hold, let each task whose two calls overlap come and go in
/// an instant that both have in common, and every other come at the end of its put and go at the
/// begin of its get.
///
/// Times are rounded down to nanoseconds. What ended in one nanosecond is over in the next, and
/// what began in one had not in that before; where that leaves a doubt there is no fault.
///
/// Tasks are numbered from 0. \throws std::invalid_argument where a number is left out or put
/// twice.
class pool_history {
 public:
  explicit pool_history(std::span<const pool_log> threads) : threads_(threads) {}

  history_report check() {
    note_puts();
    note_gets();
    for (task_number n = 0; n < lives_.size(); ++n)
      if (lives_[n].get_begin == never)
        report_.faults.push_back({pool_fault::lost, n, lives_[n].put_begin, lives_[n].put_end});
    find_times_with_tasks();
    each(pool_operation::nothing, [&](const pool_record& r) { note_nothing(r); });
    return std::move(report_);
  }

 private:
  static constexpr moment never = std::numeric_limits<moment>::max();

  struct life {
    moment put_begin = never;
    moment put_end = never;
    moment get_begin = never;
  };

  /// Nanoseconds, both included, in all of which there was surely a task.
  struct span_of_time {
    moment first;
    moment last;
  };

  template <class F>
  void each(pool_operation what, F&& f) const {
    for (const pool_log& log : threads_)
      for (const pool_record& r : log.records())
        if (r.what == what) f(r);
  }

  void note_puts() {
    each(pool_operation::put, [&](const pool_record&) { ++report_.tasks; });
    lives_.resize(report_.tasks);
    each(pool_operation::put, [&](const pool_record& r) {
      if (r.task >= lives_.size() || lives_[r.task].put_begin != never)
        throw std::invalid_argument(
            "pool_history: " + std::to_string(lives_.size()) + " tasks were put, and task " +
            std::to_string(r.task) +
            " is not one of the first so many, or not the first one of that number");
      lives_[r.task].put_begin = r.begin;
      lives_[r.task].put_end = r.end;
    });
  }

  void note_gets() {
    each(pool_operation::got, [&](const pool_record& r) {
      const auto fault = [&](pool_fault what) {
        report_.faults.push_back({what, r.task, r.begin, r.end});
      };
      if (r.task >= lives_.size()) {
        fault(pool_fault::never_put);
        return;
      }
      life& l = lives_[r.task];
      if (l.get_begin != never) fault(pool_fault::got_twice);
      if (r.end < l.put_begin) fault(pool_fault::got_before_put);
      l.get_begin = std::min(l.get_begin, r.begin);
    });
  }

  void find_times_with_tasks() {
    std::vector<span_of_time> all;
    for (const life& l : lives_)
      if (l.put_end + 1 < l.get_begin) all.push_back({l.put_end + 1, l.get_begin - 1});
    std::ranges::sort(all, {}, &span_of_time::first);
    for (const span_of_time& s : all) {
      if (with_tasks_.empty() || with_tasks_.back().last + 1 < s.first)
        with_tasks_.push_back(s);
      else
        with_tasks_.back().last = std::max(with_tasks_.back().last, s.last);
    }
  }

  void note_nothing(const pool_record& r) {
    ++report_.nothing;
    const auto after = std::ranges::upper_bound(with_tasks_, r.end, {}, &span_of_time::first);
    if (after == with_tasks_.begin()) return;
    const span_of_time& s = *std::prev(after);
    if (s.first <= r.begin && s.last >= r.end)
      report_.faults.push_back({pool_fault::was_not_empty, 0, r.begin, r.end});
    else if (s.last >= r.begin)
      ++report_.contested;
  }

  std::span<const pool_log> threads_;
  std::vector<life> lives_;               // by number
  std::vector<span_of_time> with_tasks_;  // in order, with moments between them
  history_report report_;
};

}  // namespace nopal_test
