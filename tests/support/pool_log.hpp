// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/ordered_clock.hpp"

namespace nopal_test {

using task_number = std::uint32_t;

enum class pool_operation : std::uint32_t { put, got, nothing };

/// An operation on a pool, and when it was called and had returned.
struct pool_record {
  pool_operation what;
  task_number task;  ///< Where there is one.
  moment begin;
  moment end;
};

/// What one thread did to a pool.
///
/// Reading the clock takes a fence, which would hide what a missing fence does from one operation
/// to the next. So some operations may go between one begin() and end(), and count as having taken
/// all that time. That claims less, never more: a task that came earlier and went later than is
/// written was in the pool for longer.
class pool_log {
 public:
  void begin() { begin_ = ordered_now(); }
  void put(task_number task) { add({pool_operation::put, task, begin_, 0}); }
  void got(task_number task) { add({pool_operation::got, task, begin_, 0}); }
  void nothing() { add({pool_operation::nothing, 0, begin_, 0}); }
  void end() {
    const moment now = ordered_now();
    for (; ended_ < records_.size(); ++ended_) records_[ended_].end = now;
  }

  void add(const pool_record& r) { records_.push_back(r); }
  void clear() {
    records_.clear();
    ended_ = 0;
  }
  [[nodiscard]] const std::vector<pool_record>& records() const { return records_; }

 private:
  moment begin_ = 0;
  std::size_t ended_ = 0;  // records before this have their end
  std::vector<pool_record> records_;
};

}  // namespace nopal_test
